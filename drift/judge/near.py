"""What a page shows near a number: outputs and code of the same section, and whatever the page binds or declares.

A section goes from a heading of the first two levels to the next.
What a quote binds anywhere on the page holds for all of it, as a reader expects of a size that was named once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from drift.judge.values import NUMBER
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text import number_words
from drift.read.text.prose import Numeral

_WHOLE = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.0+)?(?![\w]|\.\d)")


@dataclass
class _Numbers:
    """Numbers as they are written, and whole numbers by value."""

    texts: set[str] = field(default_factory=set)
    wholes: set[int] = field(default_factory=set)

    def add(self, text: str) -> None:
        self.texts.update(found.replace("−", "-") for found in NUMBER.findall(text))
        for match in _WHOLE.finditer(text):
            self.wholes.add(int(re.sub(r"\.0+\Z|[,_]", "", match.group())))


class Near:
    """The numbers that a page shows and binds."""

    def __init__(self, site: Site, page: Page) -> None:
        self._starts = page.sections
        self._outputs = [_Numbers() for _ in range(len(page.sections) + 1)]
        self._code = [_Numbers() for _ in range(len(page.sections) + 1)]
        self._bound = _Numbers()
        self._shown(site, page)
        for quote in page.quotes:
            stem, name = split_target(quote.target)
            fact = site.records[stem].facts.get(name) if stem in site.records else None
            if quote.claim:
                continue
            self._bound.add(quote.text)
            if fact is not None and not isinstance(fact.value, (bool, str)) and fact.value == int(fact.value):
                self._bound.wholes.add(int(fact.value))

    def holds(self, numeral: Numeral) -> bool:
        """Whether a number of code, a formula or in words stands near it, or is bound somewhere on the page."""
        section = bisect_right(self._starts, numeral.line)
        outputs, code = self._outputs[section], self._code[section]
        if (whole := value(numeral)) is not None:
            return any(whole in found.wholes for found in (outputs, code, self._bound))
        shown = (outputs, self._bound, code) if numeral.where == "code" else (outputs, self._bound)
        return any(numeral.text in found.texts for found in shown)

    def _shown(self, site: Site, page: Page) -> None:
        """All recorded outputs that the page shows, and all code."""
        for fence, include in page.shown():
            stem, _, kind = include.path.rpartition(".")
            if stem not in site.snippets or fence.notest is not None:
                continue
            number = bisect_right(self._starts, include.line)
            section = site.snippets[stem].section(include.section)
            if kind == "out" or page.notebook:
                self._outputs[number].add(site.records[stem].outputs.get(include.section, ""))
            if kind == "py" and section is not None:
                self._code[number].add(site.snippets[stem].code(section))


def value(numeral: Numeral) -> int | None:
    """The value of a whole number, in digits or words; None for a decimal."""
    if numeral.where == "word":
        return number_words.value(numeral.text)
    digits = re.sub(r"[_,{}]", "", numeral.text)
    return int(digits) if digits.isascii() and digits.isdigit() else None
