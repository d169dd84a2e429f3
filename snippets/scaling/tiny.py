"""One query and three keys with values that tell the usual mistakes from the right answer."""

# --8<-- [start:right]
import torch

keys = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
query = torch.tensor([1.0, 0.0])
values = torch.tensor([10.0, 20.0, 60.0])
products = keys @ query
weights = (products / 2**0.5).softmax(dim=-1)
output = weights @ values
print("weights", " ".join(f"{weight:.3f}" for weight in weights))
print(f"output  {output:.2f}")
# --8<-- [end:right]

# --8<-- [start:wrong]
mistakes = {
    "no root": products.softmax(dim=-1),
    "divided by the width": (products / 2).softmax(dim=-1),
    "even weights": torch.full((3,), 1 / 3),
    "no softmax": products / 2**0.5,
}
for name, wrong in mistakes.items():
    print(f"{name:21}{wrong @ values:6.2f}")
# --8<-- [end:wrong]

from drift import fact

for number, value in enumerate(values, start=1):
    fact(f"value_{number}", value)
fact("output", output)
fact("no_root", mistakes["no root"] @ values)
fact("by_width", mistakes["divided by the width"] @ values)
fact("even", mistakes["even weights"] @ values)
answers = [round(float(row @ values), 2) for row in (weights, *mistakes.values())]
fact("all_differ", len(set(answers)) == len(answers))
