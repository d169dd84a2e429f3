"""Sizes: ints, but for the symbols and tensors that stand for them while a graph is recorded."""

import warnings

import torch
from torch import Tensor


def is_traced() -> bool:
    """Say whether `torch.jit.trace` is recording, which turns sizes into tensors."""
    return torch.jit.is_tracing()  # type: ignore[attr-defined,no-untyped-call,no-any-return]


def check_int(name: str, value: int, least: int | None = None) -> None:
    """Check that a number is an int, and not too small.

    Sizes are no ints while a graph is recorded: `torch.export` has symbols for them, `torch.jit.trace` tensors.
    These are accepted, and become part of the graph.
    """
    traced = is_traced() and isinstance(value, Tensor)
    if isinstance(value, bool) or not (traced or isinstance(value, int | torch.SymInt)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    (number,) = numbers(value)
    if least is not None and number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")


def shape_of(tensor: Tensor) -> tuple[int, ...]:
    """Return a shape that can be compared, also while `torch.jit.trace` has tensors in place of sizes."""
    return numbers(*tensor.shape)


def numbers(*sizes: int) -> tuple[int, ...]:
    """Return sizes that can be compared, as `shape_of` does."""
    if not is_traced():
        return sizes
    with warnings.catch_warnings():
        # It warns that what is done with the number will be no part of the trace; of a check, nothing should.
        warnings.simplefilter("ignore", torch.jit.TracerWarning)  # type: ignore[attr-defined]
        return tuple(int(size) for size in sizes)
