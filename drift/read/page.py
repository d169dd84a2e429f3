"""Read one page: its fences, includes, quotes, numerals and images, in one object."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from drift.config import Config
from drift.problem import Place, Problem
from drift.read import fences, folder, frontmatter, percent
from drift.read.fences import Fence, Include
from drift.read.frontmatter import Literal
from drift.read.percent import Translation
from drift.read.text import prose
from drift.read.text.exempt import Exempt
from drift.read.text.prose import Numeral, Quote
from drift.read.text.sentences import Sentence

# MkDocs takes all of these for pages.
ENDINGS = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
# What the page of a notebook is called on the site.
NOTEBOOK = ".ipynb"

# Python-Markdown drops some of these, and takes a lone carriage return for a line break.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]|\r(?!\n)")
_SAID_IN_HEAD = re.compile(r"""\b(?:title|notest)=(?P<quote>["'])(?P<text>.*?)(?P=quote)""")
# MkDocs reads metadata without marks too: lines such as `Result: there is one.` at the top of a page.
_METADATA = re.compile(r"\ufeff?[ ]{0,3}[A-Za-z0-9_-]+:[^\r\n]*")
_FIRST_HEADING = re.compile(r"^#[ \t]+(?P<title>.*?)[ \t]*(?:\{[^{}]*\}[ \t]*)?\r?$", re.MULTILINE)
_HEADING = re.compile(r"^##?[ \t]", re.MULTILINE)
_IMAGE_TARGET = re.compile(
    r"""!\[[^\n]*?\]\((?P<md>[^)\s]+\.(?:svg|json))|\b(?:src|href|data-src)=["'](?P<html>[^"']+\.(?:svg|json))["']"""
)


@dataclass(frozen=True)
class Page:
    """One Markdown file below the docs folder, or one notebook among the snippets, read but not yet judged.

    Attributes:
        path: absolute path.
        file: path relative to the project's root, as shown in messages.
        title: what its front matter or its first heading calls it.
        text: its content with the line ends it has on disk, so that offsets hold when it is rewritten.
        home: where its page lies in the docs folder; that is `path`, but for notebooks.
        notebook: the id of the snippet that it is, "" for Markdown. A notebook shows each output below its code.
        sections: the lines of its headings of the first two levels.
        fences: every fenced block, wherever it stands.
        pictures: what the front matter says of pictures that no snippet made, by their address.
        literals: the numbers that the front matter declares, by text.
        quotes, numerals, exempt, words, sentences, images: see `prose.Prose`.
        assets: absolute paths of the figures and data files it shows, with the line.
        problems: what could not be read.
    """

    path: Path
    file: str
    title: str
    text: str
    home: Path
    notebook: str = ""
    sections: tuple[int, ...] = ()
    fences: tuple[Fence, ...] = ()
    literals: dict[str, Literal] = field(default_factory=dict)
    pictures: dict[str, Literal] = field(default_factory=dict)
    quotes: tuple[Quote, ...] = ()
    numerals: tuple[Numeral, ...] = ()
    exempt: tuple[Exempt, ...] = ()
    words: str = ""
    sentences: tuple[Sentence, ...] = ()
    images: tuple[tuple[str, int], ...] = ()
    assets: tuple[tuple[Path, int], ...] = ()
    problems: tuple[Problem, ...] = ()

    def place(self, line: int) -> Place:
        """A line of this page."""
        return Place(self.file, line)

    def shown(self) -> list[tuple[Fence, Include]]:
        """Every include in a fence, in page order."""
        return [(fence, include) for fence in self.fences for include in fence.includes]


def discover(config: Config) -> list[Page]:
    """Every page of the project, in the order of their paths."""
    found = folder.walk(config.root, config.docs)
    return [read(config, path) for path in found.files if path.suffix.lower() in ENDINGS]


def read(config: Config, path: Path) -> Page:
    """Read one page; what is wrong with it is in `.problems`, nothing is raised for its content."""
    file = folder.named(config.root, path)
    text, problem = folder.read(path, file)
    if problem is not None:
        return Page(path, file, "", "", path, problems=(problem,))
    return parse(path, file, text)


def read_notebook(config: Config, name: str, path: Path) -> Page:
    """Read the page of a notebook, which is the snippet `name`; its text could be read already."""
    home = config.docs / f"{name}{NOTEBOOK}"
    return parse_notebook(name, path, config.relative(path), path.read_bytes().decode("utf-8"), home)


def parse_notebook(name: str, path: Path, file: str, text: str, home: Path) -> Page:
    """Read a notebook's page from the text of its file, in whose lines and offsets everything is given."""
    way = percent.translate(name, text)
    found = parse(home, file, way.text)
    return replace(
        found,
        path=path,
        text=text,
        home=home,
        notebook=name,
        sections=tuple(map(way.line, found.sections)),
        fences=tuple(_moved_fence(fence, way) for fence in found.fences),
        literals={key: replace(value, line=way.line(value.line)) for key, value in found.literals.items()},
        quotes=tuple(
            replace(quote, line=way.line(quote.line), start=way.offset(quote.start), end=way.offset(quote.end))
            for quote in found.quotes
        ),
        numerals=tuple(
            replace(numeral, line=way.line(numeral.line), start=way.offset(numeral.start)) for numeral in found.numerals
        ),
        sentences=tuple(replace(sentence, line=way.line(sentence.line)) for sentence in found.sentences),
        pictures={key: replace(value, line=way.line(value.line)) for key, value in found.pictures.items()},
        images=tuple((image, way.line(line)) for image, line in found.images),
        assets=tuple((asset, way.line(line)) for asset, line in found.assets),
        problems=tuple(
            replace(problem, place=Place(problem.place.file, way.line(problem.place.line)))
            for problem in found.problems
        ),
    )


def _moved_fence(fence: Fence, way: Translation) -> Fence:
    return replace(
        fence,
        first=way.line(fence.first),
        last=way.line(fence.last),
        start=way.offset(fence.start),
        end=way.offset(fence.end),
        includes=tuple(replace(include, line=way.line(include.line)) for include in fence.includes),
    )


def parse(path: Path, file: str, text: str) -> Page:
    """Read a page from its text."""
    front = frontmatter.read(file, text)
    # Line breaks keep their offsets: the front matter is blanked, not cut.
    body = re.sub(r"[^\r\n]", " ", text[: front.end]) + text[front.end :]
    blocks, loose, problems = fences.find(file, body)
    if not front.end and (taken := _METADATA.match(text)):
        message = "a first line that MkDocs takes for metadata: it would not be shown"
        problems.append(Problem(Place(file, 1), message, "an empty line, or front matter, before it", taken.group()))
    found = prose.read(file, body, blocks, front.end)
    problems += [
        Problem(Place(file, include.line), "an include outside a fence: its numbers would reach the reader unchecked")
        for include in loose
    ]
    problems += [
        Problem(Place(file, _line(text, match.start())), "a control character in the page", got=ascii(match.group()))
        for match in _CONTROL.finditer(text)
    ]
    # What the site shows around the text: the page's title, and the captions of fences.
    around = [*front.visible, *_captions(body, blocks)]
    titles = [
        replace(numeral, line=_line(text, offset), start=offset + numeral.start)
        for offset, value in around
        for numeral in prose.read_plain(value)
    ]
    return Page(
        path=path,
        file=file,
        title=front.title or _heading(body),
        text=text,
        home=path,
        notebook="",
        sections=tuple(_line(text, match.start()) for match in _HEADING.finditer(found.words)),
        fences=tuple(blocks),
        literals=front.literals,
        pictures=front.pictures,
        quotes=found.quotes,
        numerals=(*titles, *found.numerals),
        exempt=found.exempt,
        words=found.words,
        sentences=found.sentences,
        images=found.images,
        assets=tuple(_assets(path, body, blocks)),
        problems=(*front.problems, *problems, *found.problems),
    )


def _captions(text: str, blocks: list[Fence]) -> list[tuple[int, str]]:
    """Offset and text of what the heads of fences show to the reader."""
    found = []
    for fence in blocks:
        for match in _SAID_IN_HEAD.finditer(text, fence.start, text.find("\n", fence.start)):
            found.append((match.start("text"), match["text"]))
    return found


def _heading(text: str) -> str:
    """The first heading of a page, which is its title where the front matter names none."""
    found = _FIRST_HEADING.search(text)
    return found["title"] if found else ""


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _assets(path: Path, text: str, blocks: list[Fence]) -> list[tuple[Path, int]]:
    assets = []
    for match in _IMAGE_TARGET.finditer(text):
        if any(fence.start <= match.start() < fence.end for fence in blocks):
            continue
        target = match["md"] or match["html"]
        if not re.match(r"[a-z]+:", target):
            # No link is followed: one in a circle has no end.
            assets.append((Path(os.path.normpath(path.parent / target)), _line(text, match.start())))
    return assets
