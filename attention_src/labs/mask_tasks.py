"""Lab 2's masks as tasks: the padding mask, and the padding mask joined with the causal mask."""

from collections.abc import Callable

import torch
from torch import Tensor

from attention_src.labs.answers import Parts
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.labs.verdict import WrongAnswer
from attention_src.masks import causal_blocked, combine, padding_blocked

# Sequences and their length. With as many sequences as they are long, a mask with its axes confused still fits.
_SIZES = ((5, 7), (3, 3), (2, 11))
_LARGEST_ID = 999


def drawn_ids(generator: torch.Generator, sequences: int, longest: int) -> Tensor:
    """Draw ids (B, M) of sequences padded on the right: one is full, one is not, and one token is unknown, 1."""
    ids = torch.randint(2, _LARGEST_ID, (sequences, longest), generator=generator)
    lengths = torch.randint(1, longest + 1, (sequences,), generator=generator)
    lengths[0], lengths[-1] = max(longest - 3, 1), longest
    ids[:, 0] = ids[:, 0].where(torch.arange(sequences) != 1, 1)
    return ids.masked_fill(torch.arange(longest) >= lengths[:, None], 0)


def _cases(generator: torch.Generator) -> list[Case]:
    cases = [Case(f"{b} sequences of up to {m} tokens", {"ids": drawn_ids(generator, b, m)}) for b, m in _SIZES]
    edges = {
        "a batch of one sequence": [[7, 1, 9, 0, 0]],
        "sequences of one token": [[5], [0], [1]],
        "a sequence that is all padding": [[3, 4, 5], [0, 0, 0]],
        "padding on the left": [[0, 0, 8, 1], [0, 3, 5, 9]],
        "ids of 256 and 65,536": [[256, 512, 65_536, 0, 0], [2, 65_792, 1, 255, 0]],
    }
    return cases + [Case(told, {"ids": torch.tensor(ids)}, edge=True) for told, ids in edges.items()]


def _small() -> list[Arguments]:
    few = ([[5]], [[0]], [[5, 0]], [[5, 6]], [[0, 5]], [[1, 0]], [[300, 0]], [[5, 6, 0], [7, 0, 0]])
    return [{"ids": torch.tensor(ids)} for ids in few]


def _full(ids: Tensor) -> tuple[int, int, int]:
    return ids.shape[0], ids.shape[1], ids.shape[1]


def _reads(forms: Callable[[int, int], dict[tuple[int, ...], str]], wanted: str) -> Callable[[object, Parts], Parts]:
    """Read a boolean mask of a shape that `forms` says nothing against, and repeat it for every query."""

    def read(value: object, right: Parts) -> Parts:
        (b, m, _), known = right[""].shape, forms(*right[""].shape[:2])
        if not isinstance(value, Tensor):
            raise WrongAnswer(f"Expected a tensor {wanted}, got {'None' if value is None else type(value).__name__}.")
        told = known.get(tuple(value.shape), f"Expected the shape {wanted}.")
        if told:
            raise WrongAnswer(f"{told} B = {b}, M = {m}, and it has the shape {tuple(value.shape)}.")
        if value.dtype != torch.bool:
            raise WrongAnswer(
                f"Expected a boolean mask, True where a key is blocked, got {value.dtype}: "
                "a comparison such as `==` gives booleans."
            )
        return {"": value.expand(b, m, m)}

    return read


def _forms_of_padding(b: int, m: int) -> dict[tuple[int, ...], str]:
    """What to say about each shape that a padding mask may come in; nothing about a right one."""
    return {
        (b, m): "The axis for the queries is missing. Broadcasting lines axes up from the right, so (B, M) is read as "
        "one mask for all, with row i for query i. Insert an axis of size 1 for (B, 1, M).",
        (b, m, 1): "Rows are blocked, and should be columns: the last axis stands for the keys, so the inserted one "
        "comes before it, (B, 1, M).",
        (b, 1, 1, m): "There is an axis too many: these scores are (B, N, M) and have no heads.",
        (1, b, m): "The inserted axis comes first, so the batch stands where the queries should: expected (B, 1, M).",
        (b, 1, m): "",
        (b, m, m): "",
    }


