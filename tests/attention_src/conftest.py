"""Tensors for the tests of the core. Sizes are distinct primes, so that swapped axes cannot pass."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor


@pytest.fixture
def randn() -> Callable[..., Tensor]:
    """Return a maker of normal float64 tensors; each call draws on, and each test starts anew."""
    generator = torch.Generator().manual_seed(20170612)

    def make(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    return make


@pytest.fixture
def qkv(randn: Callable[..., Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Return q (2, 3, 5, 11), k (2, 3, 7, 11) and v (2, 3, 7, 13)."""
    return randn(2, 3, 5, 11), randn(2, 3, 7, 11), randn(2, 3, 7, 13)
