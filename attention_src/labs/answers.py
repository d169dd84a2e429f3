"""Reading an answer: as parts of the right type and shape, or as numbers; and writing numbers that differ."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice

import torch
from torch import Tensor

from attention_src.labs.verdict import WrongAnswer

Parts = dict[str, Tensor]
"""What came back, by name; something that has no parts has the name ""."""


def as_parts(value: object, right: Parts) -> Parts:
    """Give what came back the names of the parts of the right answer.

    Args:
        value: One thing, a tuple or list of several, or a mapping by name.
        right: The names, in order; nothing else is used of it.

    Raises:
        WrongAnswer: There are not as many as asked for, or a name is missing.
    """
    names = list(right)
    if names == [""]:
        return {"": value}  # type: ignore[dict-item]  # judged by `by_type`
    if isinstance(value, Mapping):
        missing = [name for name in names if name not in value]
        if missing:
            raise WrongAnswer(f"Expected the names {', '.join(names)}: got none for {', '.join(missing)}.")
        return {name: value[name] for name in names}
    if not isinstance(value, tuple | list) or len(value) != len(names):
        found = f"{len(value)} of them" if isinstance(value, tuple | list) else _type(value)
        amount = "a pair" if len(names) == 2 else f"{len(names)} things"
        raise WrongAnswer(f"It returns {' and '.join(names)}: expected {amount}, got {found}.")
    return dict(zip(names, value, strict=True))


def readable(value: object) -> None:
    """Refuse tensors that cannot be compared number by number, also inside lists, tuples and dicts.

    Raises:
        WrongAnswer: One holds no numbers, or holds them in another way than one place each.
    """
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for entry in value:
            readable(entry)
    elif isinstance(value, Tensor) and value.is_meta:
        raise WrongAnswer("It returned a tensor on the device meta, which has a shape and no numbers.")
    elif isinstance(value, Tensor) and value.layout != torch.strided:
        raise WrongAnswer(f"It returned a tensor of the layout {value.layout}: expected an ordinary one, to_dense().")


def by_type(part: str, got: object, right: Tensor, hint: str = "") -> None:
    """Refuse a part that is no tensor, or one of another shape, dtype or device than the right one.

    Args:
        part: Its name.
        got: What came.
        right: What should have come.
        hint: What a wrong shape probably means.

    Raises:
        WrongAnswer: With what was expected and what came.
    """
    subject, wanted = f"{part}: expected" if part else "Expected", tuple(right.shape)
    if got is None:
        raise WrongAnswer(f"{subject} a tensor {wanted}, got None, which a function gives that has no `return`.")
    if not isinstance(got, Tensor):
        raise WrongAnswer(f"{subject} a tensor {wanted}, got {_type(got)}.")
    if got.shape != right.shape:
        end = f": {hint}" if hint else ""
        raise WrongAnswer(f"{subject} the shape {wanted}, got {tuple(got.shape)}{end}.")
    if got.dtype != right.dtype:
        raise WrongAnswer(f"{subject} numbers of the type {right.dtype}, got {got.dtype}.")
    if got.device != right.device:
        raise WrongAnswer(f"{subject} a tensor on {right.device}, got one on {got.device}.")
    readable(got)


def _type(value: object) -> str:
    return f"a {type(value).__name__}" if isinstance(value, tuple | list) else type(value).__name__


def close(got: Tensor, right: Tensor, tolerance: float, exactly: float | None = None, *, nan: bool = False) -> bool:
    """Say whether two tensors have one shape and agree, absolutely or relatively.

    Args:
        got: What came.
        right: What should have come; where it is NaN, anything may.
        tolerance: Relative, and absolute too unless `exactly` says otherwise.
        exactly: Absolute tolerance.
        nan: Hold NaN to be a number like any other.
    """
    if got.shape != right.shape:
        return False
    one, other = got.detach().double(), right.detach().double()
    if not nan:
        one = torch.where(other.isnan(), other, one)
    absolute = tolerance if exactly is None else exactly
    return torch.allclose(one, other, rtol=tolerance, atol=absolute, equal_nan=True)


def worst(got: Tensor, right: Tensor, tolerance: float) -> list[int]:
    """Return where two tensors of one shape lie furthest apart, measured by what is allowed there."""
    one, other = got.detach().double(), right.detach().double()
    gap = ((one - other).abs() / (other.abs() + 1)).nan_to_num(nan=math.inf)
    gap = torch.where((one == other) | other.isnan(), 0.0, gap)
    if float(gap.max()) <= tolerance:  # a small number that is wrong relatively
        gap = gap * (other.abs() + 1) / other.abs().clamp(min=1e-300)
    rest = int(gap.argmax())
    place: list[int] = []
    for size in reversed(gap.shape):  # torch.unravel_index would import SymPy, which takes a second
        rest, index = divmod(rest, size)
        place.insert(0, index)
    return place


def apart(expected: float, got: float) -> tuple[str, str]:
    """Write two numbers that differ, with as many digits as it takes to see it, and at least four."""
    if not all(isinstance(number, float) for number in (expected, got)):
        return str(expected), str(got)
    small = max(abs(expected), abs(got)) < 1e-3 and expected != got
    for digits in range(3 if small else 4, 18):
        form = f".{digits}{'e' if small else 'f'}"
        texts = format(expected, form), format(got, form)
        if texts[0] != texts[1]:
            return texts
    return repr(expected), repr(got)


def apart_in_lists(expected: Sequence[float], got: Sequence[float]) -> tuple[str, str]:
    """Write two lists of numbers from where they begin to differ, as many as fit a line, so that one sees it."""
    differ = [
        place
        for place, pair in enumerate(zip(expected, got, strict=False))
        if not math.isclose(*pair, rel_tol=1e-11, abs_tol=1e-300)
    ]
    start = differ[0] if differ and differ[0] >= 5 else 0
    shown = [place for place in differ if start <= place < start + 5]
    for form in [*(f".{digits}f" for digits in range(4, 10)), *(f".{digits}e" for digits in range(3, 18))]:
        if all(format(expected[place], form) != format(got[place], form) for place in shown):
            break
    return _line(expected, start, form), _line(got, start, form)


def _line(values: Sequence[float], start: int, form: str) -> str:
    text = ", ".join(format(value, form) for value in values[start : start + 5])
    return ("…, " if start else "") + text + (", …" if len(values) > start + 5 else "")


def numbers(answer: object, count: int, each: str, *, finite: bool = True) -> list[float]:
    """Read an answer as a list of floats, whether it is a list, a tuple, a generator or a tensor.

    Args:
        answer: What the reader's function returned.
        count: How many numbers are expected.
        each: What each of them stands for, such as "one a key".
        finite: Whether all of them must be finite.

    Returns:
        The numbers, `count` of them.

    Raises:
        WrongAnswer: It is something else.
    """
    wanted = f"expected {count} number{'s' * (count != 1)}, {each}"
    if answer is None:
        raise WrongAnswer(f"It returned None, which is what a function without `return` does: {wanted}.")
    readable(answer)
    if isinstance(answer, Tensor):
        answer = answer.detach().tolist()
    if isinstance(answer, str | Mapping | Set) or not isinstance(answer, Iterable):
        raise WrongAnswer(f"It returned one {type(answer).__name__}: {wanted}.")
    listed = list(islice(answer, 1000 + count))  # a generator may have no end
    try:
        found = [float(entry.detach() if isinstance(entry, Tensor) else entry) for entry in listed]
    except (TypeError, ValueError, RuntimeError):
        raise WrongAnswer(
            f"It returned {len(listed)} of {type(listed[0]).__name__}, which are no numbers: {wanted}."
        ) from None
    if len(found) != count:
        raise WrongAnswer(f"It returned {len(found)} number{'s' * (len(found) != 1)}: {wanted}.")
    if finite and not all(map(math.isfinite, found)):
        raise WrongAnswer(f"The numbers must be finite, got {', '.join(f'{number:g}' for number in found[:5])}.")
    return found


def plain_numbers(answer: object, count: int, each: str) -> list[float]:
    """Read an answer that must be a list or tuple of plain floats, as the cells after it need it.

    Raises:
        WrongAnswer: It is a tensor, a generator, or holds something else.
    """
    wanted = f"expected a list of {count} number{'s' * (count != 1)}, {each}"
    if isinstance(answer, Tensor):
        raise WrongAnswer(f"It returned a tensor: {wanted}.")
    if isinstance(answer, Iterable) and not isinstance(answer, list | tuple | str):
        raise WrongAnswer(f"It returned a {type(answer).__name__}: {wanted}.")
    found = numbers(answer, count, each)
    if isinstance(answer, list | tuple) and any(isinstance(entry, Tensor) for entry in answer):
        raise WrongAnswer(f"It returned a list of tensors: {wanted}, and plain floats.")
    return found
