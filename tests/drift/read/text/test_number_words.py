"""Numbers in words."""

import pytest

from drift.read.text import number_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("five real weights", [("five", 5)]),
        ("Nine, TEN or twelve", [("Nine", 9), ("TEN", 12 - 2), ("twelve", 12)]),
        ("seventeen seven", [("seventeen", 17), ("seven", 7)]),
        ("ninety-nine in a hundred", [("ninety-nine", 99), ("a hundred", 100)]),
        ("three hundred, three\nthousand", [("three hundred", 300), ("three thousand", 3000)]),
        ("a hundred and twenty-eight", [("a hundred and twenty-eight", 128)]),
        ("a dozen, two dozen", [("a dozen", 12), ("two dozen", 24)]),
        ("a million, one billion", [("a million", 10**6), ("one billion", 10**9)]),
        ("fourfold, six-fold", [("fourfold", 4), ("six-fold", 6)]),
        ("a thousandfold, a hundred-fold", [("a thousandfold", 1000), ("a hundred-fold", 100)]),
        ("three-dimensional", [("three", 3)]),
        ("forty two", [("forty", 40)]),
    ],
)
def test_find_numbers_in_words(text: str, found: list[tuple[str, int]]) -> None:
    """Each number is found as a whole, with its value."""
    assert [(words, number) for _, words, number in number_words.find(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "one of two",
        "zero",
        "once, twice, half",
        "often",
        "tension",
        "sixth",
        "third",
        "hundreds of",
        "someone",
        "threes",
        "5 million",
        "5-million",
    ],
)
def test_find_words_that_count_nothing(text: str) -> None:
    """Words of the language, ordinals and parts of words are no counts."""
    assert number_words.find(text) == []


def test_value_of_a_whole_text() -> None:
    """A literal may be written in words."""
    assert [number_words.value(text) for text in ("five", " Three hundred ", "two", "five keys", "")] == [
        5,
        300,
        None,
        None,
        None,
    ]
