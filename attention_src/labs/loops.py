"""Checks for lab 1, which judge what a reader wrote with loops over plain Python numbers.

The wrong answers that they recognise are in `attention_src.labs.loop_mistakes`.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.labs.answers import Parts, apart, apart_in_lists, numbers, plain_numbers
from attention_src.labs.judge import Arguments, Case, Task, judge
from attention_src.labs.loop_mistakes import MIX_MISTAKES, WEIGHT_MISTAKES, WIDTH_MISTAKES
from attention_src.labs.loop_programs import Row, Table, largest, row_weights, weighed
from attention_src.labs.verdict import WrongAnswer, check

# Keys and their width: distinct primes, and neither is the width of the lab, so that an 8 in the code shows.
_SIZES = ((5, 7), (3, 13), (7, 2), (1, 3))
# At 17 the largest weight of the table is in the row of card, and at the others in another.
_WIDTHS = (8, 13, 17, 512)
_LOOSE = 1e-4  # at width 512 the scores are large, and float32 sums them in no particular order


@check("row_weights")
def check_row_weights(answer: Callable[[Row, Table], object], seed: int) -> str:
    """Check a function that returns the attention weights of one query.

    Args:
        answer: Takes a query, a list of D floats, and M keys, lists of D floats each.
            It should return a list of M weights: the softmax of the dot products over √D.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(WEIGHTS, answer, seed)
    return "Weights of every size agree with the formula, are positive and sum to 1."


@check("mix")
def check_mix(answer: Callable[[Row, Table], object], seed: int) -> str:
    """Check a function that returns the mean of the values with given weights.

    Args:
        answer: Takes M weights and M values, lists of V floats each.
            It should return a list of V numbers.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(MIX, answer, seed)
    return "Every component is the sum of the values' components, each times its weight."


@check("largest_weights")
def check_largest_weights(answer: Callable[[int], object], seed: int) -> str:
    """Check a function that returns how large the largest weight of *card* is, unscaled and scaled.

    It should set the seed 42, draw an embedding of 2,202 rows, a query layer and a key layer, and look at the
    row of *card* in "My card never arrived.".

    Args:
        answer: Takes a width; should return two numbers, the largest weight without and with the scale.
        seed: For widths that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    once, again = (numbers(answer(_WIDTHS[0]), 2, _TWO) for _ in range(2))
    if not all(math.isclose(one, other, abs_tol=1e-5) for one, other in zip(once, again, strict=True)):
        first, later = apart_in_lists(once, again)
        raise WrongAnswer(
            f"Width {_WIDTHS[0]} gave {first} at first and {later} later: "
            "set the seed inside the function, so that every call draws the same layers."
        )
    judge(LARGEST, answer, seed)
    return "Both weights agree at every width, and a second call gives the same."


_TWO = "the largest weight unscaled and scaled"


def _lists(generator: torch.Generator, rows: int, columns: int) -> Table:
    """Normal numbers as lists of plain floats, of which a missing root changes the softmax clearly."""
    table: Table = torch.randn(rows, columns, generator=generator, dtype=torch.float64).tolist()
    return table


def _queries(generator: torch.Generator) -> list[Case]:
    cases = [
        Case(
            f"{m} key{'s' * (m > 1)} of width {d}",
            {"query": _lists(generator, 1, d)[0], "keys": _lists(generator, m, d)},
        )
        for m, d in _SIZES
    ]
    # The exponentials of these scores are still floats, and no weight is exactly zero.
    apart_by = torch.rand(2, generator=generator, dtype=torch.float64).tolist()
    far = {"query": [2.0], "keys": [[353.0 - apart_by[0]], [352.0 - apart_by[1]], [-1.0], [30.0]]}
    low = {"query": [1.0, 0.0, 0.0, 0.0], "keys": [[-400.0, 3.0, 1.0, 0.0], [-410.0, 1.0, 0.0, 2.0]]}
    return [*cases, Case("scores of up to 706", far, edge=True), Case("scores of -200 and less", low, edge=True)]


