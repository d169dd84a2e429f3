"""The headings of a page, read from its Markdown as Python-Markdown reads them: a `#` at the margin."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown.extensions.toc import slugify

from drift.read import frontmatter
from drift.read.page import Page
from drift.read.text.mask import Mask

_HEADING = re.compile(r"^(?P<level>#{1,6})(?P<text>[^#\n][^\n]*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"\{(?P<inside>[^{}\n]*)\}[ \t]*\Z")
_ID = re.compile(r"#(?P<id>[\w-]+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Heading:
    """A heading.

    Attributes:
        level: the number of its marks.
        text: without the attributes behind it.
        attributes: what stands between the braces.
        id: as the attributes name it, or made from the text.
        line: counted from 1.
        start, end: its offsets in the page.
    """

    level: int
    text: str
    attributes: str
    id: str
    line: int
    start: int
    end: int


def prose(page: Page) -> Mask:
    """The page without front matter, fences and comments; a fence that holds something leaves a word."""
    mask = Mask(page.text)
    mask.blank([(0, frontmatter.read(page.file, page.text).end)])
    for fence in page.fences:
        mask.blank([(fence.start, fence.end)])
        if any(line.strip() for line in fence.body):
            mask.overwrite([(fence.start, "code")])
    mask.blank_all(_COMMENT)
    return mask


def find(mask: Mask) -> list[Heading]:
    """The headings of a page's prose, in their order."""
    found = []
    for match in _HEADING.finditer(mask.text):
        behind = _ATTRIBUTES.search(match["text"])
        text = match["text"][: behind.start() if behind else None].strip()
        inside = behind["inside"] if behind else ""
        named = _ID.search(inside)
        id_ = named["id"] if named else slugify(text, "-")
        line = mask.line(match.start())
        found.append(Heading(len(match["level"]), text, inside.strip(), id_, line, match.start(), match.end()))
    return found


def sections(mask: Mask, level: int) -> list[tuple[Heading, int]]:
    """Each heading of a level with the offset at which the next one begins, or the page ends."""
    starts = [heading for heading in find(mask) if heading.level == level]
    borders = [*(heading.start for heading in starts), len(mask.text)]
    return list(zip(starts, borders[1:], strict=True))
