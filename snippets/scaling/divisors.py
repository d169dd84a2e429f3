"""Two wrong divisors: the width instead of its root, and the model's width instead of a head's."""

# --8<-- [start:width]
import math

import torch

generator = torch.Generator().manual_seed(42)
sets, length = 256, 48
table = {}
print("width divisor    std  largest entropy")
for d in (16, 64, 512):
    q = torch.randn(sets, length, d, generator=generator)
    k = torch.randn(sets, length, d, generator=generator)
    for name, divisor in (("√d", math.sqrt(d)), ("d", d)):
        scores = q @ k.mT / divisor
        weights = scores.softmax(dim=-1)
        entropy = torch.special.entr(weights).sum(dim=-1).mean()
        row = (scores.std(), weights.amax(dim=-1).mean(), entropy)
        table[d, name] = [number.item() for number in row]
        print(f"{d:5} {name:7}{row[0]:7.3f}{row[1]:9.4f}{row[2]:8.4f}")
even = (1 / length, math.log(length))
print(f"an even row:{even[0]:17.4f}{even[1]:8.4f}")
# --8<-- [end:width]

from drift import fact

fact("by_d_16.std", table[16, "d"][0])
fact("by_d_512.std", table[512, "d"][0])
fact("by_d_512.top", table[512, "d"][1])
fact("by_d_512.entropy", table[512, "d"][2])
fact("even_top", even[0])
fact("even_entropy", even[1])

# --8<-- [start:heads]
model_width, heads = 512, 8
x, y = torch.randn(2, sets, length, model_width, generator=generator)
q, k = (t.view(sets, length, heads, -1).transpose(1, 2) for t in (x, y))
head_width = q.shape[-1]
by_width = {}
print("per head:", tuple(q.shape))
print("divisor          std  largest  entropy")
for name, width in (("√head width", head_width), ("√model width", model_width)):
    scores = q @ k.mT / math.sqrt(width)
    weights = scores.softmax(dim=-1)
    entropy = torch.special.entr(weights).sum(dim=-1).mean()
    row = (scores.std(), weights.amax(dim=-1).mean(), entropy)
    by_width[name] = [number.item() for number in row]
    print(f"{name:13}{row[0]:7.3f}{row[1]:9.4f}{row[2]:9.4f}")
too_small = math.sqrt(model_width / head_width)
print(f"scores too small by a factor of {too_small:.2f}")
# --8<-- [end:heads]

fact("model_width", model_width)
fact("heads", heads)
fact("head_width", head_width)
fact("too_small", too_small)
fact("by_head.top", by_width["√head width"][1])
fact("by_model.std", by_width["√model width"][0])
fact("by_model.top", by_width["√model width"][1])
