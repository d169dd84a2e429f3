"""One way to judge every function that the labs ask for.

A task says what is right, on which inputs to try it, and which mistakes are known.
The answer is asked on all inputs, and what it gave is compared part by part.
Where a known mistake gives all that the answer gave, the verdict names it.
Elsewhere it says which property broke, with the smallest input that shows it, and guesses nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from attention_src.labs.answers import Parts, apart, apart_in_lists, as_parts, by_type, close, readable, worst
from attention_src.labs.asking import Outcome, asked, each_tensor
from attention_src.labs.gradients import judge_gradients
from attention_src.labs.verdict import WrongAnswer, told

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        told: Completes a sentence that begins with "With".
        arguments: By the names that the reader knows.
        gradients: Whether gradients are compared for it.
        edge: Whether it is there for a condition that an answer must bear, and not to tell mistakes apart.
        tolerance: Allowed where it is more than the task's; large numbers cancel, and fast exponentials are rough.
    """

    told: str
    arguments: Arguments
    gradients: bool = False
    edge: bool = False
    tolerance: float = 0.0


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that is worth recognising.

    Attributes:
        told: What to tell the reader about it, or a function of the arguments that says it with their sizes.
        answer: The wrong program, with the arguments of the right one.
    """

    told: str | Callable[..., str]
    answer: Callable[..., object]


def _nothing(_arguments: Arguments, _part: str, _got: Tensor) -> str:
    return ""


def _place(_part: str, place: list[int]) -> str:
    return f"at {place}" if place else "it"


@dataclass(frozen=True)
class Task:
    """A function that a lab asks for, and all that is needed to judge it.

    Attributes:
        right: The right answer, written in another way than the lab's solution.
        cases: Inputs drawn from a generator, the plain ones first, then each condition that an answer must bear.
        small: Inputs small enough to print, the smallest first.
        mistakes: The more specific first.
        parts: Names of what comes back, in order; ("",) is one thing.
        order: The same names in the order in which they depend on each other, where that is another.
        property_of: Says which property a wrong part lacks, given the arguments; "" where it cannot say more.
        shape_of: Says more about a part whose shape is wrong, given the arguments, the shape and the right one.
        place: Words for the place of one number in a part.
        shows: Shows a wrong part beside the right one, given the arguments, where a place and two numbers do not.
        reads: Turns what came back into parts, and raises `WrongAnswer` where its type is wrong.
        borrowed: Functions of the project that are the answer.
        tolerance: Absolute and relative, between numbers.
        exactly: Absolute tolerance, where it is another.
        tensors: Whether an answer may compute with tensors.
    """

    right: Callable[..., object]
    cases: Callable[[torch.Generator], Sequence[Case]]
    small: Callable[[], Sequence[Arguments]]
    mistakes: Sequence[Mistake]
    parts: tuple[str, ...] = ("",)
    order: tuple[str, ...] = ()
    property_of: Callable[[Arguments, str, Tensor], str] = _nothing
    shape_of: Callable[[Arguments, str, tuple[int, ...], tuple[int, ...]], str] = field(default=lambda *_: "")
    place: Callable[[str, list[int]], str] = _place
    shows: Callable[[Arguments, Tensor, Tensor], str] | None = None
    reads: Callable[[object, Parts], Parts] = as_parts
    borrowed: tuple[Callable[..., object], ...] = ()
    tolerance: float = 1e-5
    exactly: float | None = None
    tensors: bool = True

    @property
    def by_dependence(self) -> tuple[str, ...]:
        """The names of the parts, those first on which others depend."""
        return self.order or self.parts


@dataclass(frozen=True)
class _Tried:
    """A case with what was expected and what came."""

    case: Case
    right: Parts
    outcome: Outcome


def judge(task: Task, answer: Callable[..., object], seed: int) -> None:
    """Raise at the first property that an answer lacks.

    Args:
        task: What was asked for.
        answer: The reader's function.
        seed: For inputs that nobody knew when the answer was written.

    Raises:
        WrongAnswer: With the property, what was expected and what came.
        NotImplementedError: The answer is a stub.
    """
    cases = _cases(task, torch.Generator().manual_seed(FIXED))
    _judge_cases(task, answer, cases)
    for case in cases:
        if case.gradients:
            judge_gradients(task.right, answer, case.arguments, task.parts, task.reads)
    judge_new(task, answer, seed)


def judge_new(task: Task, answer: Callable[..., object], seed: int) -> None:
    """Raise at the first property that an answer lacks on inputs drawn from a seed.

    Raises:
        WrongAnswer: With the seed, and what `judge` says.
    """
    try:
        _judge_cases(task, answer, _cases(task, torch.Generator().manual_seed(seed)))
    except WrongAnswer as wrong:
        message = f"It is right on the inputs that are always tried, and wrong on new ones, drawn from seed {seed}. "
        raise WrongAnswer(message + str(wrong), mistake=wrong.mistake) from None


FIXED = 1
"""Seed of the inputs that are always tried, so that a wrong answer gets the same verdict twice."""


def _cases(task: Task, generator: torch.Generator) -> list[Case]:
    """The task's own inputs, and the first one again with gaps between its numbers in memory."""
    cases = list(task.cases(generator))
    apart_in_memory = {name: each_tensor(value, _spread) for name, value in cases[0].arguments.items()}
    return [*cases, Case("inputs that are not contiguous in memory", apart_in_memory, edge=True)]


