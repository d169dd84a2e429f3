# ---
# title: "Lab 1: attention by loops"
# description: Write one row of attention with plain loops, and find out what the square root does to a real sentence.
# literals:
#   three: steps of the lab
#   a thousand: a score in an exercise
#   42: the seed
# ---

# %% [markdown]
# # Lab 1: attention by loops
#
# A matrix product hides its sums.
# In this lab you write them out, with loops over plain Python numbers, for one word of one sentence.
#
# You will find out two things.
# Is the matrix form of attention the same as the sums?
# And what happens to a row of weights when the square root is left out, in a narrow layer and in a wide one?
#
# You write three functions.
# A cell below each of them checks it and, if something is wrong, says which property broke.
# It takes about half an hour, and nothing has to be downloaded.
# This page is a notebook: download it with the link above, and [run it](index.md#run-a-notebook-on-your-machine).
#
# ## The formula for one query
#
# The weight of key $j$ for a query $q$ is
#
# $$
# w_j = \frac{e^{q \cdot k_j / \sqrt{D}}}{\sum_m e^{q \cdot k_m / \sqrt{D}}}
# $$
#
# and the output is $\sum_j w_j v_j$.
#
# | object | what it holds | shape |
# | --- | --- | --- |
# | $q$ | one query | `(D,)` |
# | $k$ | a key for each token | `(M, D)` |
# | $w$ | a weight for each token | `(M,)` |
# | $v$ | a value for each token | `(M, V)` |
# | output | one blend of the values | `(V,)` |
#
# The chapter [Scaled dot-product attention](../scaling.md) explains every part of it.
#
# ## The sentence
#
# A customer writes "My card never arrived."
# The words have numbers in a vocabulary of [2,202](fact:labs/loops.vocabulary) entries, an embedding turns each number into a vector of width [8](fact:labs/loops.width), and three linear layers make queries, keys and values.
# All of them hold PyTorch's random starting values from seed 42.

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
print(f"the root of {width} is {math.sqrt(width):.4f}")

# %% tags=["remove-cell"]
from drift import fact

fact("vocabulary", vocabulary)
fact("width", width)

# %% [markdown]
# `q`, `k` and `v` are lists of lists of floats now: `q[card]` is the query of *card*, and `k[0]` the key of *my*.
#
# ## The weights of one query
#
# Write `row_weights`.
# It gets one query, a list of `D` floats, and `M` keys, a list of such lists.
# It returns a list of `M` weights.
# Use loops, `math.exp` and `math.sqrt`, and no tensors: the point is to see every sum.
# It should work for any `M` and any `D`.


# %% row-weights
def row_weights(query, keys):
    raise NotImplementedError(
        "return M weights, the softmax of the scores: see the first hint"
    )


# %% [markdown]
# ??? tip "Hint: the steps"
#
#     There are three: a score for each key, the exponential of each score, and the share of each exponential in their total.
#     Each is a list with one entry a key.
#
#     ??? tip "Hint: one score"
#
#         A dot product is a sum of products: go through the components of the query and of the key side by side, multiply, add up.
#         Then divide by `math.sqrt(len(query))`.
#         The width of the layer is `len(query)`, so do not write the number into the code.
#
#         ??? tip "Hint: the shares"
#
#             Compute the total once, when all exponentials are there, and before anything is divided by it.
#             Put the shares into a new list.
#             A loop that overwrites the exponentials while it sums them divides by another number in each round.

# %% check-row-weights
from attention_src.labs.loops import check_row_weights

weights_right = check_row_weights(row_weights)
print(weights_right)

# %% row
if weights_right:
    weights = row_weights(q[card], k)
    for word, weight in zip(words, weights, strict=True):
        print(f"{word:9}{weight:.4f}")
    print("sum", round(sum(weights), 4))

