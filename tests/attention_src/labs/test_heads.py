"""Tests of the checks of lab 5: split, join, unpack and the whole layer."""

# ruff: noqa: ARG005 (wrong answers leave out what they should use)

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention
from attention_src.heads import MultiHeadAttention
from attention_src.heads import join_heads as core_join
from attention_src.heads import split_heads as core_split
from attention_src.labs.heads import check_join_heads, check_split_heads, check_unpack
from attention_src.labs.heads_layer import check_multi_head
from attention_src.labs.heads_task import NAMES


def split(x, heads):
    """View, then transpose."""
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def join(x):
    """Transpose, then flatten."""
    return x.transpose(1, 2).flatten(2)


def stacked(x, heads):
    """A loop over heads."""
    width = x.shape[-1] // heads
    return torch.stack([x[:, :, i * width : (i + 1) * width] for i in range(heads)], dim=1)


def permuted(x, heads):
    """All axes named at once."""
    return x.unflatten(-1, (heads, -1)).permute(0, 2, 1, 3)


def written(x, heads):
    """A new tensor that is filled."""
    cut = x.new_empty(x.shape[0], heads, x.shape[1], x.shape[2] // heads)
    for i, columns in enumerate(x.chunk(heads, dim=-1)):
        cut[:, i] = columns
    return cut


RIGHT_SPLITS = [split, stacked, permuted, written]


@pytest.mark.parametrize("answer", RIGHT_SPLITS)
def test_check_split_heads_accepts_every_style(answer):
    """A view with a transpose, slices in a loop and a tensor that is filled are all right."""
    verdict = check_split_heads(answer)
    assert verdict, verdict.message


def by_cat(x):
    """Heads one after the other."""
    return torch.cat([x[:, i] for i in range(x.shape[1])], dim=-1)


def by_reshape(x):
    """Permute, then reshape."""
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)


def by_contiguous(x):
    """Transpose, copy, then view."""
    return x.transpose(1, 2).contiguous().view(len(x), x.shape[2], -1)


RIGHT_JOINS = [join, by_cat, by_reshape, by_contiguous]


@pytest.mark.parametrize("answer", RIGHT_JOINS)
def test_check_join_heads_accepts_every_style(answer):
    """A transpose and a flatten, a concatenation, a reshape and a copy are all right."""
    verdict = check_join_heads(answer)
    assert verdict, verdict.message


WRONG_SPLITS = {
    "view alone": (lambda x, h: x.view(len(x), h, x.shape[1], -1), "A view without a transpose cuts the sequence"),
    "no transpose": (lambda x, h: x.view(*x.shape[:2], h, -1), "the transpose after the view is missing"),
    "columns first": (lambda x, h: split(x, h).mT, "the columns stand before the tokens"),
    "heads first": (lambda x, h: split(x, h).transpose(0, 1), "The heads stand before the batch"),
    "every third": (
        lambda x, h: x.view(*x.shape[:2], -1, h).permute(0, 3, 1, 2),
        "Head 0 has one column in 3: expected the first 7",
    ),
    "transposed first": (
        lambda x, h: x.transpose(1, 2).reshape(len(x), h, x.shape[1], -1),
        "The transpose came before the cut",
    ),
    "backwards": (lambda x, h: split(x, h).flip(1), "wrong order"),
    "batch and heads": (lambda x, h: split(x, h).flatten(0, 1), "Batch and heads share an axis"),
    "chunks": (lambda x, h: x.chunk(h, dim=-1), "got a tuple of 3: stack the heads, dim=1"),
    "nothing": (lambda x, h: None, "got None, which a function gives that has no `return`"),
    "unchanged": (lambda x, h: x, "Expected the shape (2, 3, 5, 7), got (2, 5, 21)"),
    "rolled": (lambda x, h: split(x, h).roll(1, 2), "contents are not. With x = [[[0.0], [1.0]]], heads = 1, at ["),
    "detached": (lambda x, h: split(x, h).detach(), "no gradient reaches x"),
    "float64": (lambda x, h: split(x, h).double(), "of the type torch.float32, got torch.float64"),
    "zeroed": (lambda x, h: (split(x, h).clone(), x.zero_())[0], "changed its argument `x`"),
    "the core's": (core_split, "It calls attention_src.heads.split_heads: write the answer yourself"),
    "tokens reversed": (
        lambda x, h: split(x, h).flip(2),
        "The tokens come in the wrong order. With B, N, H, D = 2, 5, 3, 7, at [",
    ),
}


