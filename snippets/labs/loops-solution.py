# ---
# title: "Lab 1: attention by loops (solution)"
# description: One row of attention by plain loops, the same as the matrices, and its largest weight at two widths.
# literals:
#   four: rows of the table
#   five: words of the sentence
# ---

# %% [markdown]
# # Lab 1: attention by loops (solution)
#
# This is the solved [lab](loops.ipynb), run from top to bottom, with what its numbers mean at the end.
#
# ## The sentence

# %% setup
import math

import torch
from torch import nn

seed, vocabulary, width = 42, 2202, 8
words = ["my", "card", "never", "arrived", "."]
ids = torch.tensor([4, 9, 248, 274, 5])
card = words.index("card")

torch.manual_seed(seed)
embedding = nn.Embedding(vocabulary, width, padding_idx=0)
to_q, to_k, to_v = [nn.Linear(width, width) for _ in range(3)]
with torch.no_grad():
    x = embedding(ids)
    q, k, v = [layer(x).tolist() for layer in (to_q, to_k, to_v)]
print("words", words, "- card stands at", card)
print("k holds", len(k), "lists of", len(k[0]), "floats")
print("seed", seed, "width", width)

# %% tags=["remove-cell"]
from drift import artifact, fact

fact("seed", seed)
fact("width", width)
fact("card", card)

# %% [markdown]
# The layers are drawn with seed [42](fact:labs/loops-solution.seed), so *card*, at position [1](fact:labs/loops-solution.card), has the same query for everybody.
#
# ## The weights of one query


# %% row-weights
def row_weights(query, keys):
    powers = []
    for key in keys:
        score = 0.0
        for a, b in zip(query, key, strict=True):
            score += a * b
        powers.append(math.exp(score / math.sqrt(len(query))))
    total = sum(powers)
    return [power / total for power in powers]


# %% check-row-weights
from attention_src.labs.loops import check_row_weights

print(check_row_weights(row_weights))

# %% row
weights = row_weights(q[card], k)
for word, weight in zip(words, weights, strict=True):
    print(f"{word:9}{weight:.4f}")
print("sum", round(sum(weights), 4))
favourite = words[weights.index(max(weights))]
least = words[weights.index(min(weights))]
print("largest:", favourite, "- smallest:", least)

# %% tags=["remove-cell"]
for word, weight in zip(
    ["my", "card", "never", "arrived", "stop"], weights, strict=True
):
    fact(f"weight.{word}", weight)
fact("sum", round(sum(weights), 4))
fact("favourite", favourite)
fact("least", least)

# %% [markdown]
# *Card* gives [0.2359](fact:labs/loops-solution.weight.my) to *my*, [0.1761](fact:labs/loops-solution.weight.card) to itself, [0.1764](fact:labs/loops-solution.weight.never) to *never*, [0.2292](fact:labs/loops-solution.weight.arrived) to *arrived* and [0.1825](fact:labs/loops-solution.weight.stop) to the full stop.
# The weights sum to [1.0](fact:labs/loops-solution.sum).
# Its favourite is *[my](fact:labs/loops-solution.favourite)*, and the smallest weight is that of *[card](fact:labs/loops-solution.least)* itself.
#
# ## The blend


# %% mix
def mix(weights, values):
    mixed = []
    for i in range(len(values[0])):
        component = 0.0
        for weight, value in zip(weights, values, strict=True):
            component += weight * value[i]
        mixed.append(component)
    return mixed


# %% check-mix
from attention_src.labs.loops import check_mix

print(check_mix(mix))

# %% agree
queries, keys, values = [torch.tensor(rows) for rows in (q, k, v)]
matrix = (queries @ keys.mT / math.sqrt(width)).softmax(dim=-1)
row, output = torch.tensor(weights), torch.tensor(mix(weights, v))
same_row = torch.allclose(row, matrix[card])
blend = (matrix @ values)[card]
same_output = torch.allclose(output, blend, atol=1e-6)
print("loops and matrices agree:", same_row, same_output)

# %% tags=["remove-cell"]
fact("same_row", same_row)
fact("same_output", same_output)

# %% [markdown]
# [The row of weights agrees with the matrix form](claim:labs/loops-solution.same_row), and [so does the output](claim:labs/loops-solution.same_output).
# The comparison leaves room for rounding, because the loops add in float64 and the matrices in float32.
#
# ## Two widths


# %% largest-weights
def scores_of_card(width):
    torch.manual_seed(seed)
    embedding = nn.Embedding(vocabulary, width, padding_idx=0)
    to_q, to_k = nn.Linear(width, width), nn.Linear(width, width)
    with torch.no_grad():
        x = embedding(ids)
        return (to_q(x) @ to_k(x).mT)[card]


def largest_weights(width):
    scores = scores_of_card(width)
    scaled = scores / math.sqrt(width)
    tops = [row.softmax(dim=-1).max() for row in (scores, scaled)]
    return [top.item() for top in tops]


# %% check-largest-weights
from attention_src.labs.loops import check_largest_weights

print(check_largest_weights(largest_weights))

# %% widths
wide = 512
tops = {}
for d in (width, wide):
    tops[d] = largest_weights(d)
    raw, scaled = tops[d]
    print(f"width {d:3}: unscaled {raw:.4f}, scaled {scaled:.4f}")
same_draw = math.isclose(tops[width][1], max(weights), abs_tol=1e-6)
print("the narrow, scaled one is the row from above:", same_draw)

# %% tags=["remove-cell"]
from attention_src.figures import heat_map, new_figure, save