def _spread(tensor: Tensor) -> Tensor:
    return torch.stack([tensor, tensor], dim=-1)[..., 0]


def _judge_cases(task: Task, answer: Callable[..., object], cases: Sequence[Case]) -> None:
    tried = [_try(task, answer, case) for case in cases]
    wrong = next((each for each in tried if _problem(task, each)), None)
    if wrong is None:
        return
    telling = tried if wrong.case.edge else [each for each in tried if not each.case.edge]
    mistake = _known(task, wrong, telling)
    if mistake is not None:
        sentence = mistake.told if isinstance(mistake.told, str) else mistake.told(*wrong.case.arguments.values())
        raise WrongAnswer(f"{sentence} {_shown(task, wrong)}".strip(), mistake=mistake)
    raise WrongAnswer(_unknown(task, answer, wrong, tried))


def _try(task: Task, answer: Callable[..., object], case: Case) -> _Tried:
    right = as_parts(task.right(*case.arguments.values()), dict.fromkeys(task.parts, torch.empty(0)))
    return _Tried(case, right, asked(answer, case.arguments, task.borrowed, tensors=task.tensors))


def _problem(task: Task, tried: _Tried) -> str:
    """What is wrong with an answer: "error", "form", the name of a part in quotation marks, or nothing."""
    if tried.outcome.error is not None:
        return "error"
    try:
        got = _read(task, tried)
    except WrongAnswer:
        return "form"
    return next((repr(part) for part in task.by_dependence if not _agree(task, tried, part, got[part])), "")


def _read(task: Task, tried: _Tried) -> Parts:
    """The parts of an answer, of the type, shape, dtype and device that are asked for."""
    got = _parts(task, tried.outcome, tried.right)
    for part in task.parts:
        by_type(part, got[part], tried.right[part], _hint(task, tried, part, got[part]))
    return got


def _parts(task: Task, outcome: Outcome, right: Parts) -> Parts:
    readable(outcome.value)
    return task.reads(outcome.value, right)


def _hint(task: Task, tried: _Tried, part: str, got: object) -> str:
    if not isinstance(got, Tensor):
        return ""
    shape, wanted = tuple(got.shape), tuple(tried.right[part].shape)
    return _axes_of_one(shape, wanted) or task.shape_of(tried.case.arguments, part, shape, wanted)