@pytest.mark.parametrize("name", WRONG_SPLITS)
def test_check_split_heads_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    answer, told = WRONG_SPLITS[name]
    verdict = check_split_heads(answer)
    assert not verdict
    assert told in verdict.message


WRONG_JOINS = {
    "view alone": (lambda x: x.reshape(len(x), x.shape[2], -1), "A view without a transpose puts pieces"),
    "averaged": (lambda x: x.mean(1), "The 3 heads are averaged: expected them side by side, 21 columns"),
    "added": (lambda x: x.sum(1), "The 3 heads are added up"),
    "not flattened": (lambda x: x.transpose(1, 2), "The heads still have an axis of their own"),
    "alternating": (lambda x: x.permute(0, 2, 3, 1).flatten(2), "The columns of the heads alternate"),
    "backwards": (lambda x: join(x.flip(1)), "expected head 0 in the first columns"),
    "columns first": (lambda x: join(x).mT, "The columns stand before the tokens"),
    "one head": (lambda x: x[:, 0].repeat(1, 1, x.shape[1]), "One head is repeated"),
    "rolled": (lambda x: join(x.roll(1, 1)), "contents are not. With x = [[[[0.0]], [[1.0]]]], at [0, 0, "),
    "detached": (lambda x: join(x.data), "no gradient reaches x"),
    "float64": (lambda x: join(x).double(), "of the type torch.float32, got torch.float64"),
    "squeezed": (lambda x: join(x).squeeze(), "Seen with B, N, H, D = 1, 3, 1, 5"),
    "the core's": (lambda x: core_join(x), "It calls attention_src.heads.join_heads: write the answer yourself"),
    "strict view": (lambda x: x.transpose(1, 2).view(len(x), x.shape[2], -1), "It raised RuntimeError: view size"),
}


@pytest.mark.parametrize("name", WRONG_JOINS)
def test_check_join_heads_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    answer, told = WRONG_JOINS[name]
    verdict = check_join_heads(answer)
    assert not verdict
    assert told in verdict.message


def unpack(layer, order=(0, 1, 2)):
    """Thirds of the rows, in the order given."""
    weights, biases = layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3)
    found = {"output.weight": layer.out_proj.weight, "output.bias": layer.out_proj.bias}
    for role, at in zip(("query", "key", "value"), order, strict=True):
        found[f"{role}.weight"], found[f"{role}.bias"] = weights[at], biases[at]
    return found


def by_slices(layer):
    """Slices of detached copies, from the state dict."""
    state = {name: tensor.clone() for name, tensor in layer.state_dict().items()}
    d = layer.embed_dim
    found = {"output.weight": state["out_proj.weight"], "output.bias": state["out_proj.bias"], "unused": None}
    for i, role in enumerate(("query", "key", "value")):
        found[f"{role}.weight"] = state["in_proj_weight"][i * d : (i + 1) * d]
        found[f"{role}.bias"] = state["in_proj_bias"][i * d : (i + 1) * d]
    return found


def by_reshape_of_rows(layer):
    """Three blocks of rows as an axis of their own."""
    weights = layer.in_proj_weight.view(3, layer.embed_dim, -1)
    biases = layer.in_proj_bias.reshape(3, -1)
    roles = ("query", "key", "value")
    found = {f"{role}.weight": weights[i] for i, role in enumerate(roles)}
    found |= {f"{role}.bias": biases[i] for i, role in enumerate(roles)}
    return found | {f"output.{name}": tensor for name, tensor in layer.out_proj.named_parameters()}


RIGHT_UNPACKS = [unpack, by_slices, by_reshape_of_rows]


@pytest.mark.parametrize("answer", RIGHT_UNPACKS)
def test_check_unpack_accepts_every_style(answer):
    """Chunks, slices and a view are all right."""
    torch.manual_seed(1)
    verdict = check_unpack(answer)
    assert verdict, verdict.message


def changed(**new):
    """Right parameters, some of which are replaced by a function of the layer."""

    def answer(layer):
        return unpack(layer) | {name.replace("_", "."): make(layer) for name, make in new.items()}

    return answer


