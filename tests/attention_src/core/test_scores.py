"""Tests of `attention_src.core.scores`."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_src.core.scores import scores


def test_scores_small_case_by_hand():
    """Two keys of width 4 give dot products 10 and 4, which are halved."""
    q = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    k = torch.tensor([[1.0, 1.0, 1.0, 1.0], [4.0, 0.0, 0.0, 0.0]])
    assert_close(scores(q, k), torch.tensor([[5.0, 2.0]]))


def test_scores_match_loops_over_every_pair(randn):
    """Every entry is the dot product of its query and its key over the root of the width."""
    q, k = randn(2, 3, 5, 11), randn(2, 3, 7, 11)
    result = scores(q, k)
    assert result.shape == (2, 3, 5, 7)
    for b, h, i, j in torch.cartesian_prod(*map(torch.arange, result.shape)).tolist():
        dot = math.fsum(x * y for x, y in zip(q[b, h, i].tolist(), k[b, h, j].tolist(), strict=True))
        assert result[b, h, i, j].item() == pytest.approx(dot / math.sqrt(11))


@pytest.mark.parametrize("width", [1, 4, 17, 64, 509])
def test_scores_default_scale_keeps_unit_variance(randn, width):
    """With standard normal inputs the scores have variance 1 at every width."""
    assert scores(randn(401, width), randn(401, width)).var().item() == pytest.approx(1, abs=0.2)


def test_scores_scale_multiplies(randn):
    """A given scale multiplies the dot products and replaces the default."""
    q, k = randn(5, 11), randn(7, 11)
    assert_close(scores(q, k, scale=3.0), 3.0 * (q @ k.T))


def test_scores_scale_zero_is_not_the_default(randn):
    """A scale of 0 is kept: every score is 0."""
    assert_close(scores(randn(5, 11), randn(7, 11), scale=0), torch.zeros(5, 7, dtype=torch.float64))


def test_scores_leading_axes_broadcast(randn):
    """Queries shared by the batch and keys shared by the heads meet in (2, 3, 5, 7)."""
    q, k = randn(3, 5, 11), randn(2, 1, 7, 11)
    assert_close(scores(q, k), scores(q.expand(2, 3, 5, 11), k.expand(2, 3, 7, 11)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_scores_keep_the_dtype(randn, dtype):
    """Scores come in the dtype of their inputs."""
    assert scores(randn(5, 11).to(dtype), randn(7, 11).to(dtype)).dtype == dtype


def test_scores_float16_product_above_its_range():
    """A dot product of 73,296 does not fit float16, the scaled score of 3,249 does."""
    q = torch.full((1, 509), 12.0, dtype=torch.float16)
    assert (q @ q.T).isinf().all()
    assert_close(scores(q, q).double(), scores(q.double(), q.double()), rtol=2e-3, atol=0)
