"""Sines and cosines as positions: what the right exponent gives, and what two wrong ones break."""

# --8<-- [start:by-hand]
import torch

from attention_src.positions import sinusoidal_positions

n, d = 512, 16
column = torch.arange(d)
exponent = 2 * (column // 2) / d
angle = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** exponent.double()
by_hand = torch.where(column % 2 == 0, angle.sin(), angle.cos())

positions = sinusoidal_positions(n, d, dtype=torch.float64)
print("exponents", " ".join(f"{number:.3f}" for number in exponent))
print("positions", tuple(positions.shape))
print("same as attention_src:", torch.allclose(by_hand, positions))
# --8<-- [end:by-hand]

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

fact("n", n)
fact("d", d)
fact("same", torch.allclose(by_hand, positions))

# --8<-- [start:rows]
for place in range(4):
    print(place, " ".join(f"{number:5.2f}" for number in positions[place, :8]), "…")
period = 2 * torch.pi * 10000 ** exponent.double()
for pair in (0, 1, 7):
    print(f"pair {pair} repeats after {period[2 * pair]:,.1f} places")
# --8<-- [end:rows]

fact("period.0", period[0])
fact("period.1", period[2])
fact("period.7", period[14])

# --8<-- [start:shift]
step = 10
turn = step / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
sine, cosine = positions[:-step, 0::2], positions[:-step, 1::2]
turned_sine = sine * turn.cos() + cosine * turn.sin()
turned_cosine = cosine * turn.cos() - sine * turn.sin()
turned = torch.stack((turned_sine, turned_cosine), dim=-1).flatten(-2)
shifted = torch.allclose(turned, positions[step:])
print(f"turning the pairs moves every position by {step}:", shifted)
# --8<-- [end:shift]

fact("step", step)
fact("shifted", shifted)

# --8<-- [start:length]
length = positions.norm(dim=1)
equal = length.allclose(length[0].expand(n))
print(f"length of row 0: {length[0]:.3f}, square root of d/2: {(d / 2) ** 0.5:.3f}")
print("every row is as long:", equal)
# --8<-- [end:length]

fact("length", length[0])
fact("length_equal", equal)

# --8<-- [start:offset]
products = positions @ positions.mT
for offset in (0, 1, 10, 100):
    line = products.diagonal(offset)
    print(f"{offset:3} apart, {len(line)} pairs: {line.min():.4f} to {line.max():.4f}")
# --8<-- [end:offset]

fact("product.0", products.diagonal(0).max())
fact("product.1", products.diagonal(1).max())
fact("product.10", products.diagonal(10).max())
fact("product.100", products.diagonal(100).max())

# --8<-- [start:exponents]
exponents = {
    "2*(i//2)/d": 2 * (column // 2) / d,
    "i/d": column / d,
    "2*i/d": 2 * column / d,
}


def waves(exponent):
    place = torch.arange(n, dtype=torch.float64)[:, None]
    angle = place / 10000 ** exponent.double()
    even = torch.arange(len(exponent)) % 2 == 0
    return torch.where(even, angle.sin(), angle.cos())


for name, exponent in exponents.items():
    print(f"{name:11}", " ".join(f"{number:.3f}" for number in exponent[:6]), "…")
# --8<-- [end:exponents]


# --8<-- [start:wrong]
def measure(table):
    length, product = table.norm(dim=1), (table @ table.mT).diagonal(10)
    best = torch.linalg.lstsq(table[:-10], table[10:], driver="gelsd").solution
    miss = (table[:-10] @ best - table[10:]).abs().max()
    still = int((table.amax(dim=0) - table.amin(dim=0) < 0.01).sum())
    return length.min(), length.max(), product.min(), product.max(), miss, still


found = {}
print("exponent        length        product     miss  still")
for name, exponent in exponents.items():
    low, high, least, most, miss, still = found[name] = measure(waves(exponent))
    row = f"{low:.2f} to {high:.2f}  {least:.2f} to {most:.2f}  {miss:.2f}"
    print(f"{name:12}{row}{still:3} of {d}")
# --8<-- [end:wrong]

shortest, longest, least, most, miss, _ = found["i/d"]
fact("column.shortest", shortest)
fact("column.longest", longest)
fact("column.least", least)
fact("column.most", most)
fact("column.miss", miss)
fact("right.miss", round(found["2*(i//2)/d"][4].item(), 2))
fact("right.still", found["2*(i//2)/d"][5])
fact("double.still", found["2*i/d"][5])

# --8<-- [start:layout]
halves = torch.cat((positions[:, 0::2], positions[:, 1::2]), dim=1)
print("same table:   ", torch.equal(halves, positions))
print("same products:", torch.allclose(halves @ halves.mT, products))
# --8<-- [end:layout]

fact("layout.same", torch.equal(halves, positions))
fact("layout.products", torch.allclose(halves @ halves.mT, products))

# --8<-- [start:wide]
for width in (16, 64, 512):
    length = waves(torch.arange(width) / width).norm(dim=1)
    ratio = length.max() / length.min()
    print(f"width {width:3}: the longest row is {ratio:.2f} times the shortest")
# --8<-- [end:wide]

fact("wide", width)
fact("wide.ratio", ratio)

# Three pairs as waves, one above the other, labelled at their right ends.
figure, (axes,) = new_figure(2.9)
for pair in range(3):
    base = -3 * pair
    axes.axhline(base, color=GRID, linewidth=0.6)
    for offset, style, name in ((0, "-", "sin"), (1, "--", "cos")):
        wave = (base + positions[:61, 2 * pair + offset]).round(decimals=3).tolist()
        axes.plot(range(61), wave, color=SERIES[offset], linestyle=style, linewidth=1.3)
        label = f"{2 * pair + offset}: {name}"
        axes.text(62, base + 0.5 - offset, label, va="center", color=SERIES[offset])
axes.set(xlim=(0, 72), ylim=(-7.3, 1.3), xticks=[0, 20, 40, 60], xlabel="position")
axes.set(yticks=[0, -3, -6], yticklabels=[f"pair {pair}" for pair in range(3)])
axes.tick_params(axis="y", length=0, labelcolor=INK)
save(figure, artifact("sinusoids.svg"))

# Products with three fixed positions: one curve if only the distance counts.
figure, panels = new_figure(2.5, columns=2)
for axes, name, title in zip(panels, ("2*(i//2)/d", "i/d"), ("exponent 2⌊i/2⌋/d", "exponent i/d"), strict=True):
    table, ends = waves(exponents[name]), []
    for start, colour, style in ((0, SERIES[0], "-"), (20, SERIES[1], "--"), (40, SERIES[2], ":")):
        curve = (table[start : start + 31] @ table[start]).round(decimals=3).tolist()
        axes.plot(range(31), curve, color=colour, linestyle=style)
        ends.append((curve[-1], f"from {start}", colour))
    if name == "i/d":
        height = -1.0
        for end, label, colour in sorted(ends):
            height = max(end, height + 0.9)  # labels do not touch
            axes.text(31, height, label, va="center", color=colour)
    axes.set(xlim=(0, 46 if name == "i/d" else 31), ylim=(0, 9.5), xticks=[0, 10, 20, 30], xlabel="distance")
    axes.set_title(title, fontsize=9)
panels[0].text(15, 8.1, "from 0, 20 and 40:\none curve", ha="center", color=INK)
panels[0].set_ylabel("dot product")
save(figure, artifact("shift.svg"))
