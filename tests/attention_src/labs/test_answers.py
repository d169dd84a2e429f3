"""Tests of `attention_src.labs.answers`."""

import itertools
import math
import re

import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attention_src.labs.answers import apart, apart_in_lists, as_parts, by_type, close, numbers, plain_numbers, readable
from attention_src.labs.verdict import WrongAnswer


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
        ({0: 1.0}, "one dict"),
        ({1.0}, "one set"),
        (torch.empty(1, device="meta"), "on the device meta"),
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


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (torch.empty(2, device="meta"), "on the device meta, which has a shape and no numbers"),
        ((1.0, [torch.empty((), device="meta")]), "on the device meta"),
        ({"a": torch.eye(2).to_sparse()}, "of the layout torch.sparse_coo: expected an ordinary one"),
    ],
)
def test_readable_refuses_tensors_without_a_place_for_each_number(value, told):
    """They are found in whatever holds them, and ordinary ones pass."""
    readable([torch.eye(2), {"a": (None, 1.0)}])
    with pytest.raises(WrongAnswer, match=told):
        readable(value)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (torch.tensor([1.0]), "returned a tensor: expected a list of 1 number"),
        ([torch.tensor(1.0)], "a list of tensors: expected a list of 1 number, one a key, and plain floats"),
        ((1.0 for _ in range(1)), "returned a generator: expected a list"),
        ({1.0: 2.0}, "returned a dict"),
        ([1.0, 2.0], "returned 2 numbers: expected 1 number"),
        (None, "returned None"),
    ],
)
def test_plain_numbers_refuses_what_a_later_cell_cannot_use(answer, told):
    """A list or a tuple of floats, and nothing else."""
    assert plain_numbers((1, 2.5), 2, "one a key") == [1.0, 2.5]
    with pytest.raises(WrongAnswer, match=told):
        plain_numbers(answer, 1, "one a key")


def test_numbers_reads_no_generator_to_its_end():
    """It may have none."""
    with pytest.raises(WrongAnswer, match="returned 1002 numbers"):
        numbers(itertools.repeat(1.0), 2, "one a key")


def test_close_compares_shape_and_size():
    """A difference counts by its size, or by its share of a large number."""
    assert close(torch.tensor([1e6, 0.0]), torch.tensor([1e6 + 1, 1e-6]), 1e-5)
    assert not close(torch.tensor([1.0]), torch.tensor([1.0001]), 1e-5)
    assert not close(torch.tensor([1.0]), torch.tensor([1.0, 1.0]), 1e-5)
    assert not close(torch.tensor([1e-9]), torch.tensor([2e-9]), 1e-5, 1e-20)


def test_close_leaves_free_what_is_not_defined():
    """Where the right answer is NaN, any will do; a NaN elsewhere will not."""
    free, nan = torch.tensor([1.0, math.nan]), torch.tensor([math.nan, 1.0])
    assert close(torch.tensor([1.0, 5.0]), free, 1e-5)
    assert not close(nan, free, 1e-5)
    assert not close(torch.tensor([1.0, 5.0]), free, 1e-5, nan=True)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
@example(1.0, 1.00000001)
@example(0.18912, 0.18914)
@example(1e-9, 1.1e-9)
@example(1e9, 1e9 + 1e-6)
def test_two_numbers_that_differ_never_print_the_same_digits(one, other):
    """However close they are."""
    assume(one != other)
    expected, got = apart(one, other)
    assert expected != got


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 11), st.floats(1e-9, 1.0))
def test_two_lists_that_differ_never_print_the_same_digits(numbers, place, change):
    """Not even where the difference stands behind those that are shown first."""
    place %= len(numbers)
    other = [*numbers[:place], numbers[place] + change * (1 + abs(numbers[place])), *numbers[place + 1 :]]
    expected, got = apart_in_lists(numbers, other)
    assert expected != got


def test_lists_show_five_numbers():
    """A longer list ends in dots."""
    assert apart_in_lists([0.5] * 2, [0.25] * 2) == ("0.5000, 0.5000", "0.2500, 0.2500")
    assert apart_in_lists([0.5] * 6, [0.5] * 5 + [0.6]) == ("…, 0.5000", "…, 0.6000")
    assert apart_in_lists([0.5] * 6, [0.6] * 6)[0] == "0.5000, 0.5000, 0.5000, 0.5000, 0.5000, …"


def test_parts_get_their_names():
    """One thing has no name, several have theirs by place or by name."""
    right = {"one": torch.zeros(1), "two": torch.zeros(1)}
    assert as_parts(5, {"": torch.zeros(1)}) == {"": 5}
    assert as_parts([5, 6], right) == as_parts({"two": 6, "one": 5, "three": 7}, right) == {"one": 5, "two": 6}
    with pytest.raises(WrongAnswer, match="It returns one and two: expected a pair, got int"):
        as_parts(5, right)
    with pytest.raises(WrongAnswer, match="got none for two"):
        as_parts({"one": 5}, right)


@pytest.mark.parametrize(
    ("got", "told"),
    [
        (None, "a tensor (2,), got None, which a function gives that has no `return`"),
        ([1.0, 2.0], "a tensor (2,), got a list"),
        (torch.ones(2).numpy(), "got ndarray"),
        (torch.ones(3), "the shape (2,), got (3,): hint"),
        (torch.ones(2, dtype=torch.float64), "the type torch.float32, got torch.float64"),
        (torch.ones(2, device="meta"), "a tensor on cpu, got one on meta"),
    ],
)
def test_type_shape_dtype_and_device_are_told(got, told):
    """What was expected and what came."""
    with pytest.raises(WrongAnswer, match=re.escape(told)):
        by_type("", got, torch.zeros(2), "hint")
