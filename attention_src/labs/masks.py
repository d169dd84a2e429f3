"""Checks of lab 2: the padding mask, the joined mask, and the comparison of each query with itself alone."""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.labs.answers import close, numbers, shortened
from attention_src.labs.verdict import WrongAnswer, check
from attention_src.masks import causal_blocked, padding_blocked

Project = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]

# Right-padded ids, where 1 is an unknown token and as real as any. In `square` the sequences are as many as they
# are long, so that a mask with its axes confused still has a shape that fits.
_BATCHES = {
    "5 sequences of up to 7 tokens": ((4, 7), (1, 2), (7, 3), (2, 9), (5, 1)),
    "3 sequences of up to 3 tokens": ((3, 5), (1, 1), (2, 8)),
    "2 sequences of 11 tokens": ((11, 6), (11, 1)),
}

# What is done to a right output: where (sequence, token, component), by how much, and what the gap is then. Sequence
# 0 has 4 tokens of 7, sequence 2 has all 7. The first that goes unnoticed names the mistake.
_PLANTED: tuple[tuple[str, tuple[int, int, int], float, float], ...] = (
    (
        "An output that is too large by 0.5 is not found as such: this test cannot fail as it should.",
        (0, 1, 0),
        0.5,
        0.5,
    ),
    ("An output that is too small by 0.25 is not found by its size: take the absolute value.", (0, 1, 0), -0.25, 0.25),
    ("A wrong output of the first token goes unnoticed.", (0, 0, 1), 0.5, 0.5),
    ("A wrong output of the last real token goes unnoticed.", (0, 3, 2), 0.5, 0.5),
    ("A wrong output in a sequence without padding goes unnoticed.", (2, 6, 2), 0.5, 0.5),
    ("The outputs of padding are compared too, and nobody uses them.", (0, 5, 1), 0.5, 0.0),
)


@check("padding_mask")
def check_padding_mask(padding_mask: Callable[[Tensor], object]) -> str:
    """Check a function that makes the padding mask of a batch.

    Args:
        padding_mask: Takes ids, (B, M), in which 0 is padding.
            It should return a boolean mask, (B, 1, M) or the same for every query, (B, M, M); `True` blocks.

    Returns:
        A verdict that names the property which broke.
    """
    for name, ids in _batches().items():
        answer = _mask(_ask(padding_mask, ids), ids, name, "(B, 1, M)", _forms_of_padding(ids))
        right = padding_blocked(ids)
        if not torch.equal(answer.expand(*_full(ids)), right.expand(*_full(ids))):
            _refuse(answer, right, _padding_mistakes(ids), ids, name)
    return "Every query may look at every real key of its sequence, and at no padding."


@check("joined_mask")
def check_joined_mask(joined_mask: Callable[[Tensor], object]) -> str:
    """Check a function that joins the padding mask with the causal mask.

    Args:
        joined_mask: Takes ids, (B, M), in which 0 is padding.
            It should return a boolean mask, (B, M, M); `True` blocks.

    Returns:
        A verdict that names the property which broke.
    """
    for name, ids in _batches().items():
        right = padding_blocked(ids) | causal_blocked(ids.shape[1])
        forms = {_full(ids): "", **_forms_of_the_joined(ids)}
        try:
            answer = _mask(_ask(joined_mask, ids), ids, name, "(B, M, M)", forms)
        except RuntimeError as error:
            if "must match the size" not in str(error):
                raise
            raise WrongAnswer(
                f"The two masks do not meet: {error}. Axes line up from the right, so the padding needs an axis of "
                f"size 1 for the queries, (B, 1, M), before it meets the triangle, (M, M). Seen with {name}."
            ) from None
        if not torch.equal(answer, right):
            _refuse(answer, right, _joined_mistakes(ids), ids, name)
    return "A key is blocked where it is padding or lies in the future, and nowhere else."


