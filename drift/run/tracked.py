"""Which files count as a run's dependencies, and what stands for their content."""

# Paths are strings here: `drift.watch` asks at every `open` of every library, and `pathlib` is slow for that.
# ruff: noqa: PTH110, PTH118, PTH120, PTH206, PTH208

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

ABSENT = "absent"

# Kept here, because a snippet may replace the builtin.
_open = open


@dataclass(frozen=True)
class Scope:
    """Which paths count.

    Attributes:
        root: the project's folder; also the base of the names in the log.
        folders: further folders (or files) outside it that count.
        excluded: folders below `root` that do not.
    """

    root: str
    folders: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def name(self, path: str) -> str | None:
        """What the log calls `path` (relative to the root if it can), or None when it does not count."""
        for form in (path, os.path.realpath(path)):
            if _below(form, self.root):
                return None if self._skipped(form) else os.path.relpath(form, self.root).replace(os.sep, "/")
            if any(_below(form, folder) for folder in self.folders):
                return form.replace(os.sep, "/")
        return None

    def _skipped(self, path: str) -> bool:
        parts = path[len(self.root) :].split(os.sep)
        if path.endswith(".pyc") or not {"__pycache__", ".git", "site-packages"}.isdisjoint(parts):
            return True
        return any(_below(path, folder) for folder in self.excluded) or _in_venv(path, self.root)


def digest(path: str) -> str:
    """SHA-256 of a file's content; `ABSENT` when there is none to read."""
    try:
        with _open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ABSENT


def listing(path: str) -> str:
    """SHA-256 of the names in a folder, without Python's caches; `ABSENT` when there is no such folder."""
    try:
        names = sorted(n for n in os.listdir(path) if n != "__pycache__" and not n.endswith(".pyc"))
    except OSError:
        return ABSENT
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


def candidates(folder: str, name: str) -> tuple[str, str]:
    """The files from which Python would load a module `name` in `folder`."""
    return os.path.join(folder, name + ".py"), os.path.join(folder, name, "__init__.py")


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _in_venv(path: str, root: str) -> bool:
    folder = os.path.dirname(path)
    while len(folder) > len(root):
        if os.path.exists(os.path.join(folder, "pyvenv.cfg")):
            return True
        folder = os.path.dirname(folder)
    return False
