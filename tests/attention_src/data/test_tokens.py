"""Tests of `attention_src.data.tokens`."""

import pytest

from attention_src.data.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Where is my card?", ["where", "is", "my", "card", "?"]),
        ("Don't!", ["don", "'", "t", "!"]),
        ("pays £3.50 -- twice", ["pays", "£", "3", ".", "50", "-", "-", "twice"]),
        ("ÜBER_2 café", ["über_2", "café"]),
        ("one\n\ttwo  ", ["one", "two"]),
        ("", []),
        (" \n", []),
    ],
)
def test_tokenize_gives_words_and_single_marks(text, tokens):
    """Runs of word characters and single marks, in lower case; white space separates and is dropped."""
    assert tokenize(text) == tokens


@pytest.mark.parametrize("text", [None, b"card", ["card"]])
def test_tokenize_raises_for_what_is_no_text(text):
    """The error names what came."""
    with pytest.raises(TypeError, match=f"text must be a str, got {type(text).__name__}"):
        tokenize(text)
