"""Send what a process prints to files, and note how far the files had grown at each border.

Descriptors are redirected, not `sys.stdout`, so that what C code and other programs print is seen too.
Files, not pipes: a process that is left behind and holds one open cannot make a reader wait.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any

_PLACE = struct.Struct("ii")


class Capture:
    """The two files that descriptors 1 and 2 of this process lead to.

    Everything works by path: the snippet may close or replace any descriptor.
    """

    def __init__(self, stdout: Path, stderr: Path) -> None:
        self.paths = (stdout, stderr)
        self.streams = (sys.stdout, sys.stderr)

    def begin(self) -> None:
        """Redirect from here on; lines are written as they end, as on a terminal."""
        for descriptor, path in zip((1, 2), self.paths, strict=True):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(handle, descriptor, inheritable=True)
            os.close(handle)
        for stream, errors in zip(self.streams, ("strict", "backslashreplace"), strict=True):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8", line_buffering=True, errors=errors)

    def sizes(self) -> tuple[int, int]:
        """How much has been printed up to now: bytes on stdout and on stderr."""
        self.flush()
        return self.paths[0].stat().st_size, self.paths[1].stat().st_size

    def flush(self) -> None:
        """Push out what Python and C hold back; streams that the snippet closed hold nothing."""
        for stream in (*self.streams, sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (ValueError, OSError, AttributeError):
                continue
        if _C_LIBRARY is not None:
            _C_LIBRARY.fflush(None)


class PlaceFile:
    """Which statement a run has got to, readable by another process even if this one hangs or dies."""

    def __init__(self, path: Path) -> None:
        # A mapping stays when the snippet closes every descriptor.
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), _PLACE.size)
        self.owner = os.getpid()

    def set(self, statement: int, line: int) -> None:
        """Say that a statement begins; it stands on `line`."""
        if os.getpid() == self.owner:  # a process that the snippet forked shares the mapping
            _PLACE.pack_into(self.memory, 0, statement, line)

    @staticmethod
    def create(path: Path) -> None:
        """Make the file, at the place before the first statement."""
        path.write_bytes(_PLACE.pack(-1, 0))

    @staticmethod
    def read(path: Path) -> tuple[int, int]:
        """The number of the statement (-1: none yet) and its line."""
        statement, line = _PLACE.unpack(path.read_bytes())
        return statement, line


def _c_library() -> Any:
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no handle for the whole program
        return None


_C_LIBRARY = _c_library()
