"""Lab 2's test of a test as a task: does it find every wrong output, and nothing in a right one?

The answer is handed outputs that are right, and outputs that are spoilt in many ways: at one number and at many, by
little, by much and by NaN, at the first token and at the last.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.labs.answers import Parts, numbers
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.labs.mask_tasks import drawn_ids

Project = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]

_IDS = 1000
# Numbers in a query and a key, and in a value.
_WIDTHS = (3, 3, 5)


def _projecting(generator: torch.Generator, padding: float | None = None) -> Project:
    """Queries, keys and values for each id, in which padding is as loud as any token, or holds `padding`."""
    tables = [torch.randn(_IDS, width, generator=generator) for width in _WIDTHS]
    for table in tables:
        table[0] = table[0] if padding is None else padding

    def project(ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = (table[ids] for table in tables)
        return q, k, v

    return project


def _output(ids: Tensor, project: Project) -> Tensor:
    """The right output, (B, M, V), with something else at the padding."""
    lengths = (ids != 0).sum(dim=1).tolist()
    output = torch.full((*ids.shape, _WIDTHS[-1]), 0.5)
    for row, length, rows in zip(ids, lengths, output, strict=True):
        rows[:length] = _alone(row[:length], project)
    return output


def _alone(row: Tensor, project: Project) -> Tensor:
    return attention(*project(row[None]))[0][0]


def _cases(generator: torch.Generator) -> list[Case]:
    """Outputs of a batch whose first sequence has 4 tokens of 7, and whose last has all 7."""
    ids, project = drawn_ids(generator, 5, 7), _projecting(generator)
    right = _output(ids, project)
    real = (ids != 0)[..., None]

    def spoilt(told: str, change: Tensor) -> Case:
        return Case(told, {"ids": ids, "output": right + change, "project": project})

    def at(place: tuple[int, int, int], change: float) -> Tensor:
        moved = torch.zeros_like(right)
        moved[place] = change
        return moved

    noise = torch.randn(right.shape, generator=generator)
    return [
        spoilt("a right output", at((0, 0, 0), 0.0)),
        spoilt("one number too large by 0.5", at((0, 1, 0), 0.5)),
        spoilt("one number too small by 0.25", at((0, 1, 0), -0.25)),
        spoilt("a wrong output of the first token", at((0, 0, 1), 0.5)),
        spoilt("a wrong output of the last real token", at((0, 3, 2), 0.5)),
        spoilt("a wrong output in a sequence without padding", at((4, 6, 2), 0.5)),
        spoilt("another output of a token that is padding", at((0, 5, 1), 0.5)),
        spoilt("all numbers too small by 2", -2.0 * real),
        spoilt("every real number wrong by another amount", noise * real),
        *_edges(generator, ids, right, project, noise * real),
    ]


def _edges(generator: torch.Generator, ids: Tensor, right: Tensor, project: Project, noise: Tensor) -> list[Case]:
    def case(told: str, ids: Tensor, output: Tensor, project: Project = project) -> Case:
        return Case(told, {"ids": ids, "output": output, "project": project}, edge=True)

    hidden = right.clone()
    hidden[0, 2, 1] = math.nan
    silent = _projecting(generator, math.nan)
    return [
        case("numbers wrong by about 0.0001", ids, right + noise * 1e-4),
        case("numbers wrong by about a thousand", ids, right + noise * 1e3),
        case("one sequence only", ids[:1], (right + noise)[:1]),
        case("sequences of one token", ids[:, :1], _output(ids[:, :1], project) + noise[:, :1]),
        case("as many sequences as tokens", ids[:3, :3], _output(ids[:3, :3], project) + noise[:3, :3]),
        case("a NaN among the outputs of the first sequence", ids, hidden),
        case("padding whose queries, keys and values are NaN", ids, _output(ids, silent), silent),
    ]


def _gap(ids: Tensor, output: Tensor, project: Project) -> Tensor:
    """The right answer, (B,), where a NaN counts as infinitely far away."""
    found = []
    for row, together in zip(ids, output, strict=True):
        single = _alone(row[row != 0], project)
        found.append((single - together[: len(single)]).abs().nan_to_num(nan=math.inf).max())
    return torch.stack(found).double()


def _each(measure: Callable[[Tensor, Tensor], object]) -> Callable[[Tensor, Tensor, Project], object]:
    """An answer that applies `measure` to the real rows alone and together."""

    def answer(ids: Tensor, output: Tensor, project: Project) -> object:
        singles = [_alone(row[row != 0], project) for row in ids]
        return [measure(one, rows[: len(one)]) for one, rows in zip(singles, output, strict=True)]

    return answer


def _with_padding(ids: Tensor, output: Tensor, project: Project) -> Tensor:
    """Each query with its padding, compared at all places or at the real ones."""
    return (attention(*project(ids))[0] - output).abs()


def _whole(ids: Tensor, output: Tensor, project: Project) -> Tensor:
    """All queries at once, behind a mask, compared at all places."""
    return (attention(*project(ids), (ids == 0)[:, None])[0] - output).abs()


def _at_tokens(gaps: Tensor, ids: Tensor) -> Tensor:
    return gaps.where((ids != 0)[..., None], 0.0).amax(dim=(1, 2))


def _full_are_fine(ids: Tensor, output: Tensor, project: Project) -> Tensor:
    return _gap(ids, output, project).where((ids == 0).any(dim=1), 0.0)


_UNCUT = "The query alone still has its padding: cut it to its real tokens, `row[row != 0]`."
_MEAN = "It takes a mean, in which one wrong number among many right ones drowns: take the largest difference."

_MISTAKES = (
    Mistake(_UNCUT, lambda ids, output, project: _at_tokens(_with_padding(ids, output, project), ids)),
    Mistake(_UNCUT, lambda ids, output, project: _with_padding(ids, output, project).amax(dim=(1, 2))),
    Mistake(
        "The outputs of padding are compared too, and nobody uses them.",
        lambda ids, output, project: _whole(ids, output, project).amax(dim=(1, 2)),
    ),
    Mistake(
        "The queries are not run alone: padding must not be there at all, so cut each to its real tokens, "
        "`row[row != 0]`, and leave the mask away. A mask would be tested against itself.",
        lambda ids, output, project: _at_tokens(_whole(ids, output, project), ids),
    ),
    Mistake("It finds nothing, whatever the output is: this test cannot fail.", _each(lambda *_: 0.0)),
    Mistake("An output that is too small is not found: take the absolute value.", _each(lambda o, t: (t - o).max())),
    Mistake("An output that is too large is not found: take the absolute value.", _each(lambda o, t: (o - t).max())),
    Mistake(_MEAN, _each(lambda o, t: (t - o).abs().mean())),
    Mistake(_MEAN, _each(lambda o, t: (t - o).abs().mean(dim=1).max())),
    Mistake(_MEAN, _each(lambda o, t: (t - o).abs().mean(dim=0).max())),
    Mistake(
        "The differences are added up: take the largest, which says how far one number is off.",
        _each(lambda o, t: (t - o).abs().sum()),
    ),
    Mistake(
        "The signs cancel: two errors in opposite directions are no error. Take the absolute value of each difference.",
        _each(lambda o, t: (t - o).sum().abs()),
    ),
    Mistake(
        "The differences of a token are added up first: take the largest of all.",
        _each(lambda o, t: (t - o).abs().sum(dim=-1).max()),
    ),
    Mistake(
        "It is the length of the differences as a vector: take the largest of them.", _each(lambda o, t: (t - o).norm())
    ),
    Mistake("It is the largest square: take the absolute value.", _each(lambda o, t: (t - o).square().max())),
    Mistake(
        "It is the spread between the largest and the smallest difference: take the largest absolute one.",
        _each(lambda o, t: (t - o).max() - (t - o).min()),
    ),
    Mistake(
        "Sums are compared, in which errors cancel: compare number by number.",
        _each(lambda o, t: (t.abs().sum() - o.abs().sum()).abs()),
    ),
    Mistake(
        "The largest numbers are compared, wherever they stand: compare number by number.",
        _each(lambda o, t: (t.max() - o.max()).abs()),
    ),
    Mistake(
        "It answers whether they are equal: the answer should be how far they lie apart.",
        _each(lambda o, t: torch.allclose(o, t, atol=1e-6)),
    ),
    Mistake(
        "It answers whether they differ: the answer should be how far they lie apart.",
        _each(lambda o, t: not torch.allclose(o, t, atol=1e-6)),
    ),
    Mistake("Only the first token is compared.", _each(lambda o, t: (o - t)[0].abs().max())),
    Mistake("Only the last token is compared.", _each(lambda o, t: (o - t)[-1].abs().max())),
    Mistake(
        "A wrong output of the last real token goes unnoticed.",
        _each(lambda o, t: (o - t)[: max(1, len(o) - 1)].abs().max()),
    ),
    Mistake("A wrong output in a sequence without padding goes unnoticed.", _full_are_fine),
    Mistake(
        "A NaN goes unnoticed: every comparison with it is False, so Python's `max` and clamps drop it.",
        lambda ids, output, project: _gap(ids, output.where(~output.isnan(), _output(ids, project)), project),
    ),
)


def _reads(value: object, right: Parts) -> Parts:
    """Read one number a sequence, where a NaN is as far away as can be."""
    found = numbers(value, right[""].numel(), "one a sequence", finite=False)
    return {"": torch.tensor(found, dtype=torch.float64).nan_to_num(nan=math.inf, posinf=math.inf, neginf=-math.inf)}


def _property(_arguments: Arguments, _part: str, _got: Tensor) -> str:
    return "These are not the largest absolute differences between each query alone and its rows in the batch."


def ids_as_numbers(ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the ids as queries, keys and values of width 1."""
    numbers_ = ids[..., None].float()
    return numbers_, numbers_, numbers_


def _small() -> list[Arguments]:
    few = (
        ([[3]], [[[3.0]]]),
        ([[3]], [[[4.0]]]),
        ([[3]], [[[1.0]]]),
        ([[3, 3]], [[[4.0], [1.0]]]),
        ([[3, 0]], [[[3.0], [5.0]]]),
        ([[3, 0], [2, 2]], [[[5.0], [5.0]], [[2.0], [2.5]]]),
    )
    return [
        {"ids": torch.tensor(ids), "output": torch.tensor(output), "project": ids_as_numbers} for ids, output in few
    ]


GAPS = Task(
    right=_gap,
    cases=_cases,
    small=_small,
    mistakes=_MISTAKES,
    property_of=_property,
    reads=_reads,
    exactly=2e-6,  # what rounding does to a right output
)
