"""Masks that say which keys a query may not look at.

`True` blocks, as in `nn.MultiheadAttention`.
`F.scaled_dot_product_attention` has it the other way round: write `attn_mask=~blocked`.
`attention_src.core.checks` says which shapes of a mask are accepted.
"""

from typing import Literal

import torch
from torch import Tensor

from attention_src.core.checks import check_ids, check_lengths, check_masks

Align = Literal["top-left", "bottom-right"]
"""Which query and which key of a causal mask stand for the same moment: the first ones or the last ones."""


def padding_blocked(ids: Tensor, pad: int = 0) -> Tensor:
    """Block the keys that are padding, for every query of their sequence.

    Args:
        ids: Token ids, (B, M), integers; sequences padded to `M` with `pad`.
        pad: The id of the padding.

    Returns:
        Boolean mask, (B, 1, M), for scores (B, N, M).
            For scores (B, H, N, M), write `padding_blocked(ids)[:, None]`.

    Raises:
        TypeError: `ids` is not an integer tensor, or `pad` not an int.
        ValueError: `ids` does not have two axes.
    """
    check_ids(ids, pad)
    return (ids == pad)[:, None, :]  # (B, M) -> (B, 1, M)


def causal_blocked(
    n: int, m: int | None = None, *, align: Align | None = None, device: torch.device | str | None = None
) -> Tensor:
    """Block the keys that lie in a query's future.

    With as many queries as keys, query `i` may look at the keys 0 to `i`.
    Otherwise `align` must say which of them stand for the same moment:

    - `"top-left"`: the first query and the first key.
        This is `is_causal=True` of `F.scaled_dot_product_attention`.
    - `"bottom-right"`: the last query and the last key.
        This is flash-attention since 2.1, and what decoding with a cache of earlier keys needs.
        With more queries than keys, the first `n - m` queries have no key.

    Args:
        n: Number of queries, `N`.
        m: Number of keys, `M`; `n` by default.
        align: Required when `n` and `m` differ.
        device: Where to make the mask.

    Returns:
        Boolean mask, (N, M). For a batch, write `causal_blocked(n)[None]`, which shares it.

    Raises:
        TypeError: `n` or `m` is not an int.
        ValueError: `n` or `m` is negative, `align` is unknown, or it is missing where it is required.
    """
    m = n if m is None else m
    check_lengths(n, m, align)
    moment = torch.arange(n, device=device)
    if align == "bottom-right":
        moment = moment + (m - n)
    return torch.arange(m, device=device) > moment[:, None]  # (M,) > (N, 1) -> (N, M)


def combine(*blocked: Tensor) -> Tensor:
    """Return the mask that blocks what any of the given masks blocks.

    Args:
        blocked: Boolean masks, at least one, with shapes that broadcast.
            One with fewer axes than another must begin with an axis of size 1:
            `combine(padding_blocked(ids), causal_blocked(n)[None])`.

    Returns:
        Boolean mask of the broadcast shape.

    Raises:
        TypeError: A mask is not a boolean tensor, or none is given.
        ValueError: Shapes or devices do not fit.
    """
    check_masks(*blocked)
    union = blocked[0]
    for mask in blocked[1:]:
        union = union | mask
    return union
