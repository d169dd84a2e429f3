"""One walk through the HTML of a page that collects all that the audit asks of it.

The walk is one regular expression, since a parser in Python takes longer than Markdown took to make the page.
What it does not take for a tag or a comment is text, so a construct that it does not know is read and not skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Literal, NamedTuple

from drift.read import fences

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
ALOUD = ("alt", "title", "aria-label")

# Quotes hide a `>` only as the value of an attribute. Possessive, so that a tag that never ends costs no second look.
_INSIDE = r"""(?>=\s*"[^"]*"|=\s*'[^']*'|[^>])*+"""
_MARKUP = re.compile(
    rf"""<(?:
        !--.*?--!?>
      | (?P<raw>script|style)(?=[\s/>]){_INSIDE}>.*?</(?P=raw)\s*>
      | (?P<close>/?)(?P<tag>[a-z][^\s/>]*)(?P<attributes>{_INSIDE})>
      | [!?][^>]*>
    )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?""")


class Piece(NamedTuple):
    """A stretch of text, or a tag, with its place; an element without content (`br`) opens nothing."""

    kind: Literal["text", "open", "close", "empty"]
    start: int
    end: int
    tag: str = ""
    attributes: str = ""


@dataclass
class Reading:
    """What one walk found.

    Attributes:
        visible: the text that a reader sees as prose. A skipped element leaves a space, and the end of a block a
            line break, so that words do not run together.
        outside: the text outside code; code leaves a line break.
        included: the text of the blocks in which includes are replaced.
        blocks: how many highlighted Python blocks the page shows.
        quotes: attributes in which a quote stayed what it was.
        facts: what quotes lead to, as the author named it.
        aloud: attributes that are read aloud or shown when pointed at.
    """

    visible: str = ""
    outside: str = ""
    included: str = ""
    blocks: int = 0
    quotes: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    aloud: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Attributes:
    """What the audit wants to know of an element's attributes."""

    classes: frozenset[str]
    unread: bool
    python: bool
    included: bool
    quotes: tuple[tuple[str, str], ...]
    fact: str
    aloud: tuple[str, ...]


@dataclass
class _Open:
    """The elements that are open, and how many of them are of each kind that matters."""

    stack: list[tuple[str, bool, bool, bool, bool]] = field(default_factory=list)
    hidden: int = 0
    unread: int = 0
    code: int = 0
    included: int = 0

    def push(self, tag: str, attributes: _Attributes) -> None:
        kinds = (attributes.unread or tag in UNREAD_TAGS, attributes.unread, tag in ("code", "pre"))
        self.stack.append((tag, *kinds, attributes.included))
        self._count(self.stack[-1], 1)

    def close(self, tag: str) -> None:
        """Close an element and all that were left open in it; one that is not open closes nothing."""
        if any(element[0] == tag for element in self.stack):
            while True:
                element = self.stack.pop()
                self._count(element, -1)
                if element[0] == tag:
                    return

    def _count(self, element: tuple[str, bool, bool, bool, bool], by: int) -> None:
        _, hidden, unread, code, included = element
        self.hidden += by * hidden
        self.unread += by * unread
        self.code += by * code
        self.included += by * included


def pieces(html: str) -> Iterator[Piece]:
    """The HTML in order; comments, scripts and styles are left out."""
    done = 0
    for match in _MARKUP.finditer(html):
        if match.start() > done:
            yield Piece("text", done, match.start())
        done = match.end()
        if match["tag"] is not None:
            tag, attributes = match["tag"].lower(), match["attributes"]
            empty = tag in VOID or attributes.endswith("/")
            kind: Literal["open", "close", "empty"] = "close" if match["close"] else "empty" if empty else "open"
            yield Piece(kind, match.start(), done, tag, attributes)
    if done < len(html):
        yield Piece("text", done, len(html))


def classes(attributes: str) -> frozenset[str]:
    """The classes that a tag's attributes give it."""
    return _attributes(attributes).classes


def read(html: str) -> Reading:
    """Walk through the HTML of a page once."""
    found = Reading()
    around = _Open()
    visible: list[str] = []
    outside: list[str] = []
    included: list[str] = []

    def text(said: str) -> None:
        visible.append(" " if around.hidden else said)
        outside.append("\n" if around.code else said)
        included.append(said if around.code and around.included else "\n")

    for piece in pieces(html):
        if piece.kind == "text":
            text(unescape(html[piece.start : piece.end]))
            continue
        if piece.kind == "close":
            around.close(piece.tag)
        else:
            attributes = _attributes(piece.attributes)
            found.blocks += attributes.python and not around.unread
            found.quotes += [f"{piece.tag} {name}={value!r}" for name, value in attributes.quotes]
            found.facts += [attributes.fact] if attributes.fact else []
            found.aloud += attributes.aloud
            if piece.kind == "open":
                around.push(piece.tag, attributes)
        if piece.tag not in INLINE:
            text("\n")
    found.visible, found.outside, found.included = "".join(visible), "".join(outside), "".join(included)
    return found


@lru_cache(maxsize=4096)
def _attributes(text: str) -> _Attributes:
    named: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        # The first one counts, as in a browser.
        named.setdefault(name.lower(), unescape("".join(values)))
    found = frozenset(named.get("class", "").split())
    languages = {name.removeprefix("language-") for name in found if name.startswith("language-")}
    if "highlight" not in found:
        languages = set()
    quotes = [(name, named[name]) for name in ("href", "src") if named.get(name, "").startswith(("fact:", "claim:"))]
    quotes += [("alt", named["alt"])] if re.search(r"\]\((?:fact|claim):", named.get("alt", "")) else []
    return _Attributes(
        classes=found,
        unread=not found.isdisjoint(UNREAD_CLASSES),
        python=not languages.isdisjoint(fences.PYTHON),
        included=not languages.isdisjoint(INCLUDED),
        quotes=tuple(quotes),
        fact=named.get("data-fact", "") if not found.isdisjoint(("drift-fact", "drift-claim")) else "",
        aloud=tuple(named[name] for name in ALOUD if named.get(name)),
    )
