"""Find what the site shows word for word or not at all: comments, inline code, formulas.

Python-Markdown pairs backticks and dollars within a block.
A mark without a partner is an error here: where it is, nobody can tell code from prose by looking.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from typing import Literal

from drift.problem import Place, Problem
from drift.read.text import blocks
from drift.read.text.blocks import Line
from drift.read.text.mask import Mask

Kind = Literal["comment", "code", "math"]

_TOKEN = re.compile(r"\\.|<!--|`+", re.DOTALL)
_COMMENT = re.compile(r"<!--(?!-?>)(?P<body>(?:(?!--!?>).)*)-->", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# A display stands in a paragraph of its own, from its first character to its last.
_DISPLAY = re.compile(
    r"""^(?P<lead>[ \t>]*)
    (?:\$\$(?:(?!\$\$|\n[ \t>]*\n)[^\x02])+\$\$
      |\\\[(?:(?!\\\]|\n[ \t>]*\n)[^\x02])+\\\]
      |\\begin\{(?P<env>[a-z]+\*?)\}(?:(?!\\end|\n[ \t>]*\n)[^\x02])+\\end\{(?P=env)\})
    [ ]*$(?=\n[ \t>]*$|\Z)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# The rules of pymdownx.arithmatex.
_FORMULA = re.compile(r"(?<!\\)\$(?!\s)(?:\\.|[^\\$\x02])+?(?<!\s)\$|(?<!\\)\\\((?:\\[^)]|[^\\\x02])+?\\\)", re.DOTALL)
_LONELY = re.compile(r"(?<!\\)(?:\\\\)*(?P<mark>\$+|\\[()])")
_RAW_BLOCK = re.compile(
    r"^[ ]{0,3}<(?P<tag>address|article|aside|blockquote|body|center|dd|details|dir|div|dl|dt|fieldset|figcaption"
    r"|figure|footer|form|h[1-6]|header|hgroup|iframe|li|legend|main|menu|nav|noscript|object|ol|p|pre|script"
    r"|section|style|summary|table|tbody|td|tfoot|th|thead|tr|ul|video)\b(?P<attributes>[^<>]*)>",
    re.MULTILINE | re.IGNORECASE,
)
_MARKDOWN_MARK = re.compile(r"[`$]|\][(:\[]|\[\^")


@dataclass(frozen=True)
class Region:
    """A region that is not prose."""

    start: int
    end: int
    kind: Kind


def find(
    file: str, mask: Mask, found: list[Line], stretches: list[tuple[int, int]]
) -> tuple[list[Region], list[Problem]]:
    """The comments, code spans and formulas of a page whose fences are blanked, and the marks without a partner.

    The spans come in order and do not overlap.
    """
    spans, problems = _code(file, mask, stretches)
    rest = Mask(mask.text)
    # A formula holds neither code nor a comment, so they leave a mark that no formula has.
    rest.overwrite((span.start, "\x02" * (span.end - span.start)) for span in spans)
    displays = [Region(m.start(), m.end(), "math") for m in _DISPLAY.finditer(rest.text) if _own_paragraph(found, m)]
    rest.blank((span.start, span.end) for span in displays)
    formulas: list[Region] = []
    for start, end in blocks.table_cells(found, stretches, rest.text):
        formulas += [Region(m.start(), m.end(), "math") for m in _FORMULA.finditer(rest.text, start, end)]
    rest.blank((span.start, span.end) for span in formulas)
    for start, end in stretches:
        lonely = _LONELY.search(rest.text, start, end)
        if lonely:
            problems.append(_unpaired(file, mask.line(lonely.start("mark")), lonely["mark"]))
    problems += _raw_blocks(file, mask, [span for span in spans if span.kind == "comment"])
    return sorted([*spans, *displays, *formulas], key=lambda span: span.start), problems


def _code(file: str, mask: Mask, stretches: list[tuple[int, int]]) -> tuple[list[Region], list[Problem]]:
    """Comments and code spans, whichever begins first; a comment may hold backticks and code may hold comments."""
    spans: list[Region] = []
    problems: list[Problem] = []
    text, position = mask.text, 0
    ends = [end for _, end in stretches]
    while token := _TOKEN.search(text, position):
        position = token.end()
        if token.group() == "<!--":
            comment = _comment(text, token.start())
            if comment:
                spans.append(Region(*comment.span(), "comment"))
                position = comment.end()
        elif token.group().startswith("`"):
            # The stretch that ends first behind the mark is the one it stands in.
            end = ends[bisect.bisect_left(ends, token.end())]
            closing = re.compile(rf"(?<!`){token.group()}(?!`)").search(text, token.end(), end)
            if closing:
                spans.append(Region(token.start(), closing.end(), "code"))
                position = closing.end()
            else:
                problems.append(_unpaired(file, mask.line(token.start()), token.group()))
    return spans, problems


def _comment(text: str, start: int) -> re.Match[str] | None:
    """The comment that begins at `start`, if the site hides it: in a line, one with an empty line in it is text."""
    comment = _COMMENT.match(text, start)
    if comment is None:
        return None
    before = text[text.rfind("\n", 0, start) + 1 : start]
    at_margin = len(before) <= 3 and not before.strip()
    return comment if at_margin or not _BLANK_LINE.search(comment["body"]) else None


def _own_paragraph(found: list[Line], display: re.Match[str]) -> bool:
    number = bisect.bisect_right([line.start for line in found], display.start()) - 1
    return blocks.opens_a_block(found, number)


def _unpaired(file: str, line: int, mark: str) -> Problem:
    if mark == "$$":
        expected = "a formula between $$ and $$ in a paragraph of its own"
    elif mark.startswith("`"):
        expected = f"a second {mark} in the same paragraph, list item or table row, or \\{mark[0]} for the character"
    else:
        expected = f"a partner in the same paragraph, list item or table row, or \\{mark[0]} for the character"
    message = f"{mark} without a partner: code or a formula cannot be told from prose"
    return Problem(Place(file, line), message, expected)


def _raw_blocks(file: str, mask: Mask, comments: list[Region]) -> list[Problem]:
    """Markdown marks in HTML that Python-Markdown passes on as it is; the reader would see them."""
    text = Mask(mask.text)
    text.blank((span.start, span.end) for span in comments)
    problems, position = [], 0
    while opening := _RAW_BLOCK.search(text.text, position):
        position = opening.end()
        if re.search(r"\bmarkdown\b", opening["attributes"]):
            continue
        position = _end_of_element(text.text, opening)
        marked = _MARKDOWN_MARK.search(text.text, opening.end(), position)
        if marked:
            message = f"Markdown inside <{opening['tag']}>, where the site does not read it"
            place = Place(file, mask.line(marked.start()))
            problems.append(Problem(place, message, f"<{opening['tag']} markdown>", marked.group()))
    return problems


def _end_of_element(text: str, opening: re.Match[str]) -> int:
    depth = 1
    for tag in re.compile(rf"<(?P<close>/?){opening['tag']}\b", re.IGNORECASE).finditer(text, opening.end()):
        depth += -1 if tag["close"] else 1
        if depth == 0:
            return tag.end()
    return len(text)
