"""What was not looked at, since a snippet lacks what it needs, and may not be passed over."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from drift.problem import Place, Problem
from drift.read.site import Site
from drift.records import origin, record
from drift.run.outcome import Outcome


def check(site: Site, outcomes: dict[str, Outcome], *, strict: bool) -> list[Problem]:
    """Records that are older than their code, where nobody can run it; all that was not run, where `strict`.

    Args:
        strict: whether everything has to run (in continuous integration), but for what the settings allow.
    """
    return [
        problem
        for name, outcome in outcomes.items()
        if not outcome.problems
        for problem in (*_older(site, name, outcome), *(_missed(site, name, outcome) if strict else ()))
    ]


def _older(site: Site, name: str, outcome: Outcome) -> Iterator[Problem]:
    made_from = site.records[name].made_from
    older = origin.changed(site.config, made_from)
    place = Place(site.snippets[name].file)
    if not older:
        return
    if outcome.unmet is not None:
        message = "not run here, and its record is older than its code"
        fix = "get what it needs, so that it runs, and accept what it says then"
        yield Problem(place, message, got=f"changed since: {', '.join(older)}", fix=fix)
    elif origin.has_outside(made_from):
        message = "its record is older than its code, and could not be trusted where its data is missing"
        yield Problem(place, message, got=f"changed since: {', '.join(older)}", fix=record.ACCEPT.format(id=name))


def _missed(site: Site, name: str, outcome: Outcome) -> Iterator[Problem]:
    if outcome.unmet is None or any(fnmatchcase(name, pattern) for pattern in site.config.allow_unmet):
        return
    message = "not run, and CI is set, where everything has to run"
    fix = "provide what it needs, or name the snippet under allow_unmet in [tool.drift]"
    yield Problem(Place(site.snippets[name].file), message, got=outcome.unmet, fix=fix)
