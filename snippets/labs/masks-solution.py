# ---
# title: "Lab 2: proving the masks on a batch (solution)"
# description: The masks of a real batch, proved by running each query alone, and what a smaller test would have missed.
# literals:
#   three: tests of the lab
# ---

# %% tags=["remove-cell"]
from attention_src.data.banking77 import HOW, has_banking77
from drift import artifact, fact, needs

needs(has_banking77(), HOW)

# %% [markdown]
# # Lab 2: proving the masks on a batch (solution)
#
# This is the solved [lab](masks.ipynb), run from top to bottom, with what its numbers mean at the end.
# Its numbers come from Banking77, which [`python -m attention_src.data.banking77`](../masks.md#the-data) fetches.
# Without the data it runs on the project's own queries, and says so.
#
# ## The padding mask

# %% padding-mask
import torch

from attention_src.core.attention import attention
from attention_src.data.vocabulary import build_vocabulary, encode
from attention_src.labs.masks import check_padding_mask


def padding_mask(ids):
    return (ids == 0)[:, None, :]


print(check_padding_mask(padding_mask))

# %% [markdown]
# The comparison finds the padding, and the inserted axis says that all queries of a sequence share it.
#
# ## Both masks at once

# %% joined-mask
from attention_src.labs.masks import check_joined_mask


def joined_mask(ids):
    place = torch.arange(ids.shape[1])
    future = place > place[:, None]
    return padding_mask(ids) | future


print(check_joined_mask(joined_mask))

# %% [markdown]
# `place > place[:, None]` compares each key's position with each query's, which is the triangle that `triu(1)` cuts out.
#
# ## The test that matters

# %% gaps
from attention_src.labs.masks import check_gaps


def gaps(ids, output, project):
    found = []
    for row, together in zip(ids, output, strict=True):
        alone, _ = attention(*project(row[row != 0][None]))
        difference = alone[0] - together[: alone.shape[1]]
        found.append(difference.abs().max().item())
    return found


print(check_gaps(gaps))

# %% [markdown]
# ## The batch

# %% batch
from torch import nn

from attention_src.labs.data import lab_queries

seed, width, count, length = 42, 32, 64, 48
queries = lab_queries()
print("queries:", queries.source)
vocabulary = build_vocabulary(queries.training.texts)
ids = encode(queries.validation.texts[:count], vocabulary, length)
torch.manual_seed(seed)
embedding = nn.Embedding(len(vocabulary), width, padding_idx=0)
to_q, to_k, to_v = [nn.Linear(width, width) for _ in range(3)]


@torch.no_grad()
def project(ids):
    x = embedding(ids)
    return to_q(x), to_k(x), to_v(x)


lengths = (ids != 0).sum(dim=1)
shortest, longest = lengths.min().item(), lengths.max().item()
full = (lengths == length).nonzero().flatten().tolist()
print("seed", seed, "width", width, "vocabulary", len(vocabulary))
print("ids", list(ids.shape))
print("shortest", shortest, "in row", lengths.argmin().item())
print("longest", longest, "in rows", full)

# %% tags=["remove-cell"]
fact("width", width)
fact("seed", seed)
fact("count", len(ids))
fact("length", ids.shape[1])
fact("shortest", shortest)
fact("longest", longest)
fact("row_shortest", lengths.argmin())
for number, row in enumerate(full):
    fact(f"row_full_{number}", row)

# %% [markdown]
# The batch holds [64](fact:labs/masks-solution.count) queries of [48](fact:labs/masks-solution.length) places, with layers of width [32](fact:labs/masks-solution.width) from seed [42](fact:labs/masks-solution.seed).
# The shortest query, in row [12](fact:labs/masks-solution.row_shortest), has [4](fact:labs/masks-solution.shortest) tokens.
# The longest, in rows [55](fact:labs/masks-solution.row_full_0) and [61](fact:labs/masks-solution.row_full_1), have [48](fact:labs/masks-solution.longest): they were cut there and have no padding at all.
#
# ## The padding mask on the batch

# %% padding
import torch.nn.functional as F

