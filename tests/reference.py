"""Attention as its definition reads, in plain Python loops over float64: the oracle for the tests.

It imports nothing that it judges, and torch only to take tensors apart and to put the result together.
It is slow and has no gradients.
"""

import math
from typing import Any

import torch
from torch import Tensor

Matrix = list[list[float]]
Mask = list[list[bool]]


def attention(
    q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None = None, scale: float | None = None
) -> tuple[Tensor, Tensor]:
    """Return output (..., N, V) and weights (..., N, M) in float64; leading axes broadcast, in both results."""
    n, m, width = q.shape[-2], k.shape[-2], v.shape[-1]
    lead: torch.Size = torch.broadcast_shapes(  # type: ignore[no-untyped-call]
        q.shape[:-2], k.shape[:-2], v.shape[:-2]
    )
    if blocked is None:
        blocked = torch.zeros(n, m, dtype=torch.bool)
    parts = (_matrices(q, lead), _matrices(k, lead), _matrices(v, lead), _matrices(blocked, lead, n, m))
    both = [_attention(*part, scale, width) for part in zip(*parts, strict=True)]
    output = torch.tensor([output for output, _ in both], dtype=torch.float64)
    weights = torch.tensor([weights for _, weights in both], dtype=torch.float64)
    return output.reshape(*lead, n, width), weights.reshape(*lead, n, m)


def _matrices(tensor: Tensor, lead: torch.Size, *last: int) -> list[Any]:
    """Take a tensor apart into one matrix, of floats or of a mask's bools, per position of the leading axes."""
    last = last or tuple(tensor.shape[-2:])
    return list(tensor.detach().expand(*lead, *last).reshape(math.prod(lead), *last).tolist())


def _attention(
    q: Matrix, k: Matrix, v: Matrix, blocked: Mask, scale: float | None, width: int
) -> tuple[Matrix, Matrix]:
    output, weights = [], []
    for i, query in enumerate(q):
        factor = 1 / math.sqrt(len(query)) if scale is None else scale
        scores = [factor * _dot(query, key) for key in k]
        row = _softmax(scores, blocked[i])
        weights.append(row)
        output.append([math.fsum(row[j] * v[j][c] for j in range(len(v))) for c in range(width)])
    return output, weights


def _dot(left: list[float], right: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def _softmax(scores: list[float], blocked: list[bool]) -> list[float]:
    """Return softmax over the keys that are not blocked, and zeros where none is left."""
    allowed = [score for score, shut in zip(scores, blocked, strict=True) if not shut]
    if not allowed:
        return [0.0] * len(scores)
    top = max(allowed)
    powers = [0.0 if shut else math.exp(s - top) for s, shut in zip(scores, blocked, strict=True)]
    total = math.fsum(powers)
    return [power / total for power in powers]


def causal(n: int, m: int, align: str) -> Mask:
    """Return the causal mask, True where blocked, query by query and key by key."""
    late = {"top-left": 0, "bottom-right": m - n}[align]
    mask: Mask = []
    for i in range(n):
        mask.append([])
        for j in range(m):
            mask[i].append(j > i + late)
    return mask
