"""The list of facts."""

from io import StringIO

from rich.console import Console

from drift import config
from drift.read import site
from drift.tell import listing


def test_rows_name_value_quotes_and_places(written) -> None:
    """Facts come in the order in which they were stated, each with every quote."""
    rows = listing.rows(site.read(config.load(written.root)))
    assert [row.fact for row in rows][:2] == ["a/one.share", "a/one.total"]
    first = rows[0]
    assert (first.value, first.tol, first.shown) == (0.93214, None, ("0.9321", "93.2 %", "0.9321"))
    assert (first.made, first.quoted) == ("snippets/a/one.py:10", ("docs/a.md:17", "docs/a.md:17", "docs/a.md:25"))


def test_rows_quote_over_two_lines_is_one_text(book) -> None:
    """A line break in a quote is a space in the list."""
    book.add("[4.3\nGB](fact:a/one.size)")
    rows = {row.fact: row for row in listing.rows(site.read(config.load(book.root)))}
    assert rows["a/one.size"].shown == ("4.3 GB", "4.3 GB")


def test_show_prints_tolerances_and_each_shown_text_once(book) -> None:
    """`exact` or the distance; a text that is shown twice is listed once."""
    book.edit("snippets/a/one.py", 'fact("double", double)', 'fact("double", double, tol=0.01)')
    book.drift("update")
    stream = StringIO()
    listing.show(Console(file=stream, width=200), listing.rows(site.read(config.load(book.root))))
    lines = {line.split()[0]: line for line in stream.getvalue().split("\n") if line.startswith("a/")}
    assert "± 0.01" in lines["a/one.double"]
    assert "exact" in lines["a/one.share"]
    assert lines["a/one.share"].count("0.9321,") == 1


def test_as_json_is_plain(written) -> None:
    """A row is a dict of plain values."""
    rows = listing.as_json(listing.rows(site.read(config.load(written.root))))
    assert set(rows[0]) == {"fact", "value", "tol", "shown", "made", "quoted"}
