"""A text in which regions are blanked one after another; offsets and line numbers stay those of the original."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable


class Mask:
    """What is left to be read as prose (`text`), and all of it (`original`).

    A carriage return counts as a space from the start, so that no pattern has to know two kinds of line ends.
    """

    def __init__(self, text: str) -> None:
        self.original = text
        self.text = text.replace("\r", " ")
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def blank(self, spans: Iterable[tuple[int, int]]) -> None:
        """Overwrite regions with spaces; line breaks stay."""
        self.overwrite((start, spaces(self.text[start:end])) for start, end in spans)

    def blank_all(self, pattern: re.Pattern[str]) -> None:
        """Blank everything that a pattern matches."""
        self.blank(match.span() for match in pattern.finditer(self.text))

    def overwrite(self, edits: Iterable[tuple[int, str]]) -> None:
        """Put texts at offsets; of two that overlap, the later one loses the part that the earlier one covers."""
        parts, last = [], 0
        for start, new in sorted(edits):
            skipped = max(0, last - start)
            if skipped < len(new):
                parts += [self.text[last : start + skipped], new[skipped:]]
                last = start + len(new)
        self.text = "".join(parts) + self.text[last:]

    def line(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect.bisect_left(self._newlines, offset) + 1


def spaces(text: str) -> str:
    """As many spaces as `text` is long, with its line breaks."""
    return re.sub(r"[^\n]", " ", text)
