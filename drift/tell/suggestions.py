"""The typed numbers of a site that a fact could hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from drift.judge import numerals
from drift.judge.near import Near
from drift.judge.suggest import facts_for
from drift.problem import Place
from drift.read.site import Site


@dataclass(frozen=True)
class Suggestion:
    """A typed number with the facts that read the same."""

    place: Place
    text: str
    facts: tuple[str, ...]


def find(site: Site) -> Iterator[Suggestion]:
    """Every typed number of the site's prose that some fact could hold, in the order of the pages."""
    for page in site.pages:
        near = Near(site, page)
        for numeral in page.numerals:
            held = numerals.held_by(site, page, near, numeral)
            if held in (None, numerals.LITERAL) and (facts := facts_for(site, page, numeral.whole)):
                yield Suggestion(page.place(numeral.line), numeral.whole, facts)
