"""What was made once and is the same as long as all that it was made from is: kept on disk under a hash of that.

An entry that is damaged, or of another layout, is one that is not there.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from drift.run.cache import read_entry, write_entry

# Changes when the layout of an entry does.
FORMAT = 1
DAY = 86_400
KEEP_DAYS = 14

T = TypeVar("T")


class Shelf:
    """The entries of one project; `common` stands for all that every one of them was made from."""

    def __init__(self, folder: Path, common: str) -> None:
        self.folder = folder
        self.common = common

    def get(self, kind: str, *made_from: object) -> Any | None:
        """What was kept, or None."""
        path = self._path(kind, made_from)
        entry = read_entry(path)
        if entry is None or "kept" not in entry:
            return None
        _touch(path)
        return entry["kept"]

    def put(self, kind: str, kept: Any, *made_from: object) -> None:
        """Keep plain JSON values."""
        write_entry(self._path(kind, made_from), {"kept": kept})

    def once(self, kind: str, make: Callable[[], T], *made_from: object) -> T:
        """A JSON value that is made only when it is not there."""
        found: T | None = self.get(kind, *made_from)
        if found is None:
            found = make()
            self.put(kind, found, *made_from)
        return found

    def prune(self) -> None:
        """Remove what no build has used for two weeks."""
        oldest = time.time() - KEEP_DAYS * DAY
        for path in self.folder.glob("*/*"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def _path(self, kind: str, made_from: tuple[object, ...]) -> Path:
        key = json.dumps([FORMAT, self.common, kind, *made_from], sort_keys=True).encode("utf-8", "surrogatepass")
        return self.folder / kind / f"{hashlib.sha256(key).hexdigest()}.json"


def of_files(roots: Iterable[Path]) -> str:
    """A hash of every file at or below `roots`, with their names; compiled Python is left out."""
    found = hashlib.sha256()
    for root in sorted(roots):
        files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
        for path in files:
            if path.suffix != ".pyc":
                found.update(f"{path}\0{path.stat().st_size}\0".encode("utf-8", "surrogatepass") + path.read_bytes())
    return found.hexdigest()


def packages() -> list[str]:
    """Every installed distribution with its version, by the names of the folders that describe them."""
    found = {
        path.name
        for folder in map(Path, sys.path)
        if folder.is_dir()
        for path in folder.iterdir()
        if path.name.endswith((".dist-info", ".egg-info"))
    }
    return [sys.version, *sorted(found)]


def _touch(path: Path) -> None:
    """Say that an entry is in use; once a day is enough."""
    try:
        if time.time() - path.stat().st_mtime > DAY:
            path.touch()
    except OSError:
        return
