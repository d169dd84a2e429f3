"""Lab 1's right answers, and the wrong ones that its checks recognise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attention_src.labs.answers import Mistake

Row = list[float]
Table = list[list[float]]


@dataclass(frozen=True)
class Query:
    """One query, (D,), and its keys, (M, D)."""

    query: Row
    keys: Table

    def scores(self, divisor: float = 1.0) -> Row:
        """Return the dot product with each key over `divisor`, (M,)."""
        return [_dot(self.query, key) / divisor for key in self.keys]

    def scaled(self) -> Row:
        """Return the dot products over √D, (M,)."""
        return self.scores(math.sqrt(len(self.query)))


@dataclass(frozen=True)
class Blend:
    """Weights, (M,), and the values that they are for, (M, V)."""

    weights: Row
    values: Table

    def mixed(self, weights: Sequence[float]) -> Row:
        """Return the sum of the values, each times its entry of `weights`, (V,)."""
        return [_dot(weights, column) for column in zip(*self.values, strict=True)]


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def softmax(scores: Sequence[float]) -> Row:
    """Return the share of each score's exponential in their total."""
    powers = [math.exp(score) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def _running(case: Query) -> Row:
    """Divide each power by the sum so far, itself included."""
    total, shares = 0.0, []
    for score in case.scaled():
        total += math.exp(score)
        shares.append(math.exp(score) / total)
    return shares


def _overwritten(case: Query) -> Row:
    """Divide each power by the sum of a list in which the earlier ones are already divided."""
    powers = [math.exp(score) for score in case.scaled()]
    for i in range(len(powers)):
        powers[i] /= math.fsum(powers)
    return powers


def _shares(values: Sequence[float]) -> Row:
    return [value / math.fsum(values) for value in values]


def _winner(values: Sequence[float]) -> Row:
    return [float(i == values.index(max(values))) for i in range(len(values))]


WEIGHT_MISTAKES: tuple[Mistake[Query], ...] = (
    Mistake(
        "The scores are too large by a factor of √D: the division by √D is missing.", lambda c: softmax(c.scores())
    ),
    Mistake(
        "The scores are too small by a factor of √D: it divides by D, and not by its root.",
        lambda c: softmax(c.scores(len(c.query))),
    ),
    Mistake(
        "The scores are too large by a factor of D: it multiplies by √D, and should divide.",
        lambda c: softmax(c.scores(1 / math.sqrt(len(c.query)))),
    ),
    Mistake(
        "It divides by the root of the number of keys; √D is the root of the width, `len(query)`.",
        lambda c: softmax(c.scores(math.sqrt(len(c.keys)))),
    ),
    Mistake(
        "It divides by √8 at every width; √D is the root of the width, `len(query)`.",
        lambda c: softmax(c.scores(math.sqrt(8))),
    ),
    Mistake(
        "The weights do not sum to 1: it divides by a running sum, so the early weights get a smaller divisor "
        "than the late ones. Finish the total first.",
        _running,
    ),
    Mistake(
        "The weights do not sum to 1: the sum is taken again in the loop that overwrites what it sums, so the "
        "divisor drifts. Compute the total once, before the loop.",
        _overwritten,
    ),
    Mistake(
        "The weights do not sum to 1: the division by √D comes after the softmax, and belongs before it.",
        lambda c: [weight / math.sqrt(len(c.query)) for weight in softmax(c.scores())],
    ),
    Mistake(
        "The weights do not sum to 1: they are exponentials without the division by their total.",
        lambda c: [math.exp(score) for score in c.scaled()],
    ),
    Mistake("The exponential is missing: scores divided by their sum can be negative.", lambda c: _shares(c.scaled())),
    Mistake("These are the scaled scores, and the softmax is still to come.", lambda c: c.scaled()),
    Mistake("These are the bare dot products: scale and softmax are still to come.", lambda c: c.scores()),
    Mistake(
        "The order is upside down: the key that fits best gets the smallest weight, so there is a minus too many.",
        lambda c: softmax([-score for score in c.scaled()]),
    ),
    Mistake(
        "One key gets everything: that is the largest score, where softmax shares out among all.",
        lambda c: _winner(c.scores()),
    ),
)


MIX_MISTAKES: tuple[Mistake[Blend], ...] = (
    Mistake("The weights are not used: this is the sum of the values.", lambda c: c.mixed([1.0] * len(c.weights))),
    Mistake(
        "The weights are not used: this is the plain mean of the values.",
        lambda c: c.mixed([1 / len(c.weights)] * len(c.weights)),
    ),
    Mistake(
        "The result is too small by the number of values: the weights sum to 1 already, so the sum is the mean.",
        lambda c: [number / len(c.weights) for number in c.mixed(c.weights)],
    ),
    Mistake(
        "Only the last value arrives: each round of the loop overwrites the one before. Add with `+=`.",
        lambda c: [c.weights[-1] * number for number in c.values[-1]],
    ),
    Mistake(
        "Only the value with the largest weight arrives: attention blends all of them.",
        lambda c: c.mixed(_winner(c.weights)),
    ),
    Mistake(
        "The softmax is taken twice: the weights that come in sum to 1 already.", lambda c: c.mixed(softmax(c.weights))
    ),
)


def _products(width: int, swapped: bool = False) -> Tensor:
    """The dot products of the five tokens, (5, 5), drawn as the lab asks, or with the key layer before the other."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(42)
        x = nn.Embedding(2202, width, padding_idx=0)(torch.tensor([4, 9, 248, 274, 5]))
        first, second = nn.Linear(width, width)(x), nn.Linear(width, width)(x)
    products: Tensor = second @ first.mT if swapped else first @ second.mT
    return products


def _tops(products: Tensor, row: int, divisors: tuple[float, float]) -> Row:
    return [float((products[row] / divisor).softmax(dim=-1).max()) for divisor in divisors]


def largest(width: int) -> Row:
    """Return the largest weight of card at this width, unscaled and scaled."""
    return _tops(_products(width), 1, (1.0, math.sqrt(width)))


def _columns(width: int) -> Row:
    """The largest weight of card with the softmax over the queries."""
    products = _products(width)
    return [float((products / divisor).softmax(dim=0)[1].max()) for divisor in (1.0, math.sqrt(width))]


def _whole(width: int) -> Row:
    products = _products(width)
    return [float((products / divisor).softmax(dim=-1).max()) for divisor in (1.0, math.sqrt(width))]


def _highest(width: int) -> Row:
    highest = float(_products(width)[1].max())
    return [highest, highest / math.sqrt(width)]


def _other_row(row: int, word: str) -> Mistake[int]:
    return Mistake(
        f"These are the weights of {word}, in row {row}: card stands in row 1.",
        lambda width: _tops(_products(width), row, (1.0, math.sqrt(width))),
    )


WIDTH_MISTAKES: tuple[Mistake[int], ...] = (
    Mistake("The two numbers are exchanged: unscaled comes first.", lambda width: largest(width)[::-1]),
    Mistake("Both numbers are unscaled: the division by √D is missing.", lambda width: [largest(width)[0]] * 2),
    Mistake("Both numbers are scaled: the first should be without the scale.", lambda width: [largest(width)[1]] * 2),
    Mistake(
        "The second number is scaled by D, and not by its root.", lambda w: _tops(_products(w), 1, (1.0, float(w)))
    ),
    Mistake("The second number is scaled by √8 at every width.", lambda w: _tops(_products(w), 1, (1.0, math.sqrt(8)))),
    Mistake(
        "The softmax ran over the queries, so the columns sum to 1 and the row of card does not: use dim=-1.", _columns
    ),
    Mistake("This is the largest weight of the whole table, and not of the row of card.", _whole),
    Mistake("These are the largest scores, and not weights: the softmax is missing.", _highest),
    *(_other_row(row, word) for row, word in ((0, "my"), (2, "never"), (3, "arrived"), (4, "the full stop"))),
    Mistake(
        "The layers are drawn in another order: the query layer comes before the key layer.",
        lambda w: _tops(_products(w, swapped=True), 1, (1.0, math.sqrt(w))),
    ),
)
