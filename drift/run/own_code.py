"""Which of the checker's own files decide what a run gives: the running part, and all that it imports of `drift`.

Found from the imports, so that a module which comes to matter cannot be forgotten.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
# The two ends of a run: what starts and collects it here, and what executes it there.
ENDS = ("drift.run.engine", "drift.run.server", "drift.run.at_start.sitecustomize")


@cache
def version() -> str:
    """A hash of the checker's code that makes results."""
    found = hashlib.sha256()
    for path in closure(ENDS):
        found.update(path.relative_to(HOME).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def closure(modules: Iterable[str], home: Path = HOME) -> list[Path]:
    """The files of these modules and of everything that they import from their own package, sorted.

    Args:
        modules: full names; a package is its `__init__.py`.
        home: the folder that holds the package.
    """
    waiting, found = list(modules), {}
    while waiting:
        name = waiting.pop()
        path = _file(name, home)
        if name in found or path is None:
            continue
        found[name] = path
        package = name.partition(".")[0]
        waiting += [other for other in imported(path) if other.partition(".")[0] == package]
        waiting += [name.rsplit(".", depth)[0] for depth in range(1, name.count(".") + 1)]
    return sorted(found.values())


def imported(path: Path) -> Iterator[str]:
    """The full names that a file's import statements could load; a name that is no module leads nowhere."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(name: str, home: Path) -> Path | None:
    place = home.joinpath(*name.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)
