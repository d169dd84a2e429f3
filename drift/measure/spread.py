"""How far the results of several runs lie apart, and whether the comparison of a check allows for it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from drift.facts import Fact, Value
from drift.judge.values import agree, first_difference, same_artifact, same_text
from drift.run.outcome import Outcome


@dataclass(frozen=True)
class Spread:
    """One fact, output or artifact over all environments.

    Attributes:
        kind: `fact`, `output`, `artifact`, or `run` when an environment's run failed.
        ok: whether a check in any environment would accept a record made in any other.
        value: the median of numbers, the most frequent of other values; None for texts.
        low, high: of numbers.
        tol: as the snippet states it; None where it states none.
        environments: the first two environments that disagree.
        detail: in what they do.
        advice: what to write in the snippet; "" when nothing has to change.
    """

    snippet: str
    kind: str
    name: str
    ok: bool
    value: Value | None = None
    low: float | None = None
    high: float | None = None
    tol: float | None = None
    environments: tuple[str, ...] = ()
    detail: str = ""
    advice: str = ""

    @property
    def spread(self) -> float | None:
        """The distance between the lowest and the highest number; None for what is not a number."""
        return None if self.low is None or self.high is None else self.high - self.low


def spread(environments: dict[str, dict[str, Outcome]]) -> list[Spread]:
    """Compare the runs of every snippet over all environments.

    Args:
        environments: outcomes by snippet, by the environment's name.

    Returns:
        One `Spread` for each failed run, fact, output and artifact, snippet by snippet in the environments' order.
    """
    names = dict.fromkeys(name for outcomes in environments.values() for name in outcomes)
    return [
        found
        for name in names
        for found in _snippet(name, {where: o[name] for where, o in environments.items() if name in o})
    ]


def round_up(value: float) -> float:
    """The smallest number of one significant digit that is not below `value`, which is positive."""
    step = 10.0 ** math.floor(math.log10(value))
    digit = math.ceil(value / step - 1e-9)
    return float(f"{digit * step:.0e}")


def _snippet(snippet: str, outcomes: dict[str, Outcome]) -> Iterator[Spread]:
    good = {where: outcome for where, outcome in outcomes.items() if not outcome.problems}
    for where, outcome in outcomes.items():
        for problem in outcome.problems:
            detail = f"{problem.place}: {problem.message}"
            yield Spread(
                snippet,
                "run",
                where,
                False,
                environments=(where,),
                detail=detail,
                advice="mend the run first",
            )
    for name in dict.fromkeys(name for outcome in good.values() for name in outcome.facts):
        yield _fact(snippet, name, {where: outcome.facts.get(name) for where, outcome in good.items()})
    for name in dict.fromkeys(name for outcome in good.values() for name in outcome.outputs):
        tol = next((o.tolerances[name] for o in good.values() if name in o.tolerances), None)
        yield _text(snippet, "output", name, tol, {where: o.outputs.get(name) for where, o in good.items()})
    for name in dict.fromkeys(name for outcome in good.values() for name in outcome.artifacts):
        tol = next((o.tolerances[name] for o in good.values() if name in o.tolerances), None)
        yield _text(snippet, "artifact", name, tol, {where: o.artifacts.get(name) for where, o in good.items()})


def _fact(snippet: str, name: str, facts: dict[str, Fact | None]) -> Spread:
    stated = {where: fact for where, fact in facts.items() if fact is not None}
    if len(stated) < len(facts):
        return _partly(snippet, "fact", name, {where: fact is not None for where, fact in facts.items()})
    values = {where: fact.value for where, fact in stated.items()}
    tol = next(iter(stated.values())).tol
    apart = [(a, b) for a, b in combinations(values, 2) if not agree(values[a], values[b], tol)]
    detail = f"{values[apart[0][0]]!r} / {values[apart[0][1]]!r}" if apart else ""
    environments = apart[0] if apart else ()
    numbers = [v for v in values.values() if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) < len(values):
        value = statistics.mode(values.values())
        advice = "state something that every environment agrees on" if apart else ""
        return Spread(snippet, "fact", name, not apart, value, None, None, tol, environments, detail, advice)
    low, high = min(numbers), max(numbers)
    advice = _advice(low, high, tol, strict=all(isinstance(v, int) for v in numbers), apart=bool(apart))
    value = statistics.median_low(numbers)
    return Spread(snippet, "fact", name, not apart, value, low, high, tol, environments, detail, advice)


def _advice(low: float, high: float, tol: float | None, *, strict: bool, apart: bool) -> str:
    """What the measured spread says about a number's tolerance."""
    if apart:
        wanted = round_up(high - low)
        return f"tol={wanted:g} measured; or state fewer digits" if not strict else f"tol={wanted:g} measured"
    if tol is None:
        return ""
    if agree(low, high, None):
        return "no tolerance needed here"
    measured = round_up(high - low)
    return f"tol={measured:g} measured" if measured < tol / 2 else ""


def _text(snippet: str, kind: str, name: str, tol: float | None, texts: dict[str, str | None]) -> Spread:
    there = {where: text for where, text in texts.items() if text is not None}
    if len(there) < len(texts):
        return _partly(snippet, kind, name, {where: text is not None for where, text in texts.items()})

    def same(old: str, new: str, tol: float | None) -> bool:
        return same_artifact(name, old, new, tol) if kind == "artifact" else same_text(old, new, tol)

    first_with: dict[str, str] = {}
    for where, text in there.items():
        first_with.setdefault(text, where)
    for one, other in combinations(first_with, 2):
        if not same(one, other, tol):
            number, left, right = first_difference(one, other)
            detail = f"line {number}: {_clip(left)!r} / {_clip(right)!r}"
            environments = (first_with[one], first_with[other])
            advice = "print fewer digits, or output_tolerance"
            return Spread(snippet, kind, name, False, tol=tol, environments=environments, detail=detail, advice=advice)
    needless = tol is not None and all(same(a, b, None) for a, b in combinations(first_with, 2))
    return Spread(snippet, kind, name, True, tol=tol, advice="no tolerance needed here" if needless else "")


def _partly(snippet: str, kind: str, name: str, there: dict[str, bool]) -> Spread:
    """Something that some environments give and others do not."""
    environments = (
        next(where for where, yes in there.items() if yes),
        next(where for where, yes in there.items() if not yes),
    )
    detail = f"given by {sum(there.values())} of {len(there)} environments"
    return Spread(
        snippet, kind, name, False, environments=environments, detail=detail, advice="state it whatever the values are"
    )


def _clip(line: str) -> str:
    return line if len(line) <= 80 else line[:77] + "..."
