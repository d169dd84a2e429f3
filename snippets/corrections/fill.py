"""A large negative number in place of minus infinity: equal on a row with a key left, and nowhere else."""

# --8<-- [start:fill]
import torch

scores = torch.tensor([1.0, 2.0, 3.0])
last = torch.tensor([False, False, True])
whole = torch.tensor([True, True, True])
rows = {}
for fill in (-torch.inf, -1e9):
    for name, blocked in (("last key", last), ("every key", whole)):
        row = scores.masked_fill(blocked, fill).softmax(dim=-1)
        rows[fill, name] = row
        print(f"{fill:<6g} {name:10}", " ".join(f"{weight:.3f}" for weight in row))
try:
    scores.half().masked_fill(last, -1e9)
except RuntimeError as error:
    print("float16:", error)
# --8<-- [end:fill]

from drift import fact

fact("same", torch.equal(rows[-torch.inf, "last key"], rows[-1e9, "last key"]))
fact("uniform", rows[-1e9, "every key"][0])
fact("empty_is_nan", rows[-torch.inf, "every key"].isnan().all())