def _blends(generator: torch.Generator) -> list[Case]:
    """Weights and values; among the weights are a zero and one that is very small."""
    cases = []
    for m, v in _SIZES:
        weights = row_weights(_lists(generator, 1, 1)[0], _lists(generator, m, 1))
        cases.append(
            Case(f"{m} value{'s' * (m > 1)} of width {v}", {"weights": weights, "values": _lists(generator, m, v)})
        )
    small = {"weights": [1e-9, 0.0, 1.0 - 1e-9], "values": [[5e9, -3e9], [7.0, 1e9], [2.0, 0.0]]}
    return [*cases, Case("a weight of 1e-9 and values of 1e9", small, edge=True)]


def _widths(generator: torch.Generator) -> list[Case]:
    drawn = int(torch.randint(18, 60, (), generator=generator))
    return [
        Case(f"width {width}", {"width": width}, tolerance=_LOOSE if width > 100 else 0.0)
        for width in (*_WIDTHS, drawn)
    ]


def _plain(each: str) -> Callable[[object, Parts], Parts]:
    """Read a list of plain numbers, one as `each` says."""
    return lambda value, right: {"": torch.tensor(plain_numbers(value, right[""].numel(), each), dtype=torch.float64)}


def _two(value: object, _right: Parts) -> Parts:
    return {"": torch.tensor(numbers(value, 2, _TWO), dtype=torch.float64)}


def _mixed(value: object, right: Parts) -> Parts:
    """Read an answer of `mix`, and say so if it is a table."""
    if isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple):
        raise WrongAnswer(
            f"It returned {len(value)} lists, one a value: multiplied, and not summed. "
            f"Expected {right[''].numel()} numbers, one a component."
        )
    return _plain("one a component of a value")(value, right)


def _tensor(program: Callable[..., Sequence[float]]) -> Callable[..., Tensor]:
    return lambda *arguments: torch.tensor(program(*arguments), dtype=torch.float64)


def _broken(_arguments: Arguments, _part: str, got: Tensor) -> str:
    """Say which property of weights an unknown answer lacks."""
    weights = got.tolist()
    if any(weight < 0 for weight in weights):
        return "A weight is negative, which an exponential never is."
    total = math.fsum(weights)
    if not math.isclose(total, 1, abs_tol=1e-9):
        return f"The weights sum to {apart(1.0, total)[1]}, and should sum to 1."
    return "The weights sum to 1, and are not those of the formula."


WEIGHTS = Task(
    right=_tensor(row_weights),
    cases=_queries,
    small=lambda: [
        {"query": [1.0], "keys": [[2.0]]},
        {"query": [2.0], "keys": [[1.0], [0.0]]},
        {"query": [1.0, 1.0], "keys": [[1.0, 0.0], [0.0, -1.0]]},
        {"query": [0.0, 1.0], "keys": [[1.0, 2.0], [3.0, 0.0], [1.0, -2.0]]},
    ],
    mistakes=WEIGHT_MISTAKES,
    property_of=_broken,
    reads=_plain("one a key"),
    borrowed=(attention, scores),
    tolerance=1e-9,
    exactly=1e-290,  # a weight is wrong by its share, however small it is
    tensors=False,
)

MIX = Task(
    right=_tensor(weighed),
    cases=_blends,
    small=lambda: [
        {"weights": [1.0], "values": [[3.0]]},
        {"weights": [0.25, 0.75], "values": [[4.0], [8.0]]},
        {"weights": [0.25, 0.75], "values": [[4.0, 1.0, 2.0], [8.0, 0.0, 6.0]]},
    ],
    mistakes=MIX_MISTAKES,
    property_of=lambda *_: "These are not the sums of the values' components, each times its weight.",
    reads=_mixed,
)

LARGEST = Task(
    right=_tensor(largest),
    cases=_widths,
    small=lambda: [{"width": width} for width in (1, 2, 3)],
    mistakes=WIDTH_MISTAKES,
    property_of=lambda *_: "These are not the largest weights of card, drawn from seed 42.",
    reads=_two,
    borrowed=(attention, scores),
)
