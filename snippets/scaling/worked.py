"""The formula by hand: three keys, one query, and values that do and do not reveal a forgotten root."""

# --8<-- [start:scores]
import torch

keys = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
query = torch.tensor([1.0, 0.0])

products = keys @ query
scores = products / 2**0.5
for key, product, score in zip(keys, products, scores, strict=True):
    print(f"key {key.tolist()}   product {product:.0f}   score {score:.3f}")
# --8<-- [end:scores]

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

for number, score in enumerate(scores, start=1):
    fact(f"score_{number}", score)

# --8<-- [start:weights]
powers = scores.exp()
weights = powers / powers.sum()
print(f"{'':14}{'e^score':>8}{'weight':>9}")
for key, power, weight in zip(keys, powers, weights, strict=True):
    print(f"key {key.tolist()}{power:8.3f}{weight:9.3f}")
print(f"{'sum':14}{powers.sum():8.3f}{weights.sum():9.3f}")
# --8<-- [end:weights]

fact("power_1", powers[0])
fact("power_2", powers[1])
fact("power_sum", powers.sum())
for number, weight in enumerate(weights, start=1):
    fact(f"weight_{number}", weight)

# --8<-- [start:output]
values = torch.tensor([10.0, 20.0, 30.0])
parts = weights * values
output = parts.sum()
print("parts ", "  ".join(f"{part:.2f}" for part in parts))
print(f"output {output:.2f}")
# --8<-- [end:output]

for number, part in enumerate(parts, start=1):
    fact(f"value_{number}", values[number - 1])
    fact(f"part_{number}", part)
fact("output", output)

# --8<-- [start:check]
unscaled = products.softmax(dim=-1)
print("unscaled weights ", "  ".join(f"{weight:.3f}" for weight in unscaled))
print("values       with the root   without")
answers = {}
for last in (30.0, 40.0):
    column = torch.tensor([10.0, 20.0, last])
    answers[last] = (weights @ column, unscaled @ column)
    print(f"10 20 {last:.0f}{answers[last][0]:16.2f}{answers[last][1]:12.2f}")
# --8<-- [end:check]

fact("unscaled_1", unscaled[0])
fact("unscaled_2", unscaled[1])
fact("check.last", last)
fact("check.unscaled_same", answers[30.0][1])
fact("check.scaled", answers[40.0][0])
fact("check.unscaled", answers[40.0][1])

figure, (plane, bars) = new_figure(2.1, columns=2, ratios=(1, 1.25))
arrow = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "linewidth": 1.6}
for number, (x, y) in enumerate(keys.tolist(), start=1):
    plane.annotate("", (x, y), (0, 0), arrowprops={**arrow, "color": SERIES[0]})
    plane.text(x + 0.06, y + 0.06, f"key {number}")
plane.annotate("", (query[0].item(), -0.13), (0, -0.13), arrowprops={**arrow, "color": SERIES[1], "linestyle": "--"})
plane.text(0.5, -0.2, "query", ha="center", va="top")
plane.set(xlim=(-0.1, 1.5), ylim=(-0.45, 1.3), aspect="equal", xticks=[0, 1], yticks=[0, 1])
plane.axhline(0, color=GRID, linewidth=0.5, zorder=0)
plane.axvline(0, color=GRID, linewidth=0.5, zorder=0)
names = [f"key {number}" for number in (1, 2, 3)]
bars.barh(names, [round(weight, 3) for weight in weights.tolist()], color=SERIES[0], height=0.55)
for y, (weight, value) in enumerate(zip(weights, values, strict=True)):
    bars.text(round(weight.item(), 3) + 0.012, y, f"{weight:.3f} × {value:.0f}", va="center")
bars.set(xlim=(0, 0.68), xticks=[], xlabel="weight × value")
bars.invert_yaxis()
bars.spines["bottom"].set_visible(False)
bars.tick_params(length=0)
save(figure, artifact("worked.svg"))