# %% [markdown]
# The last cell prints the row of *card* as soon as the check is content.
# Which word has the largest weight, and which the smallest?
#
# ## The blend
#
# Write `mix`.
# It gets `M` weights and `M` values, lists of `V` floats.
# It returns a list of `V` floats: the sum of the values, each times its weight.


# %% mix
def mix(weights, values):
    raise NotImplementedError(
        "return V numbers, one a component: see the first hint"
    )


# %% [markdown]
# ??? tip "Hint: which sum"
#
#     The sum runs over the tokens, and there is one sum for each component of a value.
#     So the result is as long as a value, `len(values[0])`, and not as long as the list of weights.
#
#     ??? tip "Hint: two loops"
#
#         Outside, go through the components.
#         Inside, go through weights and values side by side and add `weight * value[i]`.
#         The weights sum to one already, so nothing is divided at the end.

# %% check-mix
from attention_src.labs.loops import check_mix

mix_right = check_mix(mix)
print(mix_right)

# %% agree
if weights_right and mix_right:
    queries, keys, values = [torch.tensor(rows) for rows in (q, k, v)]
    matrix = (queries @ keys.mT / math.sqrt(width)).softmax(dim=-1)
    row = torch.tensor(row_weights(q[card], k))
    output = torch.tensor(mix(row_weights(q[card], k), v))
    same_row = torch.allclose(row, matrix[card])
    blend = (matrix @ values)[card]
    same_output = torch.allclose(output, blend, atol=1e-6)
    print("loops and matrices agree:", same_row, same_output)

# %% [markdown]
# When both functions are right, this cell compares your loops with the matrix form.
#
# ## Two widths
#
# Now the experiment.
# How large is the largest weight in the row of *card*, without the division by $\sqrt{D}$ and with it, when the layer is as narrow as this one, and when it is [512](fact:labs/loops.wide) wide?
#
# Write `largest_weights`, which gets a width and returns two numbers: the largest weight unscaled, and scaled.
# Draw everything again in each call: seed 42, then the embedding with `vocabulary` rows, then the query layer, then the key layer.
# Values are not needed.
# Loops or tensors, as you like.


# %% largest-weights
def largest_weights(width):
    raise NotImplementedError(
        "return two weights, unscaled and scaled: see the first hint"
    )


# %% [markdown]
# ??? tip "Hint: the draws"
#
#     Copy the lines of the set-up, with `torch.manual_seed(seed)` at the top of the function.
#     The order of the draws decides which layer gets which numbers.
#     A value layer may be left out because it would be drawn last.
#
#     ??? tip "Hint: the row"
#
#         `to_q(x) @ to_k(x).mT` holds all dot products, with one row for each query.
#         You need row `card` only.
#
#         ??? tip "Hint: two softmaxes"
#
#             Take the softmax of the row once as it is, and once divided by `math.sqrt(width)`, and the largest entry of each.
#             In a table of scores the keys are the last axis, `dim=-1`.

# %% check-largest-weights
from attention_src.labs.loops import check_largest_weights

widths_right = check_largest_weights(largest_weights)
print(widths_right)

# %% widths
wide = 512
if widths_right:
    for d in (width, wide):
        raw, scaled = largest_weights(d)
        print(f"width {d:3}: unscaled {raw:.4f}, scaled {scaled:.4f}")

# %% tags=["remove-cell"]
fact("wide", wide)

# %% [markdown]
# ## Questions to think about
#
# - Which word does *card* look at most, and what does that say about the sentence?
# - Somebody measures the narrow layer only. Would they find out what the root is for?
# - What do the weights sum to if each exponential is divided by the sum so far? Try it with the check.
# - `math.exp` raises an error for a score of a thousand. What changes if you subtract the largest score from all of them first?
#
# The [solution](loops-solution.ipynb) answers them, with the numbers.
# The chapter [Scaled dot-product attention](../scaling.md#why-the-square-root) measures the effect of the root on random vectors.
#
# Next lab: [Proving the masks on a batch](masks.ipynb).
