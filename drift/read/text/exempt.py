"""Numerals that need no fact: numbers of list items, headings and parts, years of citations, versions, dimensions.

Each rule asks for the whole shape, so that a number which only resembles one stays a number.
"""

from __future__ import annotations

import re

from drift.read.text import blocks
from drift.read.text.blocks import Line
from drift.read.text.mask import Mask

_HEADING_NUMBER = re.compile(
    r"^#{1,6}[ \t]+(?P<number>[1-9]\d?(?:\.[1-9]\d?)*)(?:[.)](?=[ \t])|(?=[ \t]+[\"“*_]*[A-Z]))", re.MULTILINE
)
_YEAR = r"(?P<number>19\d\d|20[0-3]\d)(?=[a-z]?\s*[;,.)])"
_ANY_YEAR = re.compile(_YEAR)
_NAME = r"[A-Z][\w’'-]+"
_AUTHORS = rf"{_NAME}(?:\s+et\s+al\.?|(?:,\s+{_NAME})*,?\s+(?:and|&)\s+{_NAME})"
_CITED_YEAR = re.compile(
    # (Vaswani et al., 2017), Vaswani et al. (2017), Vaswani et al., 2017, Bahdanau, Cho and Bengio (2014)
    rf"\b{_AUTHORS}(?:[’']s)?,?\s+\(?{_YEAR}"
    # (Vaswani, 2017; Shazeer, 2019), Shazeer (2019)
    rf"|(?<=[(;])\s?{_NAME},?\s+{_YEAR.replace('number', 'alone')}|\b{_NAME}\s+\({_YEAR.replace('number', 'behind')}"
)
_VERSION = re.compile(
    r"(?<![\w.])v?(?P<number>\d{1,4}(?:\.(?:0|[1-9]\d?)){2,})(?:(?:\+|\.?(?:dev|rc|post|a|b))\w+)?(?![\w%]|\.\d)"
    r"|(?<!\w)(?i:python|(?:py)?torch|numpy|mkdocs|matplotlib|chromium|version|release)\s+v?"
    r"(?P<named>[1-9]\d*\.(?:0|[1-9]\d?))(?![\w%]|\.\d|\s*%)"
    r"|\bPython\s+(?P<python>3)(?![\w%.]|\s*%)|\bCC[ -]BY(?:-[A-Z]{2})*[ -](?P<licence>[1-4]\.0)(?![\w%]|\.\d)"
)
# The name of a part of the site.
_PART = re.compile(r"\b(?:Chapter|Lab|Part)[ \t]+(?P<number>[1-9]\d?)(?![\w%]|[.,]\d|\s*%)")
# One-dimensional and so on: a name, not a count.
_DIMENSION = re.compile(r"(?<![\w.,-])(?P<number>[0-9])-?D\b")


def blank(mask: Mask, found: list[Line]) -> list[str]:
    """Blank the numerals that need nothing; give their texts."""
    spans = blocks.list_numbers(found)
    if _ANY_YEAR.search(mask.text):
        spans += _spans(_CITED_YEAR, mask)
    for pattern in (_HEADING_NUMBER, _VERSION, _DIMENSION, _PART):
        spans += _spans(pattern, mask)
    exempt = [mask.text[start:end] for start, end in sorted(spans) if mask.text[start:end].strip()]
    mask.blank(spans)
    return exempt


def _spans(pattern: re.Pattern[str], mask: Mask) -> list[tuple[int, int]]:
    """Where the named groups of a pattern matched."""
    found = pattern.finditer(mask.text)
    return [match.span(name) for match in found for name, text in match.groupdict().items() if text]
