"""Lab 3's functions as tasks: a mean over real tokens, and a reversal of real tokens."""

import math

import torch
from torch import Tensor

from attention_src.data.vocabulary import PAD
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.models.classifier import masked_mean, reverse_real

# Real tokens of each query, and slots: different primes, padded and full.
_LENGTHS = (((5, 2, 7), 11), ((1, 13), 13), ((3, 1, 4, 2, 1), 5))
_LARGEST_ID = 300


def drawn_queries(generator: torch.Generator, lengths: tuple[int, ...], n: int, largest: int = _LARGEST_ID) -> Tensor:
    """Draw ids, (B, n), below `largest`, with as many real tokens as `lengths` says, and an unknown one, 1, in each."""
    ids = torch.randint(2, largest, (len(lengths), n), generator=generator)
    unknown = torch.tensor(lengths).clamp(min=1) - 1
    unknown = torch.where(torch.tensor(lengths) > 1, unknown - 1, n)
    places = torch.arange(n)
    return ids.masked_fill(places == unknown[:, None], 1).masked_fill(places >= torch.tensor(lengths)[:, None], PAD)


def told(lengths: tuple[int, ...]) -> str:
    """Words for a batch of queries."""
    return f"{len(lengths)} queries of up to {max(lengths)} tokens"


# --- the mean ---


def _mean(x: Tensor, ids: Tensor) -> Tensor:
    """The mean over real tokens, (B, V); NaN, so anything, for a query without any."""
    return torch.stack([row[real].mean(dim=0) for row, real in zip(x, ids != PAD, strict=True)])


def _vectors(generator: torch.Generator, ids: Tensor, width: int) -> Arguments:
    """Vectors of each token, in which padding is as loud as any."""
    x = torch.randn(*ids.shape, width, generator=generator) + 3.0 * (ids == PAD)[..., None]
    return {"x": x, "ids": ids}


def _mean_cases(generator: torch.Generator) -> list[Case]:
    cases = [
        Case(told(lengths), _vectors(generator, drawn_queries(generator, lengths, n), width), gradients=True)
        for (lengths, n), width in zip(_LENGTHS, (5, 3, 2), strict=True)
    ]
    edges = {
        "a batch of one query": [[7, 1, 9, 0, 0]],
        "queries of one token": [[5], [1]],
        "a query that is all padding": [[3, 1, 5], [0, 0, 0], [300, 0, 0]],
        "ids of 256 and 65,536": [[256, 512, 65_536, 0, 0], [2, 65_792, 1, 255, 0]],
    }
    few = [Case(name, _vectors(generator, torch.tensor(ids), 3), edge=True) for name, ids in edges.items()]
    return [*cases, *few, Case("vectors of one number", _vectors(generator, drawn_queries(generator, (3, 2), 4), 1))]


def _mean_small() -> list[Arguments]:
    few = (
        ([[5]], [[[2.0]]]),
        ([[5, 0]], [[[2.0], [6.0]]]),
        ([[5, 1]], [[[2.0], [6.0]]]),
        ([[5, 7], [9, 0]], [[[2.0], [6.0]], [[1.0], [3.0]]]),
        ([[5, 300, 0], [9, 0, 0]], [[[2.0, 4.0], [6.0, 1.0], [7.0, 7.0]], [[1.0, 5.0], [3.0, 0.0], [2.0, 8.0]]]),
    )
    return [{"x": torch.tensor(x), "ids": torch.tensor(ids)} for ids, x in few]


def _real(ids: Tensor) -> Tensor:
    return (ids != PAD)[..., None]


def _total(x: Tensor, ids: Tensor) -> Tensor:
    return (x * _real(ids)).sum(dim=1)


def _count(ids: Tensor) -> Tensor:
    return (ids != PAD).sum(dim=1, keepdim=True)


def _known(ids: Tensor) -> Tensor:
    return ids.where(ids != 1, PAD)


