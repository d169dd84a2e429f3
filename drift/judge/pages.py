"""Judge one page against the records: its fences, its quotes, its numerals, its figures."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from drift.facts import Fact
from drift.judge import ambiguous, claims, numerals, precision, shown, styles
from drift.judge.shown import nearest
from drift.problem import Place, Problem
from drift.read import folder
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text.prose import Quote
from drift.records import record


def check(site: Site, page: Page) -> list[Problem]:
    """Everything that is wrong with `page`, given what its snippets recorded."""
    return [
        *page.problems,
        *shown.check(site, page),
        *(problem for quote in page.quotes for problem in _quote(site, page, quote)),
        *numerals.check(site, page),
        *_assets(site, page),
        *_pictures(site, page),
    ]


def says(text: str, fact: Fact) -> str:
    """What a quote of `fact` says when it is right, in the style of the quote's own `text`."""
    try:
        return styles.rewrite(text, fact.value, fact.tol)
    except styles.NotANumberError:
        return styles.full(fact.value)


def _quote(site: Site, page: Page, quote: Quote) -> Iterator[Problem]:
    place = page.place(quote.line)
    stem, name = split_target(quote.target)
    if stem not in site.snippets or (stem, name) in site.waiting:
        return  # told once, for the page or for the record
    facts = site.records[stem].facts
    if name not in facts:
        source = _source(site, stem, name)
        fix = record.ACCEPT.format(id=stem) if name in site.snippets[stem].text else None
        yield Problem(place, f"{stem} has no recorded fact {name!r}", nearest(name, facts), name, source, fix)
        return
    if quote.claim:
        problem = claims.check(site, page, quote)
        yield from [problem] if problem else []
        return
    value, tol = facts[name].value, facts[name].tol
    expected = says(quote.text, facts[name])
    if expected != quote.text:
        message = f"a quote that is not its fact: {quote.target} is {styles.full(value)}"
        source = _source(site, stem, name)
        yield Problem(place, message, expected, quote.text, source, fix="python -m drift update")
        return
    if problem := ambiguous.check(site, page, quote):
        yield problem
    roughly = tol is not None and precision.says_roughly(page.text, quote.start - 1)
    if coarse := precision.coarser(quote.text, facts[name], roughly=roughly):
        message = f"digits that the fact does not hold: {quote.target} may move by {tol:g}"
        yield Problem(place, message, coarse, quote.text, _source(site, stem, name))


def _source(site: Site, stem: str, name: str) -> Place:
    """The line that stated a fact; the file alone where the record does not know it."""
    fact = site.records[stem].facts.get(name)
    return Place(site.snippets[stem].file, fact.line if fact is not None else 0)


def _assets(site: Site, page: Page) -> Iterator[Problem]:
    if not page.assets:
        return
    figures = Path(os.path.normpath(site.config.figures))
    made = [(name, filename) for name, loaded in site.records.items() for filename in loaded.artifacts]
    accepted = {figures / PurePosixPath(name).parent / filename for name, filename in (*made, *site.waiting)}
    for path, line in page.assets:
        if not folder.is_file(path):
            yield Problem(page.place(line), f"no file {site.config.relative(path)}")
        elif path.is_relative_to(figures) and path not in accepted:
            yield Problem(page.place(line), f"{site.config.relative(path)} was not made by a snippet")


def _pictures(site: Site, page: Page) -> Iterator[Problem]:
    """A picture that no snippet made may show numbers that nobody checks, so it is declared with a reason."""
    used = set()
    for source, line in page.images:
        if source in page.pictures:
            used.add(source)
        elif not _is_figure(site, page, source) and not _is_silent(page, source):
            message = "a picture that no snippet made, whose numbers nobody checks"
            shown = source if len(source) <= 80 else f"{source[:77]}..."
            expected = f"pictures: {{{shown}: what it shows, and why no snippet makes it}} in the front matter"
            yield Problem(page.place(line), message, expected, shown)
    for source, declared in page.pictures.items():
        if source not in used:
            yield Problem(
                page.place(declared.line), f"a reason for the picture {source!r}, which this page does not show"
            )


def _is_figure(site: Site, page: Page, source: str) -> bool:
    """Whether a picture lies among the figures, where each one belongs to a snippet."""
    return _path(page, source).is_relative_to(os.path.normpath(site.config.figures))


def _is_silent(page: Page, source: str) -> bool:
    """Whether a picture is a drawing of the project's own without a word."""
    path = _path(page, source)
    if ":" in source or path.suffix.lower() != ".svg" or not folder.is_file(path):
        return False
    text, wrong = folder.read(path, source)
    return wrong is None and not re.search(r"<(?:\w+:)?(?:text|tspan|foreignObject|image|title|desc|use)\b", text)


def _path(page: Page, source: str) -> Path:
    return Path(os.path.normpath(page.home.parent / source.partition("#")[0].partition("?")[0]))
