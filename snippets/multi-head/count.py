"""More heads: the same parameters and operations, more scores."""

# --8<-- [start:parameters]
import torch
from torch import nn


def count(layer):
    return sum(p.numel() for p in layer.parameters())


counts = {}
print("heads head_width parameters")
for heads in (1, 2, 4, 8):
    counts[heads] = count(nn.MultiheadAttention(64, heads))
    print(f"{heads:5}{64 // heads:11}{counts[heads]:11}")
print("4d² + 4d =", 4 * 64**2 + 4 * 64)
# --8<-- [end:parameters]

# --8<-- [start:wide]
wide = {}
for heads in (1, 8):
    wide[heads] = count(nn.MultiheadAttention(512, heads, bias=False))
    print(f"width 512, no biases, heads {heads}: {wide[heads]:,}")
head_width = 512 // 8
print("width of a head:", head_width)
# --8<-- [end:wide]

# --8<-- [start:scores]
from torch.utils.flop_counter import FlopCounterMode

from attention_src.heads import MultiHeadAttention

x = torch.randn(1, 128, 64, generator=torch.Generator().manual_seed(0))
work, memory = {}, {}
print("heads operations weight_bytes")
for heads in (1, 2, 4, 8):
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        _, weights = MultiHeadAttention(64, heads)(x, x, x)
    work[heads] = counter.get_total_flops()
    memory[heads] = weights.numel() * weights.element_size()
    print(f"{heads:5}{work[heads]:11,}{memory[heads]:13,}")
# --8<-- [end:scores]

# --8<-- [start:exercise]
sixteen = count(nn.MultiheadAttention(512, 16))
print(f"{sixteen:,} parameters, head width {512 // 16}")
# --8<-- [end:exercise]

from attention_src.figures import SERIES, new_figure, save
from drift import artifact, fact

fact("all_same", len(set(counts.values())) == 1)
fact("parameters", counts[8])
fact("exercise", sixteen)
fact("wide_1", wide[1])
fact("wide_8", wide[8])
fact("head_width", head_width)
fact("length", x.shape[1])
fact("work_same", len(set(work.values())) == 1)
fact("work", work[8])
fact("memory_1", memory[1])
fact("memory_8", memory[8])
fact("memory_ratio", memory[8] // memory[1])

figure, panels = new_figure(2.0, columns=2)
names = [str(heads) for heads in counts]
rows = ((panels[0], counts, "parameters", 1), (panels[1], memory, "weights, KB", 1000))
for axes, found, title, unit in rows:
    heights = [number / unit for number in found.values()]
    axes.bar(names, heights, color=SERIES[0], width=0.6)
    for i, height in enumerate(heights):
        axes.text(i, height * 1.01, f"{height:,.0f}", ha="center", va="bottom")
    axes.set(xlabel="heads", yticks=[], ylim=(0, max(heights) * 1.15))
    axes.set_title(title, fontsize=9)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)
save(figure, artifact("count.svg"))