_MEAN_MISTAKES = (
    Mistake(
        "Padding is counted: this is the mean over all slots. Leave out those whose id is 0.",
        lambda x, _: x.mean(dim=1),
    ),
    Mistake(
        "The sum is divided by all slots: divide by the number of real tokens.",
        lambda x, ids: _total(x, ids) / ids.shape[1],
    ),
    Mistake("This is the sum of the real tokens: divide it by their number.", _total),
    Mistake(
        "Each sum is divided by the tokens of the whole batch: count per query.",
        lambda x, ids: _total(x, ids) / _count(ids).sum(),
    ),
    Mistake(
        "Each sum is divided by the mean length of the batch: count per query.",
        lambda x, ids: _total(x, ids) * len(ids) / _count(ids).sum(),
    ),
    Mistake(
        "Each sum is divided by the length of the longest query: count per query.",
        lambda x, ids: _total(x, ids) / _count(ids).max(),
    ),
    Mistake(
        "The mask is inverted: this is the mean of the padding.",
        lambda x, ids: (x * ~_real(ids)).sum(dim=1) / (~_real(ids)).sum(dim=1),
    ),
    Mistake("Padding is added to the sum, and left out of the count only.", lambda x, ids: x.sum(dim=1) / _count(ids)),
    Mistake(
        "This is the largest number and no mean.",
        lambda x, ids: x.masked_fill(~_real(ids), -math.inf).amax(dim=1),
    ),
    Mistake(
        "It leaves out token 1 as well, which stands for an unknown token and is a real one: only 0 is padding.",
        lambda x, ids: _mean(x, _known(ids)),
    ),
    Mistake(
        "Token 1, which is unknown and real, is left out of the count only: only 0 is padding.",
        lambda x, ids: _total(x, ids) / _count(_known(ids)),
    ),
    Mistake(
        "Token 1, which is unknown and real, is left out of the sum only: only 0 is padding.",
        lambda x, ids: _total(x, _known(ids)) / _count(ids),
    ),
    Mistake(
        "The divisor is one too many: divide by the number of real tokens.",
        lambda x, ids: _total(x, ids) / (_count(ids) + 1),
    ),
    Mistake(
        "The divisor is one too few: divide by the number of real tokens.",
        lambda x, ids: _total(x, ids) / (_count(ids) - 1),
    ),
    Mistake("This is the first token and no mean.", lambda x, _: x[:, 0]),
    Mistake(
        "It is weighed by the ids: the ids say which tokens are real, and nothing else.",
        lambda x, ids: (x * ids[..., None]).sum(dim=1) / _count(ids),
    ),
    Mistake(
        "The sum is divided by the sum of the ids: divide by the number of real tokens.",
        lambda x, ids: _total(x, ids) / ids.sum(dim=1, keepdim=True),
    ),
)

MEAN = Task(
    right=_mean,
    cases=_mean_cases,
    small=_mean_small,
    mistakes=_MEAN_MISTAKES,
    property_of=lambda *_: "These are not the means over the real tokens of each query.",
    shape_of=lambda *_: "one vector a query, (B, V)",
    place=lambda _, place: "query {}, number {}".format(*place),
    borrowed=(masked_mean,),
)


# --- the reversal ---


def _reversed(ids: Tensor) -> Tensor:
    """Real tokens the other way round, padding where it was."""
    rows = [row[: row.index(PAD)] if PAD in row else row for row in ids.tolist()]
    return torch.tensor([row[::-1] + [PAD] * (ids.shape[1] - len(row)) for row in rows], dtype=ids.dtype)


def _reversal_cases(generator: torch.Generator) -> list[Case]:
    cases = [Case(told(lengths), {"ids": drawn_queries(generator, lengths, n)}) for lengths, n in _LENGTHS]
    edges = {
        "a batch of one query": [[7, 1, 9, 0, 0]],
        "queries of one slot": [[5], [0], [1]],
        "a query that is all padding": [[3, 1, 5], [0, 0, 0], [300, 4, 0]],
        "ids of 256 and 65,536": [[256, 512, 65_536, 0, 0], [2, 65_792, 1, 255, 0]],
        "a token that occurs twice": [[4, 4, 7, 1, 4], [7, 7, 8, 0, 0]],
    }
    return cases + [Case(name, {"ids": torch.tensor(ids)}, edge=True) for name, ids in edges.items()]