def _forms_of_the_joined(b: int, m: int) -> dict[tuple[int, ...], str]:
    return {
        (b, 1, m): "The causal mask is not in it: this shape has one row for all queries, and the future is another "
        "for each. Expected (B, M, M).",
        (m, m): "The padding mask is not in it: this shape has no batch. Expected (B, M, M).",
        (1, m, m): "The padding mask is not in it: this shape is the same for all sequences. Expected (B, M, M).",
        (b, 1, m, m): "There is an axis too many: these scores are (B, N, M) and have no heads.",
        (b, m, m): "",
    }


def _too_much_or_little(right: Callable[[Tensor], Tensor]) -> Callable[[Arguments, str, Tensor], str]:
    def told(arguments: Arguments, _part: str, got: Tensor) -> str:
        blocked = right(arguments["ids"])
        if bool((got & ~blocked).any()):
            return "A key is blocked that should be open."
        return "A key is open that should be blocked."

    return told


def _place(_part: str, place: list[int]) -> str:
    return "sequence {}, query {}, key {}".format(*place)


def _for_each_query(ids: Tensor) -> Tensor:
    return padding_blocked(ids).expand(*_full(ids))


def _joined(ids: Tensor) -> Tensor:
    return padding_blocked(ids) | causal_blocked(ids.shape[1])


def _pads(ids: Tensor) -> Tensor:
    return (ids == 0)[:, None]


def _rows(ids: Tensor) -> Tensor:
    return (ids == 0)[:, :, None].expand(*_full(ids))


def _places(ids: Tensor) -> tuple[Tensor, Tensor]:
    """The place of each token, (M,), and the number of tokens of each sequence, (B, 1)."""
    return torch.arange(ids.shape[1]), (ids != 0).sum(dim=1, keepdim=True)


def _from(ids: Tensor, shift: int) -> Tensor:
    """Blocks the places from the number of tokens on, moved by `shift`."""
    place, lengths = _places(ids)
    return (place >= lengths + shift)[:, None]


_PADDING_MISTAKES = (
    Mistake(
        "The mask is inverted: it blocks the real tokens and lets padding through. True blocks.",
        lambda ids: ~_pads(ids),
    ),
    Mistake("Rows are blocked, and should be columns: padding is blocked as a key.", _rows),
    Mistake(
        "The pads of a sequence are free for its real queries: a key is blocked for all queries or for none.",
        lambda ids: _rows(ids) & _pads(ids),
    ),
    Mistake(
        "Pads are no keys for anyone, and this blocks the real keys for the queries that are padding, too.",
        lambda ids: _rows(ids) | _pads(ids),
    ),
    Mistake(
        "It blocks token 1 as well, which stands for an unknown token and is a real one: only 0 is padding.",
        lambda ids: (ids <= 1)[:, None],
    ),
    Mistake("It blocks token 1 and not token 0: padding is 0.", lambda ids: (ids == 1)[:, None]),
    Mistake("It blocks the last real token of a sequence as well: off by one.", lambda ids: _from(ids, -1)),
    Mistake("It leaves the first pad of a sequence open: off by one.", lambda ids: _from(ids, 1)),
    Mistake(
        "It counts the tokens of a sequence and blocks what comes after so many places, which is right only where "
        "the padding stands on the right. Compare each id with 0.",
        lambda ids: _from(ids, 0),
    ),
    Mistake("Nothing is blocked.", lambda ids: torch.zeros_like(_pads(ids))),
    Mistake("Everything is blocked.", lambda ids: torch.ones_like(_pads(ids))),
    Mistake(
        "The ids are cast to a type of one byte, in which 256 becomes 0: a real token is taken for padding.",
        lambda ids: _pads(ids.to(torch.int8)),
    ),
    Mistake(
        "The ids are cast to a type of two bytes, in which 65,536 becomes 0: a real token is taken for padding.",
        lambda ids: _pads(ids.to(torch.int16)),
    ),
)


