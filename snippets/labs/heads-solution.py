# ---
# title: "Lab 5: multi-head attention from scratch (solution)"
# description: Multi-head attention as one function, held to PyTorch's layer, with the mistakes that keep every shape.
# literals:
#   four: projections of the layer
# ---

# %% [markdown]
# # Lab 5: multi-head attention from scratch (solution)
#
# The tasks of [Lab 5](heads.ipynb), solved, run and read.
# The layer has width [8](fact:labs/heads-solution.width) and [2](fact:labs/heads-solution.heads) heads.

# %% layer
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(1, 5, 8)
for name, tensor in layer.state_dict().items():
    print(f"{name:16}", tuple(tensor.shape))

# %% [markdown]
# ## Split and join
#
# Cut each token, then exchange the axes of tokens and heads; on the way back exchange them first.


# %% split
def split_heads(x, heads):
    """From tokens (B, N, d) to heads (B, H, N, d/H)."""
    batch, tokens, width = x.shape
    return x.view(batch, tokens, heads, width // heads).transpose(1, 2)


def join_heads(x):
    """From heads (B, H, N, D) to tokens (B, N, H * D)."""
    return x.transpose(1, 2).flatten(start_dim=2)


# %% split-check
from attention_src.labs.heads import check_join_heads, check_split_heads

print(check_split_heads(split_heads))
print(check_join_heads(join_heads))

# %% [markdown]
# Without the transpose both functions give the same shapes.
# The checks look at the contents.


# %% view
def split_by_view(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


def join_by_view(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


print(check_split_heads(split_by_view))
print(check_join_heads(join_by_view))
there_and_back = torch.equal(join_by_view(split_by_view(x, 2)), x)
print("there and back gives the tokens again:", there_and_back)

# %% [markdown]
# [One undoes the other](claim:labs/heads-solution.there_and_back), so a test of the round trip passes.
#
# ## The parameters


# %% unpack
def unpack(layer):
    """From an nn.MultiheadAttention of width d to its parameters by name.

    These are four weights (d, d) and four biases (d,).
    """
    parameters = {
        "output.weight": layer.out_proj.weight,
        "output.bias": layer.out_proj.bias,
    }
    for kind, packed in (
        ("weight", layer.in_proj_weight),
        ("bias", layer.in_proj_bias),
    ):
        for role, third in zip(
            ("query", "key", "value"), packed.chunk(3), strict=True
        ):
            parameters[f"{role}.{kind}"] = third
    return parameters


# %% unpack-check
from attention_src.labs.heads import check_unpack

print(check_unpack(unpack))

# %% [markdown]
# PyTorch [starts its biases at zero](claim:labs/heads-solution.zero_biases).
# A comparison with a fresh layer therefore cannot see that a bias was forgotten or exchanged, and the check fills the layer with other numbers first.

# %% biases
biases = [tensor for name, tensor in unpack(layer).items() if "bias" in name]
zero_biases = all(not bias.any() for bias in biases)
print("all biases of a fresh layer are zero:", zero_biases)

# %% [markdown]
# ## The layer
#
# How to split and join are arguments here, so that the wrong ways can be tried below.

# %% multi-head
import torch.nn.functional as F


def multi_head(
    q, k, v, parameters, heads, blocked=None, split=split_heads, join=join_heads
):
    """From q (B, N, d), k and v (B, M, d) to output and weights.

    The output has the shape (B, N, d), the weights have (B, H, N, M).
    """

    def project(x, role):
        return F.linear(
            x, parameters[f"{role}.weight"], parameters[f"{role}.bias"]
        )

    queries = split(project(q, "query"), heads)
    keys = split(project(k, "key"), heads)
    values = split(project(v, "value"), heads)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if blocked is not None:
        scores = scores.masked_fill(blocked, -torch.inf)
    weights = scores.softmax(dim=-1)
    return project(join(weights @ values), "output"), weights


# %% multi-head-check
from attention_src.labs.heads_layer import check_multi_head

print(check_multi_head(multi_head))

# %% [markdown]
# Nothing in it loops over heads: they are one more axis in front, and a matrix product takes it along.
#
# ## Held to PyTorch's layer

# %% compare
from attention_src.masks import causal_blocked

parameters = unpack(layer)
gaps = {}
for name, blocked in (("no mask", None), ("causal", causal_blocked(5))):
    with torch.no_grad():
        theirs, tables = layer(
            x, x, x, attn_mask=blocked, average_attn_weights=False
        )
        mine, weights = multi_head(x, x, x, parameters, 2, blocked)
    gaps[name] = max(
        (mine - theirs).abs().max().item(),
        (weights - tables).abs().max().item(),
    )
    print(f"{name:8} largest gap below a millionth: {gaps[name] < 1e-6}")

# %% [markdown]
# Without a mask [the largest gap, of outputs and weights, is below a millionth](claim:labs/heads-solution.close_plain),
# and [with the causal mask](claim:labs/heads-solution.close_causal) it is as well.
# Both layers read a boolean mask alike, `True` blocks; `F.scaled_dot_product_attention` reads it [the other way round](../masks.md#what-true-means-and-to-whom).
#
# ## Wrong answers with the right shape
#
# The root of the model's width is $\sqrt{H}$ times too large.
# To divide by it, divide the query's projection by $\sqrt{H}$ once more.

# %% root
narrow = dict(parameters)
for name in ("query.weight", "query.bias"):
    narrow[name] = parameters[name] / 2**0.5
with torch.no_grad():
    right, _ = multi_head(x, x, x, parameters, 2)
    wrong, _ = multi_head(x, x, x, narrow, 2)
gap = (wrong - right).abs().max()
print(f"largest gap with the root of the model's width: {gap:.3f}")

# %% [markdown]
# The outputs move by up to [0.093](fact:labs/heads-solution.root_gap), as in [the chapter](../multi-head.md#pytorchs-layer-by-hand), where the root was exchanged in the formula.
# That this can be written as another query's projection says something else: training can undo the mistake.
# Such a layer learns, and no curve shows what is wrong; it only begins with rows that are too even.
#
# The view cannot be undone.
# Touch each of six tokens in turn, and see which outputs move.

# %% touch
tokens = torch.randn(1, 6, 8, generator=torch.Generator().manual_seed(1))
ways = {
    "transposed": (split_heads, join_heads),
    "view alone": (split_by_view, join_by_view),
}
moves = {}
for name, (split, join) in ways.items():
    with torch.no_grad():
        before, _ = multi_head(
            tokens, tokens, tokens, parameters, 2, split=split, join=join
        )
        table = []
        for i in range(6):
            touched = tokens.clone()
            touched[0, i] += 1
            after, _ = multi_head(
                touched, touched, touched, parameters, 2, split=split, join=join
            )
            table.append(((after - before).abs() > 1e-6).any(dim=-1)[0])
    moves[name] = torch.stack(table)
    print(f"{name}: token 0 moves", moves[name][0].nonzero().flatten().tolist())

# %% tags=["remove-cell"]
from matplotlib.patches import Rectangle

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("width", layer.embed_dim)
fact("heads", layer.num_heads)
fact("there_and_back", there_and_back)
fact("zero_biases", zero_biases)
fact("close_plain", gaps["no mask"] < 1e-6)
fact("close_causal", gaps["causal"] < 1e-6)
fact(
    "root_gap", gap, tol=1e-7
)  # the spread over vector instructions and threads, a last bit of the outputs
blocks = torch.arange(6) // 3
fact("all_move", bool(moves["transposed"].all()))
fact("halves_move", torch.equal(moves["view alone"], blocks[:, None] == blocks))

figure, panels = new_figure(2.4, columns=2)
for axes, (name, table) in zip(panels, moves.items(), strict=True):
    for y, row in enumerate(table.tolist()):
        for i, reached in enumerate(row):
            if reached:
                axes.add_patch(
                    Rectangle(
                        (i, y),
                        1,
                        1,
                        facecolor=SERIES[0],
                        alpha=0.5,
                        edgecolor="none",
                    )
                )
            axes.add_patch(
                Rectangle(
                    (i, y),
                    1,
                    1,
                    facecolor="none",
                    edgecolor=GRID,
                    linewidth=0.6,
                )
            )
    middles = [i + 0.5 for i in range(6)]
    axes.set(
        xlim=(0, 6),
        ylim=(6, 0),
        xticks=middles,
        yticks=middles,
        xticklabels=range(6),
        yticklabels=range(6),
    )
    axes.set(xlabel="output that moves", aspect="equal")
    axes.set_title(name, fontsize=9)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
panels[0].set_ylabel("token that is touched")
save(figure, artifact("heads-touch.svg"))

# %% [markdown]
# ![Two tables, the token that is touched against the outputs that move. Split with a transpose, every token moves every output. Split by a view alone, the first three tokens move the first three outputs, and the last three the last three.](../assets/figures/labs/heads-touch.svg)
#
# *Which outputs a token reaches, in one layer with the same parameters: with the transpose (left) and without (right).*
#
# With the transpose [every token reaches every output](claim:labs/heads-solution.all_move).
# With the view alone [each half of the sequence keeps to itself](claim:labs/heads-solution.halves_move): head zero *is* the first half.
# No weights can carry anything across, so no training helps.
# A task that needs nothing from the other half is learned all the same; [the chapter](../multi-head.md#a-view-without-a-transpose) trains such a layer, and it reaches [0.89](fact:multi-head/trains.wrong).
#
# ## What more heads cost
#
# Count what `unpack` returns, and the weights of each head on a text of a hundred and twenty-eight tokens.

# %% count
text = torch.randn(1, 128, 64, generator=torch.Generator().manual_seed(2))
parameter_counts, weight_counts = {}, {}
print("heads parameters  weights")
for heads in (1, 2, 4, 8):
    wide = unpack(nn.MultiheadAttention(64, heads, batch_first=True))
    parameter_counts[heads] = sum(tensor.numel() for tensor in wide.values())
    with torch.no_grad():
        _, weights = multi_head(text, text, text, wide, heads)
    weight_counts[heads] = weights.numel()
    print(f"{heads:5}{parameter_counts[heads]:11,}{weight_counts[heads]:9,}")

# %% tags=["remove-cell"]
fact("parameters", parameter_counts[8])
fact("same_parameters", len(set(parameter_counts.values())) == 1)
fact("weights_1", weight_counts[1])
fact("weights_8", weight_counts[8])

# %% [markdown]
# The number of parameters is [16,640](fact:labs/heads-solution.parameters), [the same for all of them](claim:labs/heads-solution.same_parameters): four matrices of $d^2$ and four biases of $d$, however they are cut.
# The weights of attention are not the same: [16,384](fact:labs/heads-solution.weights_1) with one head, [131,072](fact:labs/heads-solution.weights_8) with eight, since each head has a table of its own.
#
# ## What this means
#
# - **A head is a run of columns, and nothing else.**
#   The layer is one matrix product in, one attention with an axis more, one matrix product out.
# - **Shapes do not test a split.**
#   Distinct numbers do, and so does touching one token.
# - **Compare with something that was written by others.**
#   The mistakes of this lab show in a comparison with PyTorch's layer, with and without a mask, and a forgotten bias as soon as it is not zero.
#
# ## What not to conclude
#
# - **That the two layers are interchangeable.**
#   They compute the same function of the same parameters.
#   PyTorch starts its parameters in another way than four `nn.Linear` would, drops weights while it trains, and returns the mean of the heads' weights unless it is told otherwise.
# - **That a gap below a millionth holds for every input.**
#   It was measured on one input, in float32.
#   Longer sums and larger numbers make larger gaps; see [Scaled dot-product attention](../scaling.md).
# - **That more heads are free because the parameters are the same.**
#   The tables grow with them, and with the square of the length; see [Cost](../cost.md).
# - **That more heads are better.**
#   Nothing here was trained.
#   The count says what heads cost, and not what they are worth.
#
# The chapter is [Multi-head attention](../multi-head.md).
