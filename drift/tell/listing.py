"""List every fact: its value, how it is shown, its tolerance, where it is made and where it is quoted."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from drift.facts import Value
from drift.judge import styles
from drift.problem import Place
from drift.read.site import Ref, Site, split_target


@dataclass(frozen=True)
class Row:
    """One fact; `shown` holds the texts of its quotes, in the order of `quoted`."""

    fact: str
    value: Value
    tol: float | None
    shown: tuple[str, ...]
    made: str
    quoted: tuple[str, ...]


def rows(site: Site) -> list[Row]:
    """All recorded facts of the site, by snippet and in the order in which they were stated."""
    texts: dict[Ref, list[str]] = {}
    for page in site.pages:
        for quote in page.quotes:
            texts.setdefault(split_target(quote.target), []).append(quote.text.replace("\n", " "))
    return [
        Row(
            fact=f"{stem}.{name}",
            value=fact.value,
            tol=fact.tol,
            shown=tuple(texts.get((stem, name), ())),
            made=str(Place(site.snippets[stem].file, fact.line)),
            quoted=tuple(map(str, site.quoted.get((stem, name), ()))),
        )
        for stem, loaded in site.records.items()
        for name, fact in loaded.facts.items()
    ]


def as_json(found: list[Row]) -> list[dict[str, object]]:
    """The rows as plain JSON values."""
    return [asdict(row) for row in found]


def show(console: Console, found: list[Row]) -> None:
    """Print the rows as a table."""
    table = Table(box=None, pad_edge=False)
    for title in ("fact", "value", "shown as", "tolerance", "made in", "quoted in"):
        table.add_column(title, overflow="fold")
    for row in found:
        tolerance = "exact" if row.tol is None else f"± {row.tol:g}"
        shown = ", ".join(dict.fromkeys(row.shown))
        table.add_row(row.fact, styles.full(row.value), shown, tolerance, row.made, "\n".join(row.quoted))
    console.print(table)
