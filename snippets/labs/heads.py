# ---
# title: "Lab 5: multi-head attention from scratch"
# description: Cut the width into heads, join them, read PyTorch's packed parameters, and rebuild its layer as one function.
# literals:
#   three: projections of the layer
#   eight: weights and biases of four projections
# ---

# %% [markdown]
# # Lab 5: multi-head attention from scratch
#
# PyTorch's `nn.MultiheadAttention` is one line to call.
# Can you write a function that takes its parameters and returns its numbers?
#
# You find out three things:
#
# - what it takes to cut a width into heads and put it together again,
# - which mistakes leave every shape right and every number wrong,
# - what more heads cost.
#
# You need the chapters [Scaled dot-product attention](../scaling.md) and [Multi-head attention](../multi-head.md), and [Masks](../masks.md) for the last task.
# Allow half an hour.
# This page is a notebook: download it with the link above, and [run it](index.md#run-a-notebook-on-your-machine).
#
# ## The layer
#
# $$
# \text{head}_i = \operatorname{softmax}\left(\frac{Q_i K_i^\top}{\sqrt{d / H}}\right) V_i
# $$
#
# $$
# \text{output} = [\text{head}_0, \dots, \text{head}_{H-1}] \, W_O^\top + b_O
# $$
#
# | step | shape |
# | --- | --- |
# | project queries, keys and values, at full width | `(B, N, d)`, `(B, M, d)`, `(B, M, d)` |
# | split the width into heads | `(B, H, N, d/H)` and so on |
# | attend in each head | weights `(B, H, N, M)`, result `(B, H, N, d/H)` |
# | join the heads side by side | `(B, N, d)` |
# | mix them with the output projection | `(B, N, d)` |
#
# This is the layer to rebuild, and an input.

# %% layer
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(1, 5, 8)
for name, tensor in layer.state_dict().items():
    print(f"{name:16}", tuple(tensor.shape))

# %% [markdown]
# ## Task: split
#
# Write `split_heads(x, heads)`.
# Head zero gets the first `d/H` columns of *every* token, head one the next, and so on.


# %% split
def split_heads(x, heads):
    """From tokens (B, N, d) to heads (B, H, N, d/H)."""
    raise NotImplementedError(
        "cut the width of each token into heads, (B, N, H, d/H), "
        "then bring the heads before the tokens, (B, H, N, d/H). "
        "The hint has both steps."
    )


# %% [markdown]
# ??? tip "Hint"
#
#     `x.view(B, N, H, d // H)` cuts every token by itself.
#     What is left to do is to exchange two axes.
#
#     ??? tip "Next hint"
#
#         `transpose(1, 2)` exchanges the tokens and the heads.
#         `x.view(B, H, N, d // H)` has the same shape without it, and other contents: why?

# %% split-check
from attention_src.labs.heads import check_split_heads

split_verdict = check_split_heads(split_heads)
print(split_verdict)

# %% [markdown]
# ## Task: join
#
# Write `join_heads(x)`, which undoes it.


# %% join
def join_heads(x):
    """From heads (B, H, N, D) to tokens (B, N, H * D)."""
    raise NotImplementedError(
        "bring the tokens before the heads, (B, N, H, D), then put the "
        "heads of a token side by side, (B, N, H * D). "
        "The hint says why view refuses."
    )


# %% [markdown]
# ??? tip "Hint"
#
#     Transpose first, as on the way in.
#     After a transpose the numbers of a token no longer lie side by side in memory, so `view` raises; `reshape` and `flatten` copy them.

# %% join-check
from attention_src.labs.heads import check_join_heads

join_verdict = check_join_heads(join_heads)
print(join_verdict)

# %% [markdown]
# ## Task: unpack
#
# PyTorch keeps the three input projections in one matrix, `in_proj_weight`, of `3d` rows, and their biases in `in_proj_bias`.
# The first third of the rows belongs to the query, the second to the key, the last to the value.
# The output projection is a layer of its own, `out_proj`.
#
# Write `unpack(layer)`: a dict of eight tensors with the names `query.weight`, `query.bias`, and the same for `key`, `value` and `output`.


# %% unpack
def unpack(layer):
    """From an nn.MultiheadAttention of width d to its parameters by name.

    These are four weights (d, d) and four biases (d,).
    """
    raise NotImplementedError(
        "cut layer.in_proj_weight and layer.in_proj_bias into thirds of "
        "their rows, and take layer.out_proj as it is. "
        "The hint names a method that cuts."
    )


