# ---
# title: "Lab 2: proving the masks on a batch"
# description: Write the padding mask and the joined mask, and a test that would find them wrong on a whole batch.
# literals:
#   three: functions of the lab
#   64: how many queries the measurement takes
#   48: the length that queries are padded to
#   12: how many of the project's own queries are for validation
#   0: the id of padding
#   1: the id of an unknown token
# ---

# %% [markdown]
# # Lab 2: proving the masks on a batch
#
# A wrong mask has the right shape, gives finite numbers and raises no error.
# So how do you know that yours is right?
#
# In this lab you write a padding mask, join it with a causal mask, and then write the test that matters: each query alone, without padding and without a mask, must give what it gives in the batch.
# You run it on 64 real queries at once.
#
# You write three functions.
# A cell below each of them checks it on small batches that are made up and, if something is wrong, says which property broke.
# It takes about half an hour.
# This page is a notebook: download it with the link above, and [run it](index.md#run-a-notebook-on-your-machine).
#
# ## What the masks look like
#
# ![Three grids with queries as rows and keys as columns. Padding blocks columns, the causal mask blocks the upper triangle, and both together block what either does.](../assets/figures/masks/union.svg)
#
# | object | what it says | shape |
# | --- | --- | --- |
# | ids | a number for each token, 0 for padding | `(B, M)` |
# | scores, weights | each query against each key of its sequence | `(B, M, M)` |
# | padding mask | which keys are padding, for every query | `(B, 1, M)` |
# | causal mask | which keys lie in a query's future, for every sequence | `(M, M)` |
# | joined mask | which keys are the one or the other | `(B, M, M)` |
#
# In all of them `True` blocks.
# The chapter [Masks](../masks.md) explains them.
#
# ## A small batch to try things on
#
# Three queries of different lengths, from the project's own.

# %% setup
import torch

from attention_src.core.attention import attention
from attention_src.data.queries import load_queries
from attention_src.data.vocabulary import build_vocabulary, encode

own = load_queries()
few = [own.texts[number] for number in (6, 17, 28)]
small = encode(few, build_vocabulary(own.texts))
for text, row in zip(few, small.tolist(), strict=True):
    print(text)
    print("   ", row)

# %% [markdown]
# ## The padding mask
#
# Write `padding_mask`.
# It gets ids, `(B, M)`, and returns a boolean mask, `(B, 1, M)`, that is `True` where a key is padding, wherever in the sequence it stands.


# %% padding-mask
def padding_mask(ids):
    raise NotImplementedError(
        "return a boolean mask, (B, 1, M): see the first hint"
    )


# %% [markdown]
# ??? tip "Hint: what is padding"
#
#     Padding has id 0, and nothing else has.
#     A comparison of a tensor with a number gives booleans.
#     The unknown token, with id 1, is a real token.
#
#     ??? tip "Hint: the axis in the middle"
#
#         The scores are `(B, N, M)`: sequence, query, key.
#         The ids are `(B, M)`, so the axis for the queries is missing.
#         All queries of a sequence have the same padding, so this axis has size one: index with `[:, None, :]`, or use `unsqueeze`.

# %% check-padding-mask
from attention_src.labs.masks import check_padding_mask

padding_right = check_padding_mask(padding_mask)
print(padding_right)

# %% try-padding
if padding_right:
    blocked = padding_mask(small)
    print(list(small.shape), "gives", list(blocked.shape))
    print(blocked.int().tolist())

# %% [markdown]
# ## Both masks at once
#
# Write `joined_mask`.
# It gets ids, `(B, M)`, and returns a boolean mask, `(B, M, M)`, that is `True` where a key is padding or lies in the query's future.
# A query may look at its own position.


# %% joined-mask
def joined_mask(ids):
    raise NotImplementedError(
        "return a boolean mask, (B, M, M), True where a key is padding "
        "or in the future; the first hint has the triangle"
    )


# %% [markdown]
# ??? tip "Hint: the triangle"
#
#     Key `j` lies in the future of query `i` if `j` is larger than `i`: the upper triangle, without the diagonal.
#     `torch.ones(m, m, dtype=torch.bool).triu(1)` is this triangle, and so is a comparison of two ranges.
#
#     ??? tip "Hint: and, or"
#
#         A key is blocked if either mask blocks it.
#         For boolean tensors this is `|`, and `&` would block only what both block.
#
#         ??? tip "Hint: the shapes meet"
#
#             `(B, 1, M)` and `(M, M)` broadcast to `(B, M, M)`: axes line up from the right, and those of size one are repeated.

# %% check-joined-mask
from attention_src.labs.masks import check_joined_mask

joined_right = check_joined_mask(joined_mask)
print(joined_right)

# %% try-joined
if joined_right:
    for row in joined_mask(small)[0].int().tolist():
        print(row)

