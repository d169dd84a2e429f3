"""Find the fenced blocks of a page, wherever they stand, and the includes in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from drift.problem import Place, Problem

PYTHON = ("python", "py", "python3")

_OPEN = re.compile(
    r"^(?P<prefix>[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]+)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\r\n]*?)[ \t]*\r?$"
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
        info: everything after the fence mark.
        first, last: the lines of the opening and the closing mark.
        start, end: offsets of the block in the page's text.
        indent: how far the opening mark is from the left margin.
        body: its lines, without line ends.
        includes: the includes in it.
        notest: the reason why it is not executed; None when it does not say `notest`.
    """

    lang: str
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
    number = 0
    while number < len(lines):
        opening = _OPEN.match(lines[number])
        if opening is None:
            found, wrong = _include(file, lines[number], number + 1)
            loose += found
            problems += wrong
            number += 1
            continue
        closing = _closing(lines, number, opening["mark"])
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
        number = closing + 1
    return fences, loose, problems


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


def _language(info: str) -> str:
    braced = _BRACED.search(info)
    named = _LANGUAGE.search(braced["inside"]) if braced else None
    if named:
        return named["lang"].lower()
    first = info.split("{")[0].split()
    return first[0].lower() if first else ""


def _closing(lines: list[str], opening: int, mark: str) -> int | None:
    end = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*\r?$")
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
