"""Weights: each query's scores turned into shares of its attention."""

import torch
from torch import Tensor

from attention_src.core.checks import check_blocked, check_scores
from attention_src.core.foreign import MASKS, translated


@translated(MASKS)
def weights(scores: Tensor, blocked: Tensor | None = None) -> Tensor:
    """Return the softmax of the scores over the keys, with blocked keys at exactly 0.

    A query whose keys are all blocked gets zeros, and a gradient of 0.
    What a blocked score holds reaches neither weights nor gradients, even if it is infinite or NaN.
    An allowed score of NaN makes the weights of its query NaN, as in `torch.softmax`.
    So do allowed scores that are all `-inf`: block keys with `blocked`, not by writing `-inf`.
    However large scores are, as long as they are finite, so are the weights: the largest of a row is subtracted.
    A score of infinity is not finite, and makes the weights of its query NaN.

    Source: Vaswani et al. (2017), section 3.2.1 for the softmax, 3.2.3 for the masking.

    Args:
        scores: Scores, (..., N, M).
        blocked: Boolean mask that broadcasts to (..., N, M); `True` blocks the key for the query.
            `attention_src.core.checks` says which shapes are accepted.

    Returns:
        Weights, (..., N, M), in the dtype of `scores`. Softmax is computed in float32 for shorter dtypes.

    Raises:
        TypeError: `scores` is not a floating tensor, or `blocked` not a boolean one.
        ValueError: `scores` has fewer than two axes, or shape or device of `blocked` do not fit.
    """
    check_scores(scores)
    if blocked is None:
        return torch.softmax(scores, dim=-1)
    check_blocked(blocked, scores)
    # The softmax of nothing but -inf is NaN. Filling such a row with 0 afterwards mends the result, but leaves a
    # NaN inside the graph, which anomaly detection reports. So the row is made finite before the softmax, too.
    empty = blocked.all(dim=-1, keepdim=True)  # (..., N, 1)
    filled = scores.masked_fill(blocked, float("-inf")).masked_fill(empty, 0.0)
    return torch.softmax(filled, dim=-1).masked_fill(empty, 0.0)
