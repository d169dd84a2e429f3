"""Quotes in Markdown: `[0.9321](fact:scaling/saturation.raw_512.top)` becomes a link to the fact it names.

So does a claim, `[nearly all weight](claim:scaling/saturation.raw_512.top)`, with a quieter mark.

It is an inline pattern that runs before links and images are parsed.
In the alt text of an image a quote therefore turns into its own text, which is all that an attribute can hold.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from drift.facts import Fact, Value
from drift.read.text.prose import QUOTE

# After escapes (180) and inline code (190), before links (160) and images (150).
PRIORITY = 175


@dataclass(frozen=True)
class Target:
    """Where a quote leads and what its tooltip says.

    Attributes:
        href: the fact's row on the snippet's page, relative to the page that quotes.
        fact: value and tolerance.
        ref: the fact as the author names it (`scaling/saturation.raw_512.top`).
        file, line: the code that states it, relative to the project's root.
        expected: what the quote should say, where it says something else and that is to be seen; else "".
        claim: of a claim, the comparison as the code writes it; None for a quote.
    """

    href: str
    fact: Fact
    ref: str
    file: str
    line: int
    expected: str = ""
    claim: str | None = None


def shown(value: Value) -> str:
    """A fact's value for a reader: seven significant digits, what float32 resolves; whole numbers in groups."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.7g}" if isinstance(value, float) else f"{value:,}"


def tolerance(fact: Fact) -> str:
    """How near a fresh run has to come: by `drift.compare.agree`, in a reader's words."""
    if fact.tol is not None:
        return f"± {fact.tol:g}"
    return "to one part in a million" if isinstance(fact.value, float) else "exact"


def element(text: str, target: Target) -> ET.Element:
    """The link that stands for a quote; scripts read its data attributes, without scripts it is a plain link."""
    link = ET.Element("a")
    link.text = text
    kind = "drift-fact" if target.claim is None else "drift-claim"
    link.set("class", kind)
    link.set("href", target.href)
    link.set("data-fact", target.ref)
    link.set("data-value", shown(target.fact.value))
    link.set("data-tolerance", tolerance(target.fact))
    link.set("data-source", f"{target.file}, line {target.line}" if target.line else target.file)
    if target.claim:
        link.set("data-claim", target.claim)
    if target.expected:
        link.set("class", f"{kind} drift-wrong")
        link.set("data-expected", target.expected)
    return link


Resolve = Callable[[re.Match[str]], Target | None]


class QuoteExtension(Extension):
    """Registers the pattern.

    `resolve` is given a quote as its pattern found it.
    It gives the target, or None after reporting that there is none.
    """

    def __init__(self, resolve: Resolve) -> None:
        super().__init__()
        self.resolve = resolve

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Python-Markdown's)
        """Called by Python-Markdown once a page."""
        md.inlinePatterns.register(_QuoteProcessor(QUOTE.pattern, md, self.resolve), "drift-quote", PRIORITY)


class _QuoteProcessor(InlineProcessor):
    def __init__(self, pattern: str, md: Markdown, resolve: Resolve) -> None:
        super().__init__(pattern, md)
        self.resolve = resolve

    def handleMatch(  # type: ignore[override]  # noqa: N802 (the name is Python-Markdown's)
        self,
        m: re.Match[str],
        data: str,  # noqa: ARG002
    ) -> tuple[ET.Element | str, int, int]:
        target = self.resolve(m)
        found = m["text"] if target is None else element(m["text"], target)
        return found, m.start(0), m.end(0)