def every_third(layer):
    """Rows dealt out in turn."""
    weights = {f"{role}.weight": layer.in_proj_weight[i::3] for i, role in enumerate(("query", "key", "value"))}
    return unpack(layer) | weights


def columns(layer):
    """Columns cut into thirds; for a width that three divides."""
    blocks = layer.in_proj_weight.chunk(3, dim=1)
    return unpack(layer) | {
        f"{role}.weight": block for role, block in zip(("query", "key", "value"), blocks, strict=True)
    }


WRONG_UNPACKS = {
    "key first": (lambda layer: unpack(layer, (1, 0, 2)), "query.weight holds the key's, key.weight holds the query's"),
    "turned": (lambda layer: unpack(layer, (2, 0, 1)), "query.weight holds the value's"),
    "one for all": (lambda layer: unpack(layer, (0, 0, 0)), "key.weight holds other numbers"),
    "biases turned": (
        changed(query_bias=lambda m: m.in_proj_bias.chunk(3)[1], key_bias=lambda m: m.in_proj_bias.chunk(3)[0]),
        "query.bias holds the key's",
    ),
    "every third": (every_third, "Every third row went into query.weight"),
    "columns": (columns, "The columns were cut into thirds"),
    "transposed": (
        changed(query_weight=lambda m: m.in_proj_weight.chunk(3)[0].mT),
        "query.weight is transposed",
    ),
    "output transposed": (changed(output_weight=lambda m: m.out_proj.weight.mT), "output.weight is transposed"),
    "whole": (changed(query_weight=lambda m: m.in_proj_weight), "query.weight: expected the shape (6, 6), got (18, 6)"),
    "zero bias": (changed(output_bias=lambda m: torch.zeros(m.embed_dim)), "output.bias holds other numbers"),
    "list": (lambda layer: list(unpack(layer).values()), "Expected a dict of eight tensors, got list"),
    "half": (lambda layer: {"query.weight": layer.in_proj_weight}, "got none for query.bias, key.weight"),
    "number": (changed(key_bias=lambda m: 0.0), "key.bias: expected a tensor (6,), got float"),
    "the core's": (
        lambda layer: MultiHeadAttention.from_torch(layer).state_dict(),
        "It calls attention_src.heads.MultiHeadAttention.from_torch",
    ),
    "layer changed": (
        lambda layer: (unpack(layer), layer.in_proj_bias.data.zero_())[0],
        "changed its argument `layer`",
    ),
}


@pytest.mark.parametrize("name", WRONG_UNPACKS)
def test_check_unpack_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    answer, told = WRONG_UNPACKS[name]
    verdict = check_unpack(answer)
    assert not verdict
    assert told in verdict.message


def layer_with(
    project=F.linear,
    into=split,
    values_into=None,
    root=lambda heads, model: math.sqrt(heads.shape[-1]),
    mask=lambda scores, blocked: scores.masked_fill(blocked, -math.inf),
    dim=-1,
    after=lambda weights, blocked: weights,
    back=join,
    roles=("query", "key", "value"),
    output=True,
    given=lambda output, weights: (output, weights),
):
    """A layer, right unless a part of it is replaced."""

    def multi_head(q, k, v, parameters, heads, blocked=None):
        def through(x, role):
            return project(x, parameters[f"{role}.weight"], parameters[f"{role}.bias"])

        cuts = (into, into, values_into or into)
        pairs = zip((q, k, v), roles, cuts, strict=True)
        queries, keys, values = (cut(through(x, role), heads) for x, role, cut in pairs)
        scores = queries @ keys.mT / root(queries, q)
        if blocked is not None:
            scores = mask(scores, blocked)
        weights = scores.softmax(dim=dim)
        if blocked is not None:
            weights = after(weights, blocked)
        joined = back(weights @ values)
        return given(through(joined, "output") if output else joined, weights)

    return multi_head


def by_loop(q, k, v, parameters, heads, blocked=None):
    """Head after head, and the last projection as a sum of one block for each."""
    width = q.shape[-1] // heads
    output, tables = parameters["output.bias"], []
    for i in range(heads):
        rows = slice(i * width, (i + 1) * width)
        q_i, k_i, v_i = (
            x @ parameters[f"{role}.weight"][rows].mT + parameters[f"{role}.bias"][rows]
            for x, role in ((q, "query"), (k, "key"), (v, "value"))
        )
        scores = q_i @ k_i.mT * width**-0.5
        if blocked is not None:
            scores = scores + torch.where(blocked[:, 0], -1e9, 0.0)
        tables.append(scores.softmax(dim=-1))
        output = output + tables[-1] @ v_i @ parameters["output.weight"][:, rows].mT
    return output, torch.stack(tables, dim=1)


