"""Wrong answers to lab 1 that its checks recognise, as programs with what to say about each."""

import math
from collections.abc import Sequence

from attention_src.labs.judge import Mistake
from attention_src.labs.loop_programs import (
    Row,
    Table,
    dots,
    largest,
    row_weights,
    shares,
    softmax,
    table,
    tops,
    weighed,
)


def _scaled(query: Row, keys: Table) -> Row:
    return dots(query, keys, math.sqrt(len(query)))


def _powers(scores: Sequence[float]) -> Row:
    return [math.exp(score) for score in scores]


def _running(query: Row, keys: Table) -> Row:
    """Divide each power by the sum so far, itself included."""
    total, found = 0.0, []
    for power in _powers(_scaled(query, keys)):
        total += power
        found.append(power / total)
    return found


def _overwritten(query: Row, keys: Table) -> Row:
    """Divide each power by the sum of a list in which the earlier ones are already divided."""
    powers = _powers(_scaled(query, keys))
    for i in range(len(powers)):
        powers[i] /= math.fsum(powers)
    return powers


def _winner(values: Sequence[float]) -> Row:
    return [float(i == values.index(max(values))) for i in range(len(values))]


def _with_divisor(divisor: float) -> Mistake:
    return Mistake(
        f"It divides by {divisor:.4g} at every width; √D is the root of the width, `len(query)`.",
        lambda q, k: softmax(dots(q, k, divisor)),
    )


WEIGHT_MISTAKES = (
    Mistake(
        "The scores are too large by a factor of √D: the division by √D is missing, or it comes after the exponential, "
        "where it cancels.",
        lambda q, k: softmax(dots(q, k)),
    ),
    Mistake(
        "The scores are too small by a factor of √D: it divides by D, and not by its root.",
        lambda q, k: softmax(dots(q, k, len(q))),
    ),
    Mistake(
        "The scores are too large by a factor of D: it multiplies by √D, and should divide.",
        lambda q, k: softmax(dots(q, k, 1 / math.sqrt(len(q)))),
    ),
    Mistake(
        "It divides by the root of the number of keys; √D is the root of the width, `len(query)`.",
        lambda q, k: softmax(dots(q, k, math.sqrt(len(k)))),
    ),
    Mistake(
        "It divides by √8 at every width; √D is the root of the width, `len(query)`.",
        lambda q, k: softmax(dots(q, k, math.sqrt(8))),
    ),
    *(_with_divisor(divisor) for divisor in (2.0, 8.0)),
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
        lambda q, k: [weight / math.sqrt(len(q)) for weight in softmax(dots(q, k))],
    ),
    Mistake(
        "The weights do not sum to 1: they are exponentials without the division by their total.",
        lambda q, k: _powers(_scaled(q, k)),
    ),
    Mistake(
        "The exponential is missing: scores divided by their sum can be negative.", lambda q, k: shares(_scaled(q, k))
    ),
    Mistake("These are the scaled scores, and the softmax is still to come.", _scaled),
    Mistake("These are the bare dot products: scale and softmax are still to come.", dots),
    Mistake(
        "The order is upside down: the key that fits best gets the smallest weight, so there is a minus too many.",
        lambda q, k: softmax([-score for score in _scaled(q, k)]),
    ),
    Mistake(
        "One key gets everything: that is the largest score, where softmax shares out among all.",
        lambda q, k: _winner(dots(q, k)),
    ),
    Mistake("All weights are equal, whatever the query: the scores are not used.", lambda _, k: [1 / len(k)] * len(k)),
    Mistake("The weights come in the reverse order of the keys.", lambda q, k: row_weights(q, k)[::-1]),
)


