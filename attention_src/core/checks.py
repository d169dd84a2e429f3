"""Checks of what callers hand in, kept apart so that the formulas show elsewhere.

**Which masks are accepted.**
`blocked` is boolean.
Each of its axes, counted from the right, has size 1 or the size of that axis of the scores, (..., N, M).

A mask with fewer axes than the scores has at least two and begins with an axis of size 1, which says that it
is shared.
Without that 1, broadcasting lines axes up from the right: it reads the (B, M) mask of a padded batch as
(N, M), and pairs the batch of a (B, N, M) mask with the heads of (B, H, N, M) scores.
Nothing shows it when the sizes agree, as they do for 48 sequences padded to 48.

| mask | scores | write | which means |
| --- | --- | --- | --- |
| (N, M) | (N, M) | `blocked` | |
| (N, M) | (B, N, M) or (B, H, N, M) | `blocked[None]` | shared by all sequences and heads |
| (B, M) | (B, N, M) | `blocked[:, None]` | shared by the queries of a sequence |
| (B, N, M) or (B, 1, M) | (B, N, M) | `blocked` | |
| (B, N, M) or (B, 1, M) | (B, H, N, M) | `blocked[:, None]` | shared by the heads of a sequence |

The rule counts axes and never asks whether two sizes happen to agree, so that no correct program fails on
the day its batch is as large as its sequences are long.
"""

import math
from itertools import zip_longest

import torch
from torch import Tensor

from attention_src.core.sizes import check_int, numbers, shape_of

_AXES = {"q": "(..., N, D)", "k": "(..., M, D)", "v": "(..., M, V)", "scores": "(..., N, M)"}


def check_inputs(**named: Tensor) -> None:
    """Check `q=` and `k=`, and `v=` if it is given, each by itself and against the others."""
    for name, tensor in named.items():
        _check_floating(name, tensor)
    check_same("dtype", TypeError, named)
    check_same("device", ValueError, named)
    q, k, v = named["q"], named["k"], named.get("v")
    shapes = {name: shape_of(tensor) for name, tensor in named.items()}
    if shapes["q"][-1] != shapes["k"][-1]:
        raise ValueError(f"q and k must have the same width D, got {_shapes(q=q, k=k)}")
    if shapes["q"][-1] == 0:
        raise ValueError(f"q and k must have a width D of at least 1, got {_shapes(q=q, k=k)}")
    if v is not None and shapes["k"][-2] != shapes["v"][-2]:
        raise ValueError(f"k and v must have the same number of keys M, got {_shapes(k=k, v=v)}")
    if not _broadcast(*(shape[:-2] for shape in shapes.values())):
        raise ValueError(f"the leading axes of {_listed(named)} must broadcast, got {_shapes(**named)}")


def check_same(what: str, error: type[Exception], named: dict[str, Tensor]) -> None:
    """Check that tensors share what is asked for, their `dtype` or their `device`."""
    found = {name: getattr(tensor, what) for name, tensor in named.items()}
    if len(set(found.values())) > 1:
        got = ", ".join(f"{name} {value}" for name, value in found.items())
        raise error(f"{_listed(named)} must have the same {what}, got {got}")


def check_scale(scale: float | None) -> None:
    """Check that the multiplier of the scores, if one is given, is a finite number."""
    if scale is None:
        return
    if isinstance(scale, bool) or not isinstance(scale, int | float):
        raise TypeError(f"scale must be a number, got {type(scale).__name__}")
    if not math.isfinite(scale):
        raise ValueError(f"scale must be finite, got {scale}")


def check_scores(scores: Tensor) -> None:
    """Check that scores are floating and have an axis of queries and one of keys."""
    _check_floating("scores", scores)


def check_blocked(blocked: Tensor, scores: Tensor) -> None:
    """Check a mask against the scores it is for, by the rule at the top of this module."""
    _check_boolean("blocked", blocked)
    check_same("device", ValueError, {"blocked": blocked, "scores": scores})
    shape, target = shape_of(blocked), shape_of(scores)
    _check_axes("blocked", shape, "the scores", target)
    aligned = zip(reversed(shape), reversed(target), strict=False)
    if len(shape) > len(target) or any(size not in (1, wanted) for size, wanted in aligned):
        raise ValueError(
            f"blocked must broadcast to the scores (..., N, M) = {target} without enlarging them, got {shape}"
        )