def _future(ids: Tensor, diagonal: int = 1) -> Tensor:
    m = ids.shape[1]
    return torch.ones(m, m, dtype=torch.bool).triu(diagonal)


_JOINED_MISTAKES = (
    Mistake(
        "The mask is inverted: what should be open is blocked. True blocks, and F.scaled_dot_product_attention "
        "has it the other way round.",
        lambda ids: ~_joined(ids),
    ),
    Mistake(
        "It is the `and` of the two masks, so only padding in the future is blocked: a key is blocked if either mask "
        "blocks it.",
        lambda ids: _pads(ids) & _future(ids),
    ),
    Mistake(
        "It is the exclusive `or` of the two masks, so padding in the future is open: a key is blocked if either mask "
        "blocks it, or both.",
        lambda ids: _pads(ids) ^ _future(ids),
    ),
    Mistake(
        "The triangle includes the diagonal, so no query sees itself and the first has no key at all.",
        lambda ids: _pads(ids) | _future(ids, 0),
    ),
    Mistake(
        "The triangle begins one diagonal too late, so each query sees one token of the future.",
        lambda ids: _pads(ids) | _future(ids, 2),
    ),
    Mistake(
        "The triangle is the wrong one: it blocks the past and leaves the future open.",
        lambda ids: _pads(ids) | _future(ids).mT,
    ),
    Mistake(
        "The triangle is the wrong one, and includes the diagonal: only the future is left open.",
        lambda ids: _pads(ids) | _future(ids, 0).mT,
    ),
    Mistake("The padding mask is inverted.", lambda ids: ~_pads(ids) | _future(ids)),
    Mistake("The padding is not blocked.", lambda ids: _future(ids).expand(*_full(ids))),
    Mistake("The future is not blocked.", lambda ids: _pads(ids).expand(*_full(ids))),
    Mistake("Padding is blocked in the rows, and should be in the columns.", lambda ids: _pads(ids).mT | _future(ids)),
    Mistake(
        "Padding is blocked in the columns and in the rows: a query that is padding keeps its keys.",
        lambda ids: _pads(ids) | _pads(ids).mT | _future(ids),
    ),
    Mistake(
        "It blocks token 1 as well, which stands for an unknown token and is a real one: only 0 is padding.",
        lambda ids: (ids <= 1)[:, None] | _future(ids),
    ),
    Mistake(
        "The two masks do not meet: axes line up from the right, so the padding needs an axis of size 1 for the "
        "queries, (B, 1, M), before it meets the triangle, (M, M).",
        lambda ids: ((ids == 0) | _future(ids)).expand(*_full(ids)),
    ),
    Mistake(
        "It counts the tokens of a sequence and blocks what comes after so many places, which is right only where "
        "the padding stands on the right. Compare each id with 0.",
        lambda ids: _from(ids, 0) | _future(ids),
    ),
)


PADDING = Task(
    right=_for_each_query,
    cases=_cases,
    small=_small,
    mistakes=_PADDING_MISTAKES,
    property_of=_too_much_or_little(_for_each_query),
    place=_place,
    reads=_reads(_forms_of_padding, "(B, 1, M)"),
    borrowed=(padding_blocked, combine),
)

JOINED = Task(
    right=_joined,
    cases=_cases,
    small=_small,
    mistakes=_JOINED_MISTAKES,
    property_of=_too_much_or_little(_joined),
    place=_place,
    reads=_reads(_forms_of_the_joined, "(B, M, M)"),
    borrowed=(padding_blocked, combine),
)
