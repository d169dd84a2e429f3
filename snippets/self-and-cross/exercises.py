"""Answers to two of the chapter's exercises, small enough for paper."""

# --8<-- [start:long]
import torch

pair = torch.tensor([[1.0, 1.0], [3.0, 2.0]])
pair_scores = pair @ pair.mT
print("scores", pair_scores.tolist())
first = pair_scores.argmax(dim=-1).tolist()
print("largest score of each row is on token", first)
# --8<-- [end:long]

# --8<-- [start:count]
from torch import nn

layers = [nn.Linear(512, 512, bias=False) for _ in range(3)]
count = sum(p.numel() for layer in layers for p in layer.parameters())
print(f"{count:,} parameters")
# --8<-- [end:count]

from drift import fact

fact("itself", pair_scores[0, 0])
fact("other", pair_scores[0, 1])
fact("count", count)