def by_library(q, k, v, parameters, heads, blocked=None):
    """PyTorch's function for the output, and the formula for the weights."""
    queries, keys, values = (
        split(F.linear(x, parameters[f"{role}.weight"], parameters[f"{role}.bias"]), heads)
        for x, role in ((q, "query"), (k, "key"), (v, "value"))
    )
    mask = None if blocked is None else ~blocked
    mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    weights = layer_with()(q, k, v, parameters, heads, blocked)[1]
    return F.linear(join(mixed), parameters["output.weight"], parameters["output.bias"]), weights


def by_einsum(q, k, v, parameters, heads, blocked=None):
    """Einsum throughout, a list in place of a tuple, and the smallest number in place of minus infinity."""

    def through(x, role):
        y = torch.einsum("bnd,ed->bne", x, parameters[f"{role}.weight"]) + parameters[f"{role}.bias"]
        return y.unflatten(-1, (heads, -1))

    scores = torch.einsum("bnhd,bmhd->bhnm", through(q, "query"), through(k, "key")) / (q.shape[-1] / heads) ** 0.5
    if blocked is not None:
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    mixed = torch.einsum("bhnm,bmhd->bnhd", weights, through(v, "value")).flatten(2)
    return [mixed @ parameters["output.weight"].mT + parameters["output.bias"], weights]


def without_key_bias(q, k, v, parameters, heads, blocked=None):
    """The key's bias adds the same to all scores of a row, so softmax takes it away."""
    return layer_with()(q, k, v, parameters | {"key.bias": torch.zeros(q.shape[-1])}, heads, blocked)


RIGHT_LAYERS = [layer_with(), by_loop, by_library, by_einsum, without_key_bias]


@pytest.mark.parametrize("answer", RIGHT_LAYERS)
def test_check_multi_head_accepts_every_style(answer):
    """Batched heads, a loop with a mask that is added, a library, and a layer without the key's idle bias are right."""
    verdict = check_multi_head(answer)
    assert verdict, verdict.message


def by_view(x, heads):
    """Cuts the sequence."""
    return x.reshape(len(x), heads, x.shape[1], -1)


def back_by_view(x):
    """Mixes tokens."""
    return x.reshape(len(x), x.shape[2], -1)


