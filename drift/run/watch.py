"""Find out what a run depends on, by watching it.

The server installs the watch before it imports anything for the snippets; every child process inherits it, and
so do the processes that a snippet forks (a `DataLoader`'s workers) and the Python programs that it starts.
What is seen goes to a log file, a JSON line each, hashed at the moment it is read: a file that is edited while
a long training runs is then recorded as it was used, and the result does not pass for the new content.

Seen: modules that are imported, at whatever time; files opened for reading; what is asked about files and
folders (`surroundings`); files and modules that were looked for and missing; files that would come to hide an
imported module; variables.
What cannot be seen is named instead ("unseen"), and the result of such a run is not kept: other programs,
databases, the network, C code that is called directly.
"""

# Paths are strings here: the hook runs at every `open` of every library, and `pathlib` is slow for that.
# ruff: noqa: PTH100, PTH118, PTH119, PTH120, PTH122

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from drift.run import surroundings
from drift.run.events import EVENTS, Watch
from drift.run.tracked import candidates


class Missed:
    """The last finder on `sys.meta_path`: it is asked only for modules that no other finder has."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Record the module, or where it would have been in a package of the project; find nothing."""
        del target
        if path is None:
            _guarded("sought", (fullname,))
        for folder in path or ():
            for file in candidates(folder, fullname.rpartition(".")[2]):
                _guarded("missed", (file,))
        return None


_watches: list[Watch] = []
_own = threading.local()
_loaded_before: frozenset[str] = frozenset()


def install(setup: dict[str, Any], log: str, *, strict: bool = False) -> None:
    """Watch this process and those forked from it, from now on; a hook cannot be taken out again."""
    global _loaded_before
    _watches.append(Watch(setup, log, strict=strict))
    if len(_watches) > 1:
        return
    _loaded_before = frozenset(sys.modules)
    surroundings.install(_guarded)
    if setup["backwards"]:
        surroundings.order_backwards()
    sys.addaudithook(_guarded)
    sys.meta_path.append(Missed())
    _load_from_source()


def redirect(log: str) -> None:
    """Write to another log, and let everything count: called in a child that begins a run."""
    _watches[-1].log, _watches[-1].strict = log, True
    watch_packages()


def watch_packages() -> None:
    """Watch what the packages that are loaded by now open in C."""
    with quiet():
        surroundings.watch_openers(_guarded)


def joined() -> None:
    """Tell the latest watch that a program which the run started is watched."""
    with quiet():
        _watches[-1].write("joined", str(os.getpid()))


def finish() -> None:
    """Record the project's modules that are loaded but were not seen on the way in (extension modules)."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if name not in ("__main__", "__mp_main__") and name not in _loaded_before and isinstance(file, str):
            _guarded("open", (file, "r", os.O_RDONLY))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Do something in this thread that does not count."""
    before = getattr(_own, "busy", False)
    _own.busy = True
    try:
        yield
    finally:
        _own.busy = before


def _guarded(event: str, args: Sequence[Any]) -> None:
    """Pass an event on unless it comes from our own reading; never let a fault reach the snippet."""
    if event not in EVENTS or getattr(_own, "busy", False):
        return
    with quiet():
        for watch in _watches:
            try:
                watch.event(event, args)
            except Exception as error:  # the run goes on, but its result must not be kept
                with contextlib.suppress(OSError):
                    watch.write("unseen", f"{event}: {type(error).__name__}: {error}")


def _load_from_source() -> None:
    """Make the project's modules load from their source, and record exactly the bytes that run.

    A cached `.pyc` is trusted when size and whole second match, so after an edit of one digit within a second
    the old code would run.
    """
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        full = os.path.abspath(path)
        with quiet():
            names = [watch.name(full) for watch in _watches]
        if not any(names):
            return original(self, fullname)
        with quiet():
            data = self.get_data(path)
            for watch, name in zip(_watches, names, strict=True):
                if name is not None and watch.counts(name):
                    watch.write("read", name, hashlib.sha256(data).hexdigest())
                    for rival in _rivals(full, fullname):
                        watch.missing(rival)
        code: CodeType = self.source_to_code(data, path)
        return code

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]


def _rivals(full: str, fullname: str) -> Iterator[str]:
    """Files that Python would load in place of the module in `full`, if they existed."""
    package = os.path.basename(full) == "__init__.py"
    if not package:
        yield os.path.join(os.path.splitext(full)[0], "__init__.py")
    if "." not in fullname:
        home = os.path.dirname(os.path.dirname(full) if package else full)
        for folder in sys.path:
            if os.path.abspath(folder) == home:
                return
            yield from candidates(os.path.abspath(folder), fullname)
