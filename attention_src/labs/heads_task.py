"""Lab 5's split, join and unpack as tasks: numbers are moved, and none is changed."""

from collections.abc import Callable, Mapping
from itertools import permutations

import torch
from torch import Tensor, nn

from attention_src.heads import MultiHeadAttention, join_heads, split_heads
from attention_src.labs.answers import Parts, as_parts
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.labs.verdict import WrongAnswer

ROLES = ("query", "key", "value")
"""The projections in the order in which PyTorch packs them."""

NAMES = tuple(f"{role}.{kind}" for role in (*ROLES, "output") for kind in ("weight", "bias"))
"""Keys of the parameters that the lab's layer takes."""

_WEIGHTS, _BIASES = NAMES[::2], NAMES[1::2]

# B, N, H, D: distinct primes, then one head, then heads of one column.
_SIZES = ((2, 5, 3, 7), (1, 3, 1, 5), (3, 2, 5, 1))
_EDGES = {
    "a batch of one": (1, 2, 3, 2),
    "one token": (2, 1, 3, 2),
    "one token of one sequence, heads of one column": (1, 1, 2, 1),
    "as many tokens as heads and columns": (3, 3, 3, 3),
}


def _cases(draw: Callable[[torch.Generator, int, int, int, int], Arguments]) -> Callable[[torch.Generator], list[Case]]:
    def cases(generator: torch.Generator) -> list[Case]:
        plain = [
            Case(
                "B, N, H, D = {}, {}, {}, {}".format(*sizes),
                draw(generator, *sizes),
                gradients=True,
            )
            for sizes in _SIZES
        ]
        return plain + [Case(told, draw(generator, *sizes), edge=True) for told, sizes in _EDGES.items()]

    return cases


def _counted(*shape: int) -> Tensor:
    """The numbers from 0 on, which say where each came from."""
    return torch.arange(float(torch.Size(shape).numel())).view(shape)


def _whose(_part: str, place: list[int]) -> str:
    return f"at {place}"


# --- split ---


def _tokens(generator: torch.Generator, batch: int, tokens: int, heads: int, width: int) -> Arguments:
    return {"x": torch.randn(batch, tokens, heads * width, generator=generator), "heads": heads}


def _split(x: Tensor, heads: int) -> Tensor:
    """Slices of the width, stacked."""
    width = x.shape[-1] // heads
    return torch.stack([x[..., head * width : (head + 1) * width] for head in range(heads)], dim=1)


def _apart(x: Tensor, heads: int) -> tuple[int, int, int, int]:
    return len(x), heads, x.shape[1], x.shape[2] // heads


