"""Divide the prose of a page into sentences, and say of each whether a quote or a claim binds something in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drift.read.text.mask import Mask

# A mark that ends a sentence, what may close behind it, and a beginning. `e.g.` and `Fig.` are followed by more.
_END = re.compile(r"[.!?][\"'”’)\]*_]*(?=\s+[\"'“‘(\[*_`$]*[^\W\d_a-z])|[.!?][\"'”’)\]*_]*(?=\s*\n)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|et al|Fig|Eq|Sec|No|approx|resp))\.\Z")
_MARKS = re.compile(r"\A(?:#{1,6} |> |[-*+] |\d+[.)] )+")
_INK = re.compile(r"\S")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")


@dataclass(frozen=True)
class Sentence:
    """One sentence, heading or cell.

    Attributes:
        text: as a reader sees it, on one line.
        words: the same without code, formulas and what quotes bind.
        line: where it begins.
        bound: whether a quote or a claim stands in it.
    """

    text: str
    words: str
    line: int
    bound: bool


def find(mask: Mask, stretches: Iterable[tuple[int, int]], bound: Iterable[int]) -> Iterator[Sentence]:
    """The sentences of a page.

    Args:
        mask: the page, with all blanked that is no prose.
        stretches: its blocks, which no sentence leaves.
        bound: offsets of its quotes and claims.
    """
    places = sorted(bound)
    for begin, stop in stretches:
        for start, end in _divided(mask.text, begin, stop):
            words = " ".join(mask.text[start:end].split())
            if re.search(r"[^\W\d_]", words):
                here = any(start <= place < end for place in places)
                yield Sentence(_shown(mask.original[start:end]), words, mask.line(_first(mask.text, start)), here)


def _divided(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    start = begin
    for match in _END.finditer(text, begin, stop):
        if not _ABBREVIATION.search(text, start, match.start() + 1):
            yield start, match.end()
            start = match.end()
    yield start, stop


def _first(text: str, start: int) -> int:
    """The offset of the first character that is no space."""
    found = _INK.search(text, start)
    return found.start() if found else start


def _shown(text: str) -> str:
    return _MARKS.sub("", " ".join(_LINK.sub(r"\1", text).split()))