def _axes_of_one(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """What it means where the shapes differ by axes of size one."""
    if shape == wanted or [size for size in shape if size != 1] != [size for size in wanted if size != 1]:
        return ""
    if len(shape) < len(wanted):
        return "an axis of size one is gone; squeeze() without a number drops all of them, also a batch of one"
    return "an axis of size one is left over; squeeze it, and name the axis" if len(shape) > len(wanted) else ""


def _agree(task: Task, tried: _Tried, part: str, got: Tensor) -> bool:
    return close(got, tried.right[part], *_tolerances(task, tried.case))


def _tolerances(task: Task, case: Case) -> tuple[float, float]:
    """Relative and absolute."""
    absolute = task.tolerance if task.exactly is None else task.exactly
    return max(task.tolerance, case.tolerance), max(absolute, case.tolerance)


def _known(task: Task, wrong: _Tried, tried: Sequence[_Tried]) -> Mistake | None:
    """The mistake that gives all that the answer gave or, failing that, all up to its first wrong part."""
    part = _wrong_part(task, tried)
    up_to = task.parts if part is None else task.by_dependence[: task.by_dependence.index(part) + 1]
    right = replace(wrong, outcome=Outcome(tuple(wrong.right.values()) if len(task.parts) > 1 else wrong.right[""]))
    candidates = [mistake for mistake in task.mistakes if not _alike(task, mistake, right, task.parts)]
    for looked_at in (task.parts, up_to):
        for mistake in candidates:
            if all(_alike(task, mistake, each, looked_at) for each in tried):
                return mistake
    return None


def _wrong_part(task: Task, tried: Sequence[_Tried]) -> str | None:
    """The first part that is wrong on any of the inputs."""
    wrong = {_problem(task, each) for each in tried}
    return next((part for part in task.by_dependence if repr(part) in wrong), None)


def _alike(task: Task, mistake: Mistake, tried: _Tried, looked_at: Sequence[str]) -> bool:
    theirs = tried.outcome
    try:
        ours = Outcome(mistake.answer(*tried.case.arguments.values()))
    except Exception as error:
        return type(error) is type(theirs.error) and str(error) == str(theirs.error)
    if theirs.error is not None:
        return False
    try:
        one, other = (_parts(task, outcome, tried.right) for outcome in (theirs, ours))
    except WrongAnswer:
        return _equal(task, tried.case, _table(theirs.value), _table(ours.value))
    return all(_equal(task, tried.case, one[part], other[part]) for part in looked_at)


def _table(value: object) -> Tensor | None:
    """What came back as numbers, though it is not what was asked for."""
    try:
        readable(value)
        return torch.as_tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, WrongAnswer):
        return None


def _equal(task: Task, case: Case, one: object, other: object) -> bool:
    """Whether two wrong parts are the same, where NaN is a result like any other."""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor) or one.shape != other.shape:
        return False
    return close(one, other, *_tolerances(task, case), nan=True)


def _unknown(task: Task, answer: Callable[..., object], wrong: _Tried, tried: Sequence[_Tried]) -> str:
    """What is known of an answer whose cause is not: the property, on the smallest input that shows it."""
    always = all(_problem(task, each) == "error" for each in tried)
    if always and wrong.outcome.error is not None:
        return f"It raised {told(wrong.outcome.error)}"
    if _problem(task, wrong) == "form":
        return _shown(task, wrong)
    for arguments in task.small():
        least = _try(task, answer, Case(_written(arguments), arguments))
        if _problem(task, least) not in ("", "form"):
            return _shown(task, least, _property(task, least))
    return _shown(task, wrong, _property(task, wrong))


def _property(task: Task, tried: _Tried) -> str:
    problem = _problem(task, tried)
    if problem in ("error", "form"):
        return ""
    part = next(part for part in task.parts if repr(part) == problem)
    return task.property_of(tried.case.arguments, part, _read(task, tried)[part])


def _shown(task: Task, tried: _Tried, sentence: str = "") -> str:
    """The evidence: the input, what was expected and what came."""
    if tried.outcome.error is not None:
        return f"With {tried.case.told} it raised {told(tried.outcome.error)}"
    try:
        got = _read(task, tried)
    except WrongAnswer as wrong:
        return f"{wrong} Seen with {tried.case.told}."
    part = next(part for part in task.by_dependence if not _agree(task, tried, part, got[part]))
    return f"{sentence} With {tried.case.told}{_differ(task, tried, part, got[part])}.".strip()


def _differ(task: Task, tried: _Tried, part: str, got: Tensor) -> str:
    """What was expected and what came: a list as a whole, a table at its worst place."""
    right = tried.right[part]
    if task.shows is not None:
        return task.shows(tried.case.arguments, got, right)
    if right.ndim == 1 and not part:
        expected, found = apart_in_lists(right.tolist(), got.tolist())
        return f": expected {expected}; got {found}"
    place = worst(got, right, task.tolerance)
    expected, found = apart(right[tuple(place)].item(), got[tuple(place)].item())
    return f", {task.place(part, place)}: expected {expected}, got {found}"


def _written(arguments: Arguments) -> str:
    """An input that is small enough to print."""
    return ", ".join(f"{name} = {_value(value)}" for name, value in arguments.items())


def _value(value: object) -> str:
    if isinstance(value, Tensor):
        return str(value.tolist())
    return value.__name__ if isinstance(value, FunctionType) else str(value)
