"""Find the fenced blocks of a page, wherever they stand, and the includes in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drift.problem import Place, Problem
from drift.read.text import blocks

PYTHON = ("python", "py", "python3")

_OPEN = re.compile(
    r"^(?P<prefix>[ \t>]*(?P<item>(?:(?:[-*+]|\d+[.)])[ \t]+)*))(?P<mark>`{3,}|~{3,})(?P<info>[^`\r\n]*?)[ \t]*\r?$"
)
# What pymdownx.superfences takes for the head of a fence; after anything else it shows the lines as text.
_HEAD = re.compile(
    r"""(?:\.?[\w#.+-]+(?=[ \t]|\Z))?[ \t]*
    (?:\{[^\n]*\}|(?:(?:title|linenums|hl_lines|title_mode)=(?:"[^"]*"|'[^']*')(?:[ \t]+|\Z))*)\Z""",
    re.VERBOSE,
)
_INCLUDE = re.compile(r"""^[ \t]*-{1,}8<-{1,}[ \t]+(?P<quote>["'])(?P<target>[^"'\r\n]+)(?P=quote)\r?$""")
_NEARLY_INCLUDE = re.compile(r"-{1,}8<-{1,}")
_TARGET = re.compile(r"(?P<path>[^:]+?)(?::(?P<section>[a-z][-_0-9a-z]*))?\Z")
_BRACED = re.compile(r"\{(?P<inside>.*)\}\Z")
_LANGUAGE = re.compile(r"(?:^|\s)\.(?P<lang>[\w+-]+)")
_NOTEST = re.compile(r"""\bnotest(?:=(?P<quote>["'])(?P<reason>.*?)(?P=quote))?""")


@dataclass(frozen=True)
class Include:
    """A `--8<-- "path:section"` line; `section` is empty when the whole file is meant."""

    path: str
    section: str
    line: int


@dataclass(frozen=True)
class Fence:
    """One fenced block.

    Attributes:
        lang: its language, lower case; "" when none is named.
        mark: the backticks or tildes that open and close it.
        info: everything after the fence mark.
        first, last: the lines of the opening and the closing mark.
        start, end: offsets of the block in the page's text.
        indent: how far the opening mark is from the left margin.
        body: its lines, without line ends.
        includes: the includes in it.
        notest: the reason why it is not executed; None when it does not say `notest`.
    """

    lang: str
    mark: str
    info: str
    first: int
    last: int
    start: int
    end: int
    indent: int
    body: tuple[str, ...]
    includes: tuple[Include, ...]
    notest: str | None

    @property
    def is_python(self) -> bool:
        """Whether a reader sees it as Python."""
        return self.lang in PYTHON


def find(file: str, text: str) -> tuple[list[Fence], list[Include], list[Problem]]:
    """The fences of a page, the includes outside of any fence, and what is wrong with either."""
    fences: list[Fence] = []
    loose: list[Include] = []
    problems: list[Problem] = []
    lines = text.split("\n")
    offsets = _offsets(lines)
    shape = blocks.lines(text)
    number = 0
    while number < len(lines):
        opening = _OPEN.match(lines[number])
        if opening is None:
            found, wrong = _include(file, lines[number], number + 1)
            loose += found
            problems += wrong
            number += 1
            continue
        closing = _closing(lines, number, opening)
        if closing is None:
            problems.append(
                Problem(
                    Place(file, number + 1),
                    "a fence that is never closed",
                    opening["mark"],
                    "the end of the page",
                )
            )
            closing = len(lines) - 1
        fence, wrong = _fence(file, lines, offsets, number, closing, opening)
        fences.append(fence)
        problems += wrong
        problems += _not_a_fence(file, fence, opening, shape, lines)
        number = closing + 1
    return fences, loose, problems


def lines(text: str) -> set[int]:
    """The numbers of the lines that lie in fences, marks included, counted from 1."""
    return {number for fence in find("", text)[0] for number in range(fence.first, fence.last + 1)}


def _fence(
    file: str, lines: list[str], offsets: list[int], opening: int, closing: int, match: re.Match[str]
) -> tuple[Fence, list[Problem]]:
    body = tuple(line.rstrip("\r") for line in lines[opening + 1 : closing])
    includes: list[Include] = []
    problems: list[Problem] = []
    for index, line in enumerate(body):
        found, wrong = _include(file, line, opening + 2 + index)
        includes += found
        problems += wrong
    info = match["info"].strip()
    notest = _NOTEST.search(info)
    fence = Fence(
        lang=_language(info),
        mark=match["mark"],
        info=info,
        first=opening + 1,
        last=closing + 1,
        start=offsets[opening],
        end=offsets[closing] + len(lines[closing]),
        indent=len(match["prefix"].expandtabs(4)),
        body=body,
        includes=tuple(includes),
        notest=None if notest is None else (notest["reason"] or "").strip(),
    )
    return fence, problems


def _not_a_fence(
    file: str, fence: Fence, opening: re.Match[str], shape: list[blocks.Line], lines: list[str]
) -> list[Problem]:
    """What the site would not show as a block of code, although it looks like one."""
    here = Place(file, fence.first)
    margin, depth = len(opening["prefix"].replace("\t", "    ")), opening["prefix"].count(">")
    problems = []
    if opening["item"]:
        problems.append(
            Problem(here, "a fence behind a list mark is shown as text", "the fence on a line of its own, indented")
        )
    elif not _HEAD.match(fence.info):
        problems.append(
            Problem(here, "a fence whose head the site does not understand", '{.python title="..."}', fence.info)
        )
    elif blocks.is_code(shape, fence.first - 1):
        problems.append(Problem(here, "a fence indented like code: the site shows it with its marks"))
    for number in range(fence.first, fence.last - 1):
        if lines[number].strip() and (
            shape[number].depth < depth if depth else len(lines[number]) - len(lines[number].lstrip(" ")) < margin
        ):
            problems.append(Problem(Place(file, number + 1), "a line left of its fence, which ends it on the site"))
            break
    return problems


def _language(info: str) -> str:
    first = info.split("{")[0].split()
    if first:
        return first[0].removeprefix(".").lower()
    braced = _BRACED.search(info)
    named = _LANGUAGE.search(braced["inside"]) if braced else None
    return named["lang"].lower() if named else ""


def _closing(lines: list[str], opening: int, head: re.Match[str]) -> int | None:
    """The line that closes a fence: the same mark, as far from the margin."""
    if head["item"]:
        end = re.compile(rf"^[ \t>]*{head['mark']}[ \t]*\r?$")
    elif ">" in head["prefix"]:
        end = re.compile(rf"^[ \t]*(?:>[ \t]*){{{head['prefix'].count('>')}}}{head['mark']}[ \t]*\r?$")
    else:
        end = re.compile(rf"^{head['prefix']}{head['mark']}[ \t]*\r?$")
    return next((n for n in range(opening + 1, len(lines)) if end.match(lines[n])), None)


def _include(file: str, line: str, number: int) -> tuple[list[Include], list[Problem]]:
    match = _INCLUDE.match(line)
    if match is None:
        if _NEARLY_INCLUDE.search(line) and not re.search(r"`[^`]*8<[^`]*`|;-{1,}8<|\[(?:start|end):", line):
            place = Place(file, number)
            return [], [
                Problem(
                    place,
                    "an include that MkDocs would show as text",
                    '--8<-- "chapter/snippet.py:section", with nothing after the quotes',
                    repr(line.rstrip("\r")),
                )
            ]
        return [], []
    target = _TARGET.match(match["target"])
    if target is None:
        return [], [
            Problem(
                Place(file, number),
                "an include names a file and a section (line numbers move when the file is edited)",
                '--8<-- "chapter/snippet.py:section"',
                match["target"],
            )
        ]
    return [Include(target["path"], target["section"] or "", number)], []


def _offsets(lines: list[str]) -> list[int]:
    offsets, total = [], 0
    for line in lines:
        offsets.append(total)
        total += len(line) + 1
    return offsets
