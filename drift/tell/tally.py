"""Count what a check looks at: quotes by what they quote, and numbers without a quote by what holds them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from drift.judge import numerals
from drift.judge.near import Near
from drift.read.site import Site, split_target
from drift.records.origin import has_outside

# Where a number can stand, as `prose.Numeral.where` has it, in the order of the table.
PLACES = {"prose": "in prose", "word": "in words", "code": "in inline code", "math": "in formulas"}


@dataclass(frozen=True)
class Count:
    """How often something was met.

    Attributes:
        what: the group: what was counted.
        how: what it is, or what holds it.
        number: how many there are.
    """

    what: str
    how: str
    number: int


def count(site: Site) -> list[Count]:
    """Everything that a check of the site looks at, in groups."""
    size = {"pages": len(site.pages), "snippets": len(site.snippets)}
    size["facts"] = sum(len(record.facts) for record in site.records.values())
    found = [Count("site", how, number) for how, number in size.items()]
    found += _counts("quotes", _quotes(site))
    for where, what in PLACES.items():
        found += _counts(f"numbers {what}", _held(site, where))
    found += _counts("numbers that need nothing", Counter(one.what for page in site.pages for one in page.exempt))
    found += _counts("pictures of no snippet", Counter({"reason": sum(len(page.pictures) for page in site.pages)}))
    return found + _counts("hangs on data that is not committed", _outside(site))


def as_json(found: list[Count]) -> list[dict[str, object]]:
    """The counts as plain JSON values."""
    return [asdict(row) for row in found]


def show(console: Console, found: list[Count]) -> None:
    """Print the counts as a table; a group is named once."""
    table = Table(box=None, pad_edge=False)
    for title in ("what", "held by, or kind"):
        table.add_column(title)
    table.add_column("number", justify="right")
    last = ""
    for row in found:
        table.add_row("" if row.what == last else row.what, row.how, f"{row.number:,}")
        last = row.what
    console.print(table)


def _counts(what: str, counter: Counter[str]) -> list[Count]:
    return [Count(what, how, number) for how, number in counter.most_common() if number]


def _quotes(site: Site) -> Counter[str]:
    counter: Counter[str] = Counter()
    for page in site.pages:
        for quote in page.quotes:
            stem, name = split_target(quote.target)
            fact = site.records[stem].facts.get(name) if stem in site.records else None
            if fact is None:
                counter["of nothing"] += 1
            elif quote.claim:
                counter["claims, by their own words"] += 1
            elif isinstance(fact.value, bool):
                counter["of True or False"] += 1
            elif isinstance(fact.value, str):
                counter["of a text"] += 1
            else:
                counter["of a number, exact" if fact.tol is None else "of a number, with a tolerance"] += 1
    return counter


def _held(site: Site, where: str) -> Counter[str]:
    """What holds the numbers of one place that no quote binds."""
    counter: Counter[str] = Counter()
    for page in site.pages:
        near = Near(site, page)
        for numeral in page.numerals:
            if numeral.where == where:
                counter[numerals.held_by(site, page, near, numeral) or "nothing"] += 1
    return counter


def _outside(site: Site) -> Counter[str]:
    """What would not be run where the data is missing."""
    counter: Counter[str] = Counter()
    names = {name for name, record in site.records.items() if has_outside(record.made_from)}
    for name in names:
        counter["snippets"] += 1
        counter["facts"] += len(site.records[name].facts)
    counter["quotes"] = sum(len(places) for (name, _), places in site.quoted.items() if name in names)
    return counter
