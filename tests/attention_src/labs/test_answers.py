"""Tests of `attention_src.labs.answers`."""

import pytest
import torch

from attention_src.labs.answers import Mistake, close, compare, numbers, shortened
from attention_src.labs.verdict import WrongAnswer

DOUBLED = Mistake[int]("It is doubled.", lambda n: [2.0 * n])
SQUARED = Mistake[int]("It is squared.", lambda n: [1.0 * n * n])


@pytest.mark.parametrize("answer", [[1, 2.5], (1, 2.5), iter([1, 2.5]), torch.tensor([1, 2.5])])
def test_numbers_reads_what_holds_numbers(answer):
    """A list, a tuple, an iterator and a tensor give the same floats."""
    assert numbers(answer, 2, "one a key") == [1.0, 2.5]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "without `return` does: expected 1 number, one a key"),
        (1.5, "one float"),
        ("1", "one str"),
        (torch.tensor(1.5), "one float"),
        ([1, 2], "returned 2 numbers: expected 1 number, one a key"),
        ([], "returned 0 numbers"),
        ([[1.0]], "1 of list"),
        ([float("nan")], "must be finite"),
    ],
)
def test_numbers_refuses_the_rest(answer, told):
    """The message says what came and what was expected."""
    with pytest.raises(WrongAnswer, match=told):
        numbers(answer, 1, "one a key")


def test_close_compares_length_and_size():
    """A difference counts by its size, or by its share of a large number."""
    assert close([1e6, 0.0], [1e6 + 1, 1e-6])
    assert not close([1.0], [1.0001])
    assert not close([1.0], [1.0, 1.0])


def test_compare_names_a_mistake_only_where_it_gives_all_answers():
    """Twice two is two squared, so three decides."""
    tried = {"two": 2, "three": 3}
    with pytest.raises(WrongAnswer, match=r"It is squared. With two: expected 2.0000; got 4.0000."):
        compare(tried, [[4.0], [9.0]], lambda n: [float(n)], [DOUBLED, SQUARED], "unknown")
    with pytest.raises(WrongAnswer, match=r"unknown With three: expected 3.0000; got 5.0000."):
        compare(tried, [[2.0], [5.0]], lambda n: [float(n)], [DOUBLED, SQUARED], "unknown")


def test_compare_accepts_right_answers():
    """Nothing is raised, even where a mistake would give the same."""
    compare({"zero": 0}, [[0.0]], lambda n: [float(n)], [DOUBLED], "unknown")


def test_shortened_shows_five_numbers():
    """A longer list ends in dots."""
    assert shortened([0.5] * 2) == "0.5000, 0.5000"
    assert shortened([0.5] * 6) == "0.5000, 0.5000, 0.5000, 0.5000, 0.5000, …"
