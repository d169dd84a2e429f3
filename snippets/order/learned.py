"""Positions as a table that is learned: its size, and where it ends."""

# --8<-- [start:table]
import torch
from torch import nn

longest, d = 512, 16
table = nn.Embedding(longest, d)
tokens = torch.randn(2, 7, d, generator=torch.Generator().manual_seed(42))
x = tokens + table(torch.arange(7))  # (2, 7, d) + (7, d)
print("tokens with positions", tuple(x.shape))
print(f"parameters: {longest} x {d} = {table.weight.numel():,}")

try:
    table(torch.arange(longest + 1))
except IndexError as error:
    print(f"{longest + 1} tokens: {type(error).__name__}")
# --8<-- [end:table]

from drift import fact

fact("longest", longest)
fact("width", d)
fact("parameters", table.weight.numel())
fact("too_many", longest + 1)
