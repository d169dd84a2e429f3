"""Notebooks written as text: a Python file of cells in the py:percent form, which is a snippet and a page at once.

The file's code cells are the sections of the snippet, its Markdown cells are the page:

    # ---
    # title: A notebook
    # ---

    # %% [markdown]
    # # A notebook
    #
    # Its prose quotes [2](fact:labs/sums.total).

    # %% total
    print(total := 1 + 1)

    # %% tags=["remove-cell"]
    from drift import fact

    fact("total", total)

A cell with that tag is run and not shown.
Editors and Jupyter, through jupytext, open such a file as a notebook.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from drift.problem import Place, Problem

HIDDEN = "remove-cell"
_HEAD = re.compile(r"^# %%(?P<rest>.*)$")
# Some editors begin a file with a mark of the byte order.
_COMMENT = re.compile(r"\ufeff?# ?")
_NAME = re.compile(r"[a-z][-_0-9a-z]*\Z")
_TAG = re.compile(rf"tags=\[[\"']{HIDDEN}[\"']\]\Z")
_KINDS = f'"# %% [markdown]", "# %% name" or "# %% tags=["{HIDDEN}"]"'


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        kind: `markdown`, `code`, or `hidden` for code that no reader sees.
        name: of a shown code cell; "" of others.
        head: the line of its `# %%`, counted from 1.
        first, last: the lines of what it holds, without blank lines around; `first > last` when it is empty.
    """

    kind: str
    name: str
    head: int
    first: int
    last: int


@dataclass(frozen=True)
class PageLine:
    """Where a line of the page comes from: a line of the file, counted from 1, and the characters cut at its left."""

    text: str
    source: int
    cut: int


@dataclass(frozen=True)
class Translation:
    """A notebook's page as Markdown, with the way back to the file."""

    lines: tuple[PageLine, ...]
    source: str

    @property
    def text(self) -> str:
        """The Markdown of the page."""
        return "\n".join(line.text for line in self.lines)

    def line(self, number: int) -> int:
        """The line of the file behind a line of the page, both counted from 1; 0 stays 0."""
        return self.lines[min(number, len(self.lines)) - 1].source if number else 0

    def offset(self, offset: int) -> int:
        """The offset in the file behind an offset in the page."""
        number = bisect_right(self._page, offset) - 1
        line = self.lines[number]
        return self._file[line.source - 1] + line.cut + offset - self._page[number]

    @cached_property
    def _page(self) -> list[int]:
        return _starts([line.text for line in self.lines])

    @cached_property
    def _file(self) -> list[int]:
        return _starts(self.source.split("\n"))


def is_notebook(text: str) -> bool:
    """Whether a Python file is written as cells."""
    return any(_HEAD.match(line) for line in text.split("\n"))


def cells(file: str, text: str) -> tuple[list[Cell], list[Problem]]:
    """The cells of a file in order, and what is wrong with their heads."""
    lines = text.split("\n")
    heads = [(number, match["rest"].strip()) for number, line in enumerate(lines, 1) if (match := _HEAD.match(line))]
    found: list[Cell] = []
    problems = _before(file, lines[: heads[0][0] - 1] if heads else lines)
    seen: dict[str, int] = {}
    for (head, rest), end in zip(heads, [*(head for head, _ in heads[1:]), len(lines) + 1], strict=True):
        place = Place(file, head)
        kind = "markdown" if rest == "[markdown]" else "hidden" if _TAG.match(rest) else "code"
        first, last = _trimmed(lines, head + 1, end - 1)
        found.append(Cell(kind, rest if kind == "code" else "", head, first, last))
        if kind == "code" and not _NAME.match(rest):
            expected = f"{_KINDS}, a name being lower-case letters, digits, '-' and '_'"
            problems.append(Problem(place, "a cell's head that is not understood", expected, lines[head - 1]))
        elif kind == "code" and rest in seen:
            problems.append(Problem(place, f"two cells are called {rest!r}", source=Place(file, seen[rest])))
        if kind == "code":
            seen.setdefault(rest, head)
        if kind == "markdown":
            problems += [
                Problem(Place(file, number), "a line of a Markdown cell without its '# '", got=lines[number - 1])
                for number in range(first, last + 1)
                if lines[number - 1].strip() and not re.match(r"# |#\Z", lines[number - 1].rstrip("\r"))
            ]
    return found, problems


def translate(name: str, text: str) -> Translation:
    """The page that the notebook of snippet `name` is: its prose, and an include for each code cell."""
    lines = text.split("\n")
    out: list[PageLine] = []
    found, _ = cells("", text)
    for number in _header(lines[: found[0].head - 1] if found else lines):
        out.append(_uncommented(lines, number))
    for cell in found:
        if cell.kind == "markdown":
            out += [PageLine("", cell.head, 0)]
            out += [_uncommented(lines, number) for number in range(cell.first, cell.last + 1)]
        elif cell.kind == "code":
            block = ("", "```python", f'--8<-- "{name}.py:{cell.name}"', "```")
            out += [PageLine(line, cell.head, 0) for line in block]
    return Translation((*out, PageLine("", len(lines), 0)), text)


def _uncommented(lines: list[str], number: int) -> PageLine:
    line = lines[number - 1]
    match = _COMMENT.match(line)
    cut = match.end() if match else 0
    return PageLine(line[cut:], number, cut)


def _header(lines: list[str]) -> range:
    """The numbers of the lines between two `# ---` at the top, both included."""
    marks = [number for number, line in enumerate(lines, 1) if line.removeprefix("\ufeff").rstrip() == "# ---"]
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    return range(first, marks[1] + 1) if len(marks) > 1 and marks[0] == first else range(0)


def _before(file: str, lines: list[str]) -> list[Problem]:
    """What stands before the first cell and is no front matter."""
    header = _header(lines)
    stray = next((n for n, line in enumerate(lines, 1) if line.strip() and n not in header), None)
    if stray is None:
        return []
    expected = 'front matter between two "# ---", then cells'
    return [Problem(Place(file, stray), "text before the first cell", expected, lines[stray - 1].strip())]


def _trimmed(lines: list[str], first: int, last: int) -> tuple[int, int]:
    while first <= last and not lines[first - 1].strip():
        first += 1
    while last >= first and not lines[last - 1].strip():
        last -= 1
    return first, last


def _starts(lines: list[str]) -> list[int]:
    starts, total = [], 0
    for line in lines:
        starts.append(total)
        total += len(line) + 1
    return starts
