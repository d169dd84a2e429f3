"""Decoding with a cache of keys and values: equal to the causal pass, its work and its bytes."""

# --8<-- [start:step]
import torch

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked

generator = torch.Generator().manual_seed(0)
heads, length, width = 2, 7, 4
q, k, v = torch.randn(3, heads, length, width, generator=generator)
full, _ = attention(q, k, v, causal_blocked(length)[None])

keys, values = torch.zeros(2, heads, length, width)  # the cache
agrees = []
for t in range(length):
    keys[:, t], values[:, t] = k[:, t], v[:, t]
    newest = q[:, t : t + 1]
    now, _ = attention(newest, keys[:, : t + 1], values[:, : t + 1])
    agrees.append(torch.allclose(now[:, 0], full[:, t], atol=1e-6))
print(f"steps that equal their row of the whole pass: {sum(agrees)} of {length}")
# --8<-- [end:step]

# --8<-- [start:work]
from torch.utils.flop_counter import FlopCounterMode


def multiply_adds(n_queries, n_keys):
    """Both products of one head of width 128, on tensors without data."""
    q, k = (torch.empty(1, n, 128, device="meta") for n in (n_queries, n_keys))
    with FlopCounterMode(display=False) as counter:
        attention(q, k, k)
    return counter.get_total_flops() // 2


work = {}
print("length   all again   with a cache")
for n in (512, 2048, 8192):
    work[n] = multiply_adds(n, n), multiply_adds(1, n)
    print(f"{n:6}{work[n][0]:12}{work[n][1]:15}")
# --8<-- [end:work]

# --8<-- [start:flag]
import torch.nn.functional as F

one, two = torch.zeros(1, 1), torch.zeros(2, 1)  # the newest queries
earlier = torch.zeros(5, 1), torch.arange(5.0)[:, None]  # cached keys and values
blocked = causal_blocked(2, 5, align="bottom-right")
sdpa = F.scaled_dot_product_attention
shown = {
    "one query, is_causal=True": sdpa(one, *earlier, is_causal=True),
    "one query, no mask": sdpa(one, *earlier),
    "two queries, is_causal=True": sdpa(two, *earlier, is_causal=True),
    "two queries, bottom-right": sdpa(two, *earlier, attn_mask=~blocked),
}
for name, output in shown.items():
    print(f"{name:28}{output.flatten().tolist()}")
# --8<-- [end:flag]

# --8<-- [start:places]
from attention_src.positions import sinusoidal_positions

tokens = torch.randn(length, 8, generator=generator)
text = tokens + sinusoidal_positions(length, 8)
whole, _ = attention(text, text, text, causal_blocked(length))

off = {}
for name, step in {"each at place 0": 0, "offset=t": 1}.items():
    cached, outputs = torch.zeros(0, 8), []
    for t in range(length):
        newest = tokens[t : t + 1] + sinusoidal_positions(1, 8, offset=step * t)
        cached = torch.cat((cached, newest))
        outputs.append(attention(newest, cached, cached)[0])
    off[name] = (torch.cat(outputs) - whole).abs().max().item()
    print(f"{name:16} off by {off[name]:.2f}")
# --8<-- [end:places]

# --8<-- [start:bytes]
layers, query_heads, head_width = 32, 32, 128
cache = {}
print("length  key heads 32  key heads 8  key heads 1")
for n in (1, 8192, 131_072):
    for groups in (32, 8, 1):
        shape = (2, layers, groups, n, head_width)  # 2: keys and values
        whole = torch.empty(shape, dtype=torch.float16, device="meta")
        cache[n, groups] = whole.nbytes
    print(f"{n:6}{cache[n, 32]:14}{cache[n, 8]:13}{cache[n, 1]:13}")
# --8<-- [end:bytes]

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("steps", length)
fact("steps_agree", sum(agrees))
fact("last_flag", shown["one query, is_causal=True"][0, 0])
fact("last_right", shown["one query, no mask"][0, 0])
for i in range(2):
    fact(f"two_flag.{i}", shown["two queries, is_causal=True"][i, 0])
    fact(f"two_right.{i}", shown["two queries, bottom-right"][i, 0])
fact("places_again", off["each at place 0"])
fact("places_right", round(off["offset=t"], 2))
fact("work_again", work[8192][0])
fact("work_cached", work[8192][1])
fact("work_times", work[8192][0] // work[8192][1])
fact("long", 8192)
fact("longest", max(n for n, _ in cache))
fact("layers", layers)
fact("query_heads", query_heads)
fact("head_width", head_width)
fact("few", 8)
fact("one", 1)
fact("token", cache[1, 32])
for n in (8192, 131_072):
    for groups in (32, 8, 1):
        fact(f"bytes_{n}.{groups}", cache[n, groups])

figure, (axes,) = new_figure(1.7)
for row, (groups, colour) in enumerate(((32, SERIES[1]), (8, SERIES[0]), (1, SERIES[2]))):
    axes.barh(row, cache[8192, groups] / 1e9, color=colour, height=0.6)
    axes.text(cache[8192, groups] / 1e9 + 0.08, row, f"{cache[8192, groups] / 1e9:.2f} GB", va="center")
axes.set(ylim=(2.6, -0.6), xlim=(0, 5.4), yticks=range(3), yticklabels=["32 key heads", "8 key heads", "1 key head"])
axes.set(xticks=[0, 1, 2, 3, 4], xlabel="cache at 8,192 tokens, GB")
axes.tick_params(axis="y", length=0)
axes.grid(axis="x", color=GRID, linewidth=0.4, alpha=0.5)
axes.set_axisbelow(True)
save(figure, artifact("cache.svg"))
