"""The whole check: run what changed, compare it with the records, judge every page."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from drift.config import Config
from drift.judge import pages, published, rules, runs, unused
from drift.problem import Problem
from drift.read.site import Site
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


def judge(site: Site, outcomes: dict[str, Outcome]) -> list[Problem]:
    """Every problem of the site, given the runs; snippets that were not run count as they are recorded."""
    problems = [problem for outcome in outcomes.values() for problem in runs.check(site, outcome)]
    for name in site.snippets.keys() - outcomes.keys():
        problems += site.records[name].problems
    for page in site.pages:
        problems += pages.check(site, page)
    return [*problems, *published.check(site), *unused.check(site), *rules.check(site)]
