"""How a table of queries by keys is cut into blocks, and which part of a mask each block needs."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_src.masks import Align


@dataclass(frozen=True)
class Tiles:
    """A table of N queries by M keys, cut into blocks of at most `block` by `block`.

    Attributes:
        n: Number of queries, `N`.
        m: Number of keys, `M`.
        causal: How queries and keys line up when the future is blocked, as in `causal_blocked`; None blocks nothing.
        block: Queries and keys of a block; the last ones may have fewer.

    Raises:
        TypeError: `block` is not an int.
        ValueError: `block` is less than 1, or `causal` unknown.
    """

    n: int
    m: int
    causal: Align | None
    block: int

    def __post_init__(self) -> None:
        if self.causal not in (None, "top-left", "bottom-right"):
            raise ValueError(f'causal must be "top-left", "bottom-right" or None, got {self.causal!r}')
        if isinstance(self.block, bool) or not isinstance(self.block, int):
            raise TypeError(f"block must be an int, got {type(self.block).__name__}")
        if self.block < 1:
            raise ValueError(f"block must be at least 1, got {self.block}")

    def rows(self) -> Iterator[slice]:
        """Yield the blocks of queries."""
        return _spans(self.n, self.block)

    def keys(self, rows: slice) -> Iterator[slice]:
        """Yield the blocks of keys of which a block of queries may see something."""
        return _spans(self.m if self.causal is None else min(self.m, rows.stop + self._late()), self.block)

    def shut(self, blocked: Tensor | None, rows: slice, keys: slice, device: torch.device) -> Tensor | None:
        """Return the mask of one block, which broadcasts to (..., n, m); None if it blocks nothing.

        Args:
            blocked: The mask of the whole table, if there is one beside `causal`: (..., N or 1, M or 1).
            rows: A block of queries.
            keys: A block of keys.
            device: Where to make the causal part.
        """
        given = None if blocked is None else _cut(_cut(blocked, -2, rows), -1, keys)
        if self.causal is None or keys.stop - 1 <= rows.start + self._late():
            return given
        moments = torch.arange(rows.start, rows.stop, device=device) + self._late()
        future = torch.arange(keys.start, keys.stop, device=device) > moments[:, None]
        return future if given is None else future | given

    def _late(self) -> int:
        """How many keys came before the first query's own."""
        return self.m - self.n if self.causal == "bottom-right" else 0


def _spans(length: int, block: int) -> Iterator[slice]:
    for start in range(0, length, block):
        yield slice(start, min(start + block, length))


def _cut(mask: Tensor, axis: int, span: slice) -> Tensor:
    """Take a part of one axis of a mask, or leave it if the mask is the same all along."""
    return mask if mask.shape[axis] == 1 else mask.narrow(axis, span.start, span.stop - span.start)
