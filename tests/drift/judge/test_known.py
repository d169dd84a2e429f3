"""A site that was found to be in order is not judged again until something changes."""

from collections.abc import Callable

import pytest
from authoring import Book

from drift import config
from drift.judge import known
from drift.read import site


def in_order(book: Book) -> bool:
    """Whether the project, as it is on the disk now, is known to be in order."""
    return known.is_in_order(site.read(config.load(book.root)))


def test_check_that_agrees_is_remembered(book: Book) -> None:
    """Nothing is known before a check, and nothing has to be judged twice after it."""
    (book.root / ".drift" / known.NAME).unlink(missing_ok=True)
    assert not in_order(book)
    assert book.drift("check").code == 0
    assert in_order(book)


CHANGES: dict[str, Callable[[Book], object]] = {
    "page": lambda book: book.add("There are 41."),
    "one letter": lambda book: book.edit("docs/a.md", "# A page", "# B page"),
    "new page": lambda book: book.write("docs/b.md", "# B\n"),
    "record": lambda book: book.edit("snippets/a/one.facts.json", "9216", "9217"),
    "output": lambda book: book.edit("snippets/a/one.out", "9,216", "9,217"),
    "snippet": lambda book: book.edit("snippets/a/one.py", "total = 9216", "total = 9217"),
    "figure": lambda book: book.edit("docs/assets/figures/a/bar.svg", "0.93214", "0.93215"),
    "settings": lambda book: book.edit("pyproject.toml", "timeout = 20", "timeout = 21"),
    "navigation": lambda book: book.write("mkdocs.yml", "site_name: A\n"),
    "file gone": lambda book: (book.root / "docs/assets/figures/a/bar.svg").unlink(),
    "damaged memory": lambda book: book.write(f".drift/{known.NAME}", "{}"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_judged(book: Book, name: str) -> None:
    """Content decides, not times and sizes."""
    assert book.drift("check").code == 0
    assert in_order(book)
    CHANGES[name](book)
    assert not in_order(book)


def test_another_checker_judges_again(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code that judged is part of what is known."""
    assert book.drift("check").code == 0
    monkeypatch.setattr(known, "HOME", book.root / "snippets")
    assert not in_order(book)


def test_check_that_finds_something_is_not_remembered(book: Book) -> None:
    """Neither is one of a part."""
    assert book.drift("check").code == 0
    book.add("There are 41.")
    assert book.drift("check").code == 1
    assert not in_order(book)


def test_check_of_a_part_is_not_remembered(book: Book) -> None:
    """What was not run may have drifted."""
    book.write("snippets/a/two.py", 'from drift import fact\n\nfact("x", 2)\n')
    book.add("[2](fact:a/two.x)")
    assert book.drift("update").code == 0
    (book.root / ".drift" / known.NAME).unlink(missing_ok=True)
    assert book.drift("check", "--only", "a/one").code == 0
    assert not in_order(book)
    assert book.drift("check").code == 0
    assert in_order(book)
