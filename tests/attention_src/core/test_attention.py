"""Tests of `attention_src.core.attention`, against the oracle and against PyTorch."""

import itertools

import pytest
import reference
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.masks import causal_blocked, combine, padding_blocked

IDS = torch.tensor([[3, 1, 4, 1, 5, 0, 0], [9, 2, 0, 0, 0, 0, 0]])  # (2, 7)
PADDING = padding_blocked(IDS)[:, None]  # (2, 1, 1, 7)
CAUSAL = causal_blocked(5, 7, align="bottom-right")[None]  # (1, 5, 7)
EMPTY_ROWS = torch.zeros(2, 1, 5, 7, dtype=torch.bool)
EMPTY_ROWS[0, 0, 3] = EMPTY_ROWS[1, 0, 0] = True

MASKS = {
    "no mask": None,
    "padding": PADDING,
    "causal": CAUSAL,
    "both": combine(PADDING, CAUSAL),
    "empty rows": combine(EMPTY_ROWS, CAUSAL),
    "all blocked": torch.ones(1, 1, 1, 1, dtype=torch.bool),
}
each_mask = pytest.mark.parametrize("blocked", MASKS.values(), ids=MASKS.keys())
each_scale = pytest.mark.parametrize("scale", [None, 0.37, -2.0])


def test_attention_small_case_by_hand():
    """Weights 1/4 and 3/4 mix the values 0 and 8 into 6."""
    q = torch.tensor([[1.0]])
    k = torch.log(torch.tensor([[1.0], [3.0]]))
    output, w = attention(q, k, torch.tensor([[0.0], [8.0]]))
    assert_close(w, torch.tensor([[0.25, 0.75]]))
    assert_close(output, torch.tensor([[6.0]]))


def test_reference_small_case_by_hand():
    """The oracle solves the same case, so it is not trusted blindly."""
    q = torch.tensor([[1.0]])
    k = torch.log(torch.tensor([[1.0], [3.0]], dtype=torch.float64))
    output, w = reference.attention(q, k, torch.tensor([[0.0], [8.0]]))
    assert_close(w, torch.tensor([[0.25, 0.75]], dtype=torch.float64))
    assert_close(output, torch.tensor([[6.0]], dtype=torch.float64))


@each_mask
@each_scale
def test_attention_matches_the_oracle(qkv, blocked, scale):
    """Output and weights are those of plain loops in float64."""
    assert_close(attention(*qkv, blocked, scale), reference.attention(*qkv, blocked, scale))


@each_mask
@each_scale
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_attention_matches_torch_in_values_and_gradients(qkv, randn, blocked, scale, dtype):
    """Output and gradients are those of F.scaled_dot_product_attention under the negated mask."""
    probe = randn(2, 3, 5, 13).to(dtype)
    ours = [tensor.to(dtype).requires_grad_() for tensor in qkv]
    theirs = [tensor.to(dtype).requires_grad_() for tensor in qkv]
    allowed = None if blocked is None else ~blocked
    output, _ = attention(*ours, blocked, scale)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=allowed, scale=scale)
    assert_close(output, expected)
    gradients = torch.autograd.grad((output * probe).sum(), ours)
    assert_close(gradients, torch.autograd.grad((expected * probe).sum(), theirs), rtol=1e-4, atol=1e-5)
    assert all(gradient.isfinite().all() for gradient in gradients)


@pytest.mark.parametrize(
    "lead",
    [((), (), ()), ((2,), (), ()), ((), (2,), ()), ((), (), (2,)), ((3,), (2, 1), ()), ((2, 1), (3,), (1, 3)),
     ((2, 1, 3), (1, 2, 1), (3,)), ((0,), (0,), (0,))],
    ids=str,
)  # fmt: skip
def test_attention_leading_axes_broadcast_as_in_torch(randn, lead):
    """Any number of leading axes broadcasts, with the shapes and values of PyTorch and the oracle."""
    q, k, v = randn(*lead[0], 5, 11), randn(*lead[1], 7, 11), randn(*lead[2], 7, 13)
    output, w = attention(q, k, v)
    expected, expected_w = reference.attention(q, k, v)
    assert_close(output, expected)
    assert_close(output, F.scaled_dot_product_attention(q, k, v))
    assert w.shape == (*torch.broadcast_shapes(lead[0], lead[1]), 5, 7)
    assert_close(w.expand_as(expected_w), expected_w)


