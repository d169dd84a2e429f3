"""Reorder a sentence: outputs follow their tokens, and a causal mask changes that by hiding."""

# --8<-- [start:draw]
import torch
from torch import nn

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked

torch.manual_seed(42)
embedding = nn.Embedding(2202, 16, padding_idx=0)
query, key, value = (nn.Linear(16, 16) for _ in range(3))


@torch.no_grad()
def layer(x, blocked=None):
    return attention(query(x), key(x), value(x), blocked)[0]


words = ["where", "is", "my", "card", "?"]
x = embedding(torch.tensor([[62, 11, 4, 9, 3]])).detach()
output = layer(x)
print("x", tuple(x.shape), "output", tuple(output.shape))
# --8<-- [end:draw]

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

# --8<-- [start:permute]
order = [3, 2, 0, 1, 4]
reordered = layer(x[:, order])
print("new order:", ", ".join(map(str, order)))
print("new sentence:", *[words[i] for i in order])

follow = torch.allclose(reordered, output[:, order], atol=1e-6)
stay = torch.allclose(reordered, output, atol=1e-6)
print("outputs follow their tokens:", follow)
print("outputs stay in place:      ", stay)
# --8<-- [end:permute]

fact("vocabulary", embedding.num_embeddings)
fact("follow", follow)
fact("stay", stay)

# --8<-- [start:pool]
first, second = output.mean(dim=1), reordered.mean(dim=1)
for name, mean in (("original ", first), ("reordered", second)):
    print(name, " ".join(f"{number:7.4f}" for number in mean[0, :4]), "…")
same_pool = torch.allclose(first, second, atol=1e-6)
print("means agree within 1e-6:", same_pool)
# --8<-- [end:pool]

fact("same_pool", same_pool)

# --8<-- [start:causal]
blocked = causal_blocked(5)[None]
causal = layer(x, blocked)
causal_reordered = layer(x[:, order], blocked)

causal_follow = torch.allclose(causal_reordered, causal[:, order], atol=1e-6)
gap = (causal.mean(dim=1) - causal_reordered.mean(dim=1)).abs().max()
print("outputs follow their tokens:", causal_follow)
print(f"largest difference of the means: {gap:.4f}")
# --8<-- [end:causal]

fact("causal_follow", causal_follow)
fact("gap", gap)

# --8<-- [start:visible]
moved = (causal_reordered - causal[:, order]).abs().amax(dim=-1)[0]
visible = (~blocked[0]).sum(dim=-1).tolist()
print("token sees     out of             moved by")
for place, (token, seen) in enumerate(zip(order, visible, strict=True)):
    company = " ".join(words[i] for i in order[:seen])
    print(f"{words[token]:6}{seen} of 5   {company:19}{moved[place]:8.4f}")
# --8<-- [end:visible]

fact("sees.first", visible[0])
fact("sees.last", visible[-1])
fact("moved.card", moved[0])
fact("moved.question", round(moved[4].item(), 4))

# --8<-- [start:last]
alone = torch.allclose(causal[:, 0], value(x[:, 0]), atol=1e-6)
last = torch.allclose(causal[:, 4], causal_reordered[:, 4], atol=1e-6)
print("first token is its own value:     ", alone)
print("last token the same in both orders:", last)

twice = layer(causal, blocked)[:, 4] - layer(causal_reordered, blocked)[:, 4]
print(f"after a second layer it differs by {twice.abs().max():.4f}")
# --8<-- [end:last]

fact("alone", alone)
fact("last", last)
fact("twice", twice.abs().max())

# --8<-- [start:swap]
swapped = layer(x[:, [0, 1, 2, 4, 3]], blocked)
for place, change in enumerate((swapped - causal).abs().amax(dim=-1)[0].tolist()):
    print(f"place {place}: moved by {change:.4f}")
# --8<-- [end:swap]

fact("swap.place_2", round((swapped - causal)[0, 2].abs().max().item(), 4))
fact("swap.place_3", (swapped - causal)[0, 3].abs().max())

# Two rows of tokens, each with an entry of its output; lines join a token to itself.
figure, (axes,) = new_figure(2.3)
entry = [round(number, 2) for number in output[0, :, 0].tolist()]
for y, row in ((1, [0, 1, 2, 3, 4]), (0, order)):
    for place, token in enumerate(row):
        side = 0.17 if y else -0.17
        colour = SERIES[0] if words[token] == "card" else INK
        axes.text(place, y + side, words[token], ha="center", va="center", color=colour)
        axes.text(place, y + 2 * side, f"{entry[token]:.2f}", ha="center", va="center", color=colour)
    axes.text(5.15, y + side, "mean", ha="center", va="center")
    axes.text(5.15, y + 2 * side, f"{first[0, 0]:.3f}", ha="center", va="center")
for place, token in enumerate(order):
    strong = words[token] == "card"
    axes.plot([token, place], [1, 0], color=SERIES[0] if strong else GRID, linewidth=2.2 if strong else 1.1, marker="o")
axes.set(xlim=(-0.5, 5.6), ylim=(-0.5, 1.5))
axes.set_axis_off()
save(figure, artifact("permute.svg"))
fact("card.entry", entry[3])
fact("mean.entry", first[0, 0], tol=2e-7)
