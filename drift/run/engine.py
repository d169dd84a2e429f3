"""Run snippets: each in its own process, in parallel, and only those whose result is not known yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.snippet import Snippet
from drift.run.cache import Cache
from drift.run.environment import Cell
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
    cell: Cell | None = None,
) -> dict[str, Outcome]:
    """The outcome of every snippet, by id, in the order given.

    Args:
        config: the project.
        snippets: those to run; one with `.problems` is not run, its outcome carries them.
        jobs: processes at a time; default: as many as the cores allow with `cell.threads` each.
        progress: called with a snippet's id, its state (`cached`, `running`, `done`, `failed`, `not run`) and seconds.
        use_cache: False runs everything, and keeps what comes out.
        cell: the environment; default: one thread, the processor as it is.
    """
    cell = cell or Cell()
    report = progress or (lambda *_: None)
    store = Cache(config, cell)
    outcomes: dict[str, Outcome] = {}
    fresh: dict[str, Snippet] = {}
    for snippet in snippets:
        problems = [*snippet.problems, *hiding(config, store, snippet)]
        if problems:
            outcomes[snippet.id] = Outcome(snippet.id, problems=problems)
            report(snippet.id, "failed", 0.0)
            continue
        known = store.get(snippet) if use_cache else None
        outcomes[snippet.id] = known or Outcome(snippet.id)
        if known:
            report(snippet.id, "cached", known.seconds)
        else:
            fresh[snippet.id] = snippet

    def keep(result: Result) -> None:
        # At once: an interrupted check keeps what it has.
        outcome = result.outcome
        outcomes[outcome.snippet] = outcome
        store.put(fresh[outcome.snippet], result)
        state = "failed" if outcome.problems else "not run" if outcome.unmet else "done"
        report(outcome.snippet, state, outcome.seconds)

    if fresh:
        times = store.times()
        # The longest first, so that no core waits for it at the end; unknown ones may be long.
        queue = sorted(fresh.values(), key=lambda snippet: -times.get(snippet.id, float("inf")))
        begin = lambda snippet: report(snippet.id, "running", 0.0)  # noqa: E731
        Scheduler(config, cell, jobs or default_jobs(cell), begin, keep).run(queue)
        store.note_times({name: outcomes[name].seconds for name in fresh if outcomes[name].counts})
        store.prune()
    return outcomes


def default_jobs(cell: Cell) -> int:
    """How many processes of `cell.threads` threads this process may keep busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // cell.threads)


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
