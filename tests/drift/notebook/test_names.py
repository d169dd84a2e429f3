"""Tests of the names that experiments have in common."""

from __future__ import annotations

import pytest

from drift.notebook import names


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("x = 1", "y = 2", set()),
        ("x = 1", "x = 2", {"x"}),
        ("import torch as x", "def x(): pass", {"x"}),
        ("sum = 1", "print(sum([2]))", {"sum"}),
        ("for x in (1,): pass", "class x: pass", {"x"}),
        ("def f():\n    x = 1", "x = 2", set()),
        ("def f():\n    global x\n    x = 1", "x = 2", {"x"}),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as x: pass", "with open('a') as x: pass", {"x"}),
        ("[x for x in (1,)]", "x = 2", set()),
        ("if (x := 1): pass", "del x", {"x"}),
    ],
)
def test_names_shared_by_two_experiments(one: str, other: str, expected: set[str]) -> None:
    """A name that one sets and the other sets or reads is shared, whichever statement sets it."""
    assert names.shared({"one": one, "other": other}) == names.shared({"other": other, "one": one}) == expected
