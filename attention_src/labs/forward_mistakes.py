"""Lab 3's forward pass as a function of weights and ids, right and in the wrong ways that its check recognises."""

import math
from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.data.vocabulary import PAD
from attention_src.labs.judge import Mistake
from attention_src.masks import causal_blocked, combine, padding_blocked
from attention_src.models.classifier import masked_mean

Weights = Mapping[str, Tensor]
Forward = Callable[[Weights, Tensor], object]
Layer = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""From queries, keys and values, (B, N, V), and a mask to outputs, (B, N, V)."""


def _linear(weights: Weights, name: str, x: Tensor) -> Tensor:
    return x @ weights[f"{name}.weight"].mT + weights[f"{name}.bias"]


def _embedded(weights: Weights, ids: Tensor) -> Tensor:
    return weights["embedding.weight"][ids]


def _mask(kind: str, ids: Tensor) -> Tensor:
    padding = padding_blocked(ids)
    return combine(padding, causal_blocked(ids.shape[1])[None]) if kind == "causal" else padding


def _attend(q: Tensor, k: Tensor, v: Tensor, blocked: Tensor) -> Tensor:
    return attention(q, k, v, blocked)[0]


def _mean(x: Tensor, ids: Tensor) -> Tensor:
    """The mean over real tokens; NaN, so anything, for a query without any."""
    empty = (ids == PAD).all(dim=1, keepdim=True)
    return masked_mean(x, ids).masked_fill(empty, math.nan)


def forward(
    kind: str,
    layer: Layer = _attend,
    mask: Callable[[Tensor], Tensor] | None = None,
    mean: Callable[[Tensor, Tensor], Tensor] = _mean,
    through: tuple[str, str, str] = ("to_q", "to_k", "to_v"),
    end: Callable[[Tensor], Tensor] = lambda logits: logits,
    before: Callable[[Tensor, Tensor], Tensor] = lambda _, mixed: mixed,
) -> Callable[[Weights, Tensor], Tensor]:
    """Return the forward pass of a kind, from weights and ids (B, N) to logits (B, C), or one with a part changed.

    Args:
        kind: Of the classifier.
        layer: What the attention layer does.
        mask: From ids to what is blocked; that of the kind by default.
        mean: From vectors and ids to one vector a query.
        through: The layers that make queries, keys and values; "" is none.
        end: What happens to the logits.
        before: From embeddings and outputs of the layer to what the mean is taken of.
    """

    def answer(weights: Weights, ids: Tensor) -> Tensor:
        x = _embedded(weights, ids)
        mixed = x
        if kind != "bag":
            q, k, v = (_linear(weights, name, x) if name else x for name in through)
            mixed = layer(q, k, v, _mask(kind, ids) if mask is None else mask(ids))
        return end(_linear(weights, "head", mean(before(x, mixed), ids)))

    return answer


def unmasked(weights: Weights, ids: Tensor, counted: Tensor) -> Tensor:
    """The causal forward pass without the padding mask, whose mean counts the tokens that are not 0 in `counted`."""
    return forward(
        "causal", mask=lambda each: causal_blocked(each.shape[1])[None], mean=lambda x, _: _mean(x, counted)
    )(weights, ids)


def _by_hand(
    scale: Callable[[Tensor], float] = lambda q: q.shape[-1] ** -0.5,
    fill: Callable[[Tensor, Tensor], Tensor] = lambda scores, blocked: scores.masked_fill(blocked, -math.inf),
    share: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(dim=-1),
    after: Callable[[Tensor, Tensor], Tensor] = lambda shares, _: shares,
) -> Layer:
    """Attention with a part changed; a query without keys gets NaN."""
    return lambda q, k, v, blocked: after(share(fill(q @ k.mT * scale(q), blocked)), blocked) @ v


def mistakes(kind: str) -> list[Mistake]:
    """The wrong answers that are recognised, the more specific first."""
    found = [*_of_the_mean(kind), *_of_the_end(kind)]
    if kind != "bag":
        found += [*_of_the_mask(kind), *_of_the_formula(kind), *_of_the_layers(kind)]
    return found


def _of_the_mean(kind: str) -> Iterator[Mistake]:
    yield Mistake("Padding is counted in the mean: use `masked_mean`.", forward(kind, mean=lambda x, _: x.mean(dim=1)))
    yield Mistake(
        "Token 1, which stands for an unknown token and is real, is left out of the mean: only 0 is padding.",
        forward(kind, mean=lambda x, ids: _mean(x, ids.where(ids != 1, PAD))),
    )
    yield Mistake(
        "The sum over the real tokens is not divided by their number.",
        forward(kind, mean=lambda x, ids: (x * (ids != PAD)[..., None]).sum(dim=1)),
    )
    yield Mistake(
        "This is the largest number of each component, and no mean.",
        forward(kind, mean=lambda x, ids: x.masked_fill((ids == PAD)[..., None], -math.inf).amax(dim=1)),
    )
    yield Mistake("Only the first token is classified: take the mean.", forward(kind, mean=lambda x, _: x[:, 0]))


def _of_the_end(kind: str) -> Iterator[Mistake]:
    ends: dict[str, Callable[[Tensor], Tensor]] = {
        "a softmax": lambda logits: logits.softmax(dim=-1),
        "a softmax over the batch": lambda logits: logits.softmax(dim=0),
        "a logarithm of the softmax": lambda logits: logits.log_softmax(dim=-1),
        "a sigmoid": torch.sigmoid,
        "a ReLU": torch.relu,
        "a hyperbolic tangent": torch.tanh,
    }
    for name, end in ends.items():
        yield Mistake(f"There is {name} on the logits: the loss takes them as they are.", forward(kind, end=end))
    yield Mistake("The sign of the logits is turned round.", forward(kind, end=torch.neg))


def _of_the_mask(kind: str) -> Iterator[Mistake]:
    def masked(sentence: str, mask: Callable[[Tensor], Tensor]) -> Iterator[Mistake]:
        """With this site's attention, which gives zeros where all is blocked, and by hand, which gives NaN."""
        yield Mistake(sentence, forward(kind, mask=mask))
        yield Mistake(sentence, forward(kind, _by_hand(), mask=mask))

    def causal(ids: Tensor) -> Tensor:
        return causal_blocked(ids.shape[1])[None]

    yield from masked(
        "The mask is inverted: it shows what it should block. `True` blocks in `attention`.",
        lambda ids: ~_mask(kind, ids),
    )
    if kind == "attention":
        yield from masked(
            "The future is blocked too: only the causal configuration does that.",
            lambda ids: _mask("causal", ids),
        )
        yield from masked("This is the causal mask: the configuration blocks padding, and no future.", causal)
    else:
        # Padding on the right lies in the future of every real token, so a join with `and` blocks no more than this.
        yield from masked(
            "The causal mask has no effect: join it with the padding mask, by `or` and not by `and`.", padding_blocked
        )
        for sentence, triangle in (
            ("The causal mask is turned round: it blocks the past.", lambda ones: ones.tril(-1)),
            ("The causal mask is off by one: a token sees the next one.", lambda ones: ones.triu(2)),
            ("The causal mask is off by one: no token sees itself.", lambda ones: ones.triu(0)),
            ("The causal mask is turned round, and blocks each token itself, too.", lambda ones: ones.tril(0)),
        ):
            yield from masked(
                sentence,
                lambda ids, cut=triangle: padding_blocked(ids) | cut(torch.ones_like(causal(ids))),  # type: ignore[misc]
            )
    yield from masked("The mask does not reach the padding: pads get weight as keys.", lambda ids: causal(ids) & False)
    yield from masked(
        "Token 1, which stands for an unknown token and is real, is blocked: only 0 is padding.",
        lambda ids: _mask(kind, ids.where(ids != 1, PAD)),
    )


