"""What the checker reports: one finding, with its place and the way out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Place:
    """A file, relative to the project's root, and a line counted from 1 (0: the file as a whole)."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, order=True)
class Problem:
    """One finding.

    Attributes:
        place: where the author has to look first.
        message: what is wrong, in one sentence.
        expected, got: the two values that disagree; they may span lines.
        source: the other end, when there is one (the snippet behind a quote).
        fix: the command or the edit that resolves it.
    """

    place: Place
    message: str
    expected: str | None = None
    got: str | None = None
    source: Place | None = None
    fix: str | None = None
