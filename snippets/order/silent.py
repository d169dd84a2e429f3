"""Positions that raise no error and say nothing, or say it wrong."""

# --8<-- [start:ways]
import torch
from torch import nn

from attention_src.core.attention import attention
from attention_src.masks import padding_blocked
from attention_src.positions import sinusoidal_positions

torch.manual_seed(42)
embedding = nn.Embedding(2202, 16, padding_idx=0)
query, key, value = (nn.Linear(16, 16) for _ in range(3))


@torch.no_grad()
def layer(x, blocked=None):
    return attention(query(x), key(x), value(x), blocked)[0]


twice = embedding(torch.tensor([[62, 11, 4, 9, 3]] * 2)).detach()
positions = sinusoidal_positions(5, 16)
ways = {
    "no positions": lambda x: x,
    "along the tokens": lambda x: x + positions,
    "along the batch": lambda x: x + positions[: len(x), None],
    "one row for all": lambda x: x + positions[4],
}
# --8<-- [end:ways]

# --8<-- [start:reorder]
order = [3, 2, 0, 1, 4]
print("                  shape       blind to order  same twice")
blind, alike = {}, {}
for name, add in ways.items():
    output, reordered = layer(add(twice)), layer(add(twice[:, order]))
    blind[name] = torch.allclose(reordered, output[:, order], atol=1e-6)
    alike[name] = torch.allclose(output[0], output[1], atol=1e-6)
    print(f"{name:18}{tuple(output.shape)}  {blind[name]!s:14}  {alike[name]}")
# --8<-- [end:reorder]

from drift import fact

fact("blind.right", blind["along the tokens"])
fact("blind.batch", blind["along the batch"])
fact("blind.one_row", blind["one row for all"])
fact("alike.batch", alike["along the batch"])

# --8<-- [start:padding]
tokens, pads = [62, 11, 4, 9, 3], [0, 0, 0]
alone = layer(embedding(torch.tensor([tokens])).detach() + positions)


def padded(ids, places):
    ids = torch.tensor([ids])
    x = embedding(ids).detach() + sinusoidal_positions(8, 16)[places]
    return layer(x, padding_blocked(ids))[ids != 0]


counted = torch.tensor([0, 0, 0, 0, 1, 2, 3, 4])
cases = {
    "right padding, 0 to 7": padded(tokens + pads, torch.arange(8)),
    "left padding, 0 to 7": padded(pads + tokens, torch.arange(8)),
    "left padding, counted": padded(pads + tokens, counted),
}
off = {}
for name, output in cases.items():
    off[name] = (output - alone[0]).abs().max().item()
    print(f"{name}: real outputs off by {off[name]:.4f}")
# --8<-- [end:padding]

fact("padding.right", round(off["right padding, 0 to 7"], 4))
fact("padding.left", off["left padding, 0 to 7"])
fact("padding.counted", round(off["left padding, counted"], 4))

# --8<-- [start:bfloat16]
places = torch.arange(512)
low = places.to(torch.bfloat16)
print(f"{len(places)} places, {len(low.unique())} different ones in bfloat16")
print("256 and 257 the same:", torch.equal(low[256], low[257]))
# --8<-- [end:bfloat16]

fact("places", len(places))
fact("different", len(low.unique()))
