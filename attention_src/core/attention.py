"""Scaled dot-product attention, the whole of it."""

from torch import Tensor

from attention_src.core.checks import check_inputs
from attention_src.core.foreign import MASKS, translated
from attention_src.core.precision import own_precision, widened
from attention_src.core.scores import scores
from attention_src.core.weights import weights


@translated(MASKS)
def attention(
    q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None = None, scale: float | None = None
) -> tuple[Tensor, Tensor]:
    """Return, for every query, the mean of the values weighted by how well their keys match.

    The output is that of `F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked, scale=scale)`.
    Note the `~`.

    A query whose keys are all blocked gets zeros, and a gradient of 0. So does every query when `M` is 0.
    As in PyTorch, NaN and infinity pass through a mask where they are multiplied by a weight of 0:
    in a blocked *value* they reach the output, in a blocked *key* the gradient of `q`.
    If padding can hold them, clear it first: `v.masked_fill(padding[..., None], 0)`.

    Shorter dtypes are computed in float32, scores and weights too, and rounded at the end; autocast is kept out.
    So float16 inputs give finite outputs even where their scores exceed 65504, the largest float16.
    A score that float32 cannot hold either is infinite, and the output of its query NaN, as in PyTorch.

    Source: Vaswani et al. (2017), equation 1.

    Args:
        q: Queries, (..., N, D).
        k: Keys, (..., M, D).
        v: Values, (..., M, V). The leading axes of `q`, `k` and `v` broadcast.
        blocked: Boolean mask that broadcasts to (..., N, M); `True` blocks the key for the query.
            `attention_src.core.checks` says which shapes are accepted.
        scale: What the dot products are multiplied by; `1 / √D` by default.

    Returns:
        The output, (..., N, V), and the weights, (..., N, M), both in the dtype of the inputs.

    Raises:
        TypeError: An input is not a floating tensor, dtypes differ, `blocked` is not boolean, or `scale` is
            not a number. A parameter of another library, such as `attn_mask`, is translated in the message.
        ValueError: Shapes or devices do not fit, `D` is 0, or `scale` is infinite or NaN.
    """
    check_inputs(q=q, k=k, v=v)
    with own_precision(q.device):
        wide_q, wide_k, wide_v = widened(q, k, v)
        w = weights(scores(wide_q, wide_k, scale), blocked)
        output = w @ wide_v  # (..., N, M) @ (..., M, V)
    return output.to(q.dtype), w.to(q.dtype)
