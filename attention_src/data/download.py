"""Fetch one file, and keep it only if it is the file that was meant."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

CHUNK = 64 * 1024
PATIENCE = 30
"""Seconds that a server may stay silent."""


def fetch(address: str, path: Path, sha256: str, size: int, tell: Callable[[int], None]) -> None:
    """Download a file of which the content is known.

    It appears at `path` as a whole or not at all.

    Args:
        address: Where it is.
        path: Where it goes; missing folders are made.
        sha256: The hash of its content.
        size: Its length in bytes; a longer answer is not read to its end.
        tell: Called with the number of bytes received so far.

    Raises:
        OSError: The address cannot be reached, or the file not be written.
        ValueError: What came has another length or another hash.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        received, found = _receive(address, draft, size, tell)
        if received != size:
            more = " or more" if received > size else ""
            raise ValueError(f"{address}: expected {size:,} bytes, got {received:,}{more}; nothing was kept")
        if found != sha256:
            raise ValueError(f"{address}: expected sha256 {sha256}, got {found}; nothing was kept")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _receive(address: str, draft: Path, size: int, tell: Callable[[int], None]) -> tuple[int, str]:
    """Write what comes to `draft`; give its length and its hash."""
    received, hashed = 0, hashlib.sha256()
    with draft.open("wb") as file:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                while received <= size and (chunk := answer.read(CHUNK)):
                    file.write(chunk)
                    hashed.update(chunk)
                    received += len(chunk)
                    tell(received)
        except urllib.error.URLError as error:
            raise OSError(f"{address}: cannot be reached: {error.reason}") from None
        except TimeoutError:
            raise OSError(f"{address}: no answer for {PATIENCE} s") from None
        file.flush()
        os.fsync(file.fileno())
    return received, hashed.hexdigest()
