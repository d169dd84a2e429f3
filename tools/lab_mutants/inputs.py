"""Inputs on which a changed answer is compared with the solution, drawn without the checks' help.

They are many and varied: sizes from one up, padding on both sides where a task allows it, ids of every size, scores
from small to large, outputs with a NaN in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from attention_src.models.classifier import KINDS

Inputs = Callable[[torch.Generator], tuple[Any, ...]]
_ROWS = 1009  # divides none of the ids below
_LARGE_IDS = (1, 255, 256, 257, 300, 512, 65_535, 65_536)


def _integer(generator: torch.Generator, low: int, high: int) -> int:
    return int(torch.randint(low, high + 1, (), generator=generator))


def _normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator)


def _chance(generator: torch.Generator, share: float) -> bool:
    return float(torch.rand((), generator=generator)) < share


def _row(generator: torch.Generator, size: int) -> list[float]:
    row = torch.randn(size, generator=generator, dtype=torch.float64)
    found: list[float] = (row.round() if _chance(generator, 0.2) else row).tolist()
    return found


def row_weights(generator: torch.Generator) -> tuple[Any, ...]:
    """A query and keys; in some the scores are as large as an exponential bears."""
    keys, width = _integer(generator, 1, 5), _integer(generator, 1, 9)
    if _chance(generator, 0.2):
        return [1.0], [[_integer(generator, -700, 705) + number] for number in _row(generator, keys)]
    return _row(generator, width), [_row(generator, width) for _ in range(keys)]


def mix(generator: torch.Generator) -> tuple[Any, ...]:
    """Weights that sum to one, and values."""
    values, width = _integer(generator, 1, 5), _integer(generator, 1, 6)
    weights = torch.randn(values, generator=generator, dtype=torch.float64).softmax(dim=0).tolist()
    return weights, [_row(generator, width) for _ in range(values)]


def width(generator: torch.Generator) -> tuple[Any, ...]:
    """A width of the layers."""
    return (_integer(generator, 1, 3 if _chance(generator, 0.2) else 40),)


def _ids(generator: torch.Generator, *, left: bool = False, empty: bool = True, largest: int = 70_000) -> Tensor:
    """Ids, some rows of which are padded."""
    batch, length = _integer(generator, 1, 5), _integer(generator, 1, 6)
    ids = torch.randint(1, 12, (batch, length), generator=generator)
    large = torch.tensor([each for each in _LARGE_IDS if each < largest])
    picked = large[torch.randint(0, len(large), ids.shape, generator=generator)]
    ids = torch.where(torch.rand(ids.shape, generator=generator) < 0.3, picked, ids)
    lengths = torch.randint(0 if empty else 1, length + 1, (batch, 1), generator=generator)
    padding = torch.arange(length) >= lengths
    return ids.masked_fill(padding.flip(1) if left and _chance(generator, 0.3) else padding, 0)


def any_ids(generator: torch.Generator) -> tuple[Any, ...]:
    """Ids with padding on either side."""
    return (_ids(generator, left=True),)


def padded_ids(generator: torch.Generator) -> tuple[Any, ...]:
    """Ids with padding on the right."""
    return (_ids(generator),)


def gaps(generator: torch.Generator) -> tuple[Any, ...]:
    """Ids, outputs that differ from the right ones by little, much or NaN, and projections."""
    ids = _ids(generator, empty=False)
    tables = [_normal(generator, _ROWS, width) for width in (3, 3, 2)]
    if _chance(generator, 0.4):
        for table in tables:
            table[0] = torch.nan

    def project(ids: Tensor) -> tuple[Tensor, ...]:
        return tuple(table[ids % _ROWS] for table in tables)

    output = torch.zeros(*ids.shape, 2)
    for row, rows in zip(ids, output, strict=True):
        q, k, v = project(row[row != 0])
        rows[: len(q)] = (q @ k.mT / 3**0.5).softmax(dim=-1) @ v
    size = (0.0, 1e-3, 1.0, 1e4)[_integer(generator, 0, 3)]
    output = output + size * _normal(generator, *output.shape)
    if _chance(generator, 0.2):
        output[0, 0, 0] = torch.nan
    return ids, output, project


def mean(generator: torch.Generator) -> tuple[Any, ...]:
    """Vectors and ids."""
    ids = _ids(generator)
    return _normal(generator, *ids.shape, _integer(generator, 1, 4)), ids


def classifier(generator: torch.Generator) -> tuple[Any, ...]:
    """A kind, weights as large as a trained model has or much larger, and ids."""
    kind, width = KINDS[_integer(generator, 0, 2)], 4
    sizes: dict[str, tuple[int, ...]] = {"embedding.weight": (320, width), "head.weight": (3, width), "head.bias": (3,)}
    for layer in () if kind == "bag" else ("to_q", "to_k", "to_v"):
        sizes |= {f"{layer}.weight": (width, width), f"{layer}.bias": (width,)}
    size = 30.0 if _chance(generator, 0.3) else 1.0
    weights = {
        name: _normal(generator, *shape) * (size if name[:4] in ("to_q", "to_k") else 1.0)
        for name, shape in sizes.items()
    }
    if "to_q.bias" in weights and _chance(generator, 0.3):
        weights["to_q.bias"][0], weights["to_k.bias"][0] = -600.0, 600.0
        weights["to_q.weight"][0] = 0.0
    weights["embedding.weight"][0] = 0.0
    return kind, weights, _ids(generator, largest=320)


def look(generator: torch.Generator) -> tuple[Any, ...]:
    """A memory and states, some of them large."""
    batch, states, width = (_integer(generator, 1, 5) for _ in range(3))
    size = torch.tensor([1.0, 1.0, 100.0])[torch.randint(0, 3, (batch, 1), generator=generator)]
    return 2 * _normal(generator, batch, states, width), size * _normal(generator, batch, width)


def loop(generator: torch.Generator) -> tuple[Any, ...]:
    """A step, a state and a source."""
    batch, length, width = _integer(generator, 1, 4), _integer(generator, 1, 6), 7
    table, carry = 2 * _normal(generator, 12, width), _normal(generator, width, width)
    readout = _normal(generator, width, 12)

    def step(symbol: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        if symbol.shape != state.shape[:1]:
            raise ValueError("one symbol a sequence")
        new = torch.tanh(state @ carry + table[symbol])
        return new @ readout, new

    source = torch.randint(0, 10, (batch, length), generator=generator)
    return step, _normal(generator, batch, width), source


def shares(generator: torch.Generator) -> tuple[Any, ...]:
    """Three batches of symbols, the first two right in many places."""
    shape = _integer(generator, 1, 6), _integer(generator, 1, 4)
    source = torch.randint(0, 10, shape, generator=generator)

    def near() -> Tensor:
        other = torch.randint(0, 10, shape, generator=generator)
        return torch.where(torch.rand(shape, generator=generator) < 0.3, other, source)

    return near(), near(), source


def split(generator: torch.Generator) -> tuple[Any, ...]:
    """Tokens, and a number of heads that divides their width."""
    batch, tokens, heads, width = (_integer(generator, 1, 4) for _ in range(4))
    return _normal(generator, batch, tokens, heads * width), heads


def join(generator: torch.Generator) -> tuple[Any, ...]:
    """Heads."""
    return (_normal(generator, *(_integer(generator, 1, 4) for _ in range(4))),)


def unpack(generator: torch.Generator) -> tuple[Any, ...]:
    """A layer whose parameters are all different from zero."""
    width = _integer(generator, 1, 6)
    layer = nn.MultiheadAttention(width, 1, batch_first=True)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(_normal(generator, *parameter.shape))
    return (layer,)


def layer(generator: torch.Generator) -> tuple[Any, ...]:
    """Queries, keys, values, parameters, heads and perhaps a mask; some scores are large, or very low."""
    batch, n, m, heads, width = (_integer(generator, 1, 4) for _ in range(5))
    d = heads * width
    names = [f"{role}.{kind}" for role in ("query", "key", "value", "output") for kind in ("weight", "bias")]
    parameters = {name: _normal(generator, *((d, d) if "weight" in name else (d,))) for name in names}
    blocked = None
    if _chance(generator, 0.6):
        blocked = torch.rand(batch, 1, n if _chance(generator, 0.5) else 1, m, generator=generator) < 0.5
        blocked[..., 0] = False
    q = _normal(generator, batch, n, d) * (100.0 if _chance(generator, 0.3) else 1.0)
    if _chance(generator, 0.3):
        parameters["query.bias"] -= 400.0
        parameters["query.weight"] *= 0.01
        parameters["key.bias"] += 400.0
    return q, _normal(generator, batch, m, d), _normal(generator, batch, m, d), parameters, heads, blocked


INPUTS: dict[str, Inputs] = {
    "row_weights": row_weights,
    "shifted": row_weights,
    "mix": mix,
    "largest_weights": width,
    "padding_mask": any_ids,
    "joined_mask": any_ids,
    "gaps": gaps,
    "masked_mean": mean,
    "reverse_real": padded_ids,
    "MyClassifier": classifier,
    "look": look,
    "write_freely": loop,
    "shares": shares,
    "split_heads": split,
    "join_heads": join,
    "unpack": unpack,
    "multi_head": layer,
}
