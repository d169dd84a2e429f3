"""How many changed answers a check refuses, and how many for a reason that is true of them.

A reason counts as right when it can be confirmed without the check: a named mistake must give what the changed answer
gives, on inputs that the check never saw; a named property must be one that the changed answer lacks there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from attention_src.labs import limits
from attention_src.labs.judge import Mistake
from attention_src.labs.verdict import Verdict
from tools.lab_mutants.operators import Mutant, mutants
from tools.lab_mutants.oracle import Run, agree, as_function, broken, draws, run, solved
from tools.lab_mutants.sources import TARGETS, Target, answer, definitions

# What a message says, and the properties one of which must be broken if it is true.
_CLAIMS = (
    (r"^step ", {"raises"}),
    (r"changed its argument|A forward pass changed", {"changes"}),
    (r"with inputs that require a gradient it raised|gradient", {"gradient"}),
    (r"at first and .* later", {"repeats"}),
    (r"had no answer after|ended the whole program|called itself again", {"end"}),
    (r"[Ii]t raised|no answer can be", {"raises"}),
    (r"numbers of the type|boolean mask", {"dtype", "type"}),
    (r"expected (?!\d+ number)[-\d\[…TFni][^:]*[;,] got", {"values"}),
    (r"starts with other numbers|layers are not those", {"layers", "raises"}),
    (r"the shape|numbers?: expected|axis|axes", {"shape", "type"}),
    (r"tensor|returned (a|one|None|\d)|returns|the names|a dict of", {"type", "shape"}),
    (r"[Ss]teps?\b", {"values", "raises", "type", "shape"}),
    (r"finite", {"values"}),
)


@dataclass(frozen=True)
class Judged:
    """A mutant and what was said of it."""

    target: Target
    mutant: Mutant
    lacks: frozenset[str]
    verdict: Verdict

    @property
    def right_reason(self) -> bool:
        """Whether the reason was confirmed."""
        if self.verdict:
            return False
        if isinstance(self.verdict.mistake, Mistake):
            return _gives_the_same(self.target, self.mutant, self.verdict)
        claimed = next((properties for words, properties in _CLAIMS if re.search(words, self.verdict.message)), set())
        return bool(claimed & self.lacks)


@dataclass(frozen=True)
class Score:
    """The counts of one lab."""

    lab: str
    made: int
    equivalent: int
    judged: Sequence[Judged]

    @property
    def accepted(self) -> list[Judged]:
        """Wrong answers that pass."""
        return [each for each in self.judged if each.verdict]

    @property
    def misjudged(self) -> list[Judged]:
        """Wrong answers that are refused for a reason that was not confirmed."""
        return [each for each in self.judged if not each.verdict and not each.right_reason]

    @property
    def named(self) -> int:
        """How many were refused by the name of their cause."""
        return sum(each.verdict.mistake is not None for each in self.judged)


def score(lab: str, most: int | None = None, seconds: float = 3.0) -> Score:
    """Judge the mutants of a lab.

    Args:
        lab: Its name.
        most: How many mutants at most, spread evenly over all places; all by default.
        seconds: What the checks allow an answer.
    """
    every = [(target, mutant) for target in TARGETS if target.lab == lab for mutant in mutants(definitions(target))]
    step = max(1, -(-len(every) // most)) if most else 1
    picked = every[step // 2 :: step]
    judged, equivalent = [], 0
    for target, mutant in picked:
        try:
            made = answer(target, mutant.parts)
        except Exception:  # not even a definition
            continue
        lacks = broken(target, made)
        if not lacks:
            equivalent += 1
            continue
        judged.append(Judged(target, mutant, frozenset(lacks), _verdict(target, mutant, seconds)))
    return Score(lab, len(picked), equivalent, judged)


def _verdict(target: Target, mutant: Mutant, seconds: float) -> Verdict:
    module, name = target.check.split(".")
    check = getattr(import_module(f"attention_src.labs.{module}"), name)
    before, limits.SECONDS = limits.SECONDS, seconds
    try:
        found: Verdict = check(answer(target, mutant.parts), seed=1234)
    finally:
        limits.SECONDS = before
    return found


def _gives_the_same(target: Target, mutant: Mutant, verdict: Verdict) -> bool:
    """Whether the mistake that was named gives what the mutant gives, in the part where that is wrong first."""
    assert isinstance(verdict.mistake, Mistake)
    changed = as_function(target, answer(target, mutant.parts))
    compared = 0
    with torch.random.fork_rng(devices=[]), limits.limited(5.0):
        for arguments, right in _of_kind(target, verdict):
            given = arguments[1:] if target.name == "MyClassifier" else arguments
            one = run(changed, arguments, numbers=target.numbers)
            other = run(verdict.mistake.answer, given, numbers=target.numbers)
            if one.error or other.error or not _finite(one.parts):
                continue
            if len(one.parts) == len(other.parts) and not _any_alike(one.parts, other.parts, right.parts):
                return False
            compared += 1
    return compared > 0 or "raised" in verdict.message


def _of_kind(target: Target, verdict: Verdict) -> Iterator[tuple[tuple[Any, ...], Run]]:
    """The inputs that the verdict is about, solved; that of the classifier names the kind first."""
    for arguments, right in zip(draws(target), solved(target), strict=True):
        if target.name != "MyClassifier" or verdict.message.startswith(f"{arguments[0]}:"):
            yield arguments, right


def _any_alike(one: Sequence[object], other: Sequence[object], right: Sequence[object]) -> bool:
    """Whether the parts that are wrong in one are the same in the other, or at least one of them is."""
    wrong = [i for i, pair in enumerate(zip(one, right, strict=False)) if not agree(*pair)]
    return not wrong or any(agree(one[i], other[i]) for i in wrong)


def _finite(parts: Sequence[object]) -> bool:
    return all(
        bool(torch.isfinite(part).all()) if isinstance(part, torch.Tensor) and part.is_floating_point() else True
        for part in parts
    )
