"""The bytes of the weights and of the output at growing lengths, beside those of the parameters."""

# --8<-- [start:sweep]
import torch

from attention_src.core.attention import attention

generator = torch.Generator().manual_seed(42)
width = 64
held = {}
print("length  weights           bytes of weights  bytes of output")
for n in (48, 512, 1024, 2048, 4096, 8192):
    x = torch.randn(1, n, width, generator=generator)
    output, weights = attention(x, x, x)
    held[n] = weights.nbytes, output.nbytes
    print(f"{n:6}  {tuple(weights.shape)!s:15}{held[n][0]:19}{held[n][1]:17}")
# --8<-- [end:sweep]

# --8<-- [start:doubling]
for n in (1024, 2048, 4096, 8192):
    before, now = held[n // 2], held[n]
    factors = [after // first for after, first in zip(now, before, strict=True)]
    print(f"{n // 2:4} to {n:4}: weights × {factors[0]}, output × {factors[1]}")
# --8<-- [end:doubling]

# --8<-- [start:parameters]
from torch import nn

layer = nn.MultiheadAttention(width, num_heads=1, batch_first=True)
count = sum(parameter.numel() for parameter in layer.parameters())
size = sum(parameter.nbytes for parameter in layer.parameters())
print(f"{count} parameters, {size} bytes")
for n in (48, 8192):
    print(f"length {n:4}: the weights take {held[n][0] / size:7.2f} times as much")
# --8<-- [end:parameters]

# --8<-- [start:model]
batch, heads, layers = 8, 12, 12
kept = {n: held[n][0] * batch * heads * layers for n in (512, 8192)}
for n, total in kept.items():
    print(f"length {n:4}: {total / 1e9:6.1f} GB of weights")
# --8<-- [end:model]

from matplotlib.ticker import NullLocator

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("width", width)
fact("batch", batch)
fact("heads", heads)
fact("layers", layers)
fact("element", weights.element_size())
fact("parameters", count)
fact("parameter_bytes", size)
fact("shortest", min(held))
fact("short", min(kept))
fact("longest", max(held))
fact("weights_48", held[48][0])
fact("output_48", held[48][1])
fact("weights_8192", held[8192][0])
fact("output_8192", held[8192][1])
for n in (48, 8192):
    fact(f"share_{n}", held[n][0] / size)
fact("model_512", kept[512])
fact("model_8192", kept[8192])
fact("factor_length", max(kept) // min(kept))
fact("factor_bytes", kept[8192] // kept[512])

beyond = 131_072
fact("beyond", beyond)
fact("beyond_bytes", 4 * beyond**2)


def short(number: int) -> str:
    """Three or four characters and a decimal unit."""
    for unit, limit in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= limit:
            return f"{number / limit:.1f} {unit}"
    return f"{number} B"


figure, (axes,) = new_figure(3.3)
measured = sorted(held)
for index, colour, marker in ((0, SERIES[1], "s"), (1, SERIES[0], "o")):
    axes.plot(measured, [held[n][index] for n in measured], color=colour, marker=marker)
axes.text(48, held[48][0] / 1.9, short(held[48][0]), ha="left", va="top")
axes.text(8192, held[8192][0] * 1.7, short(held[8192][0]), ha="right", va="bottom")
axes.plot([8192, beyond], [held[8192][0], 4 * beyond**2], color=SERIES[1], linestyle=":", marker="s", fillstyle="none")
axes.plot(
    [8192, beyond], [held[8192][1], 4 * beyond * width], color=SERIES[0], linestyle=":", marker="o", fillstyle="none"
)
axes.plot([48, beyond], [size, size], color=SERIES[2], linestyle="--")
axes.text(beyond * 1.3, 4 * beyond**2, f"weights\n{short(4 * beyond**2)}", va="center")
axes.text(beyond * 1.3, 4 * beyond * width, f"output\n{short(4 * beyond * width)}", va="center")
axes.text(beyond * 1.3, size, f"parameters\n{short(size)}", va="center")
axes.set(xscale="log", yscale="log", xlim=(36, 2.4e6), ylim=(8e2, 3e11))
axes.set(xticks=[48, 512, 8192, beyond], xticklabels=["48", "512", "8,192", "131,072"])
axes.set(yticks=[1e4, 1e6, 1e8, 1e10], yticklabels=["10 KB", "1 MB", "100 MB", "10 GB"], xlabel="length in tokens")
axes.xaxis.set_minor_locator(NullLocator())
axes.yaxis.set_minor_locator(NullLocator())
axes.grid(color=GRID, linewidth=0.4, alpha=0.5)
save(figure, artifact("bytes.svg"))