def _of_the_formula(kind: str) -> Iterator[Mistake]:
    changed: dict[str, Layer] = {
        "The scores are √D times too large: divide by it.": _by_hand(scale=lambda _: 1.0),
        "The scores are divided by D, and not by its root.": _by_hand(scale=lambda q: 1 / q.shape[-1]),
        "The scores are multiplied by √D, and should be divided by it.": _by_hand(scale=lambda q: q.shape[-1] ** 0.5),
        "The scores are divided by 8 at every width: √D is the root of the width.": _by_hand(scale=lambda _: 1 / 8),
        "The scores are divided by √8 at every width: √D is the root of the width.": _by_hand(scale=lambda _: 8**-0.5),
        "The softmax ran over the queries: use dim=-1.": _by_hand(
            share=lambda scores: scores.softmax(dim=-2).nan_to_num(0.0)
        ),
        "The softmax ran over the queries, and columns that are blocked give NaN: use dim=-1.": _by_hand(
            share=lambda scores: scores.softmax(dim=-2)
        ),
        "The softmax ran over the batch: use dim=-1.": _by_hand(share=lambda scores: scores.softmax(dim=0)),
        "The softmax is taken twice.": _by_hand(share=lambda scores: scores.softmax(dim=-1).softmax(dim=-1)),
        "There is no softmax: the scores are used as weights.": _by_hand(
            fill=lambda scores, blocked: scores.masked_fill(blocked, 0.0), share=lambda scores: scores
        ),
        "The mask came after the softmax: the weights that are left do not sum to 1.": _by_hand(
            fill=lambda scores, _: scores, after=lambda shares, blocked: shares.masked_fill(blocked, 0.0)
        ),
        "Blocked scores became 0: fill them with -inf.": _by_hand(
            fill=lambda scores, blocked: scores.masked_fill(blocked, 0.0)
        ),
        "Blocked scores became 1: fill them with -inf.": _by_hand(
            fill=lambda scores, blocked: scores.masked_fill(blocked, 1.0)
        ),
        "The mask was added to the scores as 0 and 1, so it blocks nothing: fill with -inf where it is True.": _by_hand(
            fill=lambda scores, blocked: scores + blocked
        ),
        "The scores have the wrong sign: the worst match gets the largest weight.": _by_hand(
            scale=lambda q: -(q.shape[-1] ** -0.5)
        ),
        "Blocked scores became -10, which leaves them a weight: fill them with -inf.": _by_hand(
            fill=lambda scores, blocked: scores.masked_fill(blocked, -10.0)
        ),
        "Blocked scores became a number such as -100 or -10,000, which is a score like any other and wins where all "
        "others are lower: fill them with -inf.": _by_hand(
            fill=lambda scores, blocked: scores.masked_fill(blocked, -1e4)
        ),
    }
    for sentence, layer in changed.items():
        yield Mistake(sentence, forward(kind, layer))


