"""Whether the files of a site are still those that were judged."""

from __future__ import annotations

from drift.config import Config
from drift.problem import Place, Problem
from drift.read import folder

States = dict[str, tuple[int, int, int]]
"""What the system tells of each file, by its path from the root."""


def states(config: Config) -> States:
    """The files of the site as they are now: pages, snippets, records and figures."""
    found: States = {}
    for root in {config.docs, config.snippets, config.figures}:
        for path in folder.walk(config.root, root).files:
            known = path.stat()
            found[folder.named(config.root, path)] = (known.st_mtime_ns, known.st_size, known.st_ino)
    return found


def check(before: States, after: States) -> list[Problem]:
    """Files that were changed while the snippets ran, by one of them or by somebody else."""
    message = "changed while the check ran, so what was judged is not what is there"
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [Problem(Place(name), message, fix="check again") for name in names]
