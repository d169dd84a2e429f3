"""Lab 5's layer as a function with parts that can be exchanged, and the wrong answers that come of it."""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attention_src.labs.judge import Mistake

Parameters = Mapping[str, Tensor]
Layer = Callable[[Tensor, Tensor, Tensor, Parameters, int, Tensor | None], tuple[Tensor, Tensor]]
Cut = Callable[[Tensor, int], Tensor]


def _project(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x @ weight.mT + bias


def _cut(x: Tensor, heads: int) -> Tensor:
    """Tokens (B, N, d) as heads (B, H, N, d/H)."""
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def _by_view(x: Tensor, heads: int) -> Tensor:
    return x.reshape(len(x), heads, x.shape[1], -1)


def _joined(mixed: Tensor) -> Tensor:
    """Heads side by side, (B, N, d)."""
    return torch.cat(list(mixed.unbind(dim=1)), dim=-1)


def _joined_by_view(mixed: Tensor) -> Tensor:
    return mixed.reshape(len(mixed), mixed.shape[2], -1)


def _masked(scores: Tensor, blocked: Tensor) -> Tensor:
    return scores.masked_fill(blocked, -math.inf)


def _softmax(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


def _root(queries: Tensor, _model: Tensor) -> float:
    return math.sqrt(queries.shape[-1])


def layer(
    *,
    project: Callable[[Tensor, Tensor, Tensor], Tensor] = _project,
    output: Callable[[Tensor, Tensor, Tensor], Tensor] = _project,
    roles: tuple[str, str, str] = ("query", "key", "value"),
    cuts: tuple[Cut, Cut, Cut] = (_cut, _cut, _cut),
    divisor: Callable[[Tensor, Tensor], float] = _root,
    mask: Callable[[Tensor, Tensor], Tensor] = _masked,
    share: Callable[[Tensor], Tensor] = _softmax,
    after: Callable[[Tensor, Tensor], Tensor] = lambda weights, _: weights,
    join: Callable[[Tensor], Tensor] = _joined,
    without: tuple[str, ...] = (),
) -> Layer:
    """Return multi-head attention as a function, right unless a part of it is exchanged.

    Args:
        project: From tokens, a weight and a bias to queries, keys and values.
        output: The same for the last projection.
        roles: Whose parameters make queries, keys and values.
        cuts: How queries, keys and values are cut into heads.
        divisor: Of the scores, from the queries of the heads and the queries of the model.
        mask: From scores and mask to scores.
        share: From scores to weights.
        after: From weights and mask to weights.
        join: From heads to tokens.
        without: Names of parameters that are taken for zero.
    """

    def answer(
        q: Tensor, k: Tensor, v: Tensor, parameters: Parameters, heads: int, blocked: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        used = {name: tensor * 0 if name in without else tensor for name, tensor in parameters.items()}

        def through(x: Tensor, role: str, way: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
            return way(x, used[f"{role}.weight"], used[f"{role}.bias"])

        queries, keys, values = (
            cut(through(x, role, project), heads) for x, role, cut in zip((q, k, v), roles, cuts, strict=True)
        )
        scores = queries @ keys.mT / divisor(queries, q)
        if blocked is not None:
            scores = mask(scores, blocked)
        weights = share(scores)
        if blocked is not None:
            weights = after(weights, blocked)
        return through(join(weights @ values), "output", output), weights

    return answer


def _swapped(
    q: Tensor, k: Tensor, v: Tensor, parameters: Parameters, heads: int, blocked: Tensor | None
) -> tuple[Tensor, Tensor]:
    return layer()(q, k, v, parameters, heads, blocked)[::-1]


def _transposed(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x @ weight + bias


def _no_bias(x: Tensor, weight: Tensor, _bias: Tensor) -> Tensor:
    return x @ weight.mT


def _nothing(x: Tensor, _weight: Tensor, _bias: Tensor) -> Tensor:
    return x


def _sizes(q: Tensor, heads: int) -> tuple[int, int, float]:
    """The model's width, a head's, and the root of the latter."""
    return q.shape[-1], q.shape[-1] // heads, math.sqrt(q.shape[-1] // heads)


def _of_scale() -> tuple[Mistake, ...]:
    return (
        Mistake(
            lambda q, _k, _v, _p, heads, _b: (
                f"The scores are √H = {math.sqrt(heads):.2f} times too small, divided by the root of the model's width "
                f"d = {q.shape[-1]}: the products run over a head, so use the root of d/H = {_sizes(q, heads)[1]}."
            ),
            layer(divisor=lambda _, model: math.sqrt(model.shape[-1])),
        ),
        Mistake(
            lambda q, _k, _v, _p, heads, _b: (
                f"The scores are √(d/H) = {_sizes(q, heads)[2]:.2f} times too large: no division by the root."
            ),
            layer(divisor=lambda *_: 1.0),
        ),
        Mistake(
            lambda q, _k, _v, _p, heads, _b: (
                f"The scores are divided by d/H = {_sizes(q, heads)[1]}: expected its root, {_sizes(q, heads)[2]:.2f}."
            ),
            layer(divisor=lambda queries, _: float(queries.shape[-1])),
        ),
        Mistake(
            "The scores are multiplied by the root of d/H: expected a division.",
            layer(divisor=lambda queries, _: queries.shape[-1] ** -0.5),
        ),
        Mistake(
            "The scores are divided by the root of the number of heads: expected that of d/H.",
            layer(divisor=lambda queries, _: math.sqrt(queries.shape[1])),
        ),
        Mistake(
            "The scores are divided by the root of the number of queries: expected that of d/H.",
            layer(divisor=lambda queries, _: math.sqrt(queries.shape[2])),
        ),
        Mistake(
            "The scores have the wrong sign: the worst match gets the largest weight.",
            layer(divisor=lambda queries, _: -math.sqrt(queries.shape[-1])),
        ),
    )


def _powers(scores: Tensor) -> Tensor:
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def _of_softmax() -> tuple[Mistake, ...]:
    return (
        Mistake(
            "Each column of the weights sums to one, and no row: the softmax ran over the queries, use dim=-1.",
            layer(share=lambda scores: scores.softmax(dim=-2)),
        ),
        Mistake(
            "The weights sum to one over the heads: the softmax ran over dim=1, use dim=-1.",
            layer(share=lambda scores: scores.softmax(dim=1)),
        ),
        Mistake(
            "The weights sum to one over the batch: the softmax ran over dim=0, use dim=-1.",
            layer(share=lambda scores: scores.softmax(dim=0)),
        ),
        Mistake("These are the scores: the softmax over the keys is missing.", layer(share=lambda scores: scores)),
        Mistake("These are sigmoids: the softmax makes the weights sum to one.", layer(share=torch.sigmoid)),
        Mistake("The softmax is taken twice.", layer(share=lambda scores: _softmax(_softmax(scores)))),
        Mistake(
            "These are logarithms of the weights: softmax, and not log_softmax.",
            layer(share=lambda scores: scores.log_softmax(dim=-1)),
        ),
        Mistake(
            "The exponentials overflow where scores are large: subtract the largest score of each row first, as "
            "softmax does.",
            layer(share=_powers),
        ),
        Mistake(
            "One maximum is subtracted from all rows, so the exponentials of rows with small scores vanish: take that "
            "of each row.",
            layer(share=lambda scores: _powers(scores - scores.max())),
        ),
    )


def _of_mask() -> tuple[Mistake, ...]:
    def filled(number: float) -> Layer:
        return layer(mask=lambda scores, blocked: scores.masked_fill(blocked, number))

    return (
        Mistake(
            "The mask is inverted: the blocked keys get all the weight. True blocks, so fill where it is True.",
            layer(mask=lambda scores, blocked: _masked(scores, ~blocked)),
        ),
        Mistake("The mask is ignored: blocked keys keep their weights.", layer(mask=lambda scores, _: scores)),
        Mistake(
            "The mask came after the softmax, so the rows no longer sum to one.",
            layer(mask=lambda scores, _: scores, after=lambda weights, blocked: weights.masked_fill(blocked, 0.0)),
        ),
        Mistake("Blocked scores are 0, which is a score like any other: expected -inf.", filled(0.0)),
        Mistake(
            "The blocked scores are +inf: expected -inf.",
            filled(math.inf),
        ),
        Mistake(
            "The mask was added to the scores as 0 and 1, so it blocks nothing: fill with -inf where it is True.",
            layer(mask=lambda scores, blocked: scores + blocked),
        ),
        Mistake(
            "Blocked scores are a number such as -100 or -10,000, which is a score like any other and wins where all "
            "others are lower: expected -inf.",
            filled(-1e4),
        ),
        *(
            Mistake(
                "The mask got axes of its own, and so have the scores: it comes in a shape that fits (B, H, N, M).",
                layer(mask=_with_axes(index), join=join),
            )
            for index in ((None, None), (None,), (slice(None), None))
            for join in (_joined, _flattened)  # what torch says of the shapes differs
        ),
        Mistake("The mask reaches the first head only.", layer(mask=_first_head)),
    )


def _with_axes(index: tuple[slice | None, ...]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda scores, blocked: _masked(scores, blocked[index])


def _flattened(mixed: Tensor) -> Tensor:
    return mixed.transpose(1, 2).flatten(start_dim=2)


def _first_head(scores: Tensor, blocked: Tensor) -> Tensor:
    return torch.cat([_masked(scores[:, :1], blocked), scores[:, 1:]], dim=1)


def _of_projections() -> tuple[Mistake, ...]:
    return (
        Mistake(
            "The projections are transposed: a weight is (out, in), so x @ weight.mT.",
            layer(project=_transposed, output=_transposed),
        ),
        Mistake(
            "The projections of q, k and v are transposed: a weight is (out, in), so x @ weight.mT.",
            layer(project=_transposed),
        ),
        Mistake("The output projection is transposed: x @ weight.mT.", layer(output=_transposed)),
        Mistake("The biases are missing: x @ weight.mT + bias.", layer(project=_no_bias, output=_no_bias)),
        Mistake("The biases of q, k and v are missing: x @ weight.mT + bias.", layer(project=_no_bias)),
        Mistake("The bias of the output projection is missing.", layer(output=_no_bias)),
        *(
            Mistake(f"The bias of the {role} projection is missing.", layer(without=(f"{role}.bias",)))
            for role in ("query", "value")
        ),
        Mistake("q, k and v go into the heads as they are: project them first.", layer(project=_nothing)),
        Mistake("The output projection is missing: the heads are joined, but not mixed.", layer(output=_nothing)),
        *(
            Mistake(told, layer(roles=roles))
            for told, roles in (
                ("query and key are exchanged: q goes through query, k through key.", ("key", "query", "value")),
                ("key and value are exchanged: k goes through key, v through value.", ("query", "value", "key")),
                ("query and value are exchanged: q goes through query, v through value.", ("value", "key", "query")),
                ("k went through the query's projection: it has one of its own.", ("query", "query", "value")),
                ("q went through the key's projection: it has one of its own.", ("key", "key", "value")),
                ("v went through the key's projection: it has one of its own.", ("query", "key", "key")),
                ("v went through the query's projection: it has one of its own.", ("query", "key", "query")),
                ("k went through the value's projection: it has one of its own.", ("query", "value", "value")),
                ("q went through the value's projection: it has one of its own.", ("value", "key", "value")),
                ("v went through the output projection: it has one of its own.", ("query", "key", "output")),
            )
        ),
    )


def _of_heads() -> tuple[Mistake, ...]:
    sequence = (
        "The heads were made by a view without a transpose: it cuts the sequence, not the width. See split_heads."
    )
    return (
        Mistake(sequence, layer(cuts=(_by_view,) * 3, join=_joined_by_view)),
        Mistake(sequence, layer(cuts=(_by_view,) * 3)),
        Mistake(
            "The values were cut by a view without a transpose. See split_heads.", layer(cuts=(_cut, _cut, _by_view))
        ),
        Mistake(
            "The keys were cut by a view without a transpose. See split_heads.", layer(cuts=(_cut, _by_view, _cut))
        ),
        Mistake(
            "The queries were cut by a view without a transpose. See split_heads.", layer(cuts=(_by_view, _cut, _cut))
        ),
        Mistake(
            "The heads were joined by a view without a transpose, which mixes tokens. See join_heads.",
            layer(join=_joined_by_view),
        ),
        Mistake(
            "The heads are averaged: expected them side by side, then the output projection.",
            layer(join=lambda mixed: mixed.mean(dim=1), output=_nothing),
        ),
        Mistake(
            "The heads are averaged: expected them side by side, then the output projection.",
            layer(join=lambda mixed: mixed.mean(dim=1)),
        ),
        Mistake(
            "The heads are averaged and their mean repeated: expected each head in columns of its own.",
            layer(join=lambda mixed: mixed.mean(dim=1).repeat(1, 1, mixed.shape[1])),
        ),
        Mistake(
            "The heads come in the wrong order: expected head 0 in the first columns.",
            layer(join=lambda mixed: _joined(mixed.flip(1))),
        ),
    )


MISTAKES = (
    Mistake("The weights come first and the output second: return the output, then the weights.", _swapped),
    *_of_mask(),
    *_of_scale(),
    *_of_softmax(),
    *_of_heads(),
    *_of_projections(),
)
