"""Attention pooling stays inside the hull of the values, at every sharpness."""

# --8<-- [start:inside]
import torch

torch.manual_seed(0)
values = torch.tensor([[0.0, 0.0], [2.0, 1.5], [4.0, 0.5], [5.0, 3.0], [2.0, 4.0]])
keys = torch.randn(5, 3)
queries = 3 * torch.randn(200, 3)
weights = (queries @ keys.mT / 3**0.5).softmax(dim=-1)
outputs = weights @ values

angles = torch.linspace(0, 2 * torch.pi, 360)
directions = torch.stack([angles.cos(), angles.sin()])  # (2, 360)
reach = (values @ directions).amax(dim=0)
inside = bool((outputs @ directions <= reach + 1e-5).all())
print(f"{len(outputs)} outputs, {len(angles)} directions, none outside: {inside}")
# --8<-- [end:inside]

# --8<-- [start:sharpness]
query = queries[0]
print("factor  largest  output")
path = []
for factor in (0, 0.5, 1, 2, 8):
    w = (factor * keys @ query / 3**0.5).softmax(dim=-1)
    largest, output = w.max(), w @ values
    path.append((factor, largest, output))
    print(f"{factor:6}{largest:9.3f}   {output[0]:.2f} {output[1]:.2f}")
mean = values.mean(dim=0)
print(f"plain mean        {mean[0]:.2f} {mean[1]:.2f}")
# --8<-- [end:sharpness]

# --8<-- [start:draw]
w = weights[0]
positions = torch.multinomial(w, 100_000, replacement=True)
drawn = values[positions].mean(dim=0)
gap = (drawn - outputs[0]).abs().max()
print(f"mean of the draws  {drawn[0]:.2f} {drawn[1]:.2f}")
print(f"output             {outputs[0, 0]:.2f} {outputs[0, 1]:.2f}")
# --8<-- [end:draw]

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

fact("outputs", len(outputs))
fact("inside", inside)
fact("even", path[0][1])
fact("sharpest", path[-1][1])
fact("factor", path[-1][0])
fact("mean_x", path[0][2][0])
fact("mean_y", path[0][2][1])
fact("end_x", path[-1][2][0])
fact("end_y", path[-1][2][1])
fact("draws", len(positions))
fact("close", bool(gap < 0.02))

figure, (axes,) = new_figure(2.9)
hull = [0, 2, 3, 4, 0]
axes.plot(values[hull, 0], values[hull, 1], color=GRID, linewidth=0.8)
axes.plot(outputs[:, 0], outputs[:, 1], ".", color=SERIES[0], markersize=3.5, alpha=0.5)
axes.plot(values[:, 0], values[:, 1], "s", color=SERIES[1], markersize=8)
trail = torch.stack([output for _, _, output in path])
axes.plot(trail[:, 0], trail[:, 1], "-o", color=SERIES[2], markersize=5)
axes.annotate("even weights", trail[0], (9, 0), textcoords="offset points", va="center", color=INK)
axes.annotate("all on one value", trail[-1], (10, 2), textcoords="offset points", va="center", color=INK)
axes.set(xlim=(-0.4, 5.4), ylim=(-0.4, 4.4), aspect="equal", xticks=[], yticks=[])
axes.spines[:].set_visible(False)
save(figure, artifact("convex.svg"))
