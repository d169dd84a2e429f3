"""Mark the glossary's terms where they occur in chapters and labs, as links that a script gives a tooltip.

`docs/glossary.md` is the only list of terms.
A term is a section of it: a definition in plain words, then a symbol if there is one, then the chapter.
In its heading, `data-also` holds other forms of the word, `data-only` the forms to mark instead of the title (for an
everyday word), and `data-not` the pages on which the word means something else.
Whatever is missing or said twice stops the build.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from itertools import accumulate, pairwise
from pathlib import Path

from markdown.extensions.toc import slugify
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

GLOSSARY = "glossary.md"
# Pages below these headings of the navigation have their terms marked.
MARKED = ("Chapters", "Labs")
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
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})

_HEADING = re.compile(r"^## +(?P<title>.+?)(?: *\{ *(?P<attributes>[^{}]*)\})? *$", re.MULTILINE)
_ATTRIBUTE = re.compile(r'data-(?P<name>also|only|not)="(?P<listed>[^"]*)"')
_CHAPTER = re.compile(r"Chapter: \[[^\]]+\]\((?P<page>[\w/-]+\.md)#[\w-]+\)\.\Z")
_MARKUP = re.compile(r"[`*]")


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes:
        title: as its heading has it.
        anchor: the id of its heading.
        forms: the words that are marked.
        definition: plain text.
        page: the chapter that explains it, by its path in the docs folder.
        not_on: pages on which it is not marked.
    """

    title: str
    anchor: str
    forms: tuple[str, ...]
    definition: str
    page: str
    not_on: tuple[str, ...] = ()


_terms: list[Term] = []


def on_files(files: Files, config: MkDocsConfig) -> Files:  # noqa: ARG001
    """Read the glossary before any page."""
    file = files.get_file_from_path(GLOSSARY)
    if file is None:
        raise PluginError(f"expected a page {GLOSSARY}, got none")
    found, errors = read(Path(str(file.abs_src_path)).read_text(encoding="utf-8"))
    errors += [
        f"{term.title!r}: expected a page {page}, got none"
        for term in found
        for page in (term.page, *term.not_on)
        if page and files.get_file_from_path(page) is None
    ]
    if errors:
        raise PluginError("\n  ".join((f"{GLOSSARY} has entries that cannot be used:", *errors)))
    _terms[:] = found
    return files


# After drift's audit, which reads the page as its author wrote it.
@event_priority(-70)
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Mark the terms of a chapter or a lab, and give the glossary's own page a box to be styled by."""
    if page.file.src_uri == GLOSSARY:
        return f'<div class="am-glossary">\n{html}\n</div>'
    if any(section.title in MARKED for section in page.ancestors):
        glossary = files.get_file_from_path(GLOSSARY)
        assert glossary is not None
        terms = [term for term in _terms if page.file.src_uri not in term.not_on]
        return mark(html, terms, glossary.url_relative_to(page.file))
    return html


def read(markdown: str) -> tuple[list[Term], list[str]]:
    """The terms of a glossary, and what is wrong with it, one sentence each."""
    terms: list[Term] = []
    errors: list[str] = []
    headings = list(_HEADING.finditer(markdown))
    ends = [heading.start() for heading in headings[1:]] + [len(markdown)]
    for heading, end in zip(headings, ends, strict=True):
        body = markdown[heading.end() : end].strip()
        term, wrong = _entry(heading, body)
        terms.append(term)
        errors += [f"{term.title!r}: {text}" for text in wrong]
    owners: dict[str, str] = {}
    for term in terms:
        for form in {term.title.casefold(), *map(_key, term.forms)}:
            if form in owners:
                errors.append(f"{term.title!r}: {form!r} is said by {owners[form]!r} already")
            owners.setdefault(form, term.title)
    titles = [term.title for term in terms]
    for before, after in pairwise(titles):
        if _order(after) < _order(before):
            errors.append(f"{after!r}: expected before {before!r}, entries are in the order of the alphabet")
    return terms, errors


def _entry(heading: re.Match[str], body: str) -> tuple[Term, list[str]]:
    """One entry, and what is wrong with it."""
    title, wrong = heading["title"], []
    attributes = heading["attributes"] or ""
    said = {match["name"]: _listed(match["listed"]) for match in _ATTRIBUTE.finditer(attributes)}
    if _ATTRIBUTE.sub("", attributes).strip():
        wrong.append(
            f'expected data-also="...", data-only="..." or data-not="..." in its heading, got {attributes.strip()!r}'
        )
    forms = said.get("only", [title, *said.get("also", [])])
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", body)]
    definition = paragraphs[0]
    if not definition or definition.startswith(("Symbol:", "Chapter:")):
        wrong.append("expected a definition, got none")
    elif re.search(r"[$<\[\]]", definition):
        wrong.append("expected a definition without links, formulas and tags, which a tooltip cannot show")
    page = ""
    last = paragraphs[-1].split("\n")
    if match := _CHAPTER.match(last[-1]):
        page = match["page"]
    else:
        wrong.append("expected a last line `Chapter: [Title](page.md#section).`, got none")
    if len(paragraphs) > 2 or (page and [line for line in last[:-1] if not line.startswith("Symbol: ")]):
        wrong.append("expected a definition, then lines `Symbol: ...` and `Chapter: ...`, got more")
    text = " ".join(_MARKUP.sub("", definition).split())
    return Term(title, slugify(title, "-"), tuple(forms), text, page, tuple(said.get("not", []))), wrong


def _listed(forms: str) -> list[str]:
    return [form.strip() for form in forms.split(",") if form.strip()]


def _key(form: str) -> str:
    """How a form is looked up: without regard to case and to line breaks."""
    return " ".join(form.split()).casefold()


def _order(title: str) -> str:
    return re.sub(r"[^\w ]", "", title).casefold()


@dataclass(frozen=True)
class _Stretch:
    """A piece of prose: its section, where it begins in the HTML, and its text."""

    section: int
    start: int
    text: str


class _Prose(HTMLParser):
    """Collects the stretches of ordinary prose, each within one element."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.stretches: list[_Stretch] = []
        # The parser tells a place by line and column.
        self._lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self._open: list[tuple[str, bool]] = []
        self._section = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._section += tag == "h2"
        if tag not in VOID:
            classes = set((dict(attrs).get("class") or "").split())
            self._open.append((tag, tag in NOT_PROSE or not classes.isdisjoint(NOT_PROSE_CLASSES)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content holds no prose."""

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if any(name in PROSE for name, _ in self._open) and not any(shut for _, shut in self._open):
            line, column = self.getpos()
            self.stretches.append(_Stretch(self._section, self._lines[line - 1] + column, data))


def mark(html: str, terms: list[Term], href: str) -> str:
    """Make links of the first occurrence of each term in each section of a page, `MOST` at most.

    Where there are more, occurrences go first that are the first, then the second, of their term on the page.
    """
    owners = {_key(form): term for term in terms for form in term.forms}
    if not owners:
        return html
    words = "|".join(r"\s+".join(map(re.escape, form.split())) for form in sorted(owners, key=len, reverse=True))
    # A hyphen is part of a word: "self-attention" says nothing about "attention".
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    seen: set[tuple[int, str]] = set()
    times: dict[str, int] = {}
    found: list[tuple[int, int, int, Term]] = []
    for stretch in _Prose(html).stretches:
        for match in pattern.finditer(stretch.text):
            term = owners[_key(match[0])]
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
