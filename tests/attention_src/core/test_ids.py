"""Tests of `attention_src.core.ids`: a mask in place of ids is told apart where it can be, and ids never are."""

import re

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import vmap

from attention_src.core.attention import attention
from attention_src.data.vocabulary import build_vocabulary, encode
from attention_src.masks import padding_blocked


def rows(drawn: str, dtype: torch.dtype = torch.int64) -> Tensor:
    """Read a batch drawn as digits, rows separated by spaces."""
    return torch.tensor([[int(digit) for digit in row] for row in drawn.split()], dtype=dtype)


@pytest.mark.parametrize("drawn", ["00011 00001", "00011 00000", "01 01", "0111", "001"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_mask_whose_one_is_padding_is_refused(drawn, dtype):
    """Read as ids it would block the tokens and show the padding."""
    message = "as in a mask whose 1 is padding: write (mask == 1)[:, None] if they are one"
    with pytest.raises(ValueError, match=re.escape(message)):
        padding_blocked(rows(drawn, dtype))


@pytest.mark.parametrize("drawn", ["00011 00001", "01"])
def test_ids_that_look_like_a_mask_are_taken_when_the_caller_says_so(drawn):
    """Nothing but the id 1, with padding on the left of every row: possible, and an argument away."""
    assert padding_blocked(rows(drawn), binary=True).tolist() == (rows(drawn) == 0)[:, None].tolist()


def test_mask_read_as_it_is_advised_blocks_the_padding():
    """The advice in the message gives what ids would have given."""
    ids, mask = rows("57900 81000"), rows("00011 00111")
    assert torch.equal((mask == 1)[:, None], padding_blocked(ids))


@pytest.mark.parametrize(
    "drawn",
    ["11100 11000", "111 111", "000 000", "110 000", "00011 00111 11111", "101", "010", "0002", "0121", "00 11"],
)
def test_ids_of_zero_and_one_are_no_false_alarm(drawn):
    """Padding on the right, none, on the left beside a full row, or anywhere else: these are ids."""
    assert torch.equal(padding_blocked(rows(drawn))[:, 0], rows(drawn) == 0)


@pytest.mark.parametrize("length", [None, 2, 7])
def test_texts_of_unknown_words_are_no_false_alarm(length):
    """Each word is the id 1, however long the rows are made."""
    ids = encode(["new words only", "another", ""], build_vocabulary(["an old text"]), length)
    assert ids.max() == 1
    assert torch.equal(padding_blocked(ids)[:, 0], ids == 0)


def test_tokenizers_mask_gives_what_its_ids_give():
    """Its 0 is where the ids' 0 is, so it need not be refused."""
    assert torch.equal(padding_blocked(rows("11100 11000")), padding_blocked(rows("57900 81000")))


@pytest.mark.parametrize("drawn", ["00011 00001", "01"])
def test_ids_whose_padding_is_one_are_not_looked_at(drawn):
    """With another id for the padding, zeros before ones are tokens before padding."""
    assert torch.equal(padding_blocked(rows(drawn), pad=1)[:, 0], rows(drawn) == 1)


@pytest.mark.parametrize(
    ("mask", "advice"),
    [
        (rows("110").bool(), "mask[:, None] if its True is padding, and (~mask)[:, None] if its True is a token"),
        (rows("110").float(), "(mask == 1)[:, None] if its 1 is padding, and (mask == 0)[:, None] if its 1 is a token"),
        (rows("110").half(), "(mask == 1)[:, None] if its 1 is padding"),
        (rows("110").to(torch.complex64), "(mask == 0)[:, None] if its 1 is a token"),
    ],
    ids=["bool", "float", "half", "complex"],
)
def test_mask_of_another_dtype_is_refused_with_what_to_write(mask, advice):
    """The dtype tells that it is no batch of ids; which polarity it has, its owner knows."""
    message = f"ids must be integers, got {mask.dtype}: of a mask, write "
    with pytest.raises(TypeError, match=f"^{re.escape(message)}.*{re.escape(advice)}"):
        padding_blocked(mask)


def test_advice_for_a_boolean_mask_fits_attention(randn):
    """What the message says to write is accepted, and blocks the last key."""
    x, mask = randn(1, 3, 2), rows("001").bool()
    assert attention(x, x, x, mask[:, None])[1][..., 2].eq(0).all()


def test_ids_without_values_are_taken_as_they_are():
    """Where there are no numbers to look at, nothing is refused."""
    suspicious = rows("00011 00001")
    assert padding_blocked(suspicious.to("meta")).shape == (2, 1, 5)
    with FakeTensorMode() as mode:
        assert padding_blocked(mode.from_tensor(suspicious)).shape == (2, 1, 5)
    assert vmap(padding_blocked)(suspicious[None]).shape == (1, 2, 1, 5)
