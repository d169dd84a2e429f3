"""Run snippets: each in its own process, in parallel, and only those whose result is not known yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.snippet import Snippet
from drift.run.cache import Cache
from drift.run.environment import Environment
from drift.run.job import Result
from drift.run.outcome import Outcome
from drift.run.scheduler import Scheduler

Progress = Callable[[str, str, float], None]


def run(
    config: Config,
    snippets: Iterable[Snippet],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    use_cache: bool = True,
    environment: Environment | None = None,
) -> dict[str, Outcome]:
    """The outcome of every snippet, by id, in the order given.

    Args:
        config: the project.
        snippets: those to run; one with `.problems` is not run, its outcome carries them.
        jobs: processes at a time; default: as many as the cores allow with `environment.threads` each.
        progress: called with a snippet's id, its state (`cached`, `running`, `done`, `failed`, `not run`) and seconds.
        use_cache: False runs everything, and keeps what comes out.
        environment: the environment; default: one thread, the processor as it is.
    """
    environment = environment or Environment()
    report = progress or (lambda *_: None)
    store = Cache(config, environment)
    outcomes: dict[str, Outcome] = {}
    fresh: list[Snippet] = []
    for snippet in snippets:
        known = known_outcome(config, store, snippet, use_cache=use_cache)
        outcomes[snippet.id] = known or Outcome(snippet.id)
        if known is None:
            fresh.append(snippet)
        else:
            report(snippet.id, "cached" if known.cached else "failed", known.seconds)
    if fresh:
        scheduler = Scheduler(config, environment, jobs or default_jobs(environment))
        outcomes |= run_fresh(scheduler, store, fresh, report)
    return outcomes


def known_outcome(config: Config, store: Cache, snippet: Snippet, *, use_cache: bool) -> Outcome | None:
    """What is known of a snippet without running it: why it cannot be run, or the result of an earlier run."""
    problems = [*snippet.problems, *hiding(config, store, snippet)]
    if problems:
        return Outcome(snippet.id, problems=problems)
    return store.get(snippet) if use_cache else None


def run_fresh(scheduler: Scheduler, store: Cache, snippets: list[Snippet], report: Progress) -> dict[str, Outcome]:
    """Run snippets, the longest first, so that no core waits for it at the end; unknown ones may be long."""
    outcomes: dict[str, Outcome] = {}
    by_id = {snippet.id: snippet for snippet in snippets}

    def begin(snippet: Snippet) -> None:
        report(snippet.id, "running", 0.0)

    def keep(result: Result) -> None:
        # At once: an interrupted check keeps what it has.
        outcome = result.outcome
        outcomes[outcome.snippet] = outcome
        store.put(by_id[outcome.snippet], result)
        state = "failed" if outcome.problems else "not run" if outcome.unmet else "done"
        report(outcome.snippet, state, outcome.seconds)

    times = store.times()
    scheduler.run(sorted(snippets, key=lambda snippet: -times.get(snippet.id, float("inf"))), begin, keep)
    store.note_times({name: outcome.seconds for name, outcome in outcomes.items() if outcome.counts})
    store.prune()
    return outcomes


def default_jobs(environment: Environment) -> int:
    """How many processes of `environment.threads` threads this process may keep busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // environment.threads)


def hiding(config: Config, store: Cache, snippet: Snippet) -> list[Problem]:
    """Files beside a snippet that hide a module everybody imports, when the snippet is run by hand.

    Python puts the snippet's folder first, so `random.py` there is what `import torch` gets for `random`.
    """
    preloaded = {name.partition(".")[0] for name in config.preload}
    folder = snippet.path.parent
    here = store.modules(folder)
    return [
        Problem(
            Place(config.relative(folder / name if (folder / name).is_dir() else folder / f"{name}.py")),
            f"hides the module {name!r} from every snippet in its folder",
            fix="give the file another name",
        )
        for name in sorted(here & (sys.stdlib_module_names | preloaded))
    ]
