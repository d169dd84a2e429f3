"""What an event in a run means for what its result depends on, and where that is written down."""

# Paths are strings here: the hook runs at every `open` of every library, and `pathlib` is slow for that.
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH113, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import contextlib
import json
import linecache
import os
import re
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from drift.run import inherit, surroundings
from drift.run.surroundings import full_path
from drift.run.tracked import ABSENT, PRESENT, Scope, below, candidates, digest, machine

# Events of the interpreter after which nobody can say what was read.
_UNSEEN = {
    "os.system": "starts a program",
    "os.exec": "becomes another program",
    "os.posix_spawn": "starts a program",
    "os.spawn": "starts a program",
    "os.startfile": "starts a program",
    "sqlite3.connect": "opens a database",
    "os.getxattr": "reads attributes of a file",
    "os.listxattr": "reads attributes of a file",
    "winreg.OpenKey": "reads the registry",
    "socket.gethostname": "asks for the machine's name",
    "socket.getaddrinfo": "uses the network",
    "socket.gethostbyname": "uses the network",
    "socket.gethostbyaddr": "uses the network",
    "socket.sendto": "uses the network",
    "urllib.Request": "uses the network",
}
_CHANGING = frozenset(
    f"os.{name}" for name in ("rename", "remove", "rmdir", "mkdir", "link", "symlink", "truncate", "utime", "chmod")
)
EVENTS = frozenset(
    (
        *(*_UNSEEN, *_CHANGING, *PRESENT, "open", "os.listdir", "os.scandir", "subprocess.Popen", "cpython.run_file"),
        *(
            "ctypes.dlopen",
            "ctypes.dlsym",
            "socket.connect",
            "socket.bind",
            "variable",
            "sought",
            "missed",
            "machine",
            "moment",
        ),
    )
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_ACCESS = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

# Devices and descriptors whose content is no input, and the processor, which is part of the key.
_HARMLESS = re.compile(
    r"/dev/(?:null|zero|full|u?random|tty|pts/.*|shm/.*|fd/.*|std\w+)|/proc/(?:cpuinfo|self/fd/.*|\d+/fd/.*)"
)
_SYSTEM = ("/proc", "/sys", "/dev")
_OURS = frozenset(
    (__file__, surroundings.__file__, contextlib.__file__, os.path.join(os.path.dirname(__file__), "watch.py"))
)
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Watch:
    """Writes what a process reads to `log`.

    Attributes:
        strict: whether everything counts. While modules are preloaded, only what the project's own code does.
    """

    def __init__(self, setup: dict[str, Any], log: str, *, strict: bool) -> None:
        self.scope = Scope(**setup["scope"])
        self.variables: dict[str, str] = setup["variables"]
        self.log = log
        self.strict = strict
        self.seen: set[tuple[str, str]] = set()
        self.names: dict[str, str | None] = {}
        self.started_here = 0
        self.handlers = self._handlers()

    def event(self, event: str, args: Sequence[Any]) -> None:
        """Take in one audit event, or one of `surroundings` or of our finder."""
        if event in self.handlers:
            self.handlers[event](*args)
        elif event in PRESENT:
            self.found_out(event, *args)
        elif event in _CHANGING:
            self.changed(*args)
        else:
            self.unseen(_UNSEEN[event])

    def _handlers(self) -> dict[str, Callable[..., None]]:
        return {
            "open": lambda path, _, flags: self.opened(path, flags),
            "cpython.run_file": lambda path: self.opened(path, os.O_RDONLY),
            "ctypes.dlopen": lambda path: self.opened(path, os.O_RDONLY),
            "ctypes.dlsym": lambda *_: self.called(),
            "os.listdir": lambda path: self.listed(path, "listed"),
            "os.scandir": lambda path: self.listed(path, surroundings.asked_of_folder()),
            "subprocess.Popen": self.started,
            "socket.connect": lambda _, address: self.connected(address),
            "socket.bind": lambda _, address: self.connected(address),
            "variable": self.asked,
            "sought": self.sought,
            "missed": self.missing,
            "machine": self.about_the_machine,
            "moment": lambda _: self.unseen("asks for the system's present state"),
        }

    def opened(self, path: Any, flags: Any) -> None:
        """A file was opened, or is about to turn out missing."""
        full = full_path(path) if not isinstance(path, int) else None
        if full is None or (full.endswith(".pyc") and "__pycache__" in full):
            return
        if full.startswith(_SYSTEM):
            if _reads(flags) and not _HARMLESS.fullmatch(full) and any(below(full, folder) for folder in _SYSTEM):
                self.unseen(f"reads {full}")
            return
        name = self.name(full)
        if name is None or os.path.isdir(full):
            return
        if _reads(flags) and not _for_a_trace():
            self.read(full, name)
        if not _reads(flags) or flags & _WRITING:
            self.wrote(name)

    def wrote(self, name: str) -> None:
        """What this file is from now on is the run's own doing."""
        self.write("wrote", name, str(_line_of_the_snippet()))

    def changed(self, *args: Any) -> None:
        """A file was renamed, removed, or changed in another way."""
        for path in args:
            full = full_path(path) if isinstance(path, (str, bytes, os.PathLike)) else None
            name = self.name(full) if full is not None else None
            if name is not None:
                self.wrote(name)

    def listed(self, path: Any, kind: str) -> None:
        """A folder was listed; imports list folders too, and those do not count."""
        if not _importing():
            self.found_out(kind, os.curdir if path is None else path)

    def found_out(self, kind: str, path: Any, dir_fd: int | None = None) -> None:
        """Something was asked about a file or a folder."""
        full = full_path(path, dir_fd)
        name = self.name(full) if full is not None else None
        if full is not None and name is not None and (kind, name) not in self.seen and self.counts(name):
            self.write(kind, name, PRESENT[kind](full))

    def started(self, executable: Any, argv: Any, cwd: Any, env: Any) -> None:
        """Another program was started: a Python program tells of itself, of others nobody can say what they read.

        Files that its command line names count as read.
        """
        words = os.fsdecode(argv).split() if isinstance(argv, (str, bytes)) else [os.fsdecode(word) for word in argv]
        program = os.fsdecode(executable) if executable is not None else words[0]
        if _is_python(program) and inherit.handed_on(os.environ if env is None else _text(env)):
            self.started_here += 1
            self.write("started", f"{os.getpid()} {self.started_here}", f"starts a program ({_base(program)})")
        else:
            self.unseen(f"starts a program ({_base(program)})")
        base = full_path(cwd) or os.getcwd()
        for word in [program, *words]:
            full = os.path.normpath(os.path.join(base, word))
            name = self.name(full) if os.path.isfile(full) else None
            if name is not None:
                self.read(full, name)

    def called(self) -> None:
        """A function of a C library is about to be called through `ctypes`; packages do that unseen."""
        frame = _caller()
        while frame is not None and "ctypes" in re.split(r"[\\/.]", frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None and self.owns(frame):
            self.unseen("calls C code with ctypes")

    def connected(self, address: Any) -> None:
        """A socket was connected; one with a name in the file system leads to the run's own processes."""
        if not isinstance(address, (str, bytes)):
            self.unseen("uses the network")

    def asked(self, *names: str) -> None:
        """A variable was read; no name stands for all of them."""
        for name in names or (self.variables if self.counts("") else ()):
            if name in self.variables:
                self.write("variable", name, self.variables[name])

    def about_the_machine(self, name: str) -> None:
        """The system was asked what machine this is, or who works on it."""
        if self.counts(""):
            self.write("machine", name, machine(name))

    def sought(self, name: str) -> None:
        """A module was looked for and is nowhere."""
        self.write("sought", name)
        for folder in sys.path if self.strict else ():
            for file in (*candidates(os.path.abspath(folder), name), os.path.join(os.path.abspath(folder), name)):
                self.missing(file)

    def missing(self, full: str) -> None:
        """A file is not there, and would change the run if it were."""
        name = self.name(full)
        if name is not None and not os.path.exists(full):
            self.write("kind", name, ABSENT)

    def unseen(self, what: str) -> None:
        """Something happened after which the log is not the whole truth."""
        if self.counts("") and not self.in_import():
            self.write("unseen", what)

    def counts(self, name: str) -> bool:
        """Whether something outside the project counts now."""
        if self.strict or (name and not os.path.isabs(name)):
            return True
        frame = _caller()
        while frame is not None and not self.owns(frame):
            frame = frame.f_back
        return frame is not None

    def in_import(self) -> bool:
        """Whether an installed package is being imported and does this on its own, as it does for everybody."""
        frame = _caller()
        while frame is not None and not self.owns(frame):
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return True
            frame = frame.f_back
        return False

    def owns(self, frame: FrameType) -> bool:
        """Whether a frame runs code that is neither an installed package's nor the checker's."""
        file = frame.f_code.co_filename
        return not (file.startswith("<frozen") or below(file, _HOME) or self.scope.trusts(file))

    def name(self, full: str) -> str | None:
        """`scope.name`, remembered: it resolves links."""
        if full not in self.names:
            self.names[full] = self.scope.name(full)
        return self.names[full]

    def read(self, full: str, name: str) -> None:
        """Record the content of a file as it is now."""
        if ("read", name) in self.seen or ("wrote", name) in self.seen or not self.counts(name):
            return
        content = digest(full)
        self.write(*(("kind", name, content) if content == ABSENT else ("read", name, content)))

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
    while frame is not None and frame.f_code.co_filename in _OURS:
        frame = frame.f_back
    return frame


def _line_of_the_snippet() -> int:
    """The line that the snippet has got to; 0 where it is not on the stack, as in a thread."""
    snippet = getattr(sys.modules.get("__main__"), "__file__", None)
    frame = _caller()
    while frame is not None and frame.f_code.co_filename != snippet:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def _is_python(program: str) -> bool:
    return re.fullmatch(r"python[\d.]*(?:\.exe)?", _base(os.path.realpath(program))) is not None


def _base(program: str) -> str:
    return os.path.basename(program)


def _text(env: Any) -> dict[str, str]:
    return {os.fsdecode(name): os.fsdecode(value) for name, value in dict(env).items()}
