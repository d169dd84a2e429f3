"""Facts that a typed number could quote."""

import pytest
from authoring import Book

from drift import config
from drift.facts import Fact
from drift.judge import suggest
from drift.read import site


@pytest.mark.parametrize(
    ("text", "fact", "fits"),
    [
        ("0.9321", Fact(0.93214), True),
        ("93.2 %", Fact(0.93214), True),
        ("0.9322", Fact(0.93214), False),
        ("9,216", Fact(9216), True),
        ("two", Fact(2), True),
        ("2", Fact(2), True),
        ("1", Fact(0.93214), False),  # one digit of a measurement
        ("0.93", Fact(0.93214, tol=0.2), False),  # digits that it does not hold
        ("True", Fact(True), False),
        ("queen", Fact("queen"), False),
    ],
)
def test_fits_what_reads_the_same(text: str, fact: Fact, fits: bool) -> None:
    """A number in any form that a quote may have, with digits that the fact holds."""
    assert suggest.fits(text, fact) == fits


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("0.9321", ("a/one.share",)),
        ("4.3 GB", ("a/one.size",)),
        ("two", ("a/one.heads",)),
        ("0.1234", ()),
        ("88", ()),  # on another page's snippet, and too short to tell
        ("8,888", ("a/two.long",)),
    ],
)
def test_facts_for_a_text(book: Book, text: str, facts: tuple[str, ...]) -> None:
    """Those of the page come first; elsewhere a number needs digits enough."""
    book.write("snippets/a/two.py", 'from drift import fact\n\nfact("short", 88)\nfact("long", 8888)\n')
    book.write("docs/b.md", "# B\n\n[88](fact:a/two.short) and [8,888](fact:a/two.long).\n")
    assert book.drift("update").code == 0
    whole = site.read(config.load(book.root))
    page = next(page for page in whole.pages if page.file == "docs/a.md")
    assert suggest.facts_for(whole, page, text) == facts


def test_finding_names_the_fact(book: Book) -> None:
    """Who types a number that a snippet has computed is told so, and of others that read the same."""
    book.write("snippets/a/one.py", book.read("snippets/a/one.py") + '\nfact("pairs", 2)\n')
    book.add("[2](fact:a/one.pairs)")
    assert book.drift("update").code == 0
    book.add("The share is 0.9321.\n\nThere are 2.")
    out = " ".join(book.drift("check").out.split())
    assert "expected [0.9321](fact:a/one.share), or '0.9321' with a reason" in out
    assert "expected [2](fact:a/one.heads)" in out
    assert "a/one.pairs read the same" in out
