"""Which files count as a run's dependencies, and what stands for that which a run can find out about them."""

# Paths are strings here: `drift.watch` asks at every `open` of every library, and `pathlib` is slow for that.
# ruff: noqa: PTH110, PTH112, PTH113, PTH115, PTH116, PTH118, PTH208

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import all_suffixes

ABSENT = "absent"

# Kept here, because a snippet may replace the builtin.
_open = open


@dataclass(frozen=True)
class Scope:
    """Which paths count: all but those of the interpreter and its packages, whose versions are part of the key.

    Attributes:
        root: the project's folder; also the base of the names in the log.
        trusted: folders of the interpreter and of installed packages.
        excluded: folders that the checker itself writes to.
    """

    root: str
    trusted: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def name(self, path: str) -> str | None:
        """What the log calls `path` (relative to the root if it can), or None when it does not count."""
        for form in (path, _real(path)):
            if self.trusts(form) or any(below(form, folder) for folder in self.excluded):
                return None
            if below(form, self.root):
                return os.path.relpath(form, self.root).replace(os.sep, "/")
        return path.replace(os.sep, "/")

    def trusts(self, path: str) -> bool:
        """Whether a file belongs to the interpreter or to an installed package."""
        return any(below(path, folder) for folder in self.trusted)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a link that may not be followed
        return path


def below(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def digest(path: str) -> str:
    """SHA-256 of a file's content; `ABSENT` when there is none to read."""
    try:
        with _open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ABSENT


def listing(path: str) -> str:
    """SHA-256 of the names in a folder, without Python's caches; `ABSENT` when there is no such folder."""
    return _hashed(path, lambda _: "")


def kinds(path: str) -> str:
    """SHA-256 of the names in a folder and what each of them is."""
    return _hashed(path, lambda entry: f"{kind(entry)} {link(entry)}")


def entries(path: str) -> str:
    """SHA-256 of the names in a folder and all that the system knows of each."""
    return _hashed(path, lambda entry: f"{status(entry)} {own_status(entry)} {link(entry)}")


def kind(path: str) -> str:
    """What is at a path, after following links."""
    if os.path.isdir(path):
        return "folder"
    return "file" if os.path.isfile(path) else "other" if os.path.exists(path) else ABSENT


def link(path: str) -> str:
    """Where a link leads; what is at the path when it is no link."""
    try:
        return "-> " + os.readlink(path)
    except (OSError, AttributeError):
        return kind(path)


def size(path: str) -> str:
    """A file's size in bytes."""
    try:
        return str(os.stat(path).st_size)
    except OSError:
        return ABSENT


def status(path: str) -> str:
    """All that `os.stat` tells of a file, but for the time of its last reading."""
    return _status(path, follow=True)


def own_status(path: str) -> str:
    """The same of a link itself."""
    return _status(path, follow=False)


# What the system tells of the machine and its user, asked of its own functions, since a run has others in their place.
_MACHINE: dict[str, Callable[[], object]] = {
    name: getattr(os, name)
    for name in ("uname", "getlogin", "getuid", "geteuid", "getgid", "getegid", "getgroups", "cpu_count")
    if hasattr(os, name)
}
if hasattr(os, "sched_getaffinity"):
    _MACHINE["sched_getaffinity"] = lambda _ask=os.sched_getaffinity: sorted(_ask(0))  # type: ignore[misc]
MACHINE = frozenset(_MACHINE)


def machine(name: str) -> str:
    """What one of these functions gives now."""
    try:
        return repr(_MACHINE[name]())
    except OSError:
        return ABSENT


def candidates(folder: str, name: str) -> list[str]:
    """The files from which Python would load a module `name` in `folder`, the folder of a package among them."""
    place = os.path.join(folder, name)
    return [place + suffix for suffix in all_suffixes()] + [os.path.join(place, "__init__.py")]


# What a run can find out about a path, by the word that the log has for it.
PRESENT: dict[str, Callable[[str], str]] = {
    "read": digest,
    "listed": listing,
    "kinds": kinds,
    "entries": entries,
    "kind": kind,
    "link": link,
    "size": size,
    "status": status,
    "own_status": own_status,
}

# Those of folders.
LISTINGS = frozenset(("listed", "kinds", "entries"))


def _hashed(path: str, value: Callable[[str], str]) -> str:
    try:
        names = sorted(n for n in os.listdir(path) if n != "__pycache__" and not n.endswith(".pyc"))
    except OSError:
        return ABSENT
    lines = [f"{name}\0{value(os.path.join(path, name))}" for name in names]
    return hashlib.sha256("\0".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _status(path: str, *, follow: bool) -> str:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except OSError:
        return ABSENT
    if stat.S_ISCHR(found.st_mode):  # a terminal's times change as it is used
        return f"{found.st_mode} {found.st_rdev}"
    known = (found.st_mode, found.st_ino, found.st_nlink, found.st_uid, found.st_gid, found.st_size)
    return " ".join(map(str, (*known, found.st_mtime_ns, found.st_ctime_ns)))
