"""Sentences that compare and bind nothing."""

import pytest
from authoring import Book

from drift import config
from drift.judge import unbound
from drift.read import site


@pytest.mark.parametrize(
    ("words", "found", "weight"),
    [
        ("It is twice as long.", ("twice",), 3),
        ("Heads are better than one.", ("better", "than"), 4),
        ("It grows linearly.", ("grows", "linearly"), 6),
        ("All are the same.", ("all", "same"), 3),
        ("Three of nine agree.", ("three", "nine", "agree"), 6),
        ("A fourfold gain.", ("fourfold", "fourfold"), 5),
        ("The model reads a word.", (), 0),
        ("Halfway, thanks, sameness.", (), 0),
    ],
)
def test_comparing_words(words: str, found: tuple[str, ...], weight: int) -> None:
    """The words that compare, in order, and what they weigh."""
    assert unbound.comparing(words) == (found, weight)


def listed(book: Book) -> list[str]:
    """The sentences of the project that the list has."""
    return [one.text for one in unbound.find(site.read(config.load(book.root)))]


def test_find_ranks_what_compares_and_binds_nothing(book: Book) -> None:
    """A question, a bound sentence and a sentence without such words are left out."""
    book.add("It is more than that.\n\nIt is twice as large as the largest.\n\nIs it the largest?\n\nIt is.")
    book.add("It is more than [2](fact:a/one.heads). It [is the largest](claim:a/one.heads) of them.")
    assert listed(book) == ["It is twice as large as the largest.", "It is more than that."]


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        (1, None),
        (0, "more sentences that compare and bind nothing than before"),
        (2, "fewer sentences that compare and bind nothing than the settings say"),
    ],
)
def test_check_holds_their_number(book: Book, allowed: int, message: str | None) -> None:
    """The number falls, and whoever makes it fall writes it down."""
    book.add("It is twice as large.")
    book.edit("pyproject.toml", "timeout = 20", f"timeout = 20\nunbound = {allowed}")
    ran = book.drift("check")
    assert ran.code == (1 if message else 0)
    assert (message or "all agree") in ran.out
    assert message is None or "pyproject.toml" in ran.out


@pytest.mark.parametrize("value", ["true", "-1", '"3"', "1.5"])
def test_setting_is_a_whole_number(book: Book, value: str) -> None:
    """Another value is refused by name."""
    book.edit("pyproject.toml", "timeout = 20", f"timeout = 20\nunbound = {value}")
    ran = book.drift("check")
    assert ran.code == 2
    assert "unbound: expected a whole number" in ran.err
