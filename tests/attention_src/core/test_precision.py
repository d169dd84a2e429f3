"""Tests of attention in float16, bfloat16 and float32.

Rounding is judged as flash-attention's tests judge it: against the same formula run in the same dtype.
The error against float64 may be twice that of the plain run, because an operation that is done in another
order rounds differently: both errors are a draw from the same few roundings, and a factor of 2 covers the luck of
it. A wrong intermediate dtype costs a factor of 8 (bfloat16 for float16) or thousands (float16 for float32).
"""

import math

import pytest
import reference
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked

each_dtype = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
each_width = pytest.mark.parametrize("width", [2, 11, 64, 131])
CAUSAL = causal_blocked(31, 37, align="bottom-right")


def inputs(randn, width: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """Return q (31, width), k (37, width) and v (37, 13), rounded to the dtype."""
    return randn(31, width).to(dtype), randn(37, width).to(dtype), randn(37, 13).to(dtype)


def plain(q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None) -> Tensor:
    """Run the formula as it is printed in the paper, in the dtype of its inputs."""
    scores = q @ k.T / math.sqrt(q.shape[-1])
    if blocked is not None:
        scores = scores.masked_fill(blocked, -torch.inf)
    return torch.softmax(scores, -1) @ v


def errors(result: Tensor, exact: Tensor) -> tuple[float, float]:
    """Return the largest and the mean absolute difference."""
    difference = (result.double() - exact).abs()
    return difference.max().item(), difference.mean().item()


@each_dtype
@each_width
@pytest.mark.parametrize("blocked", [None, CAUSAL], ids=["no mask", "causal"])
def test_attention_error_is_at_most_twice_that_of_a_plain_run(randn, width, dtype, blocked):
    """Neither the largest nor the mean error of the output exceeds twice the plain run's."""
    q, k, v = inputs(randn, width, dtype)
    exact, _ = reference.attention(q, k, v, blocked)
    output, w = attention(q, k, v, blocked)
    assert (output.dtype, w.dtype) == (dtype, dtype)
    ours, theirs = errors(output, exact), errors(plain(q, k, v, blocked), exact)
    assert ours[0] <= 2 * theirs[0]
    assert ours[1] <= 2 * theirs[1]


@each_dtype
@each_width
def test_attention_gradient_error_is_at_most_twice_that_of_a_plain_run(randn, width, dtype):
    """The same holds for the gradients of q, k and v, with float64 attention for the exact ones."""
    tensors, probe = inputs(randn, width, dtype), randn(31, 13)

    def gradients(function, inner: torch.dtype) -> tuple[Tensor, ...]:
        leaves = [tensor.to(inner).requires_grad_() for tensor in tensors]
        return torch.autograd.grad((function(*leaves) * probe.to(inner)).sum(), leaves)

    exact = gradients(lambda *leaves: plain(*leaves, CAUSAL), torch.float64)
    ours = gradients(lambda *leaves: attention(*leaves, CAUSAL)[0], dtype)
    theirs = gradients(lambda *leaves: plain(*leaves, CAUSAL), dtype)
    for our, their, true in zip(ours, theirs, exact, strict=True):
        assert our.dtype == dtype
        assert errors(our, true)[0] <= 2 * errors(their, true)[0]


@each_dtype
@each_width
def test_attention_error_is_a_few_roundings(randn, width, dtype):
    """In absolute terms: weights err by the rounding of scores up to about 5, so by a few eps."""
    q, k, v = inputs(randn, width, dtype)
    exact, exact_w = reference.attention(q, k, v)
    output, w = attention(q, k, v)
    eps = torch.finfo(dtype).eps
    assert_close(w.double(), exact_w, rtol=5 * eps, atol=eps)
    assert_close(output.double(), exact, rtol=5 * eps, atol=5 * eps)


@each_dtype
def test_attention_weights_sum_to_one_within_rounding(randn, dtype):
    """Each of 37 weights is rounded by itself, so a row may miss 1 by a few eps."""
    _, w = attention(*inputs(randn, 11, dtype))
    assert_close(w.double().sum(-1), torch.ones(31).double(), rtol=0, atol=2 * torch.finfo(dtype).eps)


def test_attention_float16_survives_products_above_its_range():
    """Where the plain run overflows to infinity and NaN, scaling first stays finite."""
    q = k = torch.full((3, 509), 12.0, dtype=torch.float16)
    v = torch.arange(3, dtype=torch.float16)[:, None]
    assert plain(q, k, v, None).isnan().all()
    assert_close(attention(q, k, v)[0], torch.ones(3, 1, dtype=torch.float16))