@check("gaps")
def check_gaps(gaps: Callable[[Tensor, Tensor, Project], object]) -> str:
    """Check a function that compares each query alone with its rows in a batch.

    The check hands in outputs that are right, and outputs that are wrong at one known place.

    Args:
        gaps: Takes ids, (B, M), padded on the right with 0; the output of attention on this batch, (B, M, V);
            and a function from ids, (..., M), to queries, keys and values.
            It should return for each of the B sequences the largest absolute difference between the output at its
            real tokens and the output for the sequence alone: without padding, without a mask.

    Returns:
        A verdict that names the property which broke.
    """
    for ids in _batches().values():
        output = attention(*_project(ids), padding_blocked(ids))[0]
        quiet = numbers(gaps(ids.clone(), output.clone(), _project), len(ids), "one a sequence")
        if not close(quiet, [0.0] * len(ids)):
            raise WrongAnswer(_noise(ids, output, quiet))
    ids = next(iter(_batches().values()))
    output = attention(*_project(ids), padding_blocked(ids))[0]
    for told, place, change, expected in _PLANTED:
        wrong = output.clone()
        wrong[place] += change
        right = [expected if n == place[0] else 0.0 for n in range(len(ids))]
        found = numbers(gaps(ids.clone(), wrong, _project), len(ids), "one a sequence")
        if not close(found, right):
            told = _averaged(ids, found[place[0]], change) or told
            raise WrongAnswer(f"{told} Expected {shortened(right)}; got {shortened(found)}.")
    return "It finds a wrong output at any real token, by its size, and leaves padding out."


def _ids(lengths: tuple[tuple[int, int], ...]) -> Tensor:
    """Ids of right-padded sequences, each given by its number of tokens and its first id."""
    longest = max(length for length, _ in lengths)
    return torch.tensor([[first + n if n < length else 0 for n in range(longest)] for length, first in lengths])


def _batches() -> dict[str, Tensor]:
    return {name: _ids(lengths) for name, lengths in _BATCHES.items()}


def _full(ids: Tensor) -> tuple[int, int, int]:
    return ids.shape[0], ids.shape[1], ids.shape[1]


def _ask(function: Callable[[Tensor], object], ids: Tensor) -> object:
    given = ids.clone()
    answer = function(given)
    if not torch.equal(given, ids):
        raise WrongAnswer("It changed its argument `ids`: expected a new tensor, since the caller needs the old.")
    return answer


def _mask(answer: object, ids: Tensor, name: str, wanted: str, forms: Mapping[tuple[int, ...], str]) -> Tensor:
    """Return the answer if it is a boolean mask of a shape that `forms` says nothing against."""
    if not isinstance(answer, Tensor):
        raise WrongAnswer(f"Expected a tensor {wanted}, got {type(answer).__name__}.")
    shape = tuple(answer.shape)
    b, m = ids.shape
    told = forms.get(shape, f"Expected the shape {wanted}.")
    if told:
        raise WrongAnswer(f"{told} With {name}: B = {b}, M = {m}, got the shape {list(shape)}.")
    if answer.dtype != torch.bool:
        raise WrongAnswer(
            f"Expected a boolean mask, True where a key is blocked, got {answer.dtype}: "
            "a comparison such as `==` gives booleans."
        )
    return answer


def _forms_of_padding(ids: Tensor) -> dict[tuple[int, ...], str]:
    """What to say about each shape that a padding mask may come in; nothing about a right one."""
    b, m = ids.shape
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


def _forms_of_the_joined(ids: Tensor) -> dict[tuple[int, ...], str]:
    b, m = ids.shape
    return {
        (b, 1, m): "The causal mask is not in it: this shape has one row for all queries, and the future is another "
        "for each. Expected (B, M, M).",
        (m, m): "The padding mask is not in it: this shape has no batch. Expected (B, M, M).",
        (1, m, m): "The padding mask is not in it: this shape is the same for all sequences. Expected (B, M, M).",
        (b, 1, m, m): "There is an axis too many: these scores are (B, N, M) and have no heads.",
    }


def _padding_mistakes(ids: Tensor) -> dict[str, Tensor]:
    pads = ids == 0
    rows = pads[:, :, None].expand(*_full(ids))
    place, lengths = torch.arange(ids.shape[1]), (~pads).sum(dim=1, keepdim=True)
    return {
        "The mask is inverted: it blocks the real tokens and lets padding through. True blocks.": ~pads[:, None],
        "Rows are blocked, and should be columns: padding is blocked as a key.": rows,
        "The pads of a sequence are free for its real queries: a key is blocked for all queries or for none.": (
            rows & pads[:, None]
        ),
        "Pads are no keys for anyone, and this blocks the real keys for the queries that are padding, too.": (
            rows | pads[:, None]
        ),
        "It blocks token 1 as well, which stands for an unknown token and is a real one: only 0 is padding.": (
            (ids <= 1)[:, None]
        ),
        "It blocks token 1 and not token 0: padding is 0.": (ids == 1)[:, None],
        "It blocks the last real token of a sequence as well: off by one.": (place >= lengths - 1)[:, None],
        "It leaves the first pad of a sequence open: off by one.": (place > lengths)[:, None],
        "Nothing is blocked.": torch.zeros_like(pads)[:, None],
    }


