"""Tests of `attention_src.data.vocabulary`."""

import pytest
import torch
from torch.testing import assert_close

from attention_src.data.vocabulary import build_vocabulary, encode

TEXTS = ["b a", "c a b", "d! a"]
VOCABULARY = {"<pad>": 0, "<unknown>": 1, "a": 2, "b": 3, "c": 4, "d": 5, "!": 6}


def test_build_vocabulary_counts_and_breaks_ties_by_first_appearance():
    """Three a before two b; c, d and the mark follow in the order in which they came."""
    assert build_vocabulary(TEXTS) == VOCABULARY
    assert list(build_vocabulary(iter(TEXTS)).values()) == list(range(7))


def test_build_vocabulary_depends_on_the_order_of_the_texts():
    """Among equally frequent tokens, the one that is read first comes first."""
    assert build_vocabulary(["x y"])["x"] == build_vocabulary(["y x"])["y"] == 2


def test_build_vocabulary_of_nothing_has_the_special_entries():
    """Padding and the unknown token are there whatever the texts hold, and no text can hold them."""
    assert build_vocabulary([]) == {"<pad>": 0, "<unknown>": 1}
    assert build_vocabulary(["<pad>"]).keys() == {"<pad>", "<unknown>", "<", "pad", ">"}


def test_encode_pads_on_the_right():
    """Rows are as long as the longest text, or as asked."""
    assert_close(encode(["a b c", "a"], VOCABULARY), torch.tensor([[2, 3, 4], [2, 0, 0]]))
    assert_close(encode(["a b c", "a"], VOCABULARY, 5), torch.tensor([[2, 3, 4, 0, 0], [2, 0, 0, 0, 0]]))


def test_encode_cuts_what_is_too_long():
    """An over-long text loses its end."""
    assert_close(encode(["a b c d", "!"], VOCABULARY, 3), torch.tensor([[2, 3, 4], [6, 0, 0]]))


def test_encode_marks_unknown_tokens():
    """A token that the vocabulary lacks is 1, and never padding."""
    assert_close(encode(["a zebra b", "<pad>"], VOCABULARY), torch.tensor([[2, 1, 3], [1, 1, 1]]))


def test_encode_of_no_tokens_is_padding():
    """A text without tokens is a row of padding, and no texts are an empty batch."""
    assert_close(encode(["", "a"], VOCABULARY, 2), torch.tensor([[0, 0], [2, 0]]))
    assert encode([""], VOCABULARY).shape == (1, 0)
    assert encode([], VOCABULARY, 7).shape == (0, 7)
    assert encode([], VOCABULARY).dtype == torch.int64


def test_one_text_is_refused():
    """A str is a sequence of str, so it would pass for one text a letter."""
    for call in (lambda: build_vocabulary("card"), lambda: encode("card", VOCABULARY)):
        with pytest.raises(TypeError, match=r"texts must be several texts, got one str; write \[text\]"):
            call()
    with pytest.raises(TypeError, match="text must be a str, got int"):
        encode([7], VOCABULARY)


def test_encode_raises_for_a_bad_length():
    """The length is an int of at least 1."""
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        encode(["a"], VOCABULARY, 0)
    for length in (2.0, True):
        with pytest.raises(TypeError, match=f"length must be an int, got {type(length).__name__}"):
            encode(["a"], VOCABULARY, length)
