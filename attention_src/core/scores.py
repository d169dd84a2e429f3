"""Scores: how well each query matches each key."""

import math

from torch import Tensor

from attention_src.core.checks import check_inputs, check_scale


def scores(q: Tensor, k: Tensor, scale: float | None = None) -> Tensor:
    """Return the scaled dot product of every query with every key.

    Source: Vaswani et al. (2017), section 3.2.1, `q kᵀ / √D`.

    Args:
        q: Queries, (..., N, D).
        k: Keys, (..., M, D). The leading axes of `q` and `k` broadcast.
        scale: What the dot products are multiplied by, as in `F.scaled_dot_product_attention`.
            The default is `1 / √D`, where `D` is the width of one head.

    Returns:
        Scores, (..., N, M), in the dtype of `q` and `k`.

    Raises:
        TypeError: `q` or `k` is not a floating tensor, their dtypes differ, or `scale` is not a number.
        ValueError: Shapes or devices do not fit, `D` is 0, or `scale` is infinite or NaN.
    """
    check_inputs(q=q, k=k)
    check_scale(scale)
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    # Scaled before the product and not after, which keeps float16 from overflowing: it ends at 65504.
    return (q * scale) @ k.transpose(-2, -1)  # (..., N, D) @ (..., D, M)
