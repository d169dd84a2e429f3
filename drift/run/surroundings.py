"""Tell of what a run finds out that raises no audit event: variables, what is known about files, files opened in C.

Python's functions are replaced by ones that tell first and then do the same.
"""

# The functions that are replaced are those of `os`, not of `pathlib`.
# ruff: noqa: PTH115

from __future__ import annotations

import contextlib
import functools
import genericpath
import importlib
import linecache
import os
import pathlib
import posixpath
import subprocess  # noqa: F401 (before its function is replaced: what it starts raises an event of its own)
import sys
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

from drift.run.tracked import MACHINE

Tell = Callable[[str, tuple[Any, ...]], None]

# What the system answers differently at every moment.
_OF_THE_MOMENT = ("getloadavg", "statvfs", "fstatvfs")

# Python keeps some modules frozen, and their code then has another file name.
_FROZEN = ("<frozen genericpath>", "<frozen posixpath>", "<frozen ntpath>")
_PATH_MODULES = frozenset((genericpath.__file__, posixpath.__file__, os.path.__file__, *_FROZEN))
_IMPORTLIB = os.path.dirname(importlib.__file__)  # noqa: PTH120
_PATHLIB = str(pathlib.__file__).removesuffix(os.sep + "__init__.py")
_WALKERS = frozenset(("walk", "_walk", "fwalk", "_fwalk", "_iterdir", "_glob0", "_glob1", "_glob2", "_rlistdir"))

# What the functions that ask for a file's status make of it.
_KIND = frozenset(("exists", "isfile", "isdir", "is_file", "is_dir", "is_mount", "ismount"))
_LINK = frozenset(("lexists", "islink", "is_symlink", "_joinrealpath", "realpath", "resolve", "is_junction"))

# Functions and classes in C that open a file by its name, and which argument that is.
_OPENERS: dict[str, tuple[tuple[str, int], ...]] = {
    "torch": (("from_file", 0), ("UntypedStorage.from_file", 0), ("TypedStorage.from_file", 0)),
    "torch._C": (("PyTorchFileReader", 0), ("import_ir_module", 1), ("_import_ir_module_from_package", 2)),
}


def install(tell: Tell) -> None:
    """Replace the functions; `tell` is called with the name of an event and its arguments."""
    _watch_variables(tell)
    _watch_status(tell)
    _watch_processes(tell)
    _watch_machine(tell)


def order_backwards() -> None:
    """Let folders list their files in the other order, which a system is free to do."""
    listdir, scandir = os.listdir, os.scandir

    @contextlib.contextmanager
    def reversed_scandir(*args: Any) -> Iterator[Iterator[os.DirEntry[str]]]:
        with scandir(*args) as entries:
            yield iter(list(entries)[::-1])

    class Entries:
        """What `os.scandir` gives: an iterator and a context manager."""

        def __init__(self, *args: Any) -> None:
            with reversed_scandir(*args) as entries:
                self.entries = entries

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return self

        def __next__(self) -> os.DirEntry[str]:
            return next(self.entries)

        def __enter__(self) -> Entries:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def close(self) -> None:
            self.entries = iter(())

    _replace(os, "listdir", lambda *args: listdir(*args)[::-1])
    _replace(os, "scandir", Entries)


def watch_openers(tell: Tell) -> None:
    """Tell of files that the packages loaded by now open in C; called again when further ones may be there."""
    for module, functions in _OPENERS.items():
        if module in sys.modules:
            for path, position in functions:
                _watch_opener(tell, sys.modules[module], path, position)


def _watch_opener(tell: Tell, owner: Any, path: str, position: int) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent, None)
    original = getattr(owner, name, None)
    if original is None or getattr(original, "_told", False):
        return

    def tell_first(*args: Any, **named: Any) -> None:
        given = args[position] if len(args) > position else named.get("filename", named.get("file"))
        if isinstance(given, (str, bytes, os.PathLike)):
            tell("open", (given, "r", os.O_RDONLY))

    if isinstance(original, type):

        def begin(self: Any, *args: Any, **named: Any) -> None:
            tell_first(*args, **named)
            original.__init__(self, *args, **named)  # type: ignore[misc]

        made: Any = type(name, (original,), {"__init__": begin, "__module__": original.__module__})
    else:

        @functools.wraps(original)
        def made(*args: Any, **named: Any) -> Any:
            tell_first(*args, **named)
            return original(*args, **named)

    made._told = True
    with contextlib.suppress(AttributeError, TypeError):
        setattr(owner, name, staticmethod(made) if isinstance(owner, type) and not isinstance(made, type) else made)


def _watch_variables(tell: Tell) -> None:
    """Tell of every variable that is read, and of a look at all of them as a reading of each."""
    kind: Any = type(os.environ)
    for name in ("__getitem__", "__iter__", "__len__", "__repr__"):
        original = getattr(kind, name)

        def told(self: Any, *args: Any, original: Callable[..., Any] = original) -> Any:
            tell("variable", tuple(os.fsdecode(key) for key in args if isinstance(key, (str, bytes))))
            return original(self, *args)

        setattr(kind, name, functools.wraps(original)(told))
    # The table that `os.environ` is made of, which stays as it is within.
    system = sys.modules.get("posix") or sys.modules.get("nt")
    if system is not None:
        system.environ = {}  # type: ignore[attr-defined]


