"""Masks that say which keys a query may not look at.

`True` blocks, as in `nn.MultiheadAttention`.
`F.scaled_dot_product_attention` has it the other way round: write `attn_mask=~blocked`.
`attention_src.core.checks` says which shapes of a mask are accepted.
"""

from typing import Literal

import torch
from torch import Tensor

from attention_src.core.checks import check_lengths, check_masks
from attention_src.core.foreign import translated
from attention_src.core.ids import check_ids

Align = Literal["top-left", "bottom-right"]
"""Which query and which key of a causal mask stand for the same moment: the first ones or the last ones."""


_NO_IDS = (
    "it is made from token ids. Of a mask (B, M) whose True or 1 is a token, write (attention_mask == 0)[:, None]; "
    "of one whose True or 1 is padding, (mask == 1)[:, None]"
)
_PAD = "the id of the padding is called pad here"


@translated(
    attention_mask=_NO_IDS,
    mask=_NO_IDS,
    key_padding_mask=_NO_IDS,
    src_key_padding_mask=_NO_IDS,
    padding_idx=_PAD,
    pad_id=_PAD,
    pad_token_id=_PAD,
)
def padding_blocked(ids: Tensor, pad: int = 0, *, binary: bool = False) -> Tensor:
    """Block the keys that are padding, for every query of their sequence.

    It takes ids, and no mask. A mask of 0 and 1 is a tensor of integers, too, so one whose 1 is padding is refused
    by its look: nothing but 0 and 1, and each row zeros before ones. Ids look so only if all are 0 or 1 and every
    row has padding on the left; `binary=True` says that they are ids. A tokenizer's mask, whose 1 is a token, is
    not refused: read as ids it gives the same result.

    Args:
        ids: Token ids, (B, M), integers; sequences padded to `M` with `pad`.
        pad: The id of the padding.
        binary: Whether ids may look like a mask.

    Returns:
        Boolean mask, (B, 1, M), for scores (B, N, M).
            For scores (B, H, N, M), write `padding_blocked(ids)[:, None]`.

    Raises:
        TypeError: `ids` is not an integer tensor, or `pad` not an int.
        ValueError: `ids` does not have two axes, or looks like a mask whose 1 is padding.
    """
    check_ids(ids, pad, binary)
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
