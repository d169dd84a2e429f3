"""What words claim about a number."""

import pytest

from drift.judge import senses

# Words, numbers that they are true of, numbers that they are false of.
MEANINGS = [
    ("twice", (1.96, 2, 2.04), (1.9, 2.1, -2)),
    ("doubles", (2,), (1, 4)),
    ("takes nearly twice as long", (1.8, 1.99), (1.79, 2, 2.1)),
    ("almost half", (0.45, 0.49), (0.5, 0.44, 0.51)),
    ("just under 90 %", (0.85,), (0.9, 0.95, 0.8)),
    ("about a third", (0.3, 1 / 3, 0.36), (0.29, 0.37)),
    ("roughly two thirds", (0.6, 0.7), (0.59, 0.75)),
    ("three quarters of them", (0.75, 0.76), (0.7, 0.8)),
    ("slightly more than half", (0.51, 0.55), (0.5, 0.56)),
    ("more than half", (0.51, 0.99), (0.5, 0.49)),
    ("over ninety percent", (0.91,), (0.9, 0.89)),
    ("less than a tenth", (0.09, 0), (0.1, 0.2)),
    ("fewer than three\ntimes", (2.9,), (3, 4)),
    ("at least three times", (3, 17), (2.99,)),
    ("no less than 3 times", (3,), (2.9,)),
    ("at most a quarter", (0.25, 0.1), (0.26,)),
    ("up to 1,000 times", (1000, 1), (1001,)),
    ("a hundred times as many", (100, 98), (95, 110)),
    ("fourfold", (4, 4.1), (4.2, 3.8)),
    ("exactly 4 times", (4,), (4.001, 3.999)),
    ("grows linearly", (1.04, 0.96), (1.1, 0.9, 2)),
    ("about linear", (1.1, 0.9), (1.2, 0.8)),
    ("grows with the square of the length", (2, 1.95), (1.9, 2.1)),
    ("stays constant", (0, 0.05, -0.05), (0.06, 1)),
    ("more than quadratic", (2.1,), (2, 1.9)),
]


@pytest.mark.parametrize(("words", "true", "false"), MEANINGS)
def test_band_of_words(words: str, true: tuple[float, ...], false: tuple[float, ...]) -> None:
    """Each word has one meaning, and its ends are where they are said to be."""
    band = senses.band(words)
    assert [value for value in true if not band.holds(value)] == []
    assert [value for value in false if band.holds(value)] == []
    assert band.words in " ".join(words.split())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("the largest of the heads", "no quantity"),
        ("better", "no quantity"),
        ("one in a few", "no quantity"),
        ("over and over", "no quantity"),
        ("many times", "no quantity"),
        ("twice as many as half", "more than one quantity"),
        ("between two and three times, or a half", "more than one quantity"),
        ("not half", r"changes it \(not\)"),
        ("never more than twice", r"changes it \(never\)"),
        ("isn't twice", "changes it"),
        ("hardly twice", "changes it"),
        ("half a dozen", r"changes it \(a dozen\)"),
        ("a tenth of a percent", "more than one quantity"),
        ("half a percentage point", r"changes it \(point\)"),
        ("twice or more", r"changes it \(more\)"),
        ("more, yes, than twice", r"changes it \(more\)"),
        ("between half and all", r"changes it \(between\)"),
        ("twice in twelve", r"changes it \(twelve\)"),
    ],
)
def test_band_of_words_that_could_mean_something_else(words: str, reason: str) -> None:
    """No meaning is guessed."""
    with pytest.raises(senses.UnclearError, match=reason):
        senses.band(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nearly twice", "from 1.8 to less than 2"),
        ("more than half", "more than 0.5"),
        ("at least 3 times", "at least 3"),
        ("less than a tenth", "less than 0.1"),
        ("at most a tenth", "at most 0.1"),
        ("just over half", "from more than 0.5 to 0.55"),
    ],
)
def test_band_is_told_in_words(words: str, said: str) -> None:
    """A finding says what would be true."""
    assert str(senses.band(words)) == said