# %% [markdown]
# ??? tip "Hint"
#
#     `layer.in_proj_weight.chunk(3)` gives three blocks of rows, in the order query, key, value.
#     The biases are cut the same way.

# %% unpack-check
from attention_src.labs.heads import check_unpack

unpack_verdict = check_unpack(unpack)
print(unpack_verdict)

# %% [markdown]
# ## Task: the layer
#
# Write the whole layer as a function of its parameters, with your `split_heads` and `join_heads`.
# The mask is boolean, it broadcasts to `(B, H, N, M)`, and `True` blocks a key.
# Return the output and the weights of each head.


# %% multi-head
def multi_head(q, k, v, parameters, heads, blocked=None):
    """From q (B, N, d), k and v (B, M, d) to output and weights.

    The output has the shape (B, N, d), the weights have (B, H, N, M).
    """
    raise NotImplementedError(
        "project, split, score, mask, softmax over the keys, weigh the "
        "values, join, project. "
        "The first hint has the projection."
    )


# %% [markdown]
# ??? tip "Hint: the projections"
#
#     A weight has a row for each output: `q @ parameters["query.weight"].mT + parameters["query.bias"]`.
#     `torch.nn.functional.linear(q, weight, bias)` does the same.
#
#     ??? tip "Next hint: the scores"
#
#         After the split, `queries @ keys.mT` is `(B, H, N, M)`.
#         These products run over the width of a *head*, so divide by the root of that.
#
#         ??? tip "Next hint: the mask"
#
#             `scores.masked_fill(blocked, -torch.inf)`, before the softmax over the last axis.
#
#             ??? tip "Last hint: the way back"
#
#                 `join_heads(weights @ values)`, and then the projection called `output`.

# %% multi-head-check
from attention_src.labs.heads_layer import check_multi_head

layer_verdict = check_multi_head(multi_head)
print(layer_verdict)

# %% [markdown]
# ## When all four are right
#
# Compare with PyTorch's layer, without a mask and with the causal one.

# %% compare
from attention_src.masks import causal_blocked

ready = split_verdict and join_verdict and unpack_verdict and layer_verdict
if ready:
    parameters = unpack(layer)
    for name, blocked in (("no mask", None), ("causal", causal_blocked(5))):
        with torch.no_grad():
            theirs, _ = layer(x, x, x, attn_mask=blocked)
            mine, _ = multi_head(x, x, x, parameters, 2, blocked)
        gap = (mine - theirs).abs().max().item()
        print(f"{name:8} largest gap below a millionth: {gap < 1e-6}")
else:
    print("The comparison waits for four right answers.")

# %% [markdown]
# Now change one token, and list the outputs that move.
# It takes no training and no second implementation to find a split that is wrong.

# %% touch
if ready:
    tokens = torch.randn(1, 6, 8, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        before, _ = multi_head(tokens, tokens, tokens, parameters, 2)
        tokens[0, 0] += 1
        after, _ = multi_head(tokens, tokens, tokens, parameters, 2)
    moved = ((after - before).abs() > 1e-6).any(dim=-1)[0]
    print(
        "token 0 changes, outputs that move:",
        moved.nonzero().flatten().tolist(),
    )
else:
    print("So does the touch.")

# %% [markdown]
# And count what your layer takes, for several numbers of heads.

# %% count
if ready:
    for heads in (1, 2, 4, 8):
        wide = unpack(nn.MultiheadAttention(64, heads, batch_first=True))
        count = sum(tensor.numel() for tensor in wide.values())
        print(heads, "heads:", count, "parameters")
else:
    print("And the count.")

# %% [markdown]
# ## Questions to think about
#
# 1. Split with `view` alone, both ways, and touch one token again.
#    Which outputs move, and why does no shape tell?
# 2. Divide by the root of `d` instead of that of `d/H`.
#    How far do the outputs move, and would you notice it in training?
# 3. Why is the number of parameters the same for every number of heads, and what is not the same?
# 4. Would a copy task, trained to the end, tell a right split from a wrong one?
#
# The [solution](heads-solution.ipynb) runs all this and says what its numbers mean.
# [Failures that raise no error](../multi-head.md#failures-that-raise-no-error) has the same mistakes in public code.
#
# Before: [Lab 4](copy-task.ipynb), a decoder that looks back.
