"""The whole check: run what changed, compare it with the records, judge every page."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from drift.config import Config
from drift.judge import pages, published, rules, runs, unbound, unused
from drift.problem import Problem
from drift.read.site import Ref, Site
from drift.read.snippet import Snippet
from drift.run import engine
from drift.run.outcome import Outcome

Progress = Callable[[str, str, float], None]


class NothingSelectedError(ValueError):
    """A pattern that no snippet matches."""


def select(site: Site, patterns: list[str]) -> list[Snippet]:
    """The snippets whose id matches one of the patterns; all of them when there is none.

    Raises:
        NothingSelectedError: a pattern matches nothing, which would be a check of nothing.
    """
    if not patterns:
        return list(site.snippets.values())
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in site.snippets):
            raise NothingSelectedError(f"--only {pattern!r} matches no snippet; there are: {', '.join(site.snippets)}")
    return [s for name, s in site.snippets.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]


def run(
    config: Config, chosen: list[Snippet], *, progress: Progress | None = None, use_cache: bool = True
) -> dict[str, Outcome]:
    """A fresh outcome for every chosen snippet."""
    return engine.run(config, chosen, progress=progress, use_cache=use_cache)


def standing(site: Site) -> list[Problem]:
    """What is wrong with the site as its records stand: all that a reader would see, found without a run."""
    site.waiting = _waiting(site, {})
    problems = [problem for loaded in site.records.values() for problem in loaded.problems]
    problems += [
        runs.missing_record(site, found) for found in site.snippets.values() if runs.unaccepted(site, found, None)
    ]
    for page in site.pages:
        problems += pages.check(site, page)
    return [*problems, *published.check(site)]


def judge(site: Site, outcomes: dict[str, Outcome]) -> list[Problem]:
    """Every problem of the site, given the runs; snippets that were not run count as they are recorded.

    What follows from a record that is missing, or from a run that gave more than its record holds, is told once.
    """
    problems = [problem for outcome in outcomes.values() for problem in runs.check(site, outcome)]
    site.waiting = _waiting(site, outcomes)
    problems += [
        runs.missing_record(site, found)
        for name, found in site.snippets.items()
        if runs.unaccepted(site, found, outcomes.get(name)) and not _failed(outcomes.get(name))
    ]
    for name in site.snippets.keys() - outcomes.keys():
        problems += site.records[name].problems
    for page in site.pages:
        problems += pages.check(site, page)
    return [*problems, *published.check(site), *unused.check(site), *unbound.check(site), *rules.check(site)]


def _failed(outcome: Outcome | None) -> bool:
    return outcome is not None and bool(outcome.problems)


def _waiting(site: Site, outcomes: dict[str, Outcome]) -> set[Ref]:
    """What a run gave, or would give, and no record holds."""
    waiting: set[Ref] = set()
    for name, loaded in site.records.items():
        outcome = outcomes.get(name)
        if outcome is not None and outcome.counts:
            given = (
                {key for key, text in outcome.outputs.items() if text} | outcome.facts.keys() | outcome.artifacts.keys()
            )
            recorded = loaded.outputs.keys() | loaded.facts.keys() | loaded.artifacts.keys()
            waiting |= {(name, key) for key in given - recorded}
        elif not loaded.exists:
            waiting |= {ref for ref in (*site.output_shown, *site.quoted) if ref[0] == name}
    return waiting
