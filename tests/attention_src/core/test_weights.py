"""Tests of `attention_src.core.weights`."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_src.core.weights import weights
from attention_src.masks import causal_blocked

INF, NAN = float("inf"), float("nan")


def test_weights_without_mask_by_hand():
    """Scores 0 and log 3 give weights 1/4 and 3/4."""
    assert_close(weights(torch.tensor([[0.0, math.log(3.0)]])), torch.tensor([[0.25, 0.75]]))


def test_weights_sum_over_the_keys(randn):
    """Rows sum to 1, columns do not."""
    result = weights(randn(2, 5, 7))
    assert_close(result.sum(-1), torch.ones(2, 5, dtype=torch.float64))
    assert not torch.allclose(result.sum(-2), torch.ones(2, 7, dtype=torch.float64), atol=0.1)


def test_weights_blocked_key_is_exactly_zero(randn):
    """A blocked key gets 0 and the others share 1, as if it were absent."""
    scores = randn(5, 7)
    blocked = torch.zeros(5, 7, dtype=torch.bool)
    blocked[:, 2] = True
    result = weights(scores, blocked)
    assert result[:, 2].eq(0).all()
    rest = [0, 1, 3, 4, 5, 6]
    assert_close(result[:, rest], weights(scores[:, rest]))


def test_weights_large_scores_do_not_overflow():
    """Scores of a thousand are finite business."""
    assert_close(weights(torch.tensor([[1000.0, 1000.0, -1000.0]])), torch.tensor([[0.5, 0.5, 0.0]]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_weights_fully_blocked_row_is_zero_in_every_dtype(randn, dtype):
    """A query without keys gets zeros, others are as without it, and gradients are finite."""
    scores = randn(5, 7).to(dtype).requires_grad_()
    blocked = causal_blocked(5, 7, align="top-left")
    blocked[2] = True
    result = weights(scores, blocked)
    result.square().sum().backward()
    assert result.dtype == dtype
    assert result[2].eq(0).all()
    assert_close(result.sum(-1), torch.tensor([1, 1, 0, 1, 1], dtype=dtype), rtol=0.01, atol=0.01)
    assert scores.grad.isfinite().all()
    assert scores.grad[2].eq(0).all()
    assert scores.grad[1].abs().sum() > 0


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
def test_weights_fully_blocked_row_holds_no_nan_on_the_way_back(randn):
    """Anomaly detection, which stops at a NaN in any step of the backward pass, finds none."""
    scores = randn(5, 7).requires_grad_()
    blocked = torch.zeros(5, 7, dtype=torch.bool)
    blocked[2] = True
    with torch.autograd.detect_anomaly():
        weights(scores, blocked).square().sum().backward()
    assert scores.grad[1].abs().sum() > 0


@pytest.mark.parametrize("junk", [INF, -INF, NAN, 1e300])
def test_weights_blocked_scores_do_not_matter(randn, junk):
    """What a blocked score holds changes no weight and no gradient, in part or whole blocked rows."""
    scores, probe = randn(5, 7), randn(5, 7)
    blocked = causal_blocked(5, 7, align="top-left")
    blocked[2] = True
    results = []
    for filled in (scores, scores.masked_fill(blocked, junk)):
        leaf = filled.clone().requires_grad_()
        result = weights(leaf, blocked)
        (result * probe).sum().backward()
        results.append((result, leaf.grad))
    assert results[0][0].isfinite().all()
    assert_close(results[1], results[0], rtol=0, atol=0)


@pytest.mark.parametrize("row", [[1.0, NAN, 2.0], [-INF, -INF, -INF]])
def test_weights_allowed_nan_and_all_minus_infinity_propagate(row):
    """Without a mask, a NaN and a row of -inf give NaN in their row only, as in torch.softmax."""
    scores = torch.tensor([row, [0.0, 0.0, 0.0]])
    result = weights(scores, torch.zeros(2, 3, dtype=torch.bool))
    assert result[0].isnan().all()
    assert_close(result, torch.softmax(scores, -1), equal_nan=True)
    assert_close(weights(scores), result, equal_nan=True)


def test_weights_mask_broadcasts_over_queries_and_heads(randn):
    """A (2, 1, 1, 7) mask means the same as its expansion."""
    scores = randn(2, 3, 5, 7)
    blocked = torch.rand(2, 1, 1, 7, generator=torch.Generator().manual_seed(0)) < 0.4
    assert blocked.any()
    assert_close(weights(scores, blocked), weights(scores, blocked.expand(2, 3, 5, 7)))


def test_weights_mask_with_one_key_column_blocks_whole_queries(randn):
    """A (5, 1) mask blocks every key of the queries it names."""
    blocked = torch.tensor([False, True, False, False, True])[:, None]
    result = weights(randn(5, 7), blocked)
    assert_close(result.sum(-1), (~blocked[:, 0]).double())


@pytest.mark.parametrize("shape", [(5, 0), (0, 7), (0, 0), (2, 3, 5, 0)])
def test_weights_empty_scores_give_empty_weights(shape):
    """No queries or no keys give weights of the same, empty shape."""
    assert weights(torch.zeros(shape)).shape == shape
    assert weights(torch.zeros(shape), torch.zeros(shape, dtype=torch.bool)).shape == shape


def test_weights_leave_their_inputs_alone(randn):
    """Neither scores nor mask are written to."""
    scores, blocked = randn(3, 3), causal_blocked(3)
    kept = scores.clone(), blocked.clone()
    weights(scores, blocked)
    assert_close((scores, blocked), kept, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_short_dtypes_compute_in_float32(randn, dtype):
    """The result is the float32 softmax, rounded once."""
    scores = (5 * randn(31, 101)).to(dtype)
    assert_close(weights(scores), torch.softmax(scores.float(), -1).to(dtype), rtol=0, atol=0)
