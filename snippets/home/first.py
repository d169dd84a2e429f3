"""Attention in four lines, for the home page."""

# --8<-- [start:attend]
import math

import torch

q = torch.tensor([[2.0, 0.0]])
k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
v = torch.tensor([[10.0], [20.0], [40.0]])

scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
weights = scores.softmax(dim=-1)
output = weights @ v

print("weights", [f"{w:.3f}" for w in weights[0].tolist()])
print("output ", f"{output.item():.2f}")
# --8<-- [end:attend]

from drift import fact

fact("weight.first", weights[0, 0])
fact("weight.last", weights[0, 2])
fact("output", output)
