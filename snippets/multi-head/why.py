"""What one softmax row cannot say and two can."""

# --8<-- [start:one]
import torch

values = torch.tensor([[10.0], [30.0]])
exchanged = values.flip(0)
one_row = torch.tensor([[0.5, 0.5]])
one = (one_row @ values).item()
one_exchanged = (one_row @ exchanged).item()
print("one head: ", one, "and exchanged", one_exchanged)
# --8<-- [end:one]

# --8<-- [start:two]
two_rows = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
two = (two_rows @ values).flatten()
two_exchanged = (two_rows @ exchanged).flatten()
print("two heads:", two.tolist(), "and exchanged", two_exchanged.tolist())
# --8<-- [end:two]

from drift import fact

fact("one", one)
fact("one_blind", one == one_exchanged)
fact("two_0", two[0])
fact("two_1", two[1])
