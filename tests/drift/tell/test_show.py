"""Everything about one name."""

import subprocess

import pytest
from authoring import Book


def test_show_a_fact(book: Book) -> None:
    """Value, code, quotes and claims with their words, and how to run it alone."""
    line = book.add("They are [at least twice as many](claim:a/one.heads).")
    ran = book.drift("show", "a/one.heads")
    assert ran.code == 0
    rows = [row.split(maxsplit=1) for row in ran.out.splitlines()]
    assert ["fact", "a/one.heads"] in rows
    assert ["value", "2, exact"] in rows
    assert ["quoted", "docs/a.md:27  two"] in rows
    assert ["claimed", f"docs/a.md:{line}  at least twice as many"] in rows
    assert ["run", "python snippets/a/one.py"] in rows
    assert any(row.startswith("made in") and row.endswith("snippets/a/one.py:14  2") for row in ran.out.splitlines())


def test_show_a_snippet(book: Book) -> None:
    """Sections with the pages that show them, facts with their values."""
    out = book.drift("show", "a/one").out
    assert "section   count  docs/a.md:10, docs/a.md:14" in out
    assert "fact      share  0.93214  3 quotes" in out
    assert "figure    bar.svg" in out


def test_show_tells_the_history(book: Book) -> None:
    """The commits that changed the recorded line, where there is a repository."""
    assert "changed" not in book.drift("show", "a/one.total").out
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "First numbers"],
    ):
        subprocess.run(["git", *command], cwd=book.root, check=True, capture_output=True)
    assert book.drift("show", "a/one.total").out.splitlines()[-1].endswith("First numbers")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a/one.shar", "did you mean a/one.share?"),
        ("a/onee", "did you mean a/one?"),
        ("b/x.y", "no fact and no snippet 'b/x.y'"),
    ],
)
def test_show_what_is_not_there(book: Book, name: str, said: str) -> None:
    """The nearest names are told."""
    ran = book.drift("show", name)
    assert ran.code == 2
    assert said in ran.err