WRONG_LAYERS = {
    "root of the model": (
        layer_with(root=lambda heads, model: math.sqrt(model.shape[-1])),
        "√H = 1.73 times too small, divided by the root of the model's width d = 33",
    ),
    "no root": (layer_with(root=lambda heads, model: 1.0), "√(d/H) = 3.32 times too large"),
    "width, no root": (layer_with(root=lambda heads, model: heads.shape[-1]), "divided by d/H = 11"),
    "softmax over queries": (layer_with(dim=-2), "the softmax ran over the queries, use dim=-1"),
    "softmax over the batch": (layer_with(dim=0), "the softmax ran over dim=0"),
    "softmax over heads": (layer_with(dim=1), "the softmax ran over dim=1"),
    "view both ways": (layer_with(into=by_view, back=back_by_view), "made by a view without a transpose"),
    "values by view": (layer_with(values_into=by_view), "The values were cut by a view"),
    "joined by view": (layer_with(back=back_by_view), "joined by a view without a transpose"),
    "inverted mask": (
        layer_with(mask=lambda scores, blocked: scores.masked_fill(~blocked, -math.inf)),
        "The mask is inverted",
    ),
    "no mask": (layer_with(mask=lambda scores, blocked: scores), "The mask is ignored"),
    "mask after softmax": (
        layer_with(mask=lambda scores, blocked: scores, after=lambda w, blocked: w.masked_fill(blocked, 0.0)),
        "The mask came after the softmax",
    ),
    "score of zero": (
        layer_with(mask=lambda scores, blocked: scores.masked_fill(blocked, 0.0)),
        "Blocked scores are 0",
    ),
    "mask of minus one": (
        layer_with(mask=lambda s, blocked: s.masked_fill(blocked, -1.0)),
        "A blocked key has a weight",
    ),
    "averaged": (
        layer_with(back=lambda x: x.mean(1), output=False),
        "The heads are averaged: expected them side by side",
    ),
    "averaged, repeated": (
        layer_with(back=lambda x: x.mean(1).repeat(1, 1, x.shape[1])),
        "their mean repeated",
    ),
    "no output projection": (layer_with(output=False), "The output projection is missing"),
    "transposed": (layer_with(project=lambda x, weight, bias: x @ weight + bias), "The projections are transposed"),
    "no biases": (layer_with(project=lambda x, weight, bias: x @ weight.mT), "The biases are missing"),
    "query and key": (layer_with(roles=("key", "query", "value")), "query and key are exchanged"),
    "one projection": (layer_with(roles=("query", "query", "value")), "k went through the query's projection"),
    "value by key": (layer_with(roles=("query", "key", "key")), "v went through the key's projection"),
    "exchanged": (layer_with(given=lambda output, weights: (weights, output)), "The weights come first"),
    "output alone": (layer_with(given=lambda output, weights: output), "expected a pair, got Tensor"),
    "weights averaged": (
        layer_with(given=lambda o, w: (o, w.mean(1))),
        "got (2, 5, 7): the heads of the weights are averaged away",
    ),
    "text": (layer_with(given=lambda o, w: (o, "weights")), "weights: expected a tensor (2, 3, 5, 7), got str"),
    "doubled": (layer_with(after=lambda w, blocked: 2 * w), "sum to 2.0000"),
    "temperature": (
        layer_with(root=lambda heads, model: 2.0),
        "The rows of weights sum to one, and are not the right ones. With q = [[[1.0]]], k = [[[2.0], [0.0]]]",
    ),
    "output doubled": (layer_with(given=lambda o, w: (2 * o, w)), "The weights are right, the output is not"),
    "output cut": (
        layer_with(given=lambda o, w: (o[..., :-1], w)),
        "output: expected the shape (2, 5, 33), got (2, 5, 32): the shape of q. Seen",
    ),
    "not a number": (layer_with(given=lambda o, w: (o, w * math.nan)), "There is a NaN"),
    "keys from q": (
        lambda q, k, v, parameters, heads, blocked=None: layer_with()(q, q, q, parameters, heads, None),
        "do the keys come from k",
    ),
    "detached": (
        layer_with(given=lambda o, w: (o.detach(), w)),
        "no gradient of the output reaches q, k, v, query.weight",
    ),
    "query detached": (
        lambda q, k, v, p, heads, blocked=None: layer_with()(
            q, k, v, p | {"query.weight": p["query.weight"].detach()}, heads, blocked
        ),
        "no gradient of the output reaches query.weight, so",
    ),
}


def output_wrong(name, change):
    """A layer with one of its parameters changed before use."""
    return lambda q, k, v, p, heads, blocked=None: layer_with()(q, k, v, p | {name: change(p[name])}, heads, blocked)


WRONG_LAYERS |= {
    "no output bias": (output_wrong("output.bias", torch.zeros_like), "The bias of the output projection is missing"),
    "no value bias": (output_wrong("value.bias", torch.zeros_like), "The bias of the value projection is missing"),
    "output transposed": (output_wrong("output.weight", lambda w: w.mT), "The output projection is transposed"),
}


@pytest.mark.parametrize("name", WRONG_LAYERS)
def test_check_multi_head_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    answer, told = WRONG_LAYERS[name]
    verdict = check_multi_head(answer)
    assert not verdict
    assert told in verdict.message


def stub(*_):
    """What a task notebook holds."""
    raise NotImplementedError("cut the width")


CHECKS = {
    check_split_heads: split,
    check_join_heads: join,
    check_unpack: unpack,
    check_multi_head: layer_with(),
}


@pytest.mark.parametrize("check", CHECKS)
def test_checks_report_stubs(check):
    """A stub is named as such, with its message."""
    assert "It is not written: cut the width" in check(stub).message


@pytest.mark.parametrize("check", CHECKS)
def test_checks_leave_the_generator_alone(check):
    """A check neither draws from the global generator nor depends on it."""
    torch.manual_seed(3)
    before = torch.get_rng_state()
    assert check(CHECKS[check])
    assert torch.equal(torch.get_rng_state(), before)