# %% [markdown]
# ## The test that matters
#
# The neighbours of a query in a batch must not matter, and its padding must not matter either.
# So run each query alone, cut to its real tokens and without any mask, and compare.
#
# Write `gaps`.
# It gets
#
# - `ids`, `(B, M)`, padded on the right;
# - `output`, `(B, M, V)`, of attention on this batch with the padding mask;
# - `project`, a function that turns ids of any shape `(..., M)` into queries, keys and values.
#
# It returns `B` numbers: for each query the largest absolute difference between its output in the batch, at its real tokens, and its output alone.
# `attention(q, k, v)` returns the output and the weights.
#
# The check hands you outputs that are right, and outputs that it has spoilt: at one number or at many, by little, by much, and by a value that is no number.
# A test that finds nothing in either is no test.


# %% gaps
def gaps(ids, output, project):
    raise NotImplementedError(
        "return B numbers, the largest difference between each query "
        "alone and in the batch; the first hint says how to cut"
    )


# %% [markdown]
# ??? tip "Hint: alone"
#
#     Go through `ids` and `output` side by side.
#     `row[row != 0]` cuts a row to its real tokens, and `[None]` makes a batch of one of it.
#     `attention(*project(...))` without a mask gives its output alone.
#
#     ??? tip "Hint: what to compare"
#
#         With `n` real tokens, the output alone has `n` rows.
#         Compare them with the first `n` rows of this query's output in the batch.
#         What stands in the rows of padding is nobody's business.
#
#         ??? tip "Hint: how to compare"
#
#             Take the absolute value of the difference before the maximum, since an output that is too small is wrong as well.
#             Take the maximum over all rows and columns: in a mean, one wrong number among many right ones drowns.
#             Return the size of the difference, and leave it to the caller to say how much is too much.

# %% check-gaps
from attention_src.labs.masks import check_gaps

gaps_right = check_gaps(gaps)
print(gaps_right)

# %% [markdown]
# ## When all is right
#
# Now the real batch: the first 64 validation queries of Banking77, padded to 48 tokens, with an embedding and layers of width [32](fact:labs/masks.width).
# [`python -m attention_src.data.banking77`](../masks.md#the-data) fetches the data.
# Without it the lab runs on the 12 validation queries among the project's own, and the first line of the output says so; the numbers of the solution come from Banking77.

# %% batch
from torch import nn

from attention_src.labs.data import lab_queries

seed, width, count, length = 42, 32, 64, 48
queries = lab_queries()
vocabulary = build_vocabulary(queries.training.texts)
ids = encode(queries.validation.texts[:count], vocabulary, length)
torch.manual_seed(seed)
embedding = nn.Embedding(len(vocabulary), width, padding_idx=0)
to_q, to_k, to_v = [nn.Linear(width, width) for _ in range(3)]


@torch.no_grad()
def project(ids):
    x = embedding(ids)
    return to_q(x), to_k(x), to_v(x)


# %% tags=["remove-cell"]
from drift import fact

fact("width", width)

# %% measure
import torch.nn.functional as F

tolerance = 1e-6
if padding_right and gaps_right:
    print("queries:", queries.source)
    lengths = (ids != 0).sum(dim=1)
    print("ids", list(ids.shape))
    shortest, longest = lengths.min().item(), lengths.max().item()
    print("shortest", shortest, "longest", longest)
    blocked = padding_mask(ids)
    q, k, v = project(ids)
    output, weights = attention(q, k, v, blocked)
    print("weight on padding:", (weights * blocked).sum().item())
    # Not max(gaps) < tolerance: Python's max can pass over a NaN.
    alone = [float(gap) < tolerance for gap in gaps(ids, output, project)]
    print("all alone as in the batch:", all(alone))
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)
    agrees = torch.allclose(output, theirs, atol=tolerance)
    print("the library agrees:", agrees)

# %% measure-joined
if padding_right and joined_right and gaps_right:
    joined = joined_mask(ids)
    output, weights = attention(q, k, v, joined)
    print("joined mask", list(joined.shape))
    first = torch.allclose(output[:, 0], v[:, 0], atol=tolerance)
    print("first output is the first value:", first)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=~joined)
    agrees = torch.allclose(output, theirs, atol=tolerance)
    print("the library agrees:", agrees)
    size = weights.element_size()
    print("bytes of the weights:", weights.numel() * size)
    print("at 512 tokens:", len(ids) * 512 * 512 * size)

# %% [markdown]
# ## Questions to think about
#
# - Why does the first output equal the first value under the joined mask?
# - Try the mask without the axis in the middle on a batch of one query. Does your test find it?
# - The test allows for a difference of a millionth. Why not ask for equal numbers?
# - Which queries of the batch would pass your test even without a mask?
#
# The [solution](masks-solution.ipynb) answers them, with the numbers.
# The chapter [Masks](../masks.md#see-that-a-mask-is-right) has more such tests, and [what goes wrong](../masks.md#reported-in-public) where nobody runs them.
#
# Previous lab: [Attention by loops](loops.ipynb).
# Next lab: [What one attention layer buys](order.ipynb).
