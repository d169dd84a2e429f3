"""Read a rendered page as its reader does, to find what the checker of the Markdown did not see.

The checker and the site parse Markdown with different parsers.
Where they disagree, a number could reach a reader unchecked, so the HTML itself is walked once more.
"""

from __future__ import annotations

import re
from collections import Counter

from drift.mkdocs import reading
from drift.mkdocs.reading import Reading
from drift.read.page import Page
from drift.read.text import prose

_INCLUDE_LINE = re.compile(r"^[ \t]*-+8<-+[ \t]*[\"'].*", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")
# What is not shown of the heads of boxes and of what other plugins fill in.
_HEAD = re.compile(r"^[ \t>]*(?:!!!|\?\?\?\+?)[ \t]+[\w -]*|^:::.*(?:\n[ \t]+.*|\n[ \t]*$)*", re.MULTILINE)
_LEFTOVER = re.compile(r"-+8<-+.*|\S*\]\((?:fact|claim):\S*")


def findings(html: str, page: Page | None) -> list[str]:
    """What is wrong with a rendered page, one sentence each; `page` is what the checker read, if it read this one."""
    read = reading.read(html)
    found = [f"an include or a quote that was not understood reaches the reader: {text}" for text in leftovers(read)]
    return found + ([*unseen(read, page), *unshown(read, page)] if page else [])


def unseen(read: Reading, page: Page) -> list[str]:
    """What a reader meets that the checker did not find in the Markdown of `page`, one sentence each."""
    known = Counter(numeral.text for numeral in page.numerals if numeral.where == "prose")
    known.update(numeral for exempt in page.exempt for numeral in prose.numerals_in(exempt.text))
    found = [
        f"a reader sees the number {numeral}, which is neither a quote nor a number that the checker found"
        for numeral in (Counter(visible_numerals(read)) - known).elements()
    ]
    known_blocks = sum(fence.is_python for fence in page.fences)
    if read.blocks != known_blocks:
        found.append(f"Python blocks: a reader sees {read.blocks}, the checker found {known_blocks}")
    return found


def unshown(read: Reading, page: Page) -> list[str]:
    """What the checker read in the Markdown of `page` and no reader meets, one sentence each.

    A sentence that is not shown was checked for nothing, and its quotes hold nothing.
    """
    aloud = "\n".join(read.aloud)
    lost = Counter(quote.target for quote in page.quotes) - Counter(read.facts)
    # In the description of a picture a quote is its own text.
    described = _words(aloud)
    silent = [quote for quote in page.quotes if lost[quote.target] and not _words(quote.text) <= described]
    lost -= Counter(quote.target for quote in page.quotes if quote not in silent)
    found = [
        f"the quote {quote.text!r} of {quote.target} was checked, and no reader sees it"
        for quote in silent
        if lost[quote.target]
    ]
    missing = _words(_HEAD.sub("", page.words)) - _words(f"{read.visible}\n{aloud}")
    while missing:
        line = max(page.words.split("\n"), key=lambda line: (_words(line) & missing).total())
        missing -= _words(line)
        found.append(f"a sentence was checked, and no reader sees all of it: {' '.join(line.split())[:100]}")
    return found


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.replace("*", "")))


def visible_numerals(read: Reading) -> list[str]:
    """Every numeral in the visible text, in order, by the rule that also finds them in the Markdown."""
    return prose.numerals_in(read.visible)


def leftovers(read: Reading) -> list[str]:
    """What should have been replaced before a reader sees it: includes that stayed text, quotes that stayed links.

    A code block may show a quote or a marker, as an output does that prints one; in a Python or text block an
    include that stayed a line of its own is one that was not understood.
    """
    found = [match[0].strip() for match in _LEFTOVER.finditer(read.outside)]
    return [*read.quotes, *found, *(match[0].strip() for match in _INCLUDE_LINE.finditer(read.included))]
