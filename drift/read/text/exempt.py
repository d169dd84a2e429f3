"""Numerals that need no fact: the counts of lists and headings, years and sections of cited sources, licences.

Each rule asks for the whole shape and for what makes the number true: a count begins at one and leaves nothing out,
and a year belongs to a source that the page links to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drift.read.text import blocks
from drift.read.text.blocks import Line
from drift.read.text.mask import Mask

Span = tuple[int, int]


class Exempt(NamedTuple):
    """A numeral that needs nothing, and what it is."""

    text: str
    what: str


_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<number>[1-9]\d?(?:\.[1-9]\d?)*)[.)](?=[ \t])", re.MULTILINE)
_YEAR = r"(?P<number>(?:1[89]\d\d|20[0-3]\d))(?=[a-z]?\s*[];,.)])"
_ANY_YEAR = re.compile(_YEAR)
_NAME = r"[A-Z][\w’'-]+"
_AUTHORS = rf"(?:{_NAME}(?:\s+et\s+al\.?|(?:,\s+{_NAME})*,?\s+(?:and|&)\s+{_NAME}))"
_CITATION = re.compile(
    # (Vaswani et al., 2017), Vaswani et al. (2017), Vaswani et al., 2017, Bahdanau, Cho and Bengio (2014)
    rf"\b(?P<authors>{_AUTHORS})(?:[’']s)?,?\s+\(?{_YEAR}"
    # (Vaswani, 2017; Shazeer, 2019), Shazeer (2019)
    rf"|(?<=[(;\[])\s?(?P<author>{_NAME}),?\s+{_YEAR.replace('number', 'alone')}"
    rf"|\b(?P<one>{_NAME})\s+\({_YEAR.replace('number', 'behind')}"
)
# The title of a source, a link or in quotation marks, stands directly behind its year; or the citation is the link.
_TITLE = re.compile(r"[a-z]?(?:[),.:]{0,2}\s+(?:\[(?!\^)|[\"“*])|\)?\]\(https?://)")
_PLACE = r"\d{1,2}(?:\.\d{1,2})+"
_SECTION = re.compile(
    rf"\b[Ss]ections?\s+(?P<number>{_PLACE})(?:(?:,|,?\s+and|\s*–)\s*(?P<second>{_PLACE}))?(?![\w%]|\.\d|\s*%)"
)
_LICENCE = re.compile(r"\bCC[ -]BY(?:-[A-Z]{2})*[ -](?P<number>[1-4]\.0)(?![\w%]|\.\d)")
_WEB = re.compile(r"https?://")


def blank(mask: Mask, found: list[Line]) -> list[Exempt]:
    """Blank the numerals that need nothing; give them in the order of the page."""
    years = list(_cited_years(mask)) if _ANY_YEAR.search(mask.text) else []
    sorts = {
        "count of a list": blocks.list_numbers(found),
        "count of a heading": _heading_numbers(mask.text),
        "year of a cited source": years,
        "section of a cited source": _sections(mask, years),
        "version of a licence": (match.span("number") for match in _LICENCE.finditer(mask.text)),
    }
    spans = sorted((span, what) for what, places in sorts.items() for span in places)
    exempt = [Exempt(mask.text[start:end], what) for (start, end), what in spans if mask.text[start:end].strip()]
    mask.blank(span for span, _ in spans)
    return exempt


def _heading_numbers(text: str) -> Iterator[Span]:
    """The numbers of headings that count: each follows the one before, with one part more, as many, or fewer."""
    last: tuple[int, ...] = (0,)
    for match in _HEADING.finditer(text):
        number = tuple(map(int, match["number"].split(".")))
        if number in ((*last, 1), *((*last[:end], last[end] + 1) for end in range(len(last)))):
            yield match.span("number")
            last = number


def _cited_years(mask: Mask) -> Iterator[Span]:
    """The years of citations whose source the page names with its title."""
    found = []
    sources = set()
    for match in _CITATION.finditer(mask.text):
        group = next(name for name in ("number", "alone", "behind") if match[name])
        key = (match["authors"] or match["author"] or match["one"]).split()[0].strip(","), match[group]
        found.append((key, match.span(group)))
        if _TITLE.match(mask.original, match.end(group)):
            sources.add(key)
    return (span for key, span in found if key in sources)


def _sections(mask: Mask, years: list[Span]) -> Iterator[Span]:
    """The numbers of sections in a line that cites or links the source which has them."""
    for match in _SECTION.finditer(mask.text):
        start = mask.text.rfind("\n", 0, match.start()) + 1
        end = mask.text.find("\n", match.end())
        end = len(mask.text) if end < 0 else end
        if _WEB.search(mask.original, start, end) or any(start <= year < end for year, _ in years):
            yield from (match.span(name) for name in ("number", "second") if match[name])