def test_attention_mask_of_a_batch_goes_to_its_sequences(qkv):
    """Each sequence and head, taken alone with its own part of the mask, gives its part of the result."""
    q, k, v = qkv
    blocked = combine(PADDING, CAUSAL)  # (2, 1, 5, 7)
    output, w = attention(q, k, v, blocked)
    for b, h in itertools.product(range(2), range(3)):
        assert_close((output[b, h], w[b, h]), attention(q[b, h], k[b, h], v[b, h], blocked[b, 0]))


def test_attention_is_scores_weights_and_a_product(qkv):
    """The pieces are public and compose to the whole."""
    q, k, v = qkv
    output, w = attention(q, k, v, PADDING, 0.5)
    assert_close(w, weights(scores(q, k, 0.5), PADDING))
    assert_close(output, w @ v)


def test_attention_one_key_returns_its_value(randn):
    """With one key there is no choice."""
    v = randn(1, 13)
    assert_close(attention(randn(5, 11), randn(1, 11), v)[0], v.expand(5, 13))


@pytest.mark.parametrize("blocked", [None, torch.zeros(5, 0, dtype=torch.bool)], ids=["no mask", "mask"])
def test_attention_no_keys_gives_zeros(randn, blocked):
    """With M = 0 every query has all of its keys blocked, so it gets zeros, and gradients are 0."""
    q, k, v = randn(5, 11).requires_grad_(), randn(0, 11), randn(0, 13)
    output, w = attention(q, k, v, blocked)
    assert_close((output, w), (torch.zeros(5, 13).double(), torch.zeros(5, 0).double()))
    assert_close(output, F.scaled_dot_product_attention(q, k, v))
    assert_close(output, reference.attention(q, k, v)[0])
    assert torch.autograd.grad(output.sum(), q)[0].eq(0).all()


@pytest.mark.parametrize("blocked", [None, torch.zeros(0, 7, dtype=torch.bool)], ids=["no mask", "mask"])
def test_attention_no_queries_gives_an_empty_output(randn, blocked):
    """With N = 0 there is nothing to answer."""
    output, w = attention(randn(0, 11), randn(7, 11), randn(7, 13), blocked)
    assert (output.shape, w.shape) == ((0, 13), (0, 7))


def test_attention_no_value_width_gives_an_empty_output(randn):
    """With V = 0 the weights are as ever."""
    q, k = randn(5, 11), randn(7, 11)
    output, w = attention(q, k, randn(7, 0))
    assert output.shape == (5, 0)
    assert_close(w, weights(scores(q, k)))


def test_attention_nan_in_an_allowed_input_propagates(randn):
    """A NaN in one query reaches the output of that query and of no other."""
    q = randn(5, 11)
    q[2, 3] = float("nan")
    output, _ = attention(q, randn(7, 11), randn(7, 13))
    assert output.isnan().all(-1).tolist() == [False, False, True, False, False]
    assert not output[[0, 1, 3, 4]].isnan().any()


@each_mask
def test_attention_gradcheck(randn, blocked):
    """Gradients of output and weights are those of finite differences, empty rows included."""
    q, k, v = (randn(2, 1, *last).requires_grad_() for last in ((5, 2), (7, 2), (7, 3)))
    assert torch.autograd.gradcheck(lambda *inputs: attention(*inputs, blocked), (q, k, v))


def test_attention_gradgradcheck_with_an_empty_row(randn):
    """Second derivatives are right and finite too."""
    blocked = torch.tensor([[False, True, False], [True, True, True]])
    q, k, v = (randn(*shape).requires_grad_() for shape in ((2, 2), (3, 2), (3, 1)))
    assert torch.autograd.gradgradcheck(lambda *inputs: attention(*inputs, blocked), (q, k, v))


def test_attention_fully_blocked_query_gets_gradient_zero(qkv):
    """The query has a gradient of exactly 0, and the keys and values get theirs from the other queries."""
    inputs = [tensor.clone().requires_grad_() for tensor in qkv]
    attention(*inputs, EMPTY_ROWS)[0].square().sum().backward()
    q, k, v = (tensor.grad for tensor in inputs)
    assert q[0, :, 3].eq(0).all()
    assert q[1, :, 0].eq(0).all()
    assert q.isfinite().all()
    rest = [tensor.clone().requires_grad_() for tensor in (qkv[0][0, 0, [0, 1, 2, 4]], qkv[1][0, 0], qkv[2][0, 0])]
    attention(*rest)[0].square().sum().backward()
    assert_close((k[0, 0], v[0, 0]), (rest[1].grad, rest[2].grad))


def test_attention_leaves_its_inputs_alone(qkv):
    """No input is written to."""
    kept = [tensor.clone() for tensor in (*qkv, PADDING)]
    attention(*qkv, PADDING)
    assert_close([*qkv, PADDING], kept, rtol=0, atol=0)
