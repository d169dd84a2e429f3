"""Judge one page against the records: its fences, its quotes, its numerals, its figures."""

from __future__ import annotations

from collections.abc import Iterator

from drift.judge import numerals, precision, shown, styles
from drift.judge.shown import nearest
from drift.problem import Place, Problem
from drift.read import snippet
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
    ]


def _quote(site: Site, page: Page, quote: Quote) -> Iterator[Problem]:
    place = page.place(quote.line)
    stem, name = split_target(quote.target)
    if stem not in site.snippets or (stem, name) in site.waiting:
        return  # told once, for the page or for the record
    facts = site.records[stem].facts
    source = Place(site.snippets[stem].file, snippet.fact_line(site.snippets[stem], name))
    if name not in facts:
        fix = record.ACCEPT.format(id=stem) if source.line else None
        yield Problem(place, f"{stem} has no recorded fact {name!r}", nearest(name, facts), name, source, fix)
        return
    value = facts[name].value
    try:
        expected = styles.rewrite(quote.text, value, facts[name].tol)
    except styles.NotANumberError:
        expected = styles.full(value)
    if expected != quote.text:
        message = f"a quote that is not its fact: {quote.target} is {styles.full(value)}"
        yield Problem(place, message, expected, quote.text, source, fix="python -m drift update")
    elif coarse := precision.coarser(
        quote.text, facts[name], roughly=precision.says_roughly(page.text, quote.start - 1)
    ):
        message = f"digits that the fact does not hold: {quote.target} may move by {facts[name].tol:g}"
        yield Problem(place, message, coarse, quote.text, source)


def _assets(site: Site, page: Page) -> Iterator[Problem]:
    made = [(name, filename) for name, loaded in site.records.items() for filename in loaded.artifacts]
    accepted = {record.artifact_path(site.config, *ref).resolve() for ref in (*made, *site.waiting)}
    for path, line in page.assets:
        if not path.is_file():
            yield Problem(page.place(line), f"no file {site.config.relative(path)}")
        elif path.is_relative_to(site.config.figures.resolve()) and path not in accepted:
            yield Problem(page.place(line), f"{site.config.relative(path)} was not made by a snippet")