def _joined_mistakes(ids: Tensor) -> dict[str, Tensor]:
    m = ids.shape[1]
    pads, future = (ids == 0)[:, None], causal_blocked(m)
    past = torch.ones(m, m, dtype=torch.bool).tril(-1)
    here = torch.eye(m, dtype=torch.bool)
    beyond = torch.ones(m, m, dtype=torch.bool).triu(2)
    return {
        "The mask is inverted: what should be open is blocked. True blocks, and F.scaled_dot_product_attention "
        "has it the other way round.": ~(pads | future),
        "It is the `and` of the two masks, so only padding in the future is blocked: a key is blocked if either mask "
        "blocks it.": pads & future,
        "The triangle includes the diagonal, so no query sees itself and the first has no key at all.": (
            pads | future | here
        ),
        "The triangle begins one diagonal too late, so each query sees one token of the future.": pads | beyond,
        "The triangle is the wrong one: it blocks the past and leaves the future open.": pads | past,
        "The triangle is the wrong one, and includes the diagonal: only the future is left open.": pads | past | here,
        "The padding mask is inverted.": ~pads | future,
        "The padding is not blocked.": future.expand(*_full(ids)),
        "The future is not blocked.": pads.expand(*_full(ids)),
        "Padding is blocked in the rows, and should be in the columns.": pads.mT | future,
    }


def _refuse(answer: Tensor, right: Tensor, mistakes: Mapping[str, Tensor], ids: Tensor, name: str) -> None:
    """Raise with the mistake that gives this mask, or with the first cell that is wrong."""
    full = _full(ids)
    for told, mask in mistakes.items():
        if torch.equal(mask.expand(*full), answer.expand(*full)):
            raise WrongAnswer(f"{told} Seen with {name}.")
    expected, got = right.expand(*full), answer.expand(*full)
    b, n, m = (expected != got).nonzero()[0].tolist()
    state = "blocked" if expected[b, n, m] else "open"
    raise WrongAnswer(
        f"With {name}: sequence {b}, query {n}, key {m} should be {state}: "
        f"expected {bool(expected[b, n, m])}, got {bool(got[b, n, m])}."
    )


def _project(ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries and keys of width 3 and values of width 5 for each id, in which padding is as loud as any token."""
    generator = torch.Generator().manual_seed(3)
    tables = [torch.randn(17, width, generator=generator) for width in (3, 3, 5)]
    q, k, v = (table[ids] for table in tables)
    return q, k, v


def _noise(ids: Tensor, output: Tensor, found: list[float]) -> str:
    """Say why a right output does not come out as right."""
    right = f"Expected gaps of 0 on a right output; got {shortened(found)}."
    padded = attention(*_project(ids))[0]
    real = (ids != 0)[..., None]
    at_pads = (padded - output).abs().amax(dim=(1, 2)).tolist()
    at_tokens = ((padded - output).abs() * real).amax(dim=(1, 2)).tolist()
    if close(found, at_tokens) or close(found, at_pads):
        return f"The query alone still has its padding: cut it to its real tokens, `row[row != 0]`. {right}"
    if all(math.isclose(gap, 1.0) for gap in found):
        return f"It answers whether they are equal: the answer should be how far they lie apart. {right}"
    return f"The queries alone are not computed as they should be: without padding, and without a mask. {right}"


def _averaged(ids: Tensor, found: float, change: float) -> str | None:
    """Say so if what was found for sequence 0 is a mean of the differences."""
    width, length = _project(ids)[2].shape[-1], int((ids[0] != 0).sum())
    if any(math.isclose(found, abs(change) / n, rel_tol=1e-3) for n in (width, length, width * length)):
        return "It takes a mean, in which one wrong number among many right ones drowns: take the largest difference."
    return None
