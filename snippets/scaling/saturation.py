"""Scores of random vectors with and without the scale: spread, largest weight, entropy, and what stays the same."""

# --8<-- [start:sweep]
import math

import torch

generator = torch.Generator().manual_seed(42)
sets, length = 256, 48
table = {}
print("width scores   std largest entropy  >0.99")
for d in (16, 64, 512):
    q = torch.randn(sets, length, d, generator=generator)
    k = torch.randn(sets, length, d, generator=generator)
    raw = q @ k.mT
    scaled = raw / math.sqrt(d)
    for name, scores in (("raw", raw), ("scaled", scaled)):
        weights = scores.softmax(dim=-1)
        top = weights.amax(dim=-1)
        entropy = torch.special.entr(weights).sum(dim=-1).mean()
        above = (top > 0.99).float().mean()
        row = (scores.std(), top.mean(), entropy, above)
        table[d, name] = [number.item() for number in row]
        line = f"{row[0]:6.2f}{row[1]:8.4f}{row[2]:8.4f}{row[3]:7.4f}"
        print(f"{d:5} {name:6}{line}")
even = math.log(length)
print(f"entropy of an even row: log {length} = {even:.4f}")
# --8<-- [end:sweep]

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("sets", sets)
fact("length", length)
fact("even", even)
for (d, name), (std, largest, entropy, _) in table.items():
    if d in (16, 512):
        fact(f"{name}_{d}.top", largest)
    if (d, name) in ((16, "raw"), (512, "raw"), (512, "scaled")):
        fact(f"{name}_{d}.std", std)
        fact(f"{name}_{d}.entropy", entropy)
fact("narrow", min(d for d, _ in table))
fact("wide", max(d for d, _ in table))
fact("raw_512.above", table[512, "raw"][3])

# --8<-- [start:variance]
print(f"variance of q   {q.var():.4f}")
print(f"variance of k   {k.var():.4f}")
print(f"variance of q·k {raw.var():.1f}")
# --8<-- [end:variance]

fact("var_q", q.var())
fact("var_k", k.var())
fact("var_raw", raw.var())

# --8<-- [start:order]
same_order = torch.equal(raw.argmax(dim=-1), scaled.argmax(dim=-1))
print("same key first in every row:", same_order)
# --8<-- [end:order]

fact("same_order", same_order)

widths = sorted({d for d, _ in table})
figure, (axes,) = new_figure(2.6)
for name, colour, marker in (("raw", SERIES[1], "s"), ("scaled", SERIES[0], "o")):
    heights = [round(table[d, name][1], 4) for d in widths]
    axes.plot(range(3), heights, color=colour, marker=marker)
    for x, height in enumerate(heights):
        axes.text(x, height + 0.04, f"{height:.4f}", ha="center", va="bottom")
    axes.text(2.22, heights[-1], name, va="center")
floor = round(1 / length, 4)
axes.axhline(floor, color=GRID, linestyle=":")
axes.text(1.5, floor + 0.012, f"an even row: {floor}", ha="center", va="bottom")
axes.set(
    xlim=(-0.4, 2.65),
    ylim=(0, 1.1),
    xticks=range(3),
    xticklabels=widths,
    yticks=[0, 0.5, 1],
    xlabel="width of queries and keys",
    ylabel="mean largest weight",
)
save(figure, artifact("saturation.svg"))
