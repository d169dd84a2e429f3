"""Checks for lab 5: cutting the width into heads, joining them, and reading PyTorch's packed parameters.

The check of the whole layer is in `attention_src.labs.heads_layer`.
"""

from collections.abc import Callable, Mapping
from itertools import permutations

import torch
from torch import Tensor, nn

from attention_src.labs.verdict import WrongAnswer, check

SplitAnswer = Callable[[Tensor, int], Tensor]
JoinAnswer = Callable[[Tensor], Tensor]
UnpackAnswer = Callable[[nn.MultiheadAttention], Mapping[str, Tensor]]

ROLES = ("query", "key", "value")
"""The projections in the order in which PyTorch packs them."""

NAMES = tuple(f"{role}.{kind}" for role in (*ROLES, "output") for kind in ("weight", "bias"))
"""Keys of the parameters that the lab's layer takes."""

# B, N, H, D: distinct primes, then one head, then heads of one column.
_SIZES = ((2, 5, 3, 7), (1, 3, 1, 5), (3, 2, 5, 1))


@check("split_heads")
def check_split_heads(split_heads: SplitAnswer) -> str:
    """Judge the cut of the width into heads.

    Args:
        split_heads: The answer: from tokens (B, N, d) and the number of heads H to (B, H, N, d/H).

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(7)
    for batch, tokens, heads, width in _SIZES:
        x = torch.randn(batch, tokens, heads * width, generator=generator)
        got = split_heads(x.clone(), heads)
        if isinstance(got, tuple | list):
            raise WrongAnswer(f"Expected one tensor, got a {type(got).__name__} of {len(got)}: stack the heads, dim=1.")
        _judge(got, _split(x, heads), _split_by_mistake(x, heads))
    return "Every head has its own run of columns of every token, for one head and for heads of one column too."


@check("join_heads")
def check_join_heads(join_heads: JoinAnswer) -> str:
    """Judge how heads are put side by side again.

    Args:
        join_heads: The answer: from heads (B, H, N, D) to tokens (B, N, H * D).

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(8)
    for batch, tokens, heads, width in _SIZES:
        x = torch.randn(batch, heads, tokens, width, generator=generator)
        _judge(join_heads(x.clone()), _join(x), _join_by_mistake(x))
    return "Every token has its heads side by side, in order, none averaged."


def _split(x: Tensor, heads: int) -> Tensor:
    """Slices of the width, stacked."""
    width = x.shape[-1] // heads
    return torch.stack([x[..., head * width : (head + 1) * width] for head in range(heads)], dim=1)


def _join(x: Tensor) -> Tensor:
    """Heads side by side."""
    return torch.cat(list(x.unbind(dim=1)), dim=-1)


def _split_by_mistake(x: Tensor, heads: int) -> list[tuple[Tensor, str]]:
    """What a known mistake makes of tokens, and what to say about it."""
    batch, tokens, width = x.shape[0], x.shape[1], x.shape[2] // heads
    right, apart = _split(x, heads), (batch, heads, tokens, width)
    return [
        (
            x.reshape(apart),
            "A view without a transpose cuts the sequence, not the width: head 0 holds the first tokens in full. "
            "Cut each token first, (B, N, H, d/H), then bring the heads to the front with transpose.",
        ),
        (right.transpose(1, 2), "The tokens stand before the heads: the transpose after the view is missing."),
        (right.mT, "In each head the columns stand before the tokens: expected the width as the last axis."),
        (right.transpose(0, 1), "The heads stand before the batch: expected (B, H, N, d/H)."),
        (
            x.reshape(batch, tokens, width, heads).permute(0, 3, 1, 2),
            f"Head 0 has one column in {heads}: expected the first {width} in a row. Cut into (B, N, H, d/H).",
        ),
        (x.transpose(1, 2).reshape(apart), "The transpose came before the cut, so the tokens are mixed."),
        (right.flip(1), "The heads come in the wrong order: expected the first columns in head 0."),
        (right.reshape(batch * heads, tokens, width), "Batch and heads share an axis: expected (B, H, N, d/H)."),
    ]


def _join_by_mistake(x: Tensor) -> list[tuple[Tensor, str]]:
    """What a known mistake makes of heads, and what to say about it."""
    batch, heads, tokens, width = x.shape
    together = (batch, tokens, heads * width)
    return [
        (
            x.reshape(together),
            "A view without a transpose puts pieces of different tokens side by side. "
            "Bring the tokens before the heads with transpose, then flatten the last two axes.",
        ),
        (x.mean(dim=1), f"The {heads} heads are averaged: expected them side by side, {heads * width} columns wide."),
        (x.sum(dim=1), f"The {heads} heads are added up: expected them side by side, {heads * width} columns wide."),
        (x.transpose(1, 2), "The heads still have an axis of their own: flatten the last two axes."),
        (
            x.permute(0, 2, 3, 1).reshape(together),
            "The columns of the heads alternate: expected one head after the other.",
        ),
        (_join(x.flip(1)), "The heads come in the wrong order: expected head 0 in the first columns."),
        (_join(x).mT, "The columns stand before the tokens: expected (B, N, d)."),
    ]


