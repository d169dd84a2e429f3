"""How a page divides into blocks, as far as the reading of prose depends on it.

Python-Markdown decides block by block what is code, math or a list.
What is found here divides at least as finely, so that nothing pairs up across a border that the site has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKS = re.compile(r"(?:[ \t]*>[ ]?)*")
_ITEM = re.compile(r"(?:[-*+]|\d+\.)[ \t]+")
_OPENER = re.compile(r"(?:!!!|\?\?\?|===|\[\^[^\]]+\]:)")
_WHOLE = re.compile(r"#|!!!|\?\?\?|===|[-_*=][-_*= \t]*$")
_BEGINS = re.compile(r"(?:[-*+]|\d+[.)])[ \t]|:[ \t]|\[\^?[^\]]+\]:|<")
_RULE = re.compile(r"[ :|-]*-[ :|-]*\Z")
_BORDER = re.compile(r"(?<!\\)\|")
_LIST_NUMBER = re.compile(r"(?:[-*+][ \t]+)*(?P<number>\d+)\.(?=[ \t]+\S)")


@dataclass(frozen=True)
class Line:
    """One line of a page.

    Attributes:
        start, end: its offsets, without the line break.
        at: the offset of its text.
        depth: how many block quotes it is in.
        indent: columns between the quote marks and its text.
        text: what stands after that, without spaces at the end.
    """

    start: int
    end: int
    at: int
    depth: int
    indent: int
    text: str


def lines(text: str) -> list[Line]:
    """The lines of a page."""
    found, offset = [], 0
    for raw in text.split("\n"):
        marks = _MARKS.match(raw)
        assert marks is not None  # the pattern matches every string
        after = raw[marks.end() :]
        spaces = len(after) - len(after.lstrip())
        indent = len(after[:spaces].expandtabs(4))
        at = offset + marks.end() + spaces
        found.append(Line(offset, offset + len(raw), at, marks.group().count(">"), indent, after.strip()))
        offset += len(raw) + 1
    return found


def segments(found: list[Line]) -> list[tuple[int, int]]:
    """Offsets of the stretches in which a code span or an inline formula may begin and end.

    A table row, a heading and the title of a box are stretches of their own.
    """
    stretches: list[tuple[int, int]] = []
    previous: Line | None = None
    for line in found:
        if not line.text:
            previous = None
            continue
        alone = previous is None or previous.depth != line.depth or _is_whole(previous)
        if alone or _is_whole(line) or _BEGINS.match(line.text):
            stretches.append((line.start, line.end))
        else:
            stretches[-1] = (stretches[-1][0], line.end)
        previous = line
    return stretches


def table_cells(found: list[Line], stretches: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """The stretches with the rows of tables divided at their borders; `text` has its code blanked."""
    rows = {line.start for line in _table_rows(found)}
    divided: list[tuple[int, int]] = []
    for start, end in stretches:
        borders = [m.start() for m in _BORDER.finditer(text, start, end)] if start in rows else []
        divided += zip([start, *(border + 1 for border in borders)], [*borders, end], strict=True)
    return divided


def list_numbers(found: list[Line]) -> list[tuple[int, int]]:
    """Offsets of the numbers of list items that count what stands before them: from 1 (or 0), one by one.

    Python-Markdown counts for itself, whatever the author typed, so a number that is none of a count is not shown;
    on the code host it is.
    A line in the middle of a paragraph that happens to begin with a number is no item.
    """
    numbers: list[tuple[int, int]] = []
    in_list, previous = False, None
    last: dict[tuple[int, int], int] = {}  # by depth and indent
    for line in found:
        fresh = previous is None or not previous.text or previous.depth != line.depth or _is_whole(previous)
        item = _ITEM.match(line.text)
        in_list = bool(item) if fresh else in_list
        number = _LIST_NUMBER.match(line.text)
        if number and in_list and "|" not in line.text:
            begin, here = line.at + number.start("number"), (line.depth, line.indent)
            last = {place: count for place, count in last.items() if place <= here}
            if int(number["number"]) in ((last[here], last[here] + 1) if here in last else (0, 1)):
                numbers.append((begin, begin + len(number["number"])))
            last[here] = int(number["number"])
        elif line.text and fresh:
            last = {place: count for place, count in last.items() if place < (line.depth, line.indent)}
        previous = line
    return numbers


def indented_code(found: list[Line]) -> list[Line]:
    """The first lines of code blocks made by indentation alone, which no fence announces."""
    return [
        line
        for number, line in enumerate(found)
        if line.text
        and not (number and found[number - 1].text)
        and not line.text.startswith("<")
        and is_code(found, number)
    ]


def is_code(found: list[Line], number: int) -> bool:
    """Whether the line of this number (from 0) is so far to the right that it is code where it stands."""
    if found[number].indent < 4:
        return False
    holder = _holder(found, number)
    return holder is None or found[number].indent - holder.indent >= 8


def opens_a_block(found: list[Line], number: int) -> bool:
    """Whether the line of this number (from 0) is the first of a paragraph."""
    previous = found[number - 1] if number else None
    return previous is None or not previous.text or bool(re.match(r"#|!!!|\?\?\?|===", previous.text))


def _holder(found: list[Line], number: int) -> Line | None:
    """The list item, box, tab or footnote that an indented line belongs to."""
    indent, depth = found[number].indent, found[number].depth
    for line in reversed(found[:number]):
        if line.text and line.depth == depth and line.indent < indent:
            if _ITEM.match(line.text) or _OPENER.match(line.text):
                return line
            if line.indent < 4:
                return None
            indent = line.indent
    return None


def _table_rows(found: list[Line]) -> list[Line]:
    """The lines of blocks whose second line is the rule below a table's head."""
    rows: list[Line] = []
    block: list[Line] = []
    for line in [*found, Line(0, 0, 0, 0, 0, "")]:
        if line.text:
            block.append(line)
            continue
        rule = next((n for n, row in enumerate(block) if n and _RULE.match(row.text) and "|" in row.text), None)
        rows += block[rule - 1 :] if rule else []
        block = []
    return rows


def _is_whole(line: Line) -> bool:
    return bool(_WHOLE.match(line.text)) or "|" in line.text
