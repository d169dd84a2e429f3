"""Results of earlier runs, found again by everything that they depend on.

Two steps, as in ccache's direct mode.
What is known before a run (the snippet, Python, packages, processor, environment) makes a key.
Under the key lie entries, each with what its run found out about files, folders and variables; an entry counts
when a run would find out the same now.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from drift.config import Config
from drift.read.snippet import Snippet
from drift.run import own_code
from drift.run.environment import Environment, fingerprint, watched
from drift.run.job import Result
from drift.run.outcome import Outcome
from drift.run.tracked import PRESENT, machine

# Changes when the layout of an entry does.
FORMAT = 2

KEEP_DAYS = 30
KEEP_PER_KEY = 8
DAY = 86_400


class Cache:
    """The results kept for one project, as used in one run of the checker in one environment."""

    def __init__(self, config: Config, environment: Environment) -> None:
        self.config = config
        self.folder = config.cache / "runs"
        self.common = json.dumps(
            {"format": FORMAT, "engine": own_code.version(), **fingerprint(config, environment)}, sort_keys=True
        )
        self.variables = watched(config)
        self.found: dict[tuple[str, str], str] = {}
        self.names: dict[Path, frozenset[str]] = {}

    def key(self, snippet: Snippet) -> str:
        """What is known about a result before the run, as one hash."""
        sections = [[s.name, s.first, s.last] for s in snippet.sections]
        text = json.dumps([self.common, snippet.id, snippet.text, sections])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def get(self, snippet: Snippet) -> Outcome | None:
        """The result of an earlier run, if everything it depends on is the same now."""
        for path in self.entries(self.key(snippet)):
            entry = read_entry(path)
            try:
                if entry is None or not self.holds(snippet, entry):
                    continue
                outcome = Outcome.from_json(entry["outcome"])
            except (KeyError, TypeError, AttributeError, ValueError):  # an earlier version's layout
                continue
            _touch(path)
            outcome.cached = True
            return outcome
        return None

    def put(self, snippet: Snippet, result: Result) -> None:
        """Keep a result; those with problems, or after which nobody can say what they depend on, are not kept."""
        with contextlib.suppress(OSError):
            self.config.cache.mkdir(parents=True, exist_ok=True)
            (self.config.cache / ".gitignore").write_text("*\n", encoding="utf-8")
        if result.outcome.problems or result.seen.unseen:
            return
        notes = sorted([*key, value] for key, value in result.seen.notes.items())
        needs = {"notes": notes, "modules": sorted(result.seen.modules), "packages": packages(result.seen.modules)}
        # One entry for one state of the dependencies: a later run in the same state replaces it.
        state = json.dumps(needs, sort_keys=True)
        name = hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        write_entry(self.folder / self.key(snippet) / f"{name}.json", {**needs, "outcome": result.outcome.to_json()})

    def entries(self, key: str) -> list[Path]:
        """The files under a key, the one used last first."""
        return sorted((self.folder / key).glob("*.json"), key=_used, reverse=True)

    def holds(self, snippet: Snippet, entry: dict[str, Any]) -> bool:
        """Whether an entry's dependencies are all as they were."""
        if any(self.now(kind, name) != value for kind, name, value in entry["notes"]):
            return False
        if not all(self.now("kind", folder) == "folder" for folder in entry["packages"]):
            return False
        hiding = self.modules(snippet.path.parent) | self.modules(self.config.root)
        return hiding.isdisjoint(entry["modules"])

    def now(self, kind: str, name: str) -> str:
        """What a run would find out now, found out once."""
        if (kind, name) not in self.found:
            if kind == "variable":
                self.found[kind, name] = hashlib.sha256(self.variables.get(name, "").encode()).hexdigest()
            elif kind == "machine":
                self.found[kind, name] = machine(name)
            else:
                self.found[kind, name] = PRESENT[kind](str(self.config.root / name))
        return self.found[kind, name]

    def modules(self, folder: Path) -> frozenset[str]:
        """The modules that a folder on `sys.path` offers."""
        if folder not in self.names:
            self.names[folder] = frozenset(_modules(folder))
        return self.names[folder]

    def times(self) -> dict[str, float]:
        """How long each snippet's last good run took, as far as known."""
        entry = read_entry(self.config.cache / "times.json")
        found = entry.items() if isinstance(entry, dict) else ()
        return {name: float(seconds) for name, seconds in found if isinstance(seconds, (int, float))}

    def note_times(self, seconds: dict[str, float]) -> None:
        """Remember how long runs took."""
        write_entry(self.config.cache / "times.json", {**self.times(), **seconds})

    def prune(self) -> None:
        """Remove entries that no run used for a month, and more than a few under one key."""
        for folder in self.folder.glob("*"):
            for number, path in enumerate(self.entries(folder.name)):
                if number >= KEEP_PER_KEY or time.time() - _used(path) > KEEP_DAYS * DAY:
                    path.unlink(missing_ok=True)
            for draft in folder.glob("*.tmp"):
                if time.time() - _used(draft) > DAY:
                    draft.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # not empty, or another run's
                folder.rmdir()


def packages(modules: Iterable[str]) -> list[str]:
    """The folders with the versions of the installed packages behind top-level modules: another version, another."""
    found: set[str] = set()
    for module in modules:
        for name in _distributions().get(module, ()):
            place = getattr(importlib.metadata.distribution(name), "_path", None)
            if isinstance(place, Path):
                found.add(str(place))
    return sorted(found)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def read_entry(path: Path) -> dict[str, Any] | None:
    """The entry in a file; None when it is gone, damaged, or was written by another version."""
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
        if checksum.decode() != hashlib.sha256(body).hexdigest():
            return None
        entry: dict[str, Any] = json.loads(body)
    except (OSError, ValueError):
        return None
    return entry


def write_entry(path: Path, entry: dict[str, Any]) -> None:
    """Write a file as a whole or not at all; a full or read-only disk only costs the entry."""
    body = json.dumps(entry).encode("utf-8", "surrogatepass")
    data = hashlib.sha256(body).hexdigest().encode() + b"\n" + body
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


def _modules(folder: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.suffix == ".py" or (path / "__init__.py").is_file():
                yield path.stem


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _touch(path: Path) -> None:
    """Say that an entry is in use; once a day is enough."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)
