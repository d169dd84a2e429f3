"""Mark the glossary's terms where they occur in chapters and labs, as links that a script gives a tooltip.

`theme.rules.glossary` reads the terms, and says what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from drift.mkdocs import reading
from drift.read import page as pages
from theme.rules import glossary, navigation
from theme.rules.glossary import Term

# Pages below these headings of the navigation have their terms marked.
MARKED = (navigation.CHAPTERS, navigation.LABS)
# More would turn a page into a page of links.
MOST = 25

PROSE = frozenset({"p", "li", "dd"})
# Links, titles and what is no sentence.
NOT_PROSE = frozenset(
    (
        *("a", "button", "code", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "kbd", "label", "math", "pre"),
        *("script", "style", "summary", "svg", "table"),
    )
)
NOT_PROSE_CLASSES = frozenset({"admonition-title", "arithmatex", "doc", "filename", "footnote"})

log = get_plugin_logger("glossary")

_terms: list[Term] = []


def on_files(files: Files, config: MkDocsConfig) -> Files:  # noqa: ARG001
    """Read the glossary before any page."""
    file = files.get_file_from_path(glossary.PAGE)
    _terms.clear()
    if file is not None:
        path = Path(str(file.abs_src_path))
        found, problems = glossary.read(pages.parse(path, file.src_uri, path.read_text(encoding="utf-8")))
        _terms.extend(found)
        for problem in problems:
            log.error(f"{problem.place}: {problem.message}; `python -m drift check` says more")
    return files


# After drift's audit, which reads the page as its author wrote it.
@event_priority(-70)
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Mark the terms of a chapter or a lab, and give the glossary's own page a box to be styled by."""
    if page.file.src_uri == glossary.PAGE:
        return f'<div class="am-glossary">\n{html}\n</div>'
    file = files.get_file_from_path(glossary.PAGE)
    if file and any(section.title in MARKED for section in page.ancestors):
        terms = [term for term in _terms if page.file.src_uri not in term.not_on]
        return mark(html, terms, file.url_relative_to(page.file))
    return html


@dataclass(frozen=True)
class _Stretch:
    """A piece of prose: its section, where it begins in the HTML, and its text."""

    section: int
    start: int
    text: str


def _stretches(html: str) -> Iterator[_Stretch]:
    """The stretches of ordinary prose, each within one element."""
    # Of each open element its tag, whether it is prose and whether it is shut; how many of them are.
    around: list[tuple[str, bool, bool]] = []
    prose = shut = section = 0
    for kind, start, end, tag, attributes in reading.pieces(html):
        if kind == "text":
            if prose and not shut:
                yield _Stretch(section, start, html[start:end])
        elif kind == "open":
            section += tag == "h2"
            closed = tag in NOT_PROSE or not NOT_PROSE_CLASSES.isdisjoint(reading.classes(attributes))
            around.append((tag, tag in PROSE, closed))
            prose += tag in PROSE
            shut += closed
        elif kind == "close" and any(name == tag for name, _, _ in around):
            name = ""
            while name != tag:
                name, was_prose, was_shut = around.pop()
                prose -= was_prose
                shut -= was_shut


def mark(html: str, terms: list[Term], href: str) -> str:
    """Make links of the first occurrence of each term in each section of a page, `MOST` at most.

    Where there are more, occurrences go first that are the first, then the second, of their term on the page.
    """
    owners = {glossary.key(form): term for term in terms for form in term.forms}
    if not owners:
        return html
    words = "|".join(r"\s+".join(map(re.escape, form.split())) for form in sorted(owners, key=len, reverse=True))
    # A hyphen is part of a word: "self-attention" says nothing about "attention".
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    seen: set[tuple[int, str]] = set()
    times: dict[str, int] = {}
    found: list[tuple[int, int, int, Term]] = []
    for stretch in _stretches(html):
        for match in pattern.finditer(stretch.text):
            term = owners[glossary.key(match[0])]
            if (stretch.section, term.title) not in seen:
                seen.add((stretch.section, term.title))
                start = stretch.start + match.start()
                found.append((times.get(term.title, 0), start, start + len(match[0]), term))
                times[term.title] = times.get(term.title, 0) + 1
    parts: list[str] = []
    done = 0
    for _, start, end, term in sorted(sorted(found, key=lambda item: item[:2])[:MOST], key=lambda item: item[1]):
        parts += [html[done:start], _link(html[start:end], term, href)]
        done = end
    return "".join((*parts, html[done:]))


def _link(text: str, term: Term, href: str) -> str:
    """The term as a link; without the script it is nothing more."""
    return (
        f'<a class="am-term" href="{escape(href)}#{term.anchor}" data-term="{escape(term.title)}"'
        f' data-definition="{escape(term.definition)}">{text}</a>'
    )
