"""Scores: how well each query matches each key."""

import math

from torch import Tensor

from attention_src.core.checks import check_inputs, check_scale
from attention_src.core.foreign import translated
from attention_src.core.precision import own_precision, widened

_NO_MASK = "scores are made without a mask: give it to weights(scores, blocked), where True blocks"


@translated(attn_mask=_NO_MASK, mask=_NO_MASK, blocked=_NO_MASK, is_causal=_NO_MASK, key_padding_mask=_NO_MASK)
def scores(q: Tensor, k: Tensor, scale: float | None = None) -> Tensor:
    """Return the scaled dot product of every query with every key.

    Products of shorter dtypes are added up in float32 and rounded once.
    A score that the dtype cannot hold is infinite: in float16 that is any beyond 65504, although `attention`,
    which keeps its scores in float32, still has the right answer there.

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
    with own_precision(q.device):
        wide_q, wide_k = widened(q, k)
        factor = default_scale(wide_q) if scale is None else scale
        # Scaled before the product and not after, which leaves more room before a sum overflows.
        product = (wide_q * factor) @ wide_k.transpose(-2, -1)  # (..., N, D) @ (..., D, M)
    return product.to(q.dtype)


def default_scale(q: Tensor) -> float | Tensor:
    """Return `1 / √D` for queries (..., N, D).

    While `torch.jit.trace` looks on, sizes are tensors, and so is the result: a trace then divides by the root of
    the width that it is called with, not of the one that it was made with.
    """
    width: int | Tensor = q.shape[-1]
    if isinstance(width, Tensor):
        return 1 / width.to(q.dtype).sqrt()
    return 1 / math.sqrt(width)
