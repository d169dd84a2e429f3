"""Lab 5's whole layer as a task; the wrong answers that it recognises are in `attention_src.labs.layer_mistakes`."""

import torch
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.heads import MultiHeadAttention, join_heads, split_heads
from attention_src.labs.heads_task import NAMES
from attention_src.labs.judge import Arguments, Case, Task
from attention_src.labs.layer_mistakes import MISTAKES, layer

_TOLERANCE = 1e-4


class _Plain(dict[str, Tensor]):
    """Parameters that print as words."""

    def __str__(self) -> str:
        return "identities and biases of 0"


def _sizes(d: int) -> dict[str, tuple[int, ...]]:
    return {name: (d, d) if name.endswith("weight") else (d,) for name in NAMES}


def _parameters(generator: torch.Generator, d: int) -> dict[str, Tensor]:
    """Spread so that the rows are uneven, and no two mistakes give the same table."""
    return {
        name: 1.5 * torch.randn(size, generator=generator) / d ** (len(size) / 2 - 0.5)
        for name, size in _sizes(d).items()
    }


def _arguments(
    generator: torch.Generator, batch: int, heads: int, n: int, m: int, width: int, mask: str = ""
) -> Arguments:
    """Queries, keys and values, with a mask of its own for "each" query, of "padding", or of no kind."""
    d = heads * width
    q, k, v = (torch.randn(batch, length, d, generator=generator) for length in (n, m, m))
    blocked = None
    if mask:
        blocked = torch.randn(batch, 1, n if mask == "each" else 1, m, generator=generator) > 0.3
        blocked[..., min(1, m - 1)] = False  # every query has a key left
        blocked[..., 2:3] = True
    return {
        "q": q,
        "k": k,
        "v": v,
        "parameters": _parameters(generator, d),
        "heads": heads,
        "blocked": blocked,
    }


def _whole(generator: torch.Generator, low: bool = False) -> Arguments:
    """Whole numbers and heads of 4 columns: large scores are exact, in whichever way they are computed.

    Args:
        generator: Draws them.
        low: Give queries and keys a bias that makes every score very small, and block some keys.
    """

    def draw(*shape: int, upto: int = 3) -> Tensor:
        return torch.randint(-upto, upto + 1, shape, generator=generator).float()

    parameters = {name: draw(*size) for name, size in _sizes(8).items()}
    # The queries differ in size, so that one maximum for all rows is wrong.
    q = draw(2, 3, 8) * torch.tensor([[1.0], [50.0], [400.0]])
    blocked = None
    if low:
        far = 600.0 * torch.tensor([1.0, 0.0, 0.0, 0.0]).repeat(2)
        parameters |= {"query.weight": torch.zeros(8, 8), "query.bias": -far, "key.bias": far}
        q, blocked = draw(2, 3, 8), torch.tensor([False, True, False, True, True])[None, None, None]
    return {"q": q, "k": draw(2, 5, 8), "v": draw(2, 5, 8), "parameters": parameters, "heads": 2, "blocked": blocked}


def _cases(generator: torch.Generator) -> list[Case]:
    plain = {
        "no mask": (2, 3, 5, 7, 11, ""),
        "a mask for each query": (3, 2, 7, 5, 3, "each"),
        "a padding mask": (2, 1, 3, 5, 2, "padding"),
    }
    edges = {
        "a batch of one": (1, 2, 3, 4, 2, "each"),
        "one query and one key": (2, 2, 1, 1, 3, ""),
        "heads of one column": (2, 3, 4, 3, 1, "padding"),
        "the same number of everything": (2, 2, 2, 2, 2, ""),
    }
    cases = [Case(told, _arguments(generator, *sizes), gradients=True) for told, sizes in plain.items()]
    cases += [Case(told, _arguments(generator, *sizes), edge=True) for told, sizes in edges.items()]
    return [
        *cases,
        Case("scores of several thousand", _whole(generator), edge=True, tolerance=1e-3),
        Case("a mask and scores of -100,000 and less", _whole(generator, low=True), edge=True, tolerance=1e-3),
    ]


def _small() -> list[Arguments]:
    few: tuple[tuple[list[list[float]], list[list[float]], int, Tensor | None], ...] = (
        ([[1.0]], [[2.0]], 1, None),
        ([[1.0]], [[2.0], [0.0]], 1, None),
        ([[1.0], [2.0]], [[2.0], [0.0]], 1, None),
        ([[1.0]], [[2.0], [0.0]], 1, torch.tensor([[[[True, False]]]])),
        ([[1.0, 2.0]], [[2.0, 0.0], [0.0, 1.0]], 2, None),
        ([[1.0, 2.0, 0.0, 1.0]], [[2.0, 0.0, 1.0, 3.0], [0.0, 1.0, 1.0, 0.0]], 2, None),
        ([[1.0, 2.0], [0.0, 3.0]], [[2.0, 0.0], [0.0, 1.0]], 2, torch.tensor([[[[False, True]]]])),
    )
    found: list[Arguments] = []
    for q, k, heads, blocked in few:
        d = len(q[0])
        parameters = _Plain(
            {name: torch.eye(d) if len(size) == 2 else torch.zeros(d) for name, size in _sizes(d).items()}
        )
        given = {"q": torch.tensor([q]), "k": torch.tensor([k]), "v": torch.tensor([k]) + 1}
        found.append({**given, "parameters": parameters, "heads": heads, "blocked": blocked})
    return found


def _property(arguments: Arguments, part: str, got: Tensor) -> str:
    """Say which property the weights or the output lack."""
    if part == "output":
        return "The weights are right, the output is not."
    blocked, table = arguments["blocked"], got.detach()
    if bool(table.isnan().any()):
        return "There is a NaN among the weights, though every query has a key left."
    if blocked is not None and bool((table.masked_select(blocked) > 1e-6).any()):
        return "A blocked key has a weight: fill the scores with -inf where blocked is True, before the softmax."
    totals = table.double().sum(dim=-1)
    if not torch.allclose(totals, torch.ones_like(totals), atol=1e-4):
        worst = totals.flatten()[(totals - 1).abs().argmax()].item()
        return f"The weights of a query sum to {worst:.6f} over the keys, and should sum to 1."
    return "The rows of weights sum to one, and are not the right ones."


def _shape(_arguments: Arguments, part: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if part == "output":
        return "the shape of q"
    if shape == (wanted[0], *wanted[2:]):
        return "the heads of the weights are averaged away, expected those of each head, (B, H, N, M)"
    if shape[-2:] != wanted[-2:]:
        return "(B, H, N, M); do the keys come from k, and the queries from q?"
    return "(B, H, N, M)"


LAYER = Task(
    right=layer(),
    cases=_cases,
    small=_small,
    mistakes=MISTAKES,
    parts=("output", "weights"),
    order=("weights", "output"),
    property_of=_property,
    shape_of=_shape,
    place=lambda part, place: f"{part}{place}",
    borrowed=(attention, split_heads, join_heads, MultiHeadAttention.forward),
    tolerance=_TOLERANCE,
)
