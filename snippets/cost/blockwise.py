"""Blockwise attention: the same result, the memory, and the work."""

# --8<-- [start:agree]
import torch
import torch.nn.functional as F

from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention
from attention_src.masks import causal_blocked

generator = torch.Generator().manual_seed(0)
qkv = torch.randn(3, 1, 2, 1031, 16, generator=generator).requires_grad_()
agree = {}
for causal in (None, "top-left"):
    ours = blockwise_attention(*qkv, causal=causal, block=128)
    theirs = F.scaled_dot_product_attention(*qkv, is_causal=causal is not None)
    (our_gradient,) = torch.autograd.grad(ours.square().sum(), qkv)
    (their_gradient,) = torch.autograd.grad(theirs.square().sum(), qkv)
    agree[causal, "output"] = torch.allclose(ours, theirs, atol=1e-6)
    close = torch.allclose(our_gradient, their_gradient, atol=1e-5)
    agree[causal, "gradient"] = close
for (causal, what), same in agree.items():
    print(f"causal {causal!s:9} {what:9} agrees: {same}")
# --8<-- [end:agree]

from drift import artifact, fact

fact("length", qkv.shape[-2])
fact("block", 128)
fact("agrees", all(agree.values()))

# --8<-- [start:empty]
nothing = torch.ones(1, 1, 1, 1031, dtype=torch.bool)
output = blockwise_attention(*qkv, nothing)
(gradient,) = torch.autograd.grad(output.sum(), qkv)
print("largest output  ", output.abs().max().item())
print("largest gradient", gradient.abs().max().item())
# --8<-- [end:empty]

fact("empty_output", output.detach().abs().max())
fact("empty_gradient", gradient.abs().max())

# --8<-- [start:peak]
from functools import partial

from attention_src.blockwise.memory import peak_bytes

torch.set_num_threads(1)  # torch's own way takes work space for each thread
ways = {
    "plain": lambda *x: attention(*x)[0],
    "blockwise": blockwise_attention,
    "torch": F.scaled_dot_product_attention,
}
peaks = {}
print("length        plain  blockwise     torch   output alone")
for n in (512, 1024, 2048, 4096):
    x = torch.randn(1, 8, n, 64, generator=generator)
    peaks[n] = [peak_bytes(partial(way, x, x, x)) for way in ways.values()]
    plain, blocks, torchs = peaks[n]
    print(f"{n:6}{plain:13}{blocks:11}{torchs:10}{x.nbytes:15}")
# --8<-- [end:peak]

for name, size in zip(ways, peaks[4096], strict=True):
    fact(f"{name}_4096", size)
fact("share_4096", blocks / plain)
fact("times_torch_4096", blocks / torchs)
fact("peak_long", max(peaks))

# --8<-- [start:work]
from torch.utils.flop_counter import FlopCounterMode


def multiply_adds(call, *inputs, **options):
    with FlopCounterMode(display=False) as counter:
        call(*inputs, **options)
    return counter.get_total_flops() // 2


x = torch.zeros(2048, 64)
mask = causal_blocked(2048)
work = {
    "plain": multiply_adds(attention, x, x, x),
    "plain, causal": multiply_adds(attention, x, x, x, mask),
    "blockwise": multiply_adds(blockwise_attention, x, x, x),
}
count = multiply_adds(blockwise_attention, x, x, x, causal="top-left")
work["blockwise, causal"] = count
for name, count in work.items():
    print(f"{name:18}{count:10}")
# --8<-- [end:work]

fact("work", work["blockwise"])
fact("same_work", work["blockwise"] == work["plain"] == work["plain, causal"])
fact("causal_share", work["blockwise, causal"] / work["blockwise"])

from matplotlib.patches import Rectangle
from matplotlib.ticker import NullLocator

from attention_src.blockwise.tiles import Tiles
from attention_src.figures import GRID, SERIES, new_figure, save

tiles = Tiles(14, 14, "top-left", 4)
pairs = {(row.start, key.start): 0 for row in tiles.rows() for key in Tiles(14, 14, None, 4).rows()}
figure, (axes,) = new_figure(3.0)
for rows in tiles.rows():
    for keys in tiles.keys(rows):
        shut = tiles.shut(None, rows, keys, torch.device("cpu"))
        whole = (rows.stop - rows.start) * (keys.stop - keys.start)
        pairs[rows.start, keys.start] = whole if shut is None else whole - int(shut.sum())
for (top, left), allowed in pairs.items():
    height, width = min(4, 14 - top), min(4, 14 - left)
    shade = round(0.5 * allowed / (height * width), 3)
    axes.add_patch(Rectangle((left, top), width, height, facecolor=SERIES[0], alpha=shade, edgecolor="none"))
    axes.add_patch(Rectangle((left, top), width, height, facecolor="none", edgecolor=GRID, linewidth=0.8))
    on_the_line = 0 < allowed < height * width
    x, y = (left + 0.3, top + height - 0.35) if on_the_line else (left + width / 2, top + height / 2)
    axes.text(x, y, allowed, ha="left" if on_the_line else "center", va="bottom" if on_the_line else "center")
stairs = [(corner, step) for step in range(15) for corner in (step, step + 1)][:-1]
axes.plot([corner for corner, _ in stairs], [step for _, step in stairs], color=SERIES[1])
axes.set(xlim=(0, 14), ylim=(14, 0), aspect="equal", xticks=[0, 4, 8, 12], yticks=[0, 4, 8, 12])
axes.set(xlabel="keys", ylabel="queries")
axes.xaxis.tick_top()
axes.xaxis.set_label_position("top")
save(figure, artifact("tiles.svg"))
fact("tile.size", tiles.block)
fact("tile.length", tiles.n)
fact("tile.full", pairs[4, 0])
fact("tile.diagonal", pairs[4, 4])
fact("tile.skipped", sum(allowed == 0 for allowed in pairs.values()))
fact("tile.all", len(pairs))

figure, (axes,) = new_figure(3.0)
lengths = sorted(peaks)
looks = ((SERIES[1], "s", "center"), (SERIES[0], "o", "bottom"), (SERIES[2], "^", "top"))
for index, (name, (colour, marker, side)) in enumerate(zip(ways, looks, strict=True)):
    sizes = [peaks[n][index] for n in lengths]
    axes.plot(lengths, sizes, color=colour, marker=marker)
    axes.text(lengths[-1] * 1.12, sizes[-1], f"{name}\n{sizes[-1] / 1e6:.1f} MB", va=side)
axes.set(xscale="log", yscale="log", xlim=(450, 10_500), ylim=(7e5, 3e9))
axes.set(xticks=lengths, xticklabels=[f"{n:,}" for n in lengths], xlabel="length in tokens")
axes.set(yticks=[1e6, 1e7, 1e8, 1e9], yticklabels=["1 MB", "10 MB", "100 MB", "1 GB"], ylabel="peak extra memory")
axes.xaxis.set_minor_locator(NullLocator())
axes.yaxis.set_minor_locator(NullLocator())
axes.grid(color=GRID, linewidth=0.4, alpha=0.5)
save(figure, artifact("peak.svg"))