tolerance = 1e-6
blocked = padding_mask(ids)
q, k, v = project(ids)
output, weights = attention(q, k, v, blocked)
on_padding = (weights * blocked).sum().item()
print("weight on padding:", on_padding)
masked = gaps(ids, output, project)
passed = sum(gap < tolerance for gap in masked)
print("tolerance", tolerance)
print(passed, "of", len(masked), "alone as in the batch")
print("all of them:", passed == len(masked))
theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)
library = torch.allclose(output, theirs, atol=tolerance)
print("the library agrees:", library)

# %% tags=["remove-cell"]
fact("on_padding", on_padding)
fact("tolerance", tolerance)
fact("passed", passed)
fact("all_pass", passed == len(masked))
fact("library", library)

# %% [markdown]
# The weight on padding is [0.0](fact:labs/masks-solution.on_padding), over all queries and all rows.
# Each of the [64](fact:labs/masks-solution.passed) queries [gives the same alone as in the batch](claim:labs/masks-solution.all_pass), to within [1e-6](fact:labs/masks-solution.tolerance).
# PyTorch's own function [agrees as well](claim:labs/masks-solution.library), with the mask negated, since its `True` takes part.
#
# ## Could this test fail?
#
# Run it on the output without a mask.

# %% without
plain, _ = attention(q, k, v)
unmasked = gaps(ids, plain, project)
failed = sum(gap > tolerance for gap in unmasked)
unnoticed = [row for row, gap in enumerate(unmasked) if gap < tolerance]
print("without the mask,", failed, "of", len(unmasked), "fail")
print(f"the worst by {max(unmasked):.4f}")
least = min(gap for gap in unmasked if gap > tolerance)
print(f"the least of these by {least:.4f}")
print("rows that pass all the same:", unnoticed)
print("these are the rows without padding:", unnoticed == full)

# %% tags=["remove-cell"]
from attention_src.figures import GRID, SERIES, new_figure, save

fact("failed", failed)
fact("worst_unmasked", round(max(unmasked), 4))
fact("least_unmasked", round(least, 4))
fact("unnoticed", len(unnoticed))
fact("unnoticed_are_full", unnoticed == full)

figure, (axes,) = new_figure(2.8)
off = [
    (n, round(gap, 3))
    for n, gap in zip(lengths.tolist(), unmasked, strict=True)
    if gap > tolerance
]
axes.plot(*zip(*off, strict=True), "s", color=SERIES[1], markersize=4)
present = sorted(set(lengths.tolist()))
axes.plot(present, [tolerance] * len(present), "v", color=SERIES[0])
axes.axhline(tolerance, color=GRID, linestyle=":")
axes.text(30, 0.02, "without the mask", ha="center", va="top")
axes.text(30, 2e-6, "with it: below the line", ha="center", va="bottom")
axes.set(
    yscale="log",
    ylim=(1e-7, 2),
    yticks=[1e-6, 1e-4, 1e-2, 1],
    yticklabels=["1e-6", "1e-4", "1e-2", "1"],
    xlabel="real tokens of the query",
    ylabel="largest gap",
)
axes.minorticks_off()
save(figure, artifact("masks-gaps.svg"))

# %% [markdown]
# ![A plot of the largest gap of each query over its number of real tokens, with a logarithmic axis. Without the mask, [62](fact:labs/masks-solution.failed) squares lie far above the line at [1e-6](fact:labs/masks-solution.tolerance), the highest at [0.9505](fact:labs/masks-solution.worst_unmasked). With the mask there is a triangle at each length that points down from the line.](../assets/figures/labs/masks-gaps.svg)
#
# *The gap between each query alone and in the batch; a triangle says that the gaps with the mask lie below the line, where their exact size is rounding and differs from machine to machine.*
#
# Without the mask [62](fact:labs/masks-solution.failed) of [64](fact:labs/masks-solution.count) queries fail.
# The other [2](fact:labs/masks-solution.unnoticed) are [the ones without padding](claim:labs/masks-solution.unnoticed_are_full).
#
# ## Both masks on the batch

# %% joined
joined = joined_mask(ids)
output_joined, weights_joined = attention(q, k, v, joined)
print("joined mask", list(joined.shape))
first = torch.allclose(output_joined[:, 0], v[:, 0], atol=tolerance)
print("first output is the first value:", first)
theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=~joined)
library_joined = torch.allclose(output_joined, theirs, atol=tolerance)
print("the library agrees:", library_joined)

