"""Read one page: its fences, includes, quotes, numerals and images, in one object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from drift import fences, frontmatter, prose
from drift.config import Config
from drift.fences import Fence, Include
from drift.frontmatter import Literal
from drift.problem import Place, Problem
from drift.prose import Numeral, Quote

_IMAGE_TARGET = re.compile(
    r"""!\[[^\n]*?\]\((?P<md>[^)\s]+\.(?:svg|json))|\b(?:src|href|data-src)=["'](?P<html>[^"']+\.(?:svg|json))["']"""
)


@dataclass(frozen=True)
class Page:
    """One Markdown file below the docs folder, read but not yet judged.

    Attributes:
        path: absolute path.
        file: path relative to the project's root, as shown in messages.
        text: its content with the line ends it has on disk, so that offsets hold when it is rewritten.
        fences: every fenced block, wherever it stands.
        literals: the numbers that the front matter declares, by text.
        quotes, numerals, exempt: see `prose.Prose`.
        assets: absolute paths of the figures and data files it shows, with the line.
        problems: what could not be read.
    """

    path: Path
    file: str
    text: str
    fences: tuple[Fence, ...]
    literals: dict[str, Literal]
    quotes: tuple[Quote, ...]
    numerals: tuple[Numeral, ...]
    exempt: tuple[str, ...]
    assets: tuple[tuple[Path, int], ...]
    problems: tuple[Problem, ...]

    def place(self, line: int) -> Place:
        """A line of this page."""
        return Place(self.file, line)

    def shown(self) -> list[tuple[Fence, Include]]:
        """Every include in a fence, in page order."""
        return [(fence, include) for fence in self.fences for include in fence.includes]


def discover(config: Config) -> list[Page]:
    """Every page of the project, in the order of their paths."""
    return [read(config, path) for path in sorted(config.docs.rglob("*.md"))]


def read(config: Config, path: Path) -> Page:
    """Read one page; what is wrong with it is in `.problems`, nothing is raised for its content."""
    file = config.relative(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        problem = Problem(Place(file), f"not UTF-8: {error.reason} at byte {error.start}", fix="save the file as UTF-8")
        return Page(path, file, "", (), {}, (), (), (), (), (problem,))
    return parse(path, file, text)


def parse(path: Path, file: str, text: str) -> Page:
    """Read a page from its text."""
    front = frontmatter.read(file, text)
    # Line breaks keep their offsets: the front matter is blanked, not cut.
    body = re.sub(r"[^\r\n]", " ", text[: front.end]) + text[front.end :]
    blocks, loose, problems = fences.find(file, body)
    found = prose.read(file, body, blocks, front.end)
    problems += [
        Problem(Place(file, include.line), "an include outside a fence: its numbers would reach the reader unchecked")
        for include in loose
    ]
    titles = [
        Numeral(numeral, text[:offset].count("\n") + 1, offset, "prose")
        for offset, value in front.visible
        for numeral in prose.numerals_in(value)
    ]
    return Page(
        path=path,
        file=file,
        text=text,
        fences=tuple(blocks),
        literals=front.literals,
        quotes=found.quotes,
        numerals=(*titles, *found.numerals),
        exempt=found.exempt,
        assets=tuple(_assets(path, body, blocks)),
        problems=(*front.problems, *problems, *found.problems),
    )


def _assets(path: Path, text: str, blocks: list[Fence]) -> list[tuple[Path, int]]:
    assets = []
    for match in _IMAGE_TARGET.finditer(text):
        if any(fence.start <= match.start() < fence.end for fence in blocks):
            continue
        target = match["md"] or match["html"]
        if not re.match(r"[a-z]+:", target):
            assets.append(((path.parent / target).resolve(), text[: match.start()].count("\n") + 1))
    return assets
