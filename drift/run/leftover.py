"""Find what an earlier check or a run left behind: folders of a check that was killed, processes that ran away."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

from drift.run import watch

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "drift-"
LOCK = "in-use"


def new_folder() -> tuple[Path, int | None]:
    """A folder for one check, after removing those of checks that were killed; and what holds it."""
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
    if fcntl is None:
        return folder, None
    # Named only when it is held, since another check looks for folders that nobody holds.
    draft = folder / f"{LOCK}.new"
    handle = os.open(draft, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    draft.rename(folder / LOCK)
    return folder, handle


def remove_abandoned(place: Path) -> None:
    """Remove the folders in `place` that no check holds any more."""
    for folder in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if fcntl is None or not (folder / LOCK).is_file():
                continue
            handle = os.open(folder / LOCK, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its check lives
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


def kill_in(folder: Path) -> None:
    """End the processes that work or print in a run's folder, whatever session they are in; Linux only."""
    with watch.quiet():  # a check within a run is watched, and what processes there are is no input of it
        for pid in processes_in(folder):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def processes_in(folder: Path) -> Iterator[int]:
    """The processes whose current folder or output lies in `folder`."""
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        for name in ("cwd", "fd/1", "fd/2"):
            with contextlib.suppress(OSError):
                if os.readlink(process / name).startswith(f"{folder}/"):  # noqa: PTH115
                    yield int(process.name)
                    break
