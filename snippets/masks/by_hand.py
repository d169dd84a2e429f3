"""A causal mask over scores that differ, small enough for paper."""

# --8<-- [start:paper]
import math

import torch

from attention_src.masks import causal_blocked

double = math.log(2)  # an exponential of two, beside one for a score of zero
scores = torch.tensor([[0.0, double, double], [0.0, double, 0.0], [0.0, 0.0, double]])
values = torch.tensor([3.0, 6.0, 12.0])
blocked = causal_blocked(3)
weights = scores.masked_fill(blocked, -math.inf).softmax(dim=-1)
output = weights @ values
for row, result in zip(weights, output, strict=True):
    print(" ".join(f"{weight:.4f}" for weight in row), f" output {result:.2f}")
open_output = scores.softmax(dim=-1) @ values
print("without the mask", " ".join(f"{result:.2f}" for result in open_output))
# --8<-- [end:paper]

from drift import fact

for position in range(3):
    fact(f"value_{position}", values[position])
    fact(f"output_{position}", output[position])
    fact(f"open_{position}", open_output[position])
