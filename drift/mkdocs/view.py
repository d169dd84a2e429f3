"""One page while it is shown: what its quotes, figures and code blocks lead to, and what is wrong with them.

Nothing here knows MkDocs. Whoever builds a page makes its `View` and hands `extensions()` to Python-Markdown.
"""

from __future__ import annotations

import hashlib
import html
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown.extensions import Extension

from drift.judge import claims, pages
from drift.mkdocs import code_page
from drift.mkdocs.captions import CaptionExtension
from drift.mkdocs.figures import FigureError, FigureExtension, inline_svg
from drift.mkdocs.quotes import QuoteExtension, Target
from drift.problem import Place, Problem
from drift.read import stated
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.records import record


@dataclass(frozen=True)
class Shown:
    """What all pages of one build are shown with.

    Attributes:
        site: the checker's reading of the project, with the records to show.
        code: the folder of the snippets' pages, below the docs folder.
        colors: what replaces each `#rrggbb` of a figure.
        marks: whether a quote that is not its fact is marked, as in a preview.
    """

    site: Site
    code: str
    colors: Mapping[str, str]
    marks: bool = False

    @cached_property
    def pages(self) -> dict[str, Page]:
        """What the checker read, by the page's path below the docs folder."""
        return {page.home.relative_to(self.site.config.docs).as_posix(): page for page in self.site.pages}

    @cached_property
    def uris(self) -> dict[str, str]:
        """The path below the docs folder, by the file that findings name."""
        return {page.file: uri for uri, page in self.pages.items()}

    @cached_property
    def drawings(self) -> dict[Path, str]:
        """Each figure's file with its accepted content."""
        return {
            record.artifact_path(self.site.config, name, filename): text
            for name, loaded in self.site.records.items()
            for filename, text in loaded.artifacts.items()
        }

    @cached_property
    def digests(self) -> dict[str, str]:
        """A hash of each snippet with its record, which is all that a quote of it can show."""
        return {
            name: hashlib.sha256(repr((item, self.site.records[name])).encode("utf-8", "surrogatepass")).hexdigest()
            for name, item in self.site.snippets.items()
        }

    def code_uri(self, name: str) -> str:
        """Where the page of a snippet lies, below the docs folder."""
        return f"{self.code}/{name}.md"


class View:
    """The state of one page.

    Attributes:
        uri: its path below the docs folder.
        source: its Markdown, for the lines of findings.
        problems: what could not be shown.
    """

    def __init__(self, shown: Shown, uri: str, markdown: str, address: Callable[[str], str]) -> None:
        """`address` gives the final address of another page, relative to this one."""
        self.shown = shown
        self.uri = uri
        self.page = shown.pages.get(uri)
        self.source = self.page.text if self.page else markdown
        self.address = address
        self.problems: list[Problem] = []
        self._figures = 0

    def extensions(self) -> list[Extension]:
        """What Python-Markdown needs to show this page."""
        return [
            QuoteExtension(self.target),
            FigureExtension(self.figure, self.stray),
            CaptionExtension(self.caption),
        ]

    def target(self, found: re.Match[str]) -> Target | None:
        """Where a quote or a claim leads, as `QUOTE` found it; None, and a finding, when its fact is not recorded."""
        ref, text, claim = found["target"], found["text"], found["kind"] == "claim"
        name, fact_name = split_target(ref)
        loaded = self.shown.site.records.get(name)
        fact = loaded.facts.get(fact_name) if loaded else None
        if fact is None:
            missing = f"the fact {fact_name!r}" if loaded else f"the snippet {name!r}"
            self.report(
                self._line(f"{found['not']}{ref})"), f"quotes {found['kind']}:{ref}, but {missing} is not recorded"
            )
            return None
        to = posixpath.relpath(self.shown.code_uri(name), posixpath.dirname(self.uri))
        item = self.shown.site.snippets[name]
        href = f"{to}#{code_page.fact_anchor(fact_name)}"
        if claim:
            wrong = claims.judged(text, fact, negated=bool(found["not"])) if self.shown.marks else None
            said = stated.expression(item, fact.line)
            return Target(href, fact, ref, item.file, fact.line, wrong.expected or "" if wrong else "", said)
        expected = pages.says(text, fact) if self.shown.marks else text
        return Target(href, fact, ref, item.file, fact.line, expected if expected != text else "")

    def figure(self, src: str, alt: str) -> str | None:
        """The SVG for an image, when it is a figure made by a snippet."""
        path = self._figure_path(src)
        if path is None:
            return None
        self._figures += 1
        try:
            text = self.shown.drawings.get(path) or path.read_text(encoding="utf-8")
            return inline_svg(text, f"figure-{self._figures}-", alt, self.shown.colors)
        except (OSError, FigureError) as error:
            self.report(self._line(src), f"the figure {src} cannot be put into the page: {error}")
            return None

    def stray(self, src: str) -> None:
        """Find a figure that stands inside a line of text."""
        if self._figure_path(src) is not None:
            self.report(self._line(src), f"the figure {src} has to stand in a paragraph of its own")

    def caption(self, path: str, section_name: str) -> str:
        """The link from a shown section to its lines on the snippet's page."""
        item = self.shown.site.snippets.get(path.removesuffix(".py"))
        section = item.section(section_name) if item else None
        if item is None or section is None:
            return html.escape(path)
        url = f"{self.address(self.shown.code_uri(item.id))}#{code_page.section_anchor(section.name)}"
        lines = f"line {section.first}" if section.first == section.last else f"lines {section.first}–{section.last}"
        return f'<a href="{url}">{path}, {lines}</a>'

    def report(self, line: int, message: str) -> None:
        """Note a finding at a line of this page; 0 is the page as a whole."""
        config = self.shown.site.config
        file = self.page.file if self.page else config.relative(config.docs / self.uri)
        self.problems.append(Problem(Place(file, line), message))

    def _figure_path(self, src: str) -> Path | None:
        config = self.shown.site.config
        path = config.docs / posixpath.normpath(posixpath.join(posixpath.dirname(self.uri), src))
        return path if path.suffix == ".svg" and path.is_relative_to(config.figures) else None

    def _line(self, text: str) -> int:
        return next((n for n, line in enumerate(self.source.split("\n"), 1) if text in line), 0)
