"""A key whose score is multiplied by a mask of zero keeps a share."""

# --8<-- [start:zero]
import torch

scores = torch.tensor([1.0, 2.0, 3.0])
kept = torch.tensor([1.0, 1.0, 0.0])
multiplied = (scores * kept).softmax(dim=-1)
filled = scores.masked_fill(kept == 0, -torch.inf).softmax(dim=-1)
print("multiplied", " ".join(f"{weight:.3f}" for weight in multiplied))
print("filled    ", " ".join(f"{weight:.3f}" for weight in filled))
# --8<-- [end:zero]

from drift import fact

fact("multiplied", multiplied[2])
fact("filled", filled[2])
