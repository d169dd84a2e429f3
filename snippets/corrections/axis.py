"""Softmax over either axis of a small table of scores."""

# --8<-- [start:axis]
import torch

scores = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
for name, axis in (("keys", -1), ("queries", 0)):
    weights = scores.softmax(dim=axis)
    rows, columns = weights.sum(dim=-1), weights.sum(dim=0)
    print(f"over the {name:8}", end="")
    print("row sums", " ".join(f"{total:.3f}" for total in rows), end="  ")
    print("column sums", " ".join(f"{total:.3f}" for total in columns))
# --8<-- [end:axis]

from drift import fact

fact("wrong_1", rows[0])
fact("wrong_2", rows[1])