# %% tags=["remove-cell"]
fact("first", first)
fact("library_joined", library_joined)

# %% [markdown]
# Under the joined mask [the first query of each sequence sees its own key only, gives it all of its weight, and returns its value](claim:labs/masks-solution.first).
# [The library agrees](claim:labs/masks-solution.library_joined) here, too.
#
# ## Bytes

# %% bytes
wide = 512
size = weights_joined.element_size()
here = weights_joined.numel() * size
there = len(ids) * wide * wide * size
print("bytes of the weights:", here)
times = round(there / here)
print("at", wide, "tokens:", there, "or", times, "times as much")

# %% tags=["remove-cell"]
fact("bytes", here)
fact("bytes_wide", there)
fact("wide", wide)
fact("times", times)

# %% [markdown]
# The weights of this batch take [589,824](fact:labs/masks-solution.bytes) bytes, and at [512](fact:labs/masks-solution.wide) tokens they would take [67,108,864](fact:labs/masks-solution.bytes_wide), about [114](fact:labs/masks-solution.times) times as much.
# A joined mask is as large as the weights, at one byte a cell.
# [Cost](../cost.md) goes on from here.
#
# ## What this means
#
# **The mask does what it is for, on the whole batch.**
# No output depends on the padding, nor on which queries happen to share the tensor.
#
# **The test has two halves.**
# It passes with the mask, and fails without.
# Only the second half shows that there was something to find.
#
# **Three tests look from three sides.**
# No weight on padding says that the right keys are blocked.
# Each query alone says that nothing else is.
# Agreement with the library says that scale, axis and direction are those of everybody else.
#
# ## What not to conclude
#
# **That one query is enough.**
# Forget the axis in the middle and try a batch of one, then the whole batch, then as many queries as there are places.

# %% sizes
import math


def formula(q, k, v, blocked):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ v


verdicts = {}
for size in (1, count, length):
    batch = ids[:size]
    try:
        wrong = formula(*project(batch), batch == 0)
    except RuntimeError:
        verdicts[size] = "refused"
    else:
        right = all(gap < tolerance for gap in gaps(batch, wrong, project))
        verdicts[size] = "passes" if right else "found wrong"
    print("mask", list(batch.shape), verdicts[size])

# %% tags=["remove-cell"]
for name, verdict in zip(
    ("one", "all", "square"), verdicts.values(), strict=True
):
    fact(f"sizes.{name}", verdict.split()[0])
fact("sizes.square_size", size)

# %% [markdown]
# On one query the wrong mask [passes](fact:labs/masks-solution.sizes.one), because a batch axis of size one repeats itself wherever it stands.
# With [64](fact:labs/masks-solution.count) it is [refused](fact:labs/masks-solution.sizes.all).
# With [48](fact:labs/masks-solution.sizes.square_size) it runs, and only the comparison has [found](fact:labs/masks-solution.sizes.square) it.
# Errors of shape exist in a batch only.
#
# **That a query without padding tests a padding mask.**
# The two rows of full length pass with the mask and without.
#
# **That the numbers should be equal.**

# %% equal
equal = all(gap == 0 for gap in masked)
print("equal bit for bit, all of them:", equal)
print("within the tolerance, all of them:", passed == len(masked))

# %% tags=["remove-cell"]
fact("equal", equal)

# %% [markdown]
# [Not all of them are equal bit for bit](claim:!labs/masks-solution.equal).
# A row of [4](fact:labs/masks-solution.shortest) weights and a row of [48](fact:labs/masks-solution.length) weights, most of them zero, are summed in different groups, and float32 rounds in between.
# How many are equal depends on the machine, so a test for equality would fail on code that is right.
# A tolerance of [1e-6](fact:labs/masks-solution.tolerance) leaves room for rounding and for little else: the smallest gap without the mask is [0.0528](fact:labs/masks-solution.least_unmasked).
#
# **That a right mask makes a good model.**
# The layers are untrained.
# This lab shows that the padding is out, and nothing about what is in.
#
# Back to the [lab](masks.ipynb), or on to the next one: [What one attention layer buys](order.ipynb).
