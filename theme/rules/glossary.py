"""The rule for the glossary: every term can be shown in a tooltip, is said once, and leads to a chapter.

`docs/glossary.md` is the only list of terms.
A term is a section of it: a definition in plain words, then a symbol if there is one, then the chapter.
In its heading, `data-also` holds other forms of the word, `data-only` the forms to mark instead of the title (for an
everyday word), and `data-not` the pages on which the word means something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from drift.problem import Place, Problem
from drift.read.page import Page
from drift.read.site import Site
from theme.rules import headings
from theme.rules.headings import Heading

PAGE = "glossary.md"
"""The glossary, below the docs folder."""

_ATTRIBUTE = re.compile(r'data-(?P<name>also|only|not)="(?P<listed>[^"]*)"')
_CHAPTER = re.compile(r"Chapter: \[[^\]]+\]\((?P<page>[\w/-]+\.md)#[\w-]+\)\.\Z")
_NOT_PLAIN = re.compile(r"[$<\[\]]")
_MARKUP = re.compile(r"[`*]")


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes:
        title: as its heading has it.
        anchor: the id of its heading.
        forms: the words that are marked.
        definition: plain text.
        page: the chapter that explains it, by its path in the docs folder; "" when none is named.
        not_on: pages on which it is not marked.
        line: that of its heading.
    """

    title: str
    anchor: str
    forms: tuple[str, ...]
    definition: str
    page: str
    not_on: tuple[str, ...]
    line: int


def problems(site: Site) -> Iterator[Problem]:
    """Everything that is wrong with the glossary."""
    path = site.config.docs / PAGE
    page = next((page for page in site.pages if page.path == path), None)
    if page is None:
        yield Problem(Place(site.config.relative(path)), "the glossary is missing")
        return
    terms, found = read(page)
    yield from found
    known = {page.home.relative_to(site.config.docs).as_posix() for page in site.pages}
    for term in terms:
        for name in (term.page, *term.not_on):
            if name and name not in known:
                yield _problem(page, term, "names a page that is not there", "a path below docs/", name)


def read(page: Page) -> tuple[list[Term], list[Problem]]:
    """The terms of a glossary, and what is wrong with it as far as it shows by itself."""
    terms: list[Term] = []
    found: list[Problem] = []
    for heading, end in headings.sections(headings.prose(page), 2):
        body = page.text[heading.end : end].replace("\r", "").strip()
        term = _term(heading, body)
        terms.append(term)
        found += [_problem(page, term, *wrong) for wrong in (*_heading(heading), *_body(body))]
    return terms, [*found, *_twice(page, terms), *_order(page, terms)]


def key(form: str) -> str:
    """How a form is looked up: without regard to case and to line breaks."""
    return " ".join(form.split()).casefold()


def _term(heading: Heading, body: str) -> Term:
    said = {match["name"]: _listed(match["listed"]) for match in _ATTRIBUTE.finditer(heading.attributes)}
    chapter = _CHAPTER.match(body.rpartition("\n")[2])
    return Term(
        title=heading.text,
        anchor=heading.id,
        forms=tuple(said.get("only", [heading.text, *said.get("also", [])])),
        definition=" ".join(_MARKUP.sub("", _paragraphs(body)[0]).split()),
        page=chapter["page"] if chapter else "",
        not_on=tuple(said.get("not", [])),
        line=heading.line,
    )


def _heading(heading: Heading) -> Iterator[tuple[str, str, str | None]]:
    """What is wrong with a heading: message, expected, got."""
    if _ATTRIBUTE.sub("", heading.attributes).strip():
        expected = 'data-also="…", data-only="…" or data-not="…"'
        yield "has something else behind its heading", expected, heading.attributes


def _body(body: str) -> Iterator[tuple[str, str, str | None]]:
    """What is wrong with the text of an entry: message, expected, got."""
    definition, *rest = _paragraphs(body)
    if not definition or definition.startswith(("Symbol:", "Chapter:")):
        yield "has no definition", "a paragraph in plain words", None
    elif plain := _NOT_PLAIN.search(definition):
        expected = "plain words, without links, formulas and tags, which a tooltip cannot show"
        yield "has a definition that cannot be shown", expected, plain[0]
    last = (rest[-1] if rest else definition).split("\n")
    chapter = bool(_CHAPTER.match(last[-1]))
    if not chapter:
        yield "has no chapter in its last line", "Chapter: [Title](page.md#section).", last[-1]
    more = [*rest[:-1], *(line for line in last[:-1] if chapter and not line.startswith("Symbol: "))]
    if more:
        yield "has more in it", "a definition, then lines `Symbol: …` and `Chapter: …`", more[0]


def _paragraphs(body: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", body)]


def _twice(page: Page, terms: list[Term]) -> Iterator[Problem]:
    owners: dict[str, Term] = {}
    for term in terms:
        for form in {term.title.casefold(), *map(key, term.forms)}:
            if form in owners:
                first = owners[form]
                yield _problem(
                    page, term, f"says {form!r} again", None, f"first said by {first.title!r} in line {first.line}"
                )
            owners.setdefault(form, term)


def _order(page: Page, terms: list[Term]) -> Iterator[Problem]:
    for before, after in pairwise(terms):
        if _sorted_by(after.title) < _sorted_by(before.title):
            yield _problem(page, after, "is not in the order of the alphabet", f"before {before.title!r}")


def _listed(forms: str) -> list[str]:
    return [form.strip() for form in forms.split(",") if form.strip()]


def _sorted_by(title: str) -> str:
    return re.sub(r"[^\w ]", "", title).casefold()


def _problem(page: Page, term: Term, message: str, expected: str | None = None, got: str | None = None) -> Problem:
    return Problem(page.place(term.line), f"term {term.title!r} {message}", expected, got)
