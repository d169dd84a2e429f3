"""Lab 4's shares as a task: three numbers that say how well a decoder copies."""

from collections.abc import Callable

import torch
from torch import Tensor

from attention_src.labs.answers import Parts
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.labs.verdict import WrongAnswer
from attention_src.models.copy_task import DIGITS, Accuracy, accuracy

_NAMES = ("forced", "free", "whole")


def _share(answers: Tensor) -> Tensor:
    return answers.double().mean()


def _shares(forced: Tensor, free: Tensor, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    right = free == source
    return _share(forced == source), _share(right), _share(right.all(dim=1))


def _cases(generator: torch.Generator) -> list[Case]:
    def draw(batch: int, length: int, wrong: int = 3, hopeless: int = 0) -> Arguments:
        """A source; `forced` has one wrong symbol, `free` several, and perhaps sequences without a right one."""
        source = torch.randint(0, DIGITS, (batch, length), generator=generator)
        forced, free = source.clone(), source.clone()
        forced[0, -1] = (forced[0, -1] + 1) % DIGITS
        free[:wrong, 1:] = (free[:wrong, 1:] + 3) % DIGITS
        free[batch - hopeless :] = (free[batch - hopeless :] + 7) % DIGITS
        return {"forced": forced, "free": free, "source": source}

    nothing = draw(5, 4)
    nothing = {**nothing, "free": (nothing["source"] + 1) % DIGITS}
    everything = draw(5, 4)
    return [
        Case("7 sequences of 5 symbols", draw(7, 5, hopeless=1)),
        Case("23 sequences of 3 symbols", draw(23, 3, 5)),
        Case("one sequence", draw(1, 4, 0), edge=True),
        Case("sequences of one symbol", draw(5, 1, hopeless=2), edge=True),
        Case("no right symbol", nothing, edge=True),
        Case("no wrong symbol", {**everything, **dict.fromkeys(_NAMES[:2], everything["source"])}, edge=True),
        Case("as many sequences as symbols", draw(4, 4), edge=True),
    ]


def _small() -> list[Arguments]:
    few = (
        ([[1]], [[1]], [[1]]),
        ([[1]], [[2]], [[1]]),
        ([[1, 2]], [[1, 3]], [[1, 2]]),
        ([[1, 3], [4, 5]], [[1, 2], [4, 6]], [[1, 2], [4, 5]]),
    )
    return [dict(zip(("forced", "free", "source"), map(torch.tensor, case), strict=True)) for case in few]


def _reads(value: object, _right: Parts) -> Parts:
    """Read three numbers, as a tuple, a list, a tensor or the project's own class."""
    if isinstance(value, Accuracy):
        value = (value.forced, value.free, value.whole)
    if not isinstance(value, tuple | list | Tensor) or len(value) != len(_NAMES):
        amount = f"{len(value)} of them" if isinstance(value, tuple | list) else type(value).__name__
        raise WrongAnswer(f"shares returns forced, free and whole: expected three numbers, got {amount}.")
    sizes = [number.numel() if isinstance(number, Tensor) else 1 for number in value]
    if sizes != [1, 1, 1]:
        raise WrongAnswer(f"shares returns one number for each of forced, free and whole, got {sizes} of them.")
    try:
        found = [torch.tensor(float(number), dtype=torch.float64) for number in value]
    except (TypeError, ValueError):
        kinds = ", ".join(type(number).__name__ for number in value)
        raise WrongAnswer(f"shares returns three numbers, got {kinds}.") from None
    return dict(zip(_NAMES, found, strict=True))


def _with(
    told: str, change: Callable[[tuple[Tensor, Tensor, Tensor], Tensor, Tensor], tuple[Tensor | float, ...]]
) -> Mistake:
    """A mistake as a function of the right shares and of which symbols are right, forced and free."""
    return Mistake(
        told, lambda forced, free, source: change(_shares(forced, free, source), forced == source, free == source)
    )


_MISTAKES = (
    _with("These are percentages: expected shares from 0 to 1.", lambda s, *_: tuple(100 * share for share in s)),
    _with(
        "The first two are exchanged: expected the share with teacher forcing first.", lambda s, *_: (s[1], s[0], s[2])
    ),
    _with("The last two are exchanged: expected the share of symbols second.", lambda s, *_: (s[0], s[2], s[1])),
    _with("The three come in reverse order: expected forced, free, whole.", lambda s, *_: s[::-1]),
    _with("free: it was counted on the answers with teacher forcing.", lambda s, *_: (s[0], s[0], s[2])),
    _with("forced: it was counted on the answers that run freely.", lambda s, *_: (s[1], s[1], s[2])),
    _with("These are the shares of wrong symbols and sequences.", lambda s, *_: tuple(1 - share for share in s)),
    _with(
        "These are counts of right symbols and sequences: divide them.",
        lambda _, f, g: (f.sum(), g.sum(), g.all(1).sum()),
    ),
    _with(
        "whole: it was counted on the answers with teacher forcing, use the free-running ones.",
        lambda s, f, _: (*s[:2], _share(f.all(dim=1))),
    ),
    _with(
        "whole: that is the share of symbols; a sequence counts only if all its symbols are right.",
        lambda s, *_: (*s[:2], s[1]),
    ),
    _with(
        "whole: that counts sequences with any right symbol; all of them must be right.",
        lambda s, _, g: (*s[:2], _share(g.any(dim=1))),
    ),
    _with(
        "whole: that counts places at which all sequences are right; use dim=1, or dim=-1.",
        lambda s, _, g: (*s[:2], _share(g.all(dim=0))),
    ),
    _with(
        "whole: that asks whether all sequences are right; take all() over dim=1, then the mean.",
        lambda s, _, g: (*s[:2], float(g.all())),
    ),
    _with(
        "whole: that is a count; divide it by the number of sequences.",
        lambda s, _, g: (*s[:2], float(g.all(dim=1).sum())),
    ),
    _with(
        "whole: the number of right sequences is divided by the number of symbols.",
        lambda s, _, g: (*s[:2], float(g.all(dim=1).sum()) / g.numel()),
    ),
    _with("whole: that is the share of sequences with an error, and not without.", lambda s, *_: (*s[:2], 1 - s[2])),
)


def _property(_arguments: Arguments, part: str, _got: Tensor) -> str:
    what = "sequences that are right as a whole" if part == "whole" else "right symbols"
    return f"{part} is not the share of {what}."


SHARES = Task(
    right=_shares,
    cases=_cases,
    small=_small,
    mistakes=_MISTAKES,
    parts=_NAMES,
    property_of=_property,
    place=lambda part, _: part,
    reads=_reads,
    borrowed=(accuracy,),
    exactly=1e-6,
)