def _reversal_small() -> list[Arguments]:
    few = ([[5]], [[0]], [[5, 6]], [[5, 0]], [[5, 6, 0]], [[5, 1, 0]], [[5, 6, 0], [7, 0, 0]], [[5, 6, 7, 300, 0]])
    return [{"ids": torch.tensor(ids)} for ids in few]


def _index(ids: Tensor, lengths: Tensor, shift: int = 1, elsewhere: int | None = None) -> Tensor:
    """Where each slot takes its token from, with so many real tokens."""
    places = torch.arange(ids.shape[1])
    kept = places if elsewhere is None else torch.full_like(places, elsewhere)
    return torch.where(places < lengths, lengths - shift - places, kept).expand_as(ids)


def _fetched(ids: Tensor, index: Tensor) -> Tensor:
    return ids.gather(1, index)


_ONE_FOR_ALL = "All queries were reversed with the length of the {which}: count L per query."

_REVERSAL_MISTAKES = (
    Mistake("Nothing was reversed.", lambda ids: ids),
    Mistake("The whole row was flipped: the padding moved to the front.", lambda ids: ids.flip(1)),
    Mistake("The batch was reversed and not its tokens: they stand along axis 1.", lambda ids: ids.flip(0)),
    Mistake("The batch was reversed, too: only its tokens are, along axis 1.", lambda ids: _reversed(ids).flip(0)),
    Mistake(
        "This is the index: `ids.gather(1, index)` fetches what stands there.", lambda ids: _index(ids, _count(ids))
    ),
    Mistake(
        "The index is off by one: slot p takes slot L - 1 - p, since slots count from 0.",
        lambda ids: _fetched(ids, _index(ids, _count(ids), 0)),
    ),
    Mistake(
        "The index is off by one: slot p takes slot L - 1 - p, since slots count from 0.",
        lambda ids: _fetched(ids, _index(ids, _count(ids), 0).clamp(max=ids.shape[1] - 1)),
    ),
    Mistake(
        "The index is off by one: slot p takes slot L - 1 - p, and not L - 2 - p.",
        lambda ids: _fetched(ids, _index(ids, _count(ids), 2)),
    ),
    Mistake(
        "The padding is gone: slots from L on keep their own.",
        lambda ids: _fetched(ids, _index(ids, _count(ids), elsewhere=0)),
    ),
    Mistake(_ONE_FOR_ALL.format(which="longest query"), lambda ids: _fetched(ids, _index(ids, _count(ids).max()))),
    Mistake(_ONE_FOR_ALL.format(which="first query"), lambda ids: _fetched(ids, _index(ids, _count(ids)[0]))),
    Mistake(
        "Token 1, which stands for an unknown token and is a real one, is not counted: only 0 is padding.",
        lambda ids: _fetched(ids, _index(ids, (ids > 1).sum(dim=1, keepdim=True))),
    ),
    Mistake("The tokens are sorted, and not reversed.", lambda ids: ids.sort(dim=1, descending=True).values),
)


def _shows(arguments: Arguments, got: Tensor, right: Tensor) -> str:
    """The first row that differs, with the ids that it was made of."""
    row = int((got != right).any(dim=1).nonzero()[0])
    return f": for {arguments['ids'][row].tolist()} expected {right[row].tolist()}, got {got[row].tolist()}"


REVERSAL = Task(
    right=_reversed,
    cases=_reversal_cases,
    small=_reversal_small,
    mistakes=_REVERSAL_MISTAKES,
    property_of=lambda *_: "The real tokens are not reversed in place.",
    shape_of=lambda *_: "that of the ids, (B, N)",
    shows=_shows,
    borrowed=(reverse_real,),
    tolerance=0.0,
)
