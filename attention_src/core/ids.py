"""Checks of token ids, which a mask is easily taken for."""

import torch
from torch import Tensor

from attention_src.core.sizes import check_int, is_traced, shape_of


def check_ids(ids: Tensor, pad: int, binary: bool) -> None:
    """Check a batch of padded token ids, (B, M), the id of the padding, and unless `binary`, that it is no mask."""
    if not isinstance(ids, Tensor):
        raise TypeError(f"ids must be a tensor of sequences padded to one length, got {type(ids).__name__}")
    if ids.dtype == torch.bool or ids.is_floating_point() or ids.is_complex():
        raise TypeError(f"ids must be integers, got {ids.dtype}{_mask_hint(ids.dtype)}")
    if ids.ndim != 2:
        hint = "; write ids[None] for one sequence" if ids.ndim == 1 else ""
        raise ValueError(f"ids must have the two axes (B, M), got {shape_of(ids)}{hint}")
    check_int("pad", pad)
    if pad == 0 and not binary and _looks_like_padding_mask(ids):
        raise ValueError(
            "ids hold nothing but 0 and 1, and every sequence begins with the padding 0, as in a mask whose 1 is "
            "padding: write (mask == 1)[:, None] if they are one, and padding_blocked(ids, binary=True) if they are ids"
        )


def _mask_hint(dtype: torch.dtype) -> str:
    """Say what to write for a mask in place of ids."""
    if dtype == torch.bool:
        return ": of a mask, write mask[:, None] if its True is padding, and (~mask)[:, None] if its True is a token"
    return ": of a mask, write (mask == 1)[:, None] if its 1 is padding, and (mask == 0)[:, None] if its 1 is a token"


def _looks_like_padding_mask(ids: Tensor) -> bool:
    """Say whether ids can hardly be ids: all are 0 or 1, and every row is zeros, then ones, with a 0 at least.

    A tokenizer's mask, whose 1 is a token, is not found, and need not be: its 0 is where the ids' 0 is.
    Ids of 0 and 1 with padding on the right do not look so. With padding on the left they do only if each
    sequence is padded, the longest as well, and holds no other id than 1.
    """
    if torch.compiler.is_compiling() or is_traced() or ids.numel() == 0:
        return False  # a graph must not depend on the numbers that it was recorded with
    try:
        if ids[:, 0].any():
            return False
        return bool(((ids == 0) | (ids == 1)).all() and (ids.diff(dim=-1) >= 0).all() and ids.any())
    except RuntimeError:
        return False  # no values to look at: on the meta device, in a fake tensor, under vmap