fact("wide", wide)
for d, (raw, scaled) in tops.items():
    fact(f"raw_{d}", raw)
    fact(f"scaled_{d}", scaled)
fact("same_draw", same_draw)
fact("gap_narrow", round(tops[width][0] - tops[width][1], 2))

drawn = {}
for d in (width, wide):
    drawn[f"{d}, unscaled"] = scores_of_card(d).softmax(dim=-1)
    drawn[f"{d}, scaled"] = (scores_of_card(d) / math.sqrt(d)).softmax(dim=-1)
figure, (axes,) = new_figure(2.2)
table = [
    [round(weight, 4) for weight in row.tolist()] for row in drawn.values()
]
heat_map(axes, table, list(drawn), words)
save(figure, artifact("loops-widths.svg"))

# %% [markdown]
# ![A table of four rows of weights over the five words. At width [8](fact:labs/loops-solution.width) both rows are nearly even, with largest weights of [0.3046](fact:labs/loops-solution.raw_8) and [0.2359](fact:labs/loops-solution.scaled_8). At width [512](fact:labs/loops-solution.wide) the unscaled row has [0.9998](fact:labs/loops-solution.raw_512) on one word, and the scaled row at most [0.3291](fact:labs/loops-solution.scaled_512).](../assets/figures/labs/loops-widths.svg)
#
# *The row of* card *at two widths, without and with the division by the root of the width.*
#
# The narrow layer drew the same numbers as the set-up, so [its scaled maximum is the weight of *my*](claim:labs/loops-solution.same_draw) from above.
# The value layer is missing here, and nothing changes, since it was drawn last.
#
# ## What this means
#
# **The matrix form is the loops.**
# Nothing happens in `softmax(q @ k.mT / sqrt(d)) @ v` that you did not write out: a score for each key, a share for each score, a blend of the values.
# Each query does this by itself, which is why a matrix product can do all of them at once.
#
# **Saturation is no artefact of random vectors.**
# The [chapter](../scaling.md#why-the-square-root) finds it with noise for queries and keys.
# Here it appears with a real sentence, an embedding and two layers: at width [512](fact:labs/loops-solution.wide), the largest weight is [0.9998](fact:labs/loops-solution.raw_512) unscaled and [0.3291](fact:labs/loops-solution.scaled_512) scaled.
# A dot product is a sum over the width, so it spreads further when the width grows, and the softmax of scores that lie far apart is close to one key taking all.
#
# ## What not to conclude
#
# **That the root is optional in a small layer.**
# At width [8](fact:labs/loops-solution.width) the two maxima, [0.3046](fact:labs/loops-solution.raw_8) and [0.2359](fact:labs/loops-solution.scaled_8), lie [0.07](fact:labs/loops-solution.gap_narrow) apart, and a test on this layer alone would miss what the root is for.
# The code that passes it turns [0.3291](fact:labs/loops-solution.scaled_512) into [0.9998](fact:labs/loops-solution.raw_512) on the day that somebody makes the layer wide.
#
# **That *my* matters to *card*.**
# The layers are untrained, and their numbers come from a seed.
# Another seed has another favourite, as [this experiment](../self-and-cross.md#the-favourites-mean-nothing-yet) shows.
#
# **That a weight near one is confidence.**
# In the wide layer without the root it comes from the size of the scores, and nothing has been learned at all.
#
# ## A divisor that drifts
#
# A loop that sums and divides at once looks harmless.


# %% drifting
def drifting(query, keys):
    powers = []
    for key in keys:
        product = sum(a * b for a, b in zip(query, key, strict=True))
        powers.append(math.exp(product / math.sqrt(len(query))))
    for i in range(len(powers)):
        powers[i] /= sum(powers)
    return powers


drifted = drifting(q[card], k)
for word, right, wrong in zip(words, weights, drifted, strict=True):
    print(f"{word:9}{right:.4f}  {wrong:.4f}")
print(f"sum      {sum(weights):.4f}  {sum(drifted):.4f}")
print(check_row_weights(drifting))

# %% tags=["remove-cell"]
fact("drifted.first", drifted[0])
fact("drifted.last", drifted[-1])
fact("drifted.sum", sum(drifted))

# %% [markdown]
# The first weight is right, [0.2359](fact:labs/loops-solution.drifted.first).
# After that the sum holds shares where there were exponentials, so each divisor is smaller than the one before it, and the last weight comes out as [0.4481](fact:labs/loops-solution.drifted.last) instead of [0.1825](fact:labs/loops-solution.weight.stop).
# No error is raised; the weights sum to [1.5749](fact:labs/loops-solution.drifted.sum).
# Compute the total once, before anything is divided by it.
#
# ## A score of a thousand
#
# Softmax does not change when the same number is subtracted from all scores: it cancels between an exponential and the total.


# %% shifted
def shifted(query, keys):
    scale = math.sqrt(len(query))
    scores = []
    for key in keys:
        product = sum(a * b for a, b in zip(query, key, strict=True))
        scores.append(product / scale)
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


print(check_row_weights(shifted))
for function in (row_weights, shifted):
    try:
        print(function([1000.0], [[1.0], [0.0]]))
    except OverflowError as error:
        print("OverflowError:", error)

# %% tags=["remove-cell"]
fact("shifted.first", shifted([1000.0], [[1.0], [0.0]])[0])

# %% [markdown]
# The plain form overflows, and the shifted one gives [1.0](fact:labs/loops-solution.shifted.first) to the first key.
# Libraries shift.
#
# Back to the [lab](loops.ipynb), or on to the next one: [Proving the masks on a batch](masks.ipynb).