def _watch_status(tell: Tell) -> None:
    """Tell of every question about a file: whether it is there, what it is, how large, where a link leads."""
    stat, lstat, access, readlink, open_ = os.stat, os.lstat, os.access, getattr(os, "readlink", None), os.open

    def told_stat(path: Any, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        tell(_asked(follow=follow_symlinks), (path, dir_fd))
        return stat(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    def told_lstat(path: Any, *, dir_fd: int | None = None) -> os.stat_result:
        tell(_asked(follow=False), (path, dir_fd))
        return lstat(path, dir_fd=dir_fd)

    def told_access(path: Any, mode: int, *, dir_fd: int | None = None, **named: Any) -> bool:
        tell("status", (path, dir_fd))
        return access(path, mode, dir_fd=dir_fd, **named)

    def told_open(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is not None:
            tell("open", (_joined(path, dir_fd), None, flags))
        return open_(path, flags, mode, dir_fd=dir_fd)

    for name, function in (("stat", told_stat), ("lstat", told_lstat), ("access", told_access), ("open", told_open)):
        _replace(os, name, function)
    if readlink is not None:

        def told_readlink(path: Any, *, dir_fd: int | None = None) -> Any:
            tell("link", (path, dir_fd))
            return readlink(path, dir_fd=dir_fd)

        _replace(os, "readlink", told_readlink)


def _watch_processes(tell: Tell) -> None:
    """Tell of processes that are started past `subprocess`, as `multiprocessing` does."""
    try:
        import _posixsubprocess
    except ImportError:
        return
    original = _posixsubprocess.fork_exec

    def fork_exec(args: Any, executables: Any, *more: Any) -> int:
        # close_fds, pass_fds, cwd, env
        tell("subprocess.Popen", (executables[0], args, more[2], _mapping(more[3])))
        return original(args, executables, *more)

    _posixsubprocess.fork_exec = fork_exec


def _watch_machine(tell: Tell) -> None:
    """Tell of questions about the machine, its user and its present state."""

    def told(original: Callable[..., Any], event: str, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **named: Any) -> Any:
            tell(event, (name,))
            return original(*args, **named)

        return ask

    for event, names in (("machine", MACHINE), ("moment", _OF_THE_MOMENT)):
        for name in names:
            if hasattr(os, name):
                _replace(os, name, told(getattr(os, name), event, name))


def _mapping(env: Any) -> dict[str, str] | None:
    return None if env is None else dict(os.fsdecode(pair).split("=", 1) for pair in env)


def _replace(module: ModuleType, name: str, function: Any) -> None:
    """Put a function in the place of another, also in the tables that say what it can do."""
    original = getattr(module, name)
    if not isinstance(function, type):  # static, since a class may keep one, where a function would become a method
        function = staticmethod(functools.update_wrapper(function, original))
    for table in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in table:
            table.add(function)
    setattr(module, name, function)


def _asked(*, follow: bool) -> str:
    """What the caller of `os.stat` wants to know; "" for what changes no result."""
    frame = asking_frame()
    if frame is None:
        return "status"
    name, file = frame.f_code.co_name, frame.f_code.co_filename
    # Whether the lines that it holds are the newest, and whether a folder has new packages.
    if file == linecache.__file__ or file.startswith((_IMPORTLIB, "<frozen importlib")):
        return ""
    if file in _PATH_MODULES or file.startswith(_PATHLIB):
        if name in _KIND:
            return "kind" if follow else "link"
        if name in _LINK:
            return "link"
        if name == "getsize":
            return "size"
    return "status" if follow else "own_status"


def asked_of_folder() -> str:
    """What the caller of `os.scandir` wants to know of the files in it."""
    frame = asking_frame()
    if frame is None:
        return "entries"
    file = frame.f_code.co_filename
    walks = file.startswith(_PATHLIB) or os.path.basename(file) == "glob.py" or frame.f_code.co_name in _WALKERS  # noqa: PTH119
    return "kinds" if walks else "entries"


def asking_frame() -> FrameType | None:
    """The frame that asked, behind our own and behind a method of `pathlib` that another of its methods uses."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename in (__file__, functools.__file__, contextlib.__file__, *_OURS):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(_PATHLIB):
        outer = frame.f_back
        if outer is None or frame.f_code.co_name in _KIND | _LINK or not outer.f_code.co_filename.startswith(_PATHLIB):
            break
        frame = outer
    return frame


def _joined(path: Any, dir_fd: int) -> str:
    """A path that is counted from an open folder."""
    return os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), os.fsdecode(path))  # noqa: PTH118


def full_path(path: object, dir_fd: int | None = None) -> str | None:
    """The absolute path of what an operating system's function was given; None where that cannot be known."""
    if isinstance(path, int):
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/self/fd/{path}")
        return None
    if not isinstance(path, (str, bytes, os.PathLike)):
        return None
    return os.path.abspath(str(os.fsdecode(path)) if dir_fd is None else _joined(path, dir_fd))  # noqa: PTH100


_OURS = frozenset(str(pathlib.Path(__file__).with_name(name)) for name in ("events.py", "watch.py"))
