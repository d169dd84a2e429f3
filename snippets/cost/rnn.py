"""Attention against a recurrent network: operations, and how many of them must wait for one another."""

# --8<-- [start:count]
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from attention_src.core.attention import attention


def multiply_adds(call, *inputs):
    """Multiplications, each with its addition, of the matrix products in a call."""
    with FlopCounterMode(display=False) as counter:
        call(*inputs)
    return counter.get_total_flops() // 2


d = 64
rnn = nn.RNN(d, d, batch_first=True)
table = {}
print("length  attention      RNN")
for n in (16, 64, 256):
    x = torch.zeros(1, n, d)
    table[n] = multiply_adds(attention, x, x, x), multiply_adds(rnn, x)
    print(f"{n:6}{table[n][0]:11}{table[n][1]:9}")
# --8<-- [end:count]

# --8<-- [start:layers]
gru = nn.GRU(d, d, batch_first=True)
layer = nn.MultiheadAttention(d, num_heads=1, batch_first=True)
whole = {}
print("length  attention layer      RNN      GRU")
for n in (16, 64, 256):
    x = torch.zeros(1, n, d)
    by_layer = multiply_adds(layer, x, x, x)
    whole[n] = by_layer, multiply_adds(rnn, x), multiply_adds(gru, x)
    print(f"{n:6}{whole[n][0]:17}{whole[n][1]:9}{whole[n][2]:9}")
# --8<-- [end:layers]

# --8<-- [start:depth]
from graphlib import TopologicalSorter


def longest_chain(output):
    """How many matrix products must wait for one another."""
    graph, reached = {}, [output.grad_fn]
    while reached:
        node = reached.pop()
        if node not in graph:  # next_functions: whose results this step needed
            graph[node] = [needed for needed, _ in node.next_functions if needed]
            reached += graph[node]
    chain = {}
    for node in TopologicalSorter(graph).static_order():
        is_product = "mm" in node.name().lower()  # as in AddmmBackward0
        before = max((chain[needed] for needed in graph[node]), default=0)
        chain[node] = before + is_product
    return chain[output.grad_fn]


depth = {}
print("length  attention layer  RNN")
for n in (16, 64, 256):
    x = torch.randn(1, n, d, requires_grad=True)
    depth[n] = longest_chain(layer(x, x, x)[0]), longest_chain(rnn(x)[0])
    print(f"{n:6}{depth[n][0]:17}{depth[n][1]:5}")
# --8<-- [end:depth]

from matplotlib.ticker import NullLocator

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("short", min(table))
fact("long", max(table))
fact("attention_short", table[16][0])
fact("rnn_short", table[16][1])
fact("equal", table[d][0] == table[d][1])
fact("at_equal", table[d][0])
fact("attention_long", table[256][0])
fact("rnn_long", table[256][1])
fact("rnn_is_least", all(rnn_count < layer_count for layer_count, rnn_count, _ in whole.values()))
fact("gru_equal", whole[d][0] == whole[d][2])
fact("depth_attention", depth[256][0])
fact("depth_attention_is_constant", len({attention_depth for attention_depth, _ in depth.values()}) == 1)
fact("depth_rnn_is_length", all(rnn_depth == n for n, (_, rnn_depth) in depth.items()))

wide = 512
lengths = [48, wide, 8192, 131_072]
squares = [n * n * wide for n in lengths]
lines = [n * wide * wide for n in lengths]
fact("wide", wide)
fact("crossing", squares[1])
fact("far", lengths[-1])
fact("far_attention", squares[-1])
fact("far_rnn", lines[-1])

figure, (axes,) = new_figure(3.2)
axes.plot(lengths, squares, color=SERIES[1], marker="s")
axes.plot(lengths, lines, color=SERIES[0], marker="o")
axes.text(lengths[-1] * 1.3, squares[-1], f"attention, n²d\n{squares[-1]:.2e}", va="center")
axes.text(lengths[-1] * 1.3, lines[-1], f"RNN, nd²\n{lines[-1]:.2e}", va="center")
axes.text(wide * 1.25, squares[1] * 0.8, f"n = d = {wide}\n{squares[1]:.2e}", va="top")
axes.text(48, squares[0] / 1.6, f"{squares[0]:.2e}", ha="left", va="top")
axes.text(44, lines[0] * 12, f"{lines[0]:.2e}", ha="left", va="bottom")
axes.set(xscale="log", yscale="log", xlim=(36, 6e6), ylim=(2e5, 4e13))
axes.set(xticks=lengths, xticklabels=["48", "512", "8,192", "131,072"], xlabel="length in tokens")
axes.set(yticks=[1e6, 1e8, 1e10, 1e12], yticklabels=["1e6", "1e8", "1e10", "1e12"], ylabel="multiply-adds")
axes.xaxis.set_minor_locator(NullLocator())
axes.yaxis.set_minor_locator(NullLocator())
axes.grid(color=GRID, linewidth=0.4, alpha=0.5)
save(figure, artifact("crossing.svg"))