def _of_the_layers(kind: str) -> Iterator[Mistake]:
    yield Mistake("There is no attention: this is the bag.", forward(kind, lambda *_: _[0], through=("", "", "")))
    yield Mistake(
        "The embeddings are added to the output: this layer stands alone.",
        forward(kind, before=lambda x, mixed: x + mixed),
    )
    for told, through in (
        ("Queries and keys are exchanged.", ("to_k", "to_q", "to_v")),
        ("Keys and values are exchanged.", ("to_q", "to_v", "to_k")),
        ("Queries and values are exchanged.", ("to_v", "to_k", "to_q")),
        ("The keys go through `to_q`: send them through `to_k`.", ("to_q", "to_q", "to_v")),
        ("The queries go through `to_k`: send them through `to_q`.", ("to_k", "to_k", "to_v")),
        ("The values go through `to_k`: send them through `to_v`.", ("to_q", "to_k", "to_k")),
        ("The values go through `to_q`: send them through `to_v`.", ("to_q", "to_k", "to_q")),
        ("The keys go through `to_v`: send them through `to_k`.", ("to_q", "to_v", "to_v")),
        ("The queries go through `to_v`: send them through `to_q`.", ("to_v", "to_k", "to_v")),
        ("The values are the embeddings: send them through `to_v`.", ("to_q", "to_k", "")),
        ("The queries are the embeddings: send them through `to_q`.", ("", "to_k", "to_v")),
        ("The keys are the embeddings: send them through `to_k`.", ("to_q", "", "to_v")),
        ("Queries, keys and values are the embeddings: send them through the layers.", ("", "", "")),
    ):
        yield Mistake(told, forward(kind, through=through))
    yield Mistake("The values are passed on as they are, without the weights.", forward(kind, lambda *given: given[2]))
