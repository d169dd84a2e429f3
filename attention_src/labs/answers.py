"""What the checks of the labs share: reading an answer as numbers, and recognising a known mistake in it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import Tensor

from attention_src.labs.verdict import WrongAnswer

Case = TypeVar("Case")


@dataclass(frozen=True)
class Mistake(Generic[Case]):
    """A wrong answer that is worth recognising.

    Attributes:
        told: What to tell the reader about it.
        answer: What the mistake gives for a case.
    """

    told: str
    answer: Callable[[Case], Sequence[float]]


def numbers(answer: object, count: int, each: str) -> list[float]:
    """Read an answer as a list of floats, whether it is a list, a tuple, a generator or a tensor.

    Args:
        answer: What the reader's function returned.
        count: How many numbers are expected.
        each: What each of them stands for, such as "one a key".

    Returns:
        The numbers, `count` of them, all finite.

    Raises:
        WrongAnswer: It is something else.
    """
    wanted = f"expected {count} number{'s' * (count != 1)}, {each}"
    if answer is None:
        raise WrongAnswer(f"It returned None, which is what a function without `return` does: {wanted}.")
    if isinstance(answer, Tensor):
        answer = answer.detach().tolist()
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise WrongAnswer(f"It returned one {type(answer).__name__}: {wanted}.")
    listed = list(answer)
    try:
        found = [float(entry.detach() if isinstance(entry, Tensor) else entry) for entry in listed]
    except (TypeError, ValueError, RuntimeError):
        raise WrongAnswer(
            f"It returned {len(listed)} of {type(listed[0]).__name__}, which are no numbers: {wanted}."
        ) from None
    if len(found) != count:
        raise WrongAnswer(f"It returned {len(found)} number{'s' * (len(found) != 1)}: {wanted}.")
    if not all(map(math.isfinite, found)):
        raise WrongAnswer(f"The numbers must be finite, got {shortened(found)}.")
    return found


def close(left: Sequence[float], right: Sequence[float], tolerance: float = 1e-5) -> bool:
    """Say whether all numbers agree, to `tolerance` or to that share of the larger one."""
    return len(left) == len(right) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(left, right, strict=True)
    )


def compare(
    tried: Mapping[str, Case],
    found: Sequence[Sequence[float]],
    right: Callable[[Case], Sequence[float]],
    mistakes: Iterable[Mistake[Case]],
    otherwise: str,
    tolerance: float = 1e-5,
) -> None:
    """Compare answers with the right ones.

    Args:
        tried: What the reader's function was asked, by words that describe it.
        found: What it answered, one answer a case.
        right: Gives the right answer for a case.
        mistakes: The more specific first; one is recognised where it gives all the answers.
        otherwise: What to say where none is.
        tolerance: As in `close`.

    Raises:
        WrongAnswer: An answer is wrong; the message has the first one.
    """
    answers = dict(zip(tried, found, strict=True))
    for name, case in tried.items():
        if not close(right(case), answers[name], tolerance):
            told = next((m.told for m in mistakes if _explains(m, tried, answers, tolerance)), otherwise)
            expected, got = shortened(right(case)), shortened(answers[name])
            raise WrongAnswer(f"{told} With {name}: expected {expected}; got {got}.")


def shortened(values: Sequence[float]) -> str:
    """Write numbers with four decimals, as many as fit a line."""
    return ", ".join(f"{value:.4f}" for value in values[:5]) + (", …" if len(values) > 5 else "")


def _explains(
    mistake: Mistake[Case], tried: Mapping[str, Case], answers: Mapping[str, Sequence[float]], tolerance: float
) -> bool:
    return all(close(mistake.answer(case), answers[name], tolerance) for name, case in tried.items())
