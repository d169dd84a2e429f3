"""Checks of lab 1: one row of attention with loops over plain floats, and its largest weight at two widths.

The formula is that of Vaswani et al. (2017), equation 1, for one query.
"""

import copy
import math
from collections.abc import Callable

import torch
from torch import Tensor

from attention_src.labs.answers import close, compare, numbers, shortened
from attention_src.labs.loop_mistakes import (
    MIX_MISTAKES,
    WEIGHT_MISTAKES,
    WIDTH_MISTAKES,
    Blend,
    Query,
    Row,
    Table,
    largest,
    softmax,
)
from attention_src.labs.verdict import WrongAnswer, check

# Keys and their width: distinct primes, and neither is the width of the lab, so that an 8 in the code shows.
_SIZES = ((5, 7), (3, 13), (7, 2), (1, 3))
# At 17 the largest weight of the table is in the row of card, and at the others in another.
_WIDTHS = (8, 13, 17, 512)
_LOOSE = 1e-4  # the scores of width 512 are large, and float32 sums them in no particular order


@check("row_weights")
def check_row_weights(row_weights: Callable[[Row, Table], object]) -> str:
    """Check a function that returns the attention weights of one query.

    Args:
        row_weights: Takes a query, a list of D floats, and M keys, lists of D floats each.
            It should return M weights: the softmax of the dot products over √D.

    Returns:
        A verdict that names the property which broke.
    """
    generator = torch.Generator().manual_seed(1)
    tried = {f"{m} keys of width {d}": Query(_lists(generator, 1, d)[0], _lists(generator, m, d)) for m, d in _SIZES}
    found = [
        numbers(_ask(row_weights, case.query, case.keys, ("query", "keys")), len(case.keys), "one a key")
        for case in tried.values()
    ]
    compare(tried, found, lambda case: softmax(case.scaled()), WEIGHT_MISTAKES, _broken(found))
    return "Weights of every size agree with the formula, are positive and sum to 1."


@check("mix")
def check_mix(mix: Callable[[Row, Table], object]) -> str:
    """Check a function that returns the mean of the values with given weights.

    Args:
        mix: Takes M weights and M values, lists of V floats each.
            It should return V numbers.

    Returns:
        A verdict that names the property which broke.
    """
    generator = torch.Generator().manual_seed(2)
    tried = {
        f"{m} values of width {v}": Blend(softmax(_lists(generator, 1, m)[0]), _lists(generator, m, v))
        for m, v in _SIZES
    }
    found = [_mixed(_ask(mix, case.weights, case.values, ("weights", "values")), case) for case in tried.values()]
    unknown = "These are not the sums of the values' components, each times its weight."
    compare(tried, found, lambda case: case.mixed(case.weights), MIX_MISTAKES, unknown)
    return "Every component is the sum of the values' components, each times its weight."


@check("largest_weights")
def check_largest_weights(largest_weights: Callable[[int], object]) -> str:
    """Check a function that returns how large the largest weight of *card* is, unscaled and scaled.

    It should set the seed 42, draw an embedding of 2,202 rows, a query layer and a key layer, and look at the
    row of *card* in "My card never arrived.". The state of the global generator stays as it was.

    Args:
        largest_weights: Takes a width; should return two numbers, the largest weight without and with the scale.

    Returns:
        A verdict that names the property which broke.
    """
    # The last width is the first again, which shows whether the seed is set in each call.
    with torch.random.fork_rng(devices=[]):
        answers = [largest_weights(width) for width in (*_WIDTHS, _WIDTHS[0])]
    *found, again = [numbers(answer, 2, "the largest weight unscaled and scaled") for answer in answers]
    if not close(found[0], again, _LOOSE):
        raise WrongAnswer(
            f"Width {_WIDTHS[0]} gave {shortened(found[0])} at first and {shortened(again)} later: "
            "set the seed inside the function, so that every call draws the same layers."
        )
    unknown = (
        "These are not the weights of card from seed 42: draw the embedding, then the query layer, then the key "
        "layer, and nothing before or between them."
    )
    tried = {f"width {width}": width for width in _WIDTHS}
    compare(tried, found, largest, WIDTH_MISTAKES, unknown, _LOOSE)
    return "Both weights agree at every width, and a second call gives the same."


def _lists(generator: torch.Generator, rows: int, columns: int) -> Table:
    """Normal numbers as lists of plain floats, of which a missing root changes the softmax clearly."""
    table: Table = torch.randn(rows, columns, generator=generator, dtype=torch.float64).tolist()
    return table


def _ask(function: Callable[[Row, Table], object], row: Row, table: Table, names: tuple[str, str]) -> object:
    """Call the reader's function on copies, and see that it leaves them as they are."""
    given = copy.deepcopy((row, table))
    answer = function(*given)
    for name, before, after in zip(names, (row, table), given, strict=True):
        if before != after:
            raise WrongAnswer(f"It changed its argument `{name}`: expected a new list, since the caller needs the old.")
    return answer


def _mixed(answer: object, case: Blend) -> Row:
    """Read an answer of `mix`, and tell the two sizes apart where they were confused."""
    count, width = len(case.values), len(case.values[0])
    if isinstance(answer, Tensor):
        answer = answer.detach().tolist()
    if isinstance(answer, list) and len(answer) == count and answer and isinstance(answer[0], list):
        raise WrongAnswer(
            f"It returned {count} lists, one a value: multiplied, and not summed. "
            f"Expected {width} numbers, one a component."
        )
    if isinstance(answer, list | tuple) and len(answer) == count != width:
        raise WrongAnswer(
            f"It returned {count} numbers, one a value: the sum runs over the components, and should run over "
            f"the values. Expected {width} numbers, one a component."
        )
    return numbers(answer, width, "one a component of a value")


def _broken(found: list[Row]) -> str:
    """Say which property of weights an unknown answer lacks."""
    if any(weight < 0 for row in found for weight in row):
        return "A weight is negative, which an exponential never is."
    for row in found:
        if not math.isclose(math.fsum(row), 1, abs_tol=1e-6):
            return f"The weights sum to {math.fsum(row):.4f}, and should sum to 1."
    return "The weights sum to 1, and are not those of the formula: look at the scores before the exponential."
