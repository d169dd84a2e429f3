"""In which precision sums are added up, whatever the dtype of what is added."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def wide(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype that sums and scores are computed in: float64 for float64, float32 for all others.

    A float16 ends at 65504, which 17 products of 64 by 64 exceed; bfloat16 keeps eight bits, so 256 + 1 is 256.

    Args:
        dtype: A floating dtype.
    """
    return torch.float64 if dtype == torch.float64 else torch.float32


def widened(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors in the dtype that `wide` gives; those of float32 and float64 as they are, not copied."""
    return tuple(tensor.to(wide(tensor.dtype)) for tensor in tensors)


def own_precision(device: torch.device) -> AbstractContextManager[object]:
    """Keep autocast away from sums that are in float32 for a reason; where it is off there is nothing to do."""
    kind = device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()
