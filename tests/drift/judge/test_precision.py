"""Digits that a tolerance does not hold."""

import pytest

from drift.facts import Fact
from drift.judge import precision

HELD = [
    # The last digit is worth two tolerances.
    ("0.7", 0.735, 0.05),
    ("0.74", 0.735, 0.005),
    ("0.735", 0.735, 0.0005),
    ("74 %", 0.735, 0.005),
    ("1.0e3", 1000.0, 50),
    ("1.0 × 10³", 1000.0, 50),
    ("15 million", 15_200_000, 500_000),
    ("4.3 GB", 4_300_000_000, 50_000_000),
    ("996", 996, 0.5),
    # The tolerance stands beside the value.
    ("0.735 ± 0.084", 0.735, 0.084),
    # Nothing moves.
    ("0.93214", 0.93214, None),
    ("queen", "queen", None),
    ("True", True, None),
]
FINER = [
    ("0.735", 0.735, 0.084, "1, or about 0.7, or 0.735 ± 0.084"),
    ("0.74", 0.7351, 0.0051, "0.7, or 0.74 ± 0.01"),
    ("1.000", 1.0, 0.001, "1.00, or 1.000 ± 0.001"),
    ("**1.000**", 1.0, 0.001, "**1.00**, or 1.000 ± 0.001"),
    ("73.5 %", 0.738, 0.005, "74 %, or 73.8 % ± 0.5 %"),
    ("1.00e3", 1000.0, 50, "1.0e3, or 1.00e3 ± 5.00e1"),
    ("15 million", 15_200_000, 600_000, "15 million ± 1 million"),
    ("996", 996, 3, "996 ± 3"),
    ("two", 2, 1, "a fact whose tolerance is below 1"),
    ("5", 5, 1e9, "5 ± 1000000000"),
]


@pytest.mark.parametrize(("text", "value", "tol"), HELD)
def test_coarser_digits_that_hold(text: str, value: float, tol: float | None) -> None:
    """Half a unit of the last digit may be as small as the tolerance."""
    assert precision.coarser(text, Fact(value, tol), roughly=False) is None


@pytest.mark.parametrize(("text", "value", "tol", "expected"), FINER)
def test_coarser_digits_that_are_too_fine(text: str, value: float, tol: float, expected: str) -> None:
    """What a fresh run may change is not shown, and the ways out are told."""
    assert precision.coarser(text, Fact(value, tol), roughly=False) == expected


@pytest.mark.parametrize(
    ("before", "roughly"),
    [
        ("about ", True),
        ("About **", True),
        ("around ", True),
        ("roughly\n", True),
        ("roughly\n# ", True),
        ("approximately (", True),
        ("≈ ", True),
        ("~", True),
        (r"$\approx$ ", True),
        ("about the ", False),
        ("nearly ", False),
        ("up to ", False),
        ("whereabout ", False),
        ("about 5, then ", False),
    ],
)
def test_says_roughly_directly_before(before: str, roughly: bool) -> None:
    """A word that says how a number is meant stands before it."""
    assert precision.says_roughly(f"It is {before}[", len(f"It is {before}")) is roughly


def test_coarser_one_unit_where_it_is_roughly() -> None:
    """With such a word the last digit is worth one tolerance, and no less."""
    assert precision.coarser("0.7", Fact(0.735, 0.1), roughly=True) is None
    assert precision.coarser("0.7", Fact(0.735, 0.11), roughly=True) is not None
