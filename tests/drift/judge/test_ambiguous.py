"""Quotes that name another fact than their words do."""

import pytest
from authoring import Book

CODE = "snippets/a/one.py"
FACTS = """
fact("batch", 8)
fact("small.heads", 8)
fact("keys", 8)
fact("box", 8)
fact("other", 9)
"""


@pytest.fixture
def eights(book: Book) -> Book:
    """A project with several facts that are eight, all of them quoted."""
    book.write(CODE, book.read(CODE) + FACTS)
    book.add(
        "A [8](fact:a/one.batch), of [8](fact:a/one.small.heads), [8](fact:a/one.keys), [8](fact:a/one.box), "
        "and [9](fact:a/one.other)."
    )
    ran = book.drift("update")
    assert ran.code == 0, ran
    return book


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("[8](fact:a/one.batch) heads", "a/one.small.heads"),
        ("[8](fact:a/one.small.heads) keys", "a/one.keys"),
        ("**[8](fact:a/one.batch)** attention heads", "a/one.small.heads"),
        ("[8](fact:a/one.keys)\nheads", "a/one.small.heads"),
        ("[8](fact:a/one.batch) boxes", "a/one.box"),
        ("[Eight](fact:a/one.batch) Heads", "a/one.small.heads"),
    ],
)
def test_check_quote_whose_words_name_another_fact(eights: Book, text: str, other: str) -> None:
    """The digits are right, and the source is not."""
    line = eights.add(text)
    ran = eights.drift("check")
    assert ran.code == 1
    assert f"docs/a.md:{line}  a quote whose words name another fact" in ran.out
    assert f"expected {other}" in ran.out


@pytest.mark.parametrize(
    "text",
    [
        "[8](fact:a/one.small.heads) heads",
        "[8](fact:a/one.batch) sequences",
        "[8](fact:a/one.batch) and heads",
        "[8](fact:a/one.batch) of the heads",
        "[8](fact:a/one.batch). Heads are many.",
        "[8](fact:a/one.batch) in a batch of heads",
        "[8](fact:a/one.batch) very large wide heads",
        "[9](fact:a/one.other) heads",
        "| [8](fact:a/one.batch) | heads |",
        "[8](fact:a/one.batch) [heads](b.md)",
    ],
)
def test_check_quote_whose_words_name_no_other_fact(eights: Book, text: str) -> None:
    """Words that count something else, belong to another phrase, or stand too far behind."""
    eights.write("docs/b.md", "# B\n")
    eights.add(text)
    ran = eights.drift("check")
    assert "name another fact" not in ran.out, ran.out


def test_command_lists_what_could_mean_another_fact(eights: Book) -> None:
    """A quote whose words do not tell, with the facts that read the same."""
    line = eights.add("[8](fact:a/one.keys) keys, [8](fact:a/one.keys) of them.")
    out = eights.drift("ambiguous").out
    assert f"docs/a.md:{line}  8: a/one.keys, not a/one.batch, a/one.small.heads, a/one.box\n" in out
    assert out.count(f"docs/a.md:{line}  ") == 1
    assert '"others": [' in eights.drift("ambiguous", "--json").out