def test_check_multi_head_names_heads_that_are_averaged():
    """Averaged heads do not fit the output projection; the verdict says what was done, and then torch's error."""
    verdict = check_multi_head(layer_with(back=lambda x: x.mean(1)))
    assert "The heads are averaged: expected them side by side" in verdict.message
    assert "it raised RuntimeError: mat1 and mat2" in verdict.message


def bare(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def shared_by(share):
    """A layer with another softmax."""

    def answer(q, k, v, p, heads, blocked=None):
        queries, keys, values = (
            split(F.linear(x, p[f"{role}.weight"], p[f"{role}.bias"]), heads)
            for x, role in ((q, "query"), (k, "key"), (v, "value"))
        )
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5
        weights = share(scores if blocked is None else scores.masked_fill(blocked, -math.inf))
        return F.linear(join(weights @ values), p["output.weight"], p["output.bias"]), weights

    return answer


def filled(number):
    return layer_with(mask=lambda scores, blocked: scores.masked_fill(blocked, number))


def changing(name):
    """A right layer that zeroes one of its arguments at the end."""

    def answer(q, k, v, parameters, heads, blocked=None):
        result = layer_with()(q, k, v, parameters, heads, blocked)
        given = {"q": q, "blocked": blocked, "parameters": parameters["key.bias"]}[name]
        if given is not None:
            given.zero_()
        return result

    return answer


def pops(q, k, v, parameters, heads, blocked=None):
    result = layer_with()(q, k, v, parameters, heads, blocked)
    parameters.clear()
    return result


STRICT = {
    "no maximum": (shared_by(bare), "The exponentials overflow where scores are large"),
    "global maximum": (shared_by(lambda s: bare(s - s.max())), "One maximum is subtracted from all rows"),
    "maximum of each head": (
        shared_by(lambda s: bare(s - s.amax(dim=(-1, -2), keepdim=True))),
        "There is a NaN among the weights, though every query has a key left. With scores of several thousand",
    ),
    "minus ten": (filled(-10.0), "A blocked key has a weight: fill the scores with -inf"),
    "minus a hundred": (filled(-100.0), "Blocked scores are a number such as -100"),
    "minus ten thousand": (filled(-1e4), "Blocked scores are a number such as -100 or -10,000"),
    "q changed": (changing("q"), "changed its argument `q`"),
    "mask changed": (changing("blocked"), "changed its argument `blocked`"),
    "parameters changed": (changing("parameters"), "changed its argument `parameters`"),
    "parameters emptied": (pops, "changed its argument `parameters`"),
    "mask with axes too many": (
        layer_with(mask=lambda s, b: s.masked_fill(b[None, None], -math.inf)),
        "The mask got axes of its own, and so have the scores",
    ),
    "weights detached": (
        layer_with(given=lambda o, w: (o, w.detach())),
        "no gradient of the weights reaches q, k, query.weight",
    ),
    "float64": (layer_with(given=lambda o, w: (o.double(), w)), "output: expected numbers of the type torch.float32"),
    "the core's attention": (
        lambda q, k, v, p, heads, blocked=None: attention(split(q, heads), split(k, heads), split(v, heads), blocked),
        "It calls attention_src.core.attention.attention",
    ),
}


@pytest.mark.parametrize(("answer", "told"), STRICT.values(), ids=STRICT)
def test_check_multi_head_is_strict_about_what_a_layer_must_bear(answer, told):
    """Large scores, its own arguments and its gradients; each is named."""
    verdict = check_multi_head(answer)
    assert not verdict
    assert told in verdict.message


def test_right_answers_agree_with_torch():
    """What the checks accept, together, is PyTorch's layer, with and without a mask."""
    torch.manual_seed(5)
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    q, k, v = torch.randn(2, 5, 12), torch.randn(2, 7, 12), torch.randn(2, 7, 12)
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[1, 4:] = True
    theirs, tables = layer(q, k, v, key_padding_mask=padding, average_attn_weights=False)
    mine, weights = layer_with()(q, k, v, unpack(layer), 3, padding[:, None, None])
    torch.testing.assert_close(mine, theirs)
    torch.testing.assert_close(weights, tables)
    assert set(unpack(layer)) == set(NAMES)