def _judge(got: object, right: Tensor, mistakes: list[tuple[Tensor, str]]) -> None:
    """Raise unless the answer is the right tensor; a move of numbers changes none, so they must be equal."""
    if not isinstance(got, Tensor):
        raise WrongAnswer(f"Expected a tensor, got {type(got).__name__}.")
    if got.shape == right.shape and close(got, right, 1e-6):
        return
    for wrong, told in mistakes:
        if got.shape == wrong.shape and close(got, wrong, 1e-6):
            raise WrongAnswer(told)
    if got.shape != right.shape:
        raise WrongAnswer(f"Expected the shape {tuple(right.shape)}, got {tuple(got.shape)}.")
    place = (got != right).nonzero()[0].tolist()
    raise WrongAnswer(
        f"The shape is right, the contents are not: at {place} expected {float(right[tuple(place)]):.4f}, "
        f"got {float(got[tuple(place)]):.4f}."
    )


@check("unpack")
def check_unpack(unpack: UnpackAnswer) -> str:
    """Judge how the parameters of PyTorch's layer are read.

    Args:
        unpack: The answer: from an `nn.MultiheadAttention` of width d with biases to a dict with a weight (d, d) and
            a bias (d,) for each of query, key, value and output, called `query.weight`, `query.bias` and so on.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(9)
    for width, heads in ((6, 3), (5, 1)):
        with torch.random.fork_rng(devices=[]):  # a new layer draws from the global generator
            layer = nn.MultiheadAttention(width, heads, batch_first=True)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        _judge_unpacked(unpack(layer), layer)
    return "Four weights and four biases, each under its own name."


def _judge_unpacked(got: object, layer: nn.MultiheadAttention) -> None:
    if not isinstance(got, Mapping):
        raise WrongAnswer(f"Expected a dict of eight tensors, got {type(got).__name__}.")
    missing = [name for name in NAMES if name not in got]
    if missing:
        raise WrongAnswer(f"Expected the names {', '.join(NAMES)}: got none for {', '.join(missing)}.")
    for name in NAMES:
        if not isinstance(got[name], Tensor):
            raise WrongAnswer(f"{name}: expected a tensor, got {type(got[name]).__name__}.")
    for kind, packed in (("weight", layer.in_proj_weight), ("bias", layer.in_proj_bias)):
        _judge_thirds(kind, [got[f"{role}.{kind}"] for role in ROLES], packed)
    _judge_same("output.weight", got["output.weight"], layer.out_proj.weight)
    _judge_same("output.bias", got["output.bias"], layer.out_proj.bias)


def _judge_thirds(kind: str, got: list[Tensor], packed: Tensor) -> None:
    """Raise unless the three are the thirds of the packed parameter, in order."""
    thirds = list(packed.chunk(3))
    if all(close(one, third, 1e-6) for one, third in zip(got, thirds, strict=True)):
        return
    for order in permutations(range(3)):
        if all(close(one, thirds[at], 1e-6) for one, at in zip(got, order, strict=True)):
            held = ", ".join(f"{role}.{kind} holds the {ROLES[at]}'s" for role, at in zip(ROLES, order, strict=True))
            raise WrongAnswer(f"The rows are packed as query, key, value: {held}.")
    if all(close(one, packed[at::3], 1e-6) for at, one in enumerate(got)):
        raise WrongAnswer(f"Every third row went into {ROLES[0]}.{kind}: expected the first third of the rows.")
    if kind == "weight" and all(close(one, two, 1e-6) for one, two in zip(got, packed.chunk(3, dim=1), strict=False)):
        raise WrongAnswer("The columns were cut into thirds, dim=1: the packed weight has three blocks of rows, dim=0.")
    for role, one, third in zip(ROLES, got, thirds, strict=True):
        _judge_same(f"{role}.{kind}", one, third)


def _judge_same(name: str, got: Tensor, right: Tensor) -> None:
    if close(got, right, 1e-6):
        return
    if got.ndim == 2 and close(got.mT, right, 1e-6):
        raise WrongAnswer(
            f"{name} is transposed: leave it as it is, a row for each output; the layer multiplies by .mT."
        )
    if got.shape != right.shape:
        raise WrongAnswer(f"{name}: expected the shape {tuple(right.shape)}, got {tuple(got.shape)}.")
    raise WrongAnswer(
        f"{name} holds other numbers than the layer: the first should be {float(right.detach().flatten()[0]):.4f}, "
        f"got {float(got.detach().flatten()[0]):.4f}."
    )


def close(got: Tensor, want: Tensor, tolerance: float) -> bool:
    """Whether two tensors have one shape and agree, absolutely or relatively; they may differ in dtype."""
    if got.shape != want.shape:
        return False
    return torch.allclose(got.detach().double(), want.detach().double(), rtol=tolerance, atol=tolerance)
