"""Find out which files of the project a run depends on, by watching it.

The server installs the watch before it imports anything for the snippets; every child process inherits it, and
so do the processes that a snippet forks (a `DataLoader`'s workers).
What is seen goes to a log file, a JSON line each, hashed at the moment it is read: a file that is edited while
a long training runs is then recorded as it was used, and the result does not pass for the new content.

Seen: modules of the project that are imported, at whatever time; files opened for reading through Python;
listings of folders; files and modules that were looked for and missing; files that would come to hide an
imported module.
Not seen: what C code opens by itself, what other programs read (only files named in their command lines are
seen), `os.path.exists` and `os.stat`, further portions of a namespace package.
"""

# Paths are strings here: the hook runs at every `open` of every library, and `pathlib` is slow for that.
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH113, PTH118, PTH119, PTH120, PTH122

from __future__ import annotations

import contextlib
import hashlib
import json
import linecache
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, FrameType, ModuleType
from typing import Any

from drift.run.tracked import ABSENT, Scope, candidates, digest, listing

# The checker's modules that a snippet uses. Its others are loaded too, but change no result by being there;
# a run that imports or reads them itself depends on them like on any file.
OURS = frozenset(("drift.facts",))

_EVENTS = frozenset(("open", "os.listdir", "os.scandir", "subprocess.Popen", "ctypes.dlopen", "sought", "missed"))
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR


class Watch:
    """Writes what a process reads to `log`."""

    def __init__(self, scope: Scope, log: str) -> None:
        self.scope = scope
        self.log = log
        self.seen: set[tuple[str, str]] = set()
        self.names: dict[str, str | None] = {}
        self.own = threading.local()

    def event(self, event: str, args: Sequence[Any]) -> None:
        """Take in one audit event, or one of our finder's."""
        if event == "open":
            self.opened(args[0], args[2])
        elif event in ("os.listdir", "os.scandir"):
            self.listed(args[0])
        elif event == "subprocess.Popen":
            self.started(args[0], args[1], args[2])
        elif event == "ctypes.dlopen":
            self.opened(args[0], os.O_RDONLY)
        elif event == "sought":
            self.write("sought", args[0])
        elif event == "missed":
            self.missing(args[0])

    def opened(self, path: Any, flags: Any) -> None:
        """A file was opened, or is about to turn out missing."""
        full = _full(path)
        if full is None or full.endswith(".pyc"):
            return
        name = self.name(full)
        if name is None or os.path.isdir(full):
            return
        if _reads(flags) and not _for_a_trace():
            self.read(full, name)
        if not _reads(flags) or flags & _WRITING:
            self.write("wrote", name)

    def listed(self, path: Any) -> None:
        """A folder was listed; imports list folders too, and those do not count."""
        full = _full(os.curdir if path is None else path)
        name = self.name(full) if full is not None else None
        if full is not None and name is not None and not _importing():
            self.write("read", name + "/", listing(full))

    def started(self, executable: Any, argv: Any, cwd: Any) -> None:
        """Another program was started: files that its command line names count as read."""
        if isinstance(argv, (str, bytes)):
            argv = os.fsdecode(argv).split()
        base = _full(cwd) or os.getcwd()
        for word in [executable, *(argv or [])]:
            if isinstance(word, (str, bytes, os.PathLike)):
                full = os.path.normpath(os.path.join(base, os.fsdecode(word)))
                name = self.name(full) if os.path.isfile(full) else None
                if name is not None:
                    self.read(full, name)

    def missing(self, full: str) -> None:
        """A file is not there, and would change the run if it were."""
        name = self.name(full)
        if name is not None and not os.path.exists(full):
            self.write("absent", name)

    def name(self, full: str) -> str | None:
        """`scope.name`, remembered: it resolves links."""
        if full not in self.names:
            self.names[full] = self.scope.name(full)
        return self.names[full]

    def read(self, full: str, name: str) -> None:
        """Record the content of a file as it is now."""
        if ("read", name) in self.seen or ("wrote", name) in self.seen:
            return
        content = digest(full)
        self.write(*(("absent", name) if content == ABSENT else ("read", name, content)))

    def write(self, kind: str, name: str, value: str = "") -> None:
        """Append one line to the log, once a name."""
        if (kind, name) in self.seen:
            return
        self.seen.add((kind, name))
        line = json.dumps([kind, name, value]) + "\n"
        # Opened anew each time: the snippet may have closed every descriptor, and forked processes write too.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        handle = os.open(self.log, flags, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Do something in this thread that does not count."""
        self.own.busy = True
        try:
            yield
        finally:
            self.own.busy = False


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


_watch: Watch | None = None
_loaded_before: frozenset[str] = frozenset()


def install(scope: Scope, log: str) -> None:
    """Watch this process and those forked from it, from now on; a hook cannot be taken out again."""
    global _watch, _loaded_before
    _watch = Watch(scope, log)
    _loaded_before = frozenset(sys.modules) - OURS
    sys.addaudithook(_guarded)
    sys.meta_path.append(Missed())
    _load_from_source()


def redirect(log: str) -> None:
    """Write to another log: called in a child that begins a run."""
    if _watch is not None:
        _watch.log = log


def finish() -> None:
    """Record the project's modules that are loaded but were not seen on the way in (extension modules)."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if name != "__main__" and name not in _loaded_before and isinstance(file, str):
            _guarded("open", (file, "r", os.O_RDONLY))


def _guarded(event: str, args: Sequence[Any]) -> None:
    """Pass an event on unless it comes from our own reading; never let a fault reach the snippet."""
    if event not in _EVENTS:
        return
    watch = _watch
    if watch is None or getattr(watch.own, "busy", False):
        return
    with watch.unwatched():
        try:
            watch.event(event, args)
        except Exception as error:  # the run goes on, but its result must not be kept
            with contextlib.suppress(OSError):
                watch.write("fault", f"{event}: {type(error).__name__}: {error}")


def _load_from_source() -> None:
    """Make the project's modules load from their source, and record exactly the bytes that run.

    A cached `.pyc` is trusted when size and whole second match, so after an edit of one digit within a second
    the old code would run.
    """
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        watch = _watch
        full = os.path.abspath(path)
        name = watch.name(full) if watch is not None else None
        if watch is None or name is None:
            return original(self, fullname)
        with watch.unwatched():
            data = self.get_data(path)
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


def _full(path: Any) -> str | None:
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.path.abspath(os.fsdecode(path))
    return None


def _reads(flags: Any) -> bool:
    return isinstance(flags, int) and flags & _ACCESS != os.O_WRONLY and not flags & os.O_TRUNC


def _importing() -> bool:
    """True when the import system itself (or its search for package metadata) listed a folder."""
    frame = _caller()
    return frame is not None and "importlib" in re.split(r"[\\/ ._]", frame.f_code.co_filename)


def _for_a_trace() -> bool:
    """True when source is read to show lines of it (libraries ask for that unseen, and get ours too)."""
    frame = _caller()
    for _ in range(3):  # linecache opens through tokenize
        if frame is None:
            return False
        if frame.f_code.co_filename == linecache.__file__:
            return True
        frame = frame.f_back
    return False


def _caller() -> FrameType | None:
    """The frame that raised the event."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        frame = frame.f_back
    return frame