def check_masks(*blocked: Tensor) -> None:
    """Check masks that are to be combined, by the rule at the top of this module."""
    if not blocked:
        raise TypeError("combine needs at least one mask, got none")
    named = {f"mask {number}": mask for number, mask in enumerate(blocked, start=1)}
    for name, mask in named.items():
        _check_boolean(name, mask)
    check_same("device", ValueError, named)
    shapes = {name: shape_of(mask) for name, mask in named.items()}
    axes = max(len(shape) for shape in shapes.values())
    widest = next(name for name, shape in shapes.items() if len(shape) == axes)
    for name, shape in shapes.items():
        _check_axes(name, shape, widest, shapes[widest])
    if not _broadcast(*shapes.values()):
        raise ValueError(f"the masks must broadcast, got {_shapes(**named)}")


def check_lengths(n: int, m: int, align: str | None) -> None:
    """Check the numbers of queries and keys, and that unequal ones come with an alignment."""
    for name, length in (("n", n), ("m", m)):
        check_int(name, length, 0)
    if align not in (None, "top-left", "bottom-right"):
        raise ValueError(f'align must be "top-left" or "bottom-right", got {align!r}')
    first, second = numbers(n, m)
    if align is None and first != second:
        raise ValueError(
            f"{first} queries and {second} keys can be aligned in two ways, so align must be given: "
            '"top-left" (the first query sees the first key only) '
            'or "bottom-right" (the last query sees every key)'
        )


def _check_tensor(name: str, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(value).__name__}")


def _check_floating(name: str, tensor: Tensor) -> None:
    _check_tensor(name, tensor)
    if not tensor.is_floating_point():
        raise TypeError(f"{name} must be floating, got {tensor.dtype}")
    if tensor.ndim < 2:
        raise ValueError(f"{name} must have at least the last two axes of {_AXES[name]}, got {shape_of(tensor)}")


def _check_boolean(name: str, mask: Tensor) -> None:
    _check_tensor(name, mask)
    if mask.dtype == torch.bool:
        return
    if mask.is_floating_point():
        hint = (
            "other APIs add a float mask to the scores, where 0s and 1s block nothing; "
            "write mask == float('-inf') for a mask made to be added"
        )
    else:
        hint = "write mask == 0 if its 1 keeps a key, as a tokenizer's does, or mask == 1 if its 1 blocks one"
    raise TypeError(f"{name} must be torch.bool, True where a key is blocked, got {mask.dtype}: {hint}")


def _check_axes(name: str, shape: tuple[int, ...], other: str, target: tuple[int, ...]) -> None:
    """Refuse a mask that has fewer axes than what it is for and does not say what its first axis is."""
    if len(shape) >= len(target) or (len(shape) >= 2 and shape[0] == 1):
        return
    raise ValueError(
        f"{name} {shape} has fewer axes than {other} {target}, so what its first axis stands for is open: "
        f"write {_advice(len(shape), len(target))}"
    )


def _advice(have: int, want: int) -> str:
    """Say how to give a mask of `have` axes the axes it lacks."""
    if have < 2:
        return "blocked[None, :] if the same keys are blocked for every query"
    by_batch = f"blocked[:, {', '.join(['None'] * (want - have))}]"
    if have == 2:
        return f"blocked[None] if it is (N, M) and shared, {by_batch} if it is (B, M) padding"
    return f"{by_batch} if it is the batch, blocked[None] if it is the heads"


def _broadcast(*shapes: tuple[int, ...]) -> bool:
    return all(map(_agree, zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)))


def _agree(sizes: tuple[int, ...]) -> bool:
    # Compared and not put into a set: the sizes of `torch.export` cannot be hashed.
    wide = [size for size in sizes if size != 1]
    return all(size == wide[0] for size in wide)


def _listed(named: dict[str, Tensor]) -> str:
    *first, last = named
    return f"{', '.join(first)} and {last}"


def _shapes(**named: Tensor) -> str:
    return ", ".join(f"{name} {shape_of(tensor)}" for name, tensor in named.items())
