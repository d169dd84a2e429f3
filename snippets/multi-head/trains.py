"""A layer with the view bug, trained beside a right one on a task that needs attention."""

# --8<-- [start:model]
import torch
import torch.nn.functional as F
from torch import nn


class Reader(nn.Module):
    def __init__(self, right):
        super().__init__()
        self.right = right
        self.token, self.place = nn.Embedding(10, 32), nn.Embedding(8, 32)
        self.roles = nn.ModuleList(nn.Linear(32, 32) for _ in range(3))
        self.read = nn.Linear(32, 10)

    def split(self, x):
        if self.right:
            return x.view(-1, 8, 2, 16).transpose(1, 2)
        return x.view(-1, 2, 8, 16)

    def forward(self, ids):
        x = self.token(ids) + self.place.weight
        q, k, v = (self.split(project(x)) for project in self.roles)
        heads = (q @ k.mT / 4).softmax(dim=-1) @ v
        if self.right:
            heads = heads.transpose(1, 2)
        return self.read(heads.reshape(-1, 8, 32))


# --8<-- [end:model]


# --8<-- [start:train]
def previous(ids):
    return torch.cat([ids[:, :1], ids[:, :-1]], dim=1)


def trained(right):
    torch.manual_seed(0)
    model = Reader(right)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(300):
        ids = torch.randint(10, (64, 8))
        loss = F.cross_entropy(model(ids).transpose(1, 2), previous(ids))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


right, wrong = trained(right=True), trained(right=False)
# --8<-- [end:train]

# --8<-- [start:test]
generator = torch.Generator().manual_seed(1)
ids = torch.randint(10, (20000, 8), generator=generator)
places = {}
for name, model in (("right", right), ("wrong", wrong)):
    with torch.no_grad():
        hits = (model(ids).argmax(dim=-1) == previous(ids)).float()
    places[name] = hits.mean(dim=0)
    row = " ".join(f"{share:.2f}" for share in places[name])
    print(f"{name}: {places[name].mean():.2f}  by place {row}")
# --8<-- [end:test]

# --8<-- [start:touch]
changed = ids[:1].clone()
changed[0, 3] = (changed[0, 3] + 1) % 10
reached = {}
for name, model in (("right", Reader(True)), ("wrong", Reader(False))):
    with torch.no_grad():
        moved = (model(changed) != model(ids[:1])).any(dim=-1)[0]
    reached[name] = moved.nonzero().flatten().tolist()
    print(f"{name}: token 3 changes, outputs that move: {reached[name]}")
# --8<-- [end:touch]

from attention_src.figures import SERIES, new_figure, save
from drift import artifact, fact, output_tolerance

blind = 4
seen = [place for place in range(8) if place != blind]
fact("tokens", ids.shape[1])
fact("symbols", right.token.num_embeddings)
fact("blind", blind)
# Threads and instruction sets changed no digit here. Another machine may, so a tolerance is the largest distance
# from these values that four other seeds gave; two printed places of such a number can differ by one.
fact("right", places["right"].mean(), tol=0.0005)
fact("wrong", places["wrong"].mean(), tol=0.0005)
fact("wrong_blind", places["wrong"][blind], tol=0.0043)
output_tolerance("test", 0.01)
fact("right_learns", bool((places["right"] > 0.99).all()))
fact("wrong_learns", bool((places["wrong"][seen] > 0.99).all()))
fact("wrong_guesses", bool(places["wrong"][blind] < 0.2))
fact("right_reaches_all", reached["right"] == list(range(8)))
fact("wrong_reaches_half", reached["wrong"] == list(range(4)))

figure, (axes,) = new_figure(2.2)
for name, colour, marker, size in (("right", SERIES[0], "o", 8), ("wrong", SERIES[1], "s", 4)):
    heights = [round(share, 2) for share in places[name].tolist()]
    axes.plot(range(8), heights, color=colour, marker=marker, label=name, markersize=size)
axes.text(blind + 0.2, round(places["wrong"][blind].item(), 2), f"{places['wrong'][blind]:.2f}", va="center")
axes.set(xlabel="place", ylabel="share right", xticks=range(8), yticks=[0, 0.5, 1], ylim=(0, 1.1), xlim=(-0.3, 7.3))
axes.legend(frameon=False, loc="lower left")
save(figure, artifact("places.svg"))