MIX_MISTAKES = (
    Mistake("The weights are not used: this is the sum of the values.", lambda w, v: weighed([1.0] * len(w), v)),
    Mistake(
        "The weights are not used: this is the plain mean of the values.",
        lambda w, v: weighed([1 / len(w)] * len(w), v),
    ),
    Mistake(
        "The result is too small by the number of values: the weights sum to 1 already, so the sum is the mean.",
        lambda w, v: [number / len(w) for number in weighed(w, v)],
    ),
    Mistake(
        "Only the last value arrives: each round of the loop overwrites the one before. Add with `+=`.",
        lambda w, v: [w[-1] * number for number in v[-1]],
    ),
    Mistake(
        "Only the first value arrives: does the function return inside its loop?",
        lambda w, v: [w[0] * number for number in v[0]],
    ),
    Mistake(
        "Only the value with the largest weight arrives: attention blends all of them.",
        lambda w, v: weighed(_winner(w), v),
    ),
    Mistake(
        "The softmax is taken twice: the weights that come in sum to 1 already.", lambda w, v: weighed(softmax(w), v)
    ),
    Mistake("The weights are paired with the values in reverse order.", lambda w, v: weighed(w[::-1], v)),
    Mistake(
        "The sum runs over the components, and should run over the values: there is one number a value.",
        lambda w, v: [weight * math.fsum(value) for weight, value in zip(w, v, strict=True)],
    ),
)


def _columns(width: int) -> Row:
    """The largest weight of card with the softmax over the queries."""
    return [float((table(width) / divisor).softmax(dim=0)[1].max()) for divisor in (1.0, math.sqrt(width))]


def _whole(width: int) -> Row:
    return [float((table(width) / divisor).softmax(dim=-1).max()) for divisor in (1.0, math.sqrt(width))]


def _highest(width: int) -> Row:
    highest = float(table(width)[1].max())
    return [highest, highest / math.sqrt(width)]


def _other_row(row: int, word: str) -> Mistake:
    return Mistake(
        f"These are the weights of {word}, in row {row}: card stands in row 1.",
        lambda width: tops(table(width), row, (1.0, math.sqrt(width))),
    )


_NARROW = "The layers are those of width 8 at every width: draw an embedding and layers of `width` in the function."

WIDTH_MISTAKES = (
    Mistake("The two numbers are exchanged: unscaled comes first.", lambda width: largest(width)[::-1]),
    Mistake("Both numbers are unscaled: the division by √D is missing.", lambda width: [largest(width)[0]] * 2),
    Mistake("Both numbers are scaled: the first should be without the scale.", lambda width: [largest(width)[1]] * 2),
    Mistake("The second number is scaled by D, and not by its root.", lambda w: tops(table(w), 1, (1.0, float(w)))),
    Mistake(
        "The second number is multiplied by √D, and should be divided.",
        lambda w: tops(table(w), 1, (1.0, 1 / math.sqrt(w))),
    ),
    Mistake("The second number is scaled by √8 at every width.", lambda w: tops(table(w), 1, (1.0, math.sqrt(8)))),
    Mistake(
        "The softmax ran over the queries, so the columns sum to 1 and the row of card does not: use dim=-1.", _columns
    ),
    Mistake("This is the largest weight of the whole table, and not of the row of card.", _whole),
    Mistake("These are the largest scores, and not weights: the softmax is missing.", _highest),
    Mistake(
        "These are the smallest weights, and not the largest.",
        lambda w: [float((table(w)[1] / divisor).softmax(dim=-1).min()) for divisor in (1.0, math.sqrt(w))],
    ),
    *(_other_row(row, word) for row, word in ((0, "my"), (2, "never"), (3, "arrived"), (4, "the full stop"))),
    Mistake(
        "Queries and keys are exchanged, so these are the scores in card's column: in the product, by taking a column "
        "for a row, or because the layers are drawn in another order, the key layer before the query layer.",
        lambda w: tops(table(w).mT, 1, (1.0, math.sqrt(w))),
    ),
    Mistake(_NARROW, lambda _: largest(8)),
    Mistake(_NARROW, lambda w: tops(table(8), 1, (1.0, math.sqrt(w)))),
)
