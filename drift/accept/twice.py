"""Run what is about to be accepted a second time, differently, and refuse what differs.

What hangs on the hash seed, the order of a folder, the number of threads, the time zone, the date or the run's own
folders would agree here, from the cache, and fail on another machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from drift.accept.update import accepted, differs
from drift.facts import Fact
from drift.judge.runs import same_fact
from drift.judge.styles import full
from drift.judge.values import first_difference, same_artifact, same_text
from drift.problem import Place, Problem
from drift.read.site import Site
from drift.read.snippet import Snippet
from drift.run import engine
from drift.run.engine import Progress
from drift.run.environment import ANOTHER
from drift.run.outcome import Outcome

HOW = "run again with two threads and another hash seed, time zone, date and order of folders"
FIX = "seed it, sort it, do not print it, or give it a measured tolerance"


def to_run_again(site: Site, outcomes: dict[str, Outcome]) -> list[Snippet]:
    """The snippets whose records would change by more than lines."""
    return [
        site.snippets[name]
        for name, outcome in outcomes.items()
        if outcome.counts and differs(site.records[name], accepted(site.records[name], outcome), lines=False)
    ]


def check(site: Site, outcomes: dict[str, Outcome], progress: Progress | None = None) -> list[Problem]:
    """Everything in which a second run differs from the first by more than the declared tolerances.

    Only snippets whose records would change are run again.
    """
    chosen = to_run_again(site, outcomes)
    again = engine.run(site.config, chosen, progress=progress, environment=ANOTHER)
    return [problem for found in chosen for problem in compare(found, outcomes[found.id], again[found.id])]


def compare(found: Snippet, first: Outcome, second: Outcome) -> Iterator[Problem]:
    """What differs between two runs of one snippet, each with both values."""
    for problem in second.problems:
        yield Problem(problem.place, f"fails when it is {HOW}: {problem.message}", problem.expected, problem.got)
    if second.problems:
        return
    for name in dict.fromkeys((*first.outputs, *second.outputs)):
        old, new = first.outputs.get(name, ""), second.outputs.get(name, "")
        if not same_text(old, new, first.tolerances.get(name)):
            _, left, right = first_difference(old, new)
            section = found.section(name)
            place = Place(found.file, section.first if section else 0)
            yield Problem(place, f"section {name!r} prints something else when it is {HOW}", left, right, fix=FIX)
    for name in dict.fromkeys((*first.facts, *second.facts)):
        one, other = first.facts.get(name), second.facts.get(name)
        if one is None or other is None or not same_fact(one, other):
            place = Place(found.file, (one or other or Fact(0)).line)
            message = f"fact {name!r} is another one when it is {HOW}"
            yield Problem(place, message, _value(one), _value(other), fix=FIX)
    for name in dict.fromkeys((*first.artifacts, *second.artifacts)):
        drawn, redrawn = first.artifacts.get(name, ""), second.artifacts.get(name, "")
        if not same_artifact(name, drawn, redrawn, first.tolerances.get(name)):
            _, left, right = first_difference(drawn, redrawn)
            yield Problem(Place(found.file), f"artifact {name!r} is another one when it is {HOW}", left, right, fix=FIX)
    if first.tolerances != second.tolerances:
        message = f"output tolerances are others when it is {HOW}"
        yield Problem(Place(found.file), message, str(first.tolerances), str(second.tolerances), fix=FIX)


def _value(fact: Fact | None) -> str:
    return "(not stated)" if fact is None else full(fact.value)
