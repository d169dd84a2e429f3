"""Answers to be computed by hand tell a right method from the usual wrong ones, at the digits that are shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from drift import config
from drift.records import record

ROOT = Path(__file__).resolve().parents[2]
TINY = {name: fact.value for name, fact in record.load(config.load(ROOT), "scaling/tiny").facts.items()}
CAUSAL = {name: fact.value for name, fact in record.load(config.load(ROOT), "masks/by_hand").facts.items()}
DOUBLE = math.log(2)
SCORES = ((0, DOUBLE, DOUBLE), (0, DOUBLE, 0), (0, 0, DOUBLE))


def softmax(scores: tuple[float, ...]) -> tuple[float, ...]:
    powers = [math.exp(score) for score in scores]
    return tuple(power / sum(powers) for power in powers)


def mean(weights: tuple[float, ...], values: list[float]) -> float:
    """The sum of the values that have a weight, weighted."""
    return sum(weight * value for weight, value in zip(weights, values, strict=False))


# The products are 1, 0 and 1, and the width is 2.
ROOT_OF_TWO = (1 / math.sqrt(2), 0, 1 / math.sqrt(2))
TINY_WAYS = {
    "no scale": softmax((1, 0, 1)),
    "divided by D": softmax((0.5, 0, 0.5)),
    "uniform weights": (1 / 3, 1 / 3, 1 / 3),
    "no softmax": ROOT_OF_TWO,
}


@pytest.mark.parametrize("weights", TINY_WAYS.values(), ids=TINY_WAYS)
def test_tiny_case_gives_a_wrong_method_away(weights: tuple[float, ...]) -> None:
    """The page shows the answer with one decimal, and no wrong method ends there."""
    values = [TINY[f"value_{number}"] for number in (1, 2, 3)]
    assert round(mean(softmax(ROOT_OF_TWO), values), 1) == round(TINY["output"], 1)
    assert round(mean(weights, values), 1) != round(TINY["output"], 1)


# Which of the three tokens each way treats differently, and the weights that it gives a row to the tokens seen.
Way = Callable[[tuple[float, ...], int], tuple[float, ...]]
CAUSAL_WAYS: dict[str, tuple[tuple[int, ...], Way]] = {
    "no mask": ((0, 1), lambda row, _: softmax(row)),
    "masked after softmax": ((0, 1), lambda row, seen: softmax(row)[:seen]),
    "masked with zero": ((0, 1), lambda row, seen: softmax((*row[:seen], *(0,) * (3 - seen)))),
    "uniform weights": ((1, 2), lambda _, seen: (1 / seen,) * seen),
    "no softmax": ((0, 1, 2), lambda row, seen: row[:seen]),
    "off by one": ((0, 1), lambda row, seen: softmax(row[: seen + 1])),
    "scores divided by √3": ((1, 2), lambda row, seen: softmax(tuple(score / math.sqrt(3) for score in row[:seen]))),
}


@pytest.mark.parametrize(("positions", "way"), CAUSAL_WAYS.values(), ids=CAUSAL_WAYS)
def test_causal_case_gives_a_wrong_method_away(positions: tuple[int, ...], way: Way) -> None:
    """The output shows two decimals, and each wrong method misses every token that it treats differently."""
    values = [CAUSAL[f"value_{number}"] for number in range(3)]
    right = [round(CAUSAL[f"output_{number}"], 2) for number in range(3)]
    assert [round(mean(softmax(row[: n + 1]), values), 2) for n, row in enumerate(SCORES)] == right
    wrong = [round(mean(way(row, n + 1), values), 2) for n, row in enumerate(SCORES)]
    assert [n for n in range(3) if wrong[n] != right[n]] == list(positions)
