"""Read a rendered page as its reader does, to find what the checker of the Markdown did not see.

The checker and the site parse Markdown with different parsers.
Where they disagree, a number could reach a reader unchecked, so the HTML itself is walked once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from drift.read import fences
from drift.read.page import Page
from drift.read.text import prose

VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "label", "mark"),
        *("q", "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr"),
    )
)
UNREAD_TAGS = frozenset({"code", "pre", "math", "svg", "script", "style"})
# Made by a renderer or bound already; whatever else carries text is the author's and is read.
# `doc` holds docstrings: they belong to the code they describe, and change with it.
UNREAD_CLASSES = frozenset(
    ("headerlink", "drift-fact", "drift-source", "arithmatex", "doc", "footnote-ref", "footnote-backref")
)
INCLUDED = frozenset((*fences.PYTHON, "text"))

_INCLUDE_LINE = re.compile(r"^[ \t]*-+8<-+[ \t]*[\"'].*", re.MULTILINE)
_LEFTOVER = re.compile(r"-+8<-+.*|\S*\]\(fact:\S*")


@dataclass
class _Reader(HTMLParser):
    """Feeds every piece of text to `on_text` together with the elements that are open around it."""

    on_text: Callable[[str, list[_Element]], None]
    on_start: Callable[[_Element, list[_Element]], None] = lambda *_: None
    open: list[_Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = _Element(tag, {name: value or "" for name, value in attrs})
        self.on_start(element, self.open)
        if tag not in INLINE:
            self.on_text("\n", self.open)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self.open):
            while self.open.pop().tag != tag:
                pass
        if tag not in INLINE:
            self.on_text("\n", self.open)

    def handle_data(self, data: str) -> None:
        self.on_text(data, self.open)


@dataclass(frozen=True)
class _Element:
    tag: str
    attributes: dict[str, str]

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def is_unread(self) -> bool:
        """Made by a renderer, or bound already."""
        return not self.classes.isdisjoint(UNREAD_CLASSES)

    @property
    def languages(self) -> set[str]:
        """The language that a highlighted block names in its classes."""
        if "highlight" not in self.classes:
            return set()
        return {name.removeprefix("language-") for name in self.classes if name.startswith("language-")}


def findings(html: str, page: Page | None) -> list[str]:
    """What is wrong with a rendered page, one sentence each; `page` is what the checker read, if it read this one."""
    found = [f"an include or a quote that was not understood reaches the reader: {text}" for text in leftovers(html)]
    return found + (unseen(html, page) if page else [])


def unseen(html: str, page: Page) -> list[str]:
    """What a reader of `html` meets that the checker did not find in the Markdown of `page`, one sentence each."""
    known = Counter(numeral.text for numeral in page.numerals if numeral.where == "prose")
    known.update(numeral for text in page.exempt for numeral in prose.numerals_in(text))
    found = [
        f"a reader sees the number {numeral}, which is neither a quote nor a number that the checker found"
        for numeral in (Counter(visible_numerals(html)) - known).elements()
    ]
    shown, known_blocks = python_blocks(html), sum(fence.is_python for fence in page.fences)
    if shown != known_blocks:
        found.append(f"Python blocks: a reader sees {shown}, the checker found {known_blocks}")
    return found


def visible_text(html: str) -> str:
    """The text a reader sees as prose: no code, math, drawings, or what the site itself adds.

    A skipped element leaves a space, and the end of a block a line break, so that words do not run together.
    """
    parts: list[str] = []

    def keep(text: str, around: list[_Element]) -> None:
        parts.append(" " if any(element.is_unread or element.tag in UNREAD_TAGS for element in around) else text)

    _read(html, keep)
    return "".join(parts)


def visible_numerals(html: str) -> list[str]:
    """Every numeral in the visible text, in order, by the rule that also finds them in the Markdown."""
    return prose.numerals_in(visible_text(html))


def python_blocks(html: str) -> int:
    """How many highlighted Python blocks the page shows."""
    blocks = 0

    def count(element: _Element, around: list[_Element]) -> None:
        nonlocal blocks
        unread = any(outer.is_unread for outer in around)
        blocks += not unread and not element.languages.isdisjoint(fences.PYTHON)

    _read(html, lambda *_: None, count)
    return blocks


def leftovers(html: str) -> list[str]:
    """What should have been replaced before a reader sees it: includes that stayed text, quotes that stayed links.

    A code block may show a quote or a marker, as an output does that prints one; in a Python or text block an
    include that stayed a line of its own is one that was not understood.
    """
    found: list[str] = []
    parts: list[str] = []
    blocks: list[str] = []

    def check_link(element: _Element, _: list[_Element]) -> None:
        for name in ("href", "src"):
            if element.attributes.get(name, "").startswith("fact:"):
                found.append(f"{element.tag} {name}={element.attributes[name]!r}")
        if "](fact:" in element.attributes.get("alt", ""):
            found.append(f"alt text {element.attributes['alt']!r}")

    def keep(text: str, around: list[_Element]) -> None:
        languages = set().union(*(element.languages for element in around))
        in_code = any(e.tag in ("code", "pre") for e in around)
        parts.append("\n" if in_code else text)
        blocks.append(text if in_code and not languages.isdisjoint(INCLUDED) else "\n")

    _read(html, keep, check_link)
    found += [match[0].strip() for match in _LEFTOVER.finditer("".join(parts))]
    return found + [match[0].strip() for match in _INCLUDE_LINE.finditer("".join(blocks))]


def _read(
    html: str,
    on_text: Callable[[str, list[_Element]], None],
    on_start: Callable[[_Element, list[_Element]], None] = lambda *_: None,
) -> None:
    reader = _Reader(on_text, on_start)
    reader.feed(html)
    reader.close()
