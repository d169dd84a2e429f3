"""Describe the exception that ended a snippet, in the snippet's own terms."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Any

from drift.facts import FactError, UnmetNeedError
from drift.read.snippet import Snippet

FRAMES_SHOWN = 6
HERE = str(Path(__file__).parents[1]) + os.sep


def describe(error: BaseException, snippet: Snippet, root: Path) -> dict[str, Any]:
    """What is known about an exception, as plain JSON values.

    Returns:
        `kind` (`exit`, `fact`, `unmet` or `raise`), `line` in the snippet (0: unknown), `message`, `code` of an exit,
        `trace`, and `source`, the place in another file of the project where it was raised, if it was.
    """
    path = str(snippet.path)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _checker(frame)]
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == path), None)
    if line is None and isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    told = {"kind": "raise", "line": line or 0, "message": message(error), "code": "", "trace": "", "source": None}
    if isinstance(error, UnmetNeedError):
        return {**told, "kind": "unmet", "message": error.reason}
    if isinstance(error, SystemExit):
        return {**told, "kind": "exit", "code": repr(error.code)}
    if isinstance(error, FactError):
        return {**told, "kind": "fact", "message": str(error)}
    inner = next((frame for frame in reversed(frames) if own(frame.filename, root)), None)
    if inner is not None and inner.filename != path:
        told["source"] = [_relative(inner.filename, root), inner.lineno]
    return {**told, "trace": "\n".join(short_trace(error, frames, root))}


def message(error: BaseException) -> str:
    """`Type: text` of an exception, one line."""
    if isinstance(error, SyntaxError):  # formatted, it begins with its place
        return f"{type(error).__name__}: {error.msg}"
    return traceback.format_exception_only(error)[0].strip().split("\n")[0]


def short_trace(error: BaseException, frames: list[traceback.FrameSummary], root: Path) -> list[str]:
    """The frames of the project's own files, how many others lie between, and what it was raised from."""
    lines: list[str] = []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        lines += [message(cause), "which led to:"]
    shown = [n for n, frame in enumerate(frames) if own(frame.filename, root)]
    if len(shown) > 2 * FRAMES_SHOWN:
        shown = [*shown[:FRAMES_SHOWN], *shown[-FRAMES_SHOWN:]]
    last = -1
    for n in [*shown, len(frames)]:
        if n - last > 1:
            between = frames[n - 1]
            tail = f", the last {os.path.basename(between.filename)}:{between.lineno}"  # noqa: PTH119
            lines.append(f"  ... {n - last - 1} more{tail}")
        if n < len(frames):
            frame = frames[n]
            lines.append(f"  {_relative(frame.filename, root)}:{frame.lineno} in {frame.name}")
            lines.append(f"    {frame.line}")
        last = n
    return [*lines, "".join(traceback.format_exception_only(error)).strip()]


def own(filename: str, root: Path) -> bool:
    """Whether a file belongs to the project, as opposed to a package installed below its folder."""
    return filename.startswith(str(root) + os.sep) and "site-packages" not in filename


def _checker(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith(HERE)


def _relative(filename: str, root: Path) -> str:
    return filename.removeprefix(str(root) + os.sep).replace(os.sep, "/")