_SPLIT_MISTAKES = (
    Mistake(
        "A view without a transpose cuts the sequence, not the width: head 0 holds the first tokens in full. "
        "Cut each token first, (B, N, H, d/H), then bring the heads to the front with transpose.",
        lambda x, heads: x.reshape(_apart(x, heads)),
    ),
    Mistake(
        "The tokens stand before the heads: the transpose after the view is missing.",
        lambda x, heads: _split(x, heads).transpose(1, 2),
    ),
    Mistake(
        "In each head the columns stand before the tokens: expected the width as the last axis.",
        lambda x, heads: _split(x, heads).mT,
    ),
    Mistake(
        "The heads stand before the batch: expected (B, H, N, d/H).", lambda x, heads: _split(x, heads).transpose(0, 1)
    ),
    Mistake(
        lambda x, heads: (
            f"Head 0 has one column in {heads}: expected the first {x.shape[2] // heads} in a row. "
            "Cut into (B, N, H, d/H)."
        ),
        lambda x, heads: x.reshape(*x.shape[:2], x.shape[2] // heads, heads).permute(0, 3, 1, 2),
    ),
    Mistake(
        "The transpose came before the cut, so the tokens are mixed.",
        lambda x, heads: x.transpose(1, 2).reshape(_apart(x, heads)),
    ),
    Mistake(
        "The heads come in the wrong order: expected the first columns in head 0.",
        lambda x, heads: _split(x, heads).flip(1),
    ),
    Mistake("The tokens come in the wrong order.", lambda x, heads: _split(x, heads).flip(2)),
    Mistake("The columns of each head come in the wrong order.", lambda x, heads: _split(x, heads).flip(3)),
    Mistake("Batch and heads share an axis: expected (B, H, N, d/H).", lambda x, heads: _split(x, heads).flatten(0, 1)),
)


def _read_split(value: object, right: Parts) -> Parts:
    if isinstance(value, tuple | list):
        raise WrongAnswer(f"Expected one tensor, got a {type(value).__name__} of {len(value)}: stack the heads, dim=1.")
    return as_parts(value, right)


SPLIT = Task(
    right=_split,
    cases=_cases(_tokens),
    small=lambda: [
        {"x": _counted(*shape), "heads": heads}
        for shape, heads in (((1, 1, 1), 1), ((1, 2, 1), 1), ((1, 1, 2), 2), ((1, 2, 2), 2), ((1, 2, 4), 2))
    ],
    mistakes=_SPLIT_MISTAKES,
    property_of=lambda *_: "The shape is right, the contents are not.",
    place=_whose,
    reads=_read_split,
    borrowed=(split_heads,),
    tolerance=1e-6,
)


# --- join ---


def _heads(generator: torch.Generator, batch: int, tokens: int, heads: int, width: int) -> Arguments:
    return {"x": torch.randn(batch, heads, tokens, width, generator=generator)}


def _join(x: Tensor) -> Tensor:
    """Heads side by side."""
    return torch.cat(list(x.unbind(dim=1)), dim=-1)


def _together(x: Tensor) -> tuple[int, int, int]:
    return len(x), x.shape[2], x.shape[1] * x.shape[3]


_JOIN_MISTAKES = (
    Mistake(
        "A view without a transpose puts pieces of different tokens side by side. "
        "Bring the tokens before the heads with transpose, then flatten the last two axes.",
        lambda x: x.reshape(_together(x)),
    ),
    Mistake(
        lambda x: (
            f"The {x.shape[1]} heads are averaged: expected them side by side, {x.shape[1] * x.shape[3]} columns wide."
        ),
        lambda x: x.mean(dim=1),
    ),
    Mistake(
        lambda x: (
            f"The {x.shape[1]} heads are added up: expected them side by side, {x.shape[1] * x.shape[3]} columns wide."
        ),
        lambda x: x.sum(dim=1),
    ),
    Mistake("The heads still have an axis of their own: flatten the last two axes.", lambda x: x.transpose(1, 2)),
    Mistake(
        "The columns of the heads alternate: expected one head after the other.",
        lambda x: x.permute(0, 2, 3, 1).reshape(_together(x)),
    ),
    Mistake("The heads come in the wrong order: expected head 0 in the first columns.", lambda x: _join(x.flip(1))),
    Mistake("The tokens come in the wrong order.", lambda x: _join(x.flip(2))),
    Mistake("The columns of each head come in the wrong order.", lambda x: _join(x.flip(3))),
    Mistake("The columns stand before the tokens: expected (B, N, d).", lambda x: _join(x).mT),
    Mistake("One head is repeated: expected each in columns of its own.", lambda x: x[:, 0].repeat(1, 1, x.shape[1])),
    Mistake("The batch has lost its axis: flatten the last two axes only.", lambda x: x.transpose(1, 2).flatten()),
    Mistake("Batch and tokens share an axis: flatten the last two axes only.", lambda x: _join(x).flatten(end_dim=1)),
)

JOIN = Task(
    right=_join,
    cases=_cases(_heads),
    small=lambda: [
        {"x": _counted(*shape)} for shape in ((1, 1, 1, 1), (1, 1, 2, 1), (1, 2, 1, 1), (1, 2, 2, 1), (1, 2, 2, 2))
    ],
    mistakes=_JOIN_MISTAKES,
    property_of=lambda *_: "The shape is right, the contents are not.",
    place=_whose,
    borrowed=(join_heads,),
    tolerance=1e-6,
)


# --- unpack ---


def _layers(generator: torch.Generator) -> list[Case]:
    def draw(width: int, heads: int) -> Arguments:
        layer = nn.MultiheadAttention(width, heads, batch_first=True)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        return {"layer": layer}

    return [
        Case("width 6 and 3 heads", draw(6, 3)),
        Case("width 5 and 1 head", draw(5, 1)),
        Case("width 1", draw(1, 1), edge=True),
    ]


def _unpack(layer: nn.MultiheadAttention, roles: tuple[int, ...] = (0, 1, 2)) -> dict[str, Tensor]:
    """The parameters by name, with the thirds in this order."""
    found = {"output.weight": layer.out_proj.weight, "output.bias": layer.out_proj.bias}
    for kind, packed in (("weight", layer.in_proj_weight), ("bias", layer.in_proj_bias)):
        thirds = packed.view(3, -1, *packed.shape[1:]).unbind()
        found |= {f"{role}.{kind}": thirds[at] for role, at in zip(ROLES, roles, strict=True)}
    return {name: found[name] for name in NAMES}


def _only(kind: str, roles: tuple[int, ...]) -> Callable[[nn.MultiheadAttention], dict[str, Tensor]]:
    """Parameters of which one kind comes in another order."""

    def answer(layer: nn.MultiheadAttention) -> dict[str, Tensor]:
        other = _unpack(layer, roles)
        return {name: other[name] if name.endswith(kind) else tensor for name, tensor in _unpack(layer).items()}

    return answer


def _exchanged() -> list[Mistake]:
    found = []
    for roles in permutations(range(3)):
        if roles == (0, 1, 2):
            continue
        for kind in ("", "weight", "bias"):
            shown = kind or "weight"
            held = ", ".join(f"{role}.{shown} holds the {ROLES[at]}'s" for role, at in zip(ROLES, roles, strict=True))
            end = "" if kind else ", and so do the biases"
            found.append(Mistake(f"The rows are packed as query, key, value: {held}{end}.", _only(kind, roles)))
    return found


def _transposed(*names: str) -> Callable[[nn.MultiheadAttention], dict[str, Tensor]]:
    return lambda layer: {name: tensor.mT if name in names else tensor for name, tensor in _unpack(layer).items()}


def _cut(
    weights: Callable[[Tensor], list[Tensor]], biases: Callable[[Tensor], list[Tensor]] | None = None
) -> Callable[[nn.MultiheadAttention], dict[str, Tensor]]:
    """Packed parameters cut in another way."""

    def answer(layer: nn.MultiheadAttention) -> dict[str, Tensor]:
        found = _unpack(layer) | dict(zip(_WEIGHTS[:3], weights(layer.in_proj_weight), strict=True))
        if biases is not None:
            found |= dict(zip(_BIASES[:3], biases(layer.in_proj_bias), strict=True))
        return found

    return answer


def _every_third(packed: Tensor) -> list[Tensor]:
    return [packed[at::3] for at in range(3)]


_THIRD = "Every third row went into query.weight: expected the first third of the rows."
_COLUMNS = "The columns were cut into thirds, dim=1: the packed weight has three blocks of rows, dim=0."
_AS_IT_IS = "{} transposed: leave it as it is, a row for each output; the layer multiplies by .mT."

_UNPACK_MISTAKES = (
    *_exchanged(),
    Mistake(_THIRD, _cut(_every_third)),
    Mistake(_THIRD.replace("query.weight", "query.weight and query.bias"), _cut(_every_third, _every_third)),
    Mistake(_COLUMNS, _cut(lambda packed: list(packed.chunk(3, dim=1)))),
    *(Mistake(_AS_IT_IS.format(f"{name} is"), _transposed(name)) for name in _WEIGHTS),
    Mistake(_AS_IT_IS.format("query.weight, key.weight and value.weight are"), _transposed(*_WEIGHTS[:3])),
    Mistake(_AS_IT_IS.format("query.weight and all other weights are"), _transposed(*_WEIGHTS)),
)


def _read_parameters(value: object, right: Parts) -> Parts:
    if not isinstance(value, Mapping):
        raise WrongAnswer(f"Expected a dict of eight tensors, got {type(value).__name__}.")
    return as_parts(value, right)


UNPACK = Task(
    right=_unpack,
    cases=_layers,
    small=list,
    mistakes=_UNPACK_MISTAKES,
    parts=NAMES,
    order=_WEIGHTS + _BIASES,
    property_of=lambda _arguments, part, _got: f"{part} holds other numbers than the layer.",
    place=lambda part, place: f"{part}{place}",
    reads=_read_parameters,
    borrowed=(MultiHeadAttention.from_torch,),
    tolerance=1e-6,
)
