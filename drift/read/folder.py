"""Walk a folder whatever lies in it: links in circles, links to nothing, folders named like files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drift.problem import Place, Problem


@dataclass(frozen=True)
class Found:
    """The regular files below a folder, in the order of their paths, and what else is there that would be lost."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]


def walk(root: Path, folder: Path, *, hidden: bool = False) -> Found:
    """Every file below `folder`, without hidden ones; places are named from `root`.

    A folder that is a link is not entered but reported: MkDocs enters it, and so would publish what nobody read.
    """
    files: list[Path] = []
    problems: list[Problem] = []
    for path, wrong in _entries(folder, hidden):
        if wrong is None:
            files.append(path)
        else:
            problems.append(Problem(Place(named(root, path)), *wrong))
    return Found(tuple(sorted(files)), tuple(sorted(problems)))


def named(root: Path, path: Path) -> str:
    """`path` from the project's root, as it is written: no link on the way is followed."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def read(path: Path, file: str) -> tuple[str, Problem | None]:
    """A file's text with the line ends it has, or why it has none."""
    try:
        return path.read_bytes().decode("utf-8"), None
    except UnicodeDecodeError as error:
        return "", Problem(
            Place(file), f"not UTF-8: {error.reason} at byte {error.start}", fix="save the file as UTF-8"
        )
    except OSError as error:
        return "", Problem(Place(file), f"cannot be read: {error.strerror}")


def _entries(folder: Path, hidden: bool) -> Iterator[tuple[Path, tuple[str, str] | None]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield folder, (f"a folder that cannot be read: {error.strerror}", "a folder that can")
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") and not hidden:
            continue
        if entry.is_symlink() and not is_file(path):
            wrong = "a link to a folder, whose files nobody checks" if _is_folder(path) else "a link to nothing"
            yield path, (wrong, "a file or folder of its own")
        elif entry.is_dir(follow_symlinks=False):
            yield from _entries(path, hidden)
        elif entry.is_file():
            yield path, None


def is_file(path: Path) -> bool:
    """Whether a path leads to a file; one that is too long, or a link in a circle, leads to none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
