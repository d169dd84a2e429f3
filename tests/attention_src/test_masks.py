"""Tests of `attention_src.masks`."""

import pytest
import reference
import torch
from torch import Tensor
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.testing import assert_close

from attention_src.masks import causal_blocked, combine, padding_blocked


def mask(rows: str) -> Tensor:
    """Read a mask drawn with x for blocked and . for allowed, rows separated by spaces."""
    return torch.tensor([[cell == "x" for cell in row] for row in rows.split()])


def test_padding_blocked_marks_the_pad_id():
    """True stands where the id is the padding's, in a (B, 1, M) mask."""
    ids = torch.tensor([[5, 6, 0, 0, 0], [7, 0, 8, 9, 0]])
    assert_close(padding_blocked(ids), mask("..xxx .x..x")[:, None])


def test_padding_blocked_takes_another_pad_id():
    """Only the given id counts as padding, a 0 does not."""
    assert_close(padding_blocked(torch.tensor([[5, 0, -1]]), pad=-1), mask("..x")[None])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_padding_blocked_takes_any_integers(dtype):
    """Ids of every integer dtype give a boolean mask."""
    assert padding_blocked(torch.tensor([[1, 0]], dtype=dtype)).tolist() == [[[False, True]]]


def test_padding_blocked_without_padding_blocks_nothing():
    """Sequences of full length stay open."""
    assert not padding_blocked(torch.ones(2, 7, dtype=torch.long)).any()


@pytest.mark.parametrize("shape", [(0, 7), (2, 0)])
def test_padding_blocked_of_nothing_is_empty(shape):
    """An empty batch and empty sequences give an empty mask."""
    assert padding_blocked(torch.zeros(shape, dtype=torch.long)).shape == (shape[0], 1, shape[1])


@pytest.mark.parametrize("align", [None, "top-left", "bottom-right"])
def test_causal_blocked_square_blocks_above_the_diagonal(align):
    """With equal lengths every alignment is the same and none is needed."""
    assert_close(causal_blocked(3, align=align), mask(".xx ..x ..."))
    assert_close(causal_blocked(3, 3, align=align), mask(".xx ..x ..."))


@pytest.mark.parametrize(
    ("n", "m", "align", "drawn"),
    [
        (2, 5, "top-left", ".xxxx ..xxx"),
        (2, 5, "bottom-right", "....x ....."),
        (5, 2, "top-left", ".x .. .. .. .."),
        (5, 2, "bottom-right", "xx xx xx .x .."),
        (1, 3, "top-left", ".xx"),
        (1, 3, "bottom-right", "..."),
    ],
)
def test_causal_blocked_alignment_drawn(n, m, align, drawn):
    """The two alignments are the ones drawn here."""
    assert_close(causal_blocked(n, m, align=align), mask(drawn))


@pytest.mark.parametrize("align", ["top-left", "bottom-right"])
def test_causal_blocked_matches_the_oracle_at_every_size(align):
    """Loops over queries and keys give the same masks for all lengths from 0 to 6."""
    for n in range(7):
        for m in range(7):
            expected = torch.tensor(reference.causal(n, m, align), dtype=torch.bool).reshape(n, m)
            assert_close(causal_blocked(n, m, align=align), expected)


@pytest.mark.parametrize(("align", "theirs"), [("top-left", causal_upper_left), ("bottom-right", causal_lower_right)])
def test_causal_blocked_negates_the_bias_of_torch(align, theirs):
    """torch.nn.attention.bias has the same two alignments, with True for allowed."""
    assert_close(~causal_blocked(5, 7, align=align), theirs(5, 7)._materialize())


def test_causal_blocked_is_made_on_the_given_device():
    """The device is passed on."""
    assert causal_blocked(3, device="meta").device.type == "meta"


def test_combine_blocks_the_union():
    """A key is blocked when either mask blocks it."""
    assert_close(combine(mask(".xx ..x ..."), mask("x.. ... ..x")), mask("xxx ..x ..x"))


def test_combine_padding_and_causal_broadcast():
    """(2, 1, 5) padding with a shared (1, 5, 5) causal mask gives (2, 5, 5)."""
    ids = torch.tensor([[5, 6, 0, 0, 0], [1, 2, 3, 4, 5]])
    result = combine(padding_blocked(ids), causal_blocked(5)[None])
    assert_close(result[0], mask(".xxxx ..xxx ..xxx ..xxx ..xxx"))
    assert_close(result[1], mask(".xxxx ..xxx ...xx ....x ....."))


def test_combine_takes_any_number_of_masks():
    """One mask is returned as it is, and three are joined."""
    a, b, c = mask("x.. ..."), mask(".x. ..."), mask("... ..x")
    assert_close(combine(a), a)
    assert_close(combine(a, b, c), mask("xx. ..x"))


def test_combine_leaves_its_inputs_alone():
    """No mask is written to."""
    a, b = mask("x."), mask(".x")
    combine(a, b)
    assert_close((a, b), (mask("x."), mask(".x")))
