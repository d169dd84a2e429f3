"""Tests of `attention_src.labs.masks`: right answers pass however they are written, and wrong ones are named."""

import math

import pytest
import torch
import torch.nn.functional as F

from attention_src.core.attention import attention
from attention_src.labs.masks import check_gaps, check_joined_mask, check_padding_mask
from attention_src.masks import causal_blocked, combine, padding_blocked


def by_lengths(ids):
    lengths = (ids != 0).sum(dim=1)
    return (torch.arange(ids.shape[1]) >= lengths[:, None])[:, None]


def by_lists(ids):
    return torch.tensor([[[token == 0 for token in row]] for row in ids.tolist()])


RIGHT_PADDING = {
    "indexed": lambda ids: (ids == 0)[:, None, :],
    "unsqueeze": lambda ids: ids.eq(0).unsqueeze(1),
    "not": lambda ids: ~ids.bool()[:, None],
    "expanded": lambda ids: (ids == 0)[:, None].expand(-1, ids.shape[1], -1),
    "repeated": lambda ids: (ids == 0)[:, None].repeat(1, ids.shape[1], 1),
    "lists": by_lists,
}


@pytest.mark.parametrize("answer", RIGHT_PADDING.values(), ids=RIGHT_PADDING)
def test_right_padding_mask_passes(answer):
    """By a comparison or by loops, shared by the queries or written out for each."""
    verdict = check_padding_mask(answer)
    assert verdict, verdict.message


def rows_of(ids):
    return (ids == 0)[:, :, None].expand(-1, -1, ids.shape[1])


def zeroes_ids(ids):
    mask = (ids == 0)[:, None]
    ids[:] = 0
    return mask


def lengths_of(ids):
    return (ids != 0).sum(dim=1, keepdim=True)


def places_of(ids):
    return torch.arange(ids.shape[1])


WRONG_PADDING = {
    "inverted": (lambda ids: (ids != 0)[:, None], "The mask is inverted"),
    "two axes": (lambda ids: ids == 0, "The axis for the queries is missing"),
    "rows": (lambda ids: (ids == 0)[:, :, None], "Rows are blocked"),
    "rows written out": (rows_of, "Rows are blocked"),
    "rows and columns": (lambda ids: rows_of(ids) & (ids == 0)[:, None], "free for its real queries"),
    "rows or columns": (lambda ids: rows_of(ids) | (ids == 0)[:, None], "for the queries that are padding, too"),
    "batch second": (lambda ids: (ids == 0)[None], "The inserted axis comes first"),
    "heads": (lambda ids: (ids == 0)[:, None, None], "an axis too many"),
    "unknown too": (lambda ids: (ids <= 1)[:, None], "token 1 as well"),
    "unknown only": (lambda ids: (ids == 1)[:, None], "token 1 and not token 0"),
    "last real": (lambda ids: (places_of(ids) >= lengths_of(ids) - 1)[:, None], "the last real token"),
    "first pad": (lambda ids: (places_of(ids) > lengths_of(ids))[:, None], "the first pad of a sequence open"),
    "nothing": (lambda ids: torch.zeros_like(ids, dtype=torch.bool)[:, None], "Nothing is blocked"),
    "everything": (lambda ids: torch.ones_like(ids, dtype=torch.bool)[:, None], "Everything is blocked"),
    "all but one": (
        lambda ids: ids.bool().flip(1)[:, None],
        "A key is blocked that should be open. With ids = [[5]], ",
    ),
    "lengths": (by_lengths, "right only where the padding stands on the right"),
    "int8": (lambda ids: (ids.to(torch.int8) == 0)[:, None], "in which 256 becomes 0"),
    "int16": (lambda ids: (ids.short() == 0)[:, None], "in which 65,536 becomes 0"),
    "core": (padding_blocked, "It calls attention_src.masks.padding_blocked: write the answer yourself"),
    "core, inside": (lambda ids: padding_blocked(ids), "It calls attention_src.masks.padding_blocked"),
    "squeezed": (lambda ids: (ids == 0).squeeze()[:, None], "Seen with a batch of one sequence"),
    "hard-coded": (lambda ids: (ids.view(-1, 7) == 0)[:, None], "With 3 sequences of up to 3 tokens it raised"),
    "integers": (lambda ids: (ids == 0).int()[:, None], "got torch.int32"),
    "for adding": (lambda ids: torch.zeros(ids.shape).masked_fill(ids == 0, -math.inf)[:, None], "got torch.float32"),
    "one sequence": (lambda ids: (ids[0] == 0)[None, None], "Expected the shape (B, 1, M)"),
    "a list": (lambda ids: (ids == 0).tolist(), "Expected a tensor (B, 1, M), got list"),
    "None": (lambda _: None, "Expected a tensor (B, 1, M), got None"),
    "zeroes ids": (zeroes_ids, "changed its argument `ids`"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_PADDING.values(), ids=WRONG_PADDING)
def test_wrong_padding_mask_is_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_padding_mask(answer)
    assert not verdict
    assert named in verdict.message


def triangle(ids, diagonal=1):
    return torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(diagonal)


def pads(ids):
    return (ids == 0)[:, None]


RIGHT_JOINED = [
    lambda ids: pads(ids) | causal_blocked(ids.shape[1]),
    lambda ids: pads(ids) | triangle(ids),
    lambda ids: torch.logical_or(pads(ids), triangle(ids)[None]),
    lambda ids: ~((ids != 0)[:, None] & triangle(ids).logical_not()),
]


@pytest.mark.parametrize("answer", RIGHT_JOINED, ids=["core's triangle", "or", "a function", "negated and"])
def test_right_joined_mask_passes(answer):
    """With `or`, with a function, or as what is left open."""
    verdict = check_joined_mask(answer)
    assert verdict, verdict.message


WRONG_JOINED = {
    "inverted": (lambda ids: ~(pads(ids) | triangle(ids)), "The mask is inverted"),
    "and": (lambda ids: pads(ids) & triangle(ids), "the `and` of the two masks"),
    "diagonal 0": (lambda ids: pads(ids) | triangle(ids, 0), "includes the diagonal, so no query sees itself"),
    "diagonal 2": (lambda ids: pads(ids) | triangle(ids, 2), "one diagonal too late"),
    "past": (lambda ids: pads(ids) | triangle(ids).T, "blocks the past"),
    "past and itself": (lambda ids: pads(ids) | triangle(ids, 0).T, "only the future is left open"),
    "padding inverted": (lambda ids: ~pads(ids) | triangle(ids), "The padding mask is inverted"),
    "no padding": (lambda ids: triangle(ids).expand(len(ids), -1, -1), "The padding is not blocked"),
    "no future": (lambda ids: pads(ids).expand(-1, ids.shape[1], -1), "The future is not blocked"),
    "rows": (lambda ids: (ids == 0)[:, :, None] | triangle(ids), "in the rows"),
    "only padding": (pads, "The causal mask is not in it"),
    "core": (
        lambda ids: combine(padding_blocked(ids), causal_blocked(ids.shape[1])[None]),
        "It calls attention_src.masks.padding_blocked",
    ),
    "exclusive or": (lambda ids: pads(ids) ^ triangle(ids), "the exclusive `or`"),
    "unknown too": (lambda ids: (ids <= 1)[:, None] | triangle(ids), "token 1 as well"),
    "size of another axis": (
        lambda ids: pads(ids) | torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1),
        "With ids = [[5, 6, 0], [7, 0, 0]] it raised RuntimeError: The size of tensor",
    ),
    "only the triangle": (triangle, "The padding mask is not in it"),
    "one triangle": (lambda ids: triangle(ids)[None], "The padding mask is not in it"),
    "heads": (lambda ids: pads(ids)[:, None] | triangle(ids), "an axis too many"),
    "added": (lambda ids: pads(ids).int() + triangle(ids).int(), "got torch.int32"),
    "nothing": (
        lambda ids: triangle(ids).expand(len(ids), -1, -1) & False,
        "A key is open that should be blocked. With ids = [[0]], sequence 0, query 0, key 0: expected True, got False",
    ),
    "no axis": (lambda ids: (ids == 0) | triangle(ids), "needs an axis of size 1 for the queries"),
    "None": (lambda _: None, "got None"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_JOINED.values(), ids=WRONG_JOINED)
def test_wrong_joined_mask_is_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_joined_mask(answer)
    assert not verdict
    assert named in verdict.message


def alone(row, project):
    return attention(*project(row[row != 0][None]))[0][0]


def largest(ids, output, project):
    found = []
    for row, together in zip(ids, output, strict=True):
        single = alone(row, project)
        found.append((single - together[: len(single)]).abs().max().item())
    return found


def by_slices(ids, output, project):
    """Project the batch once and cut queries, keys and values; compare with the library; answer with a tensor."""
    q, k, v = project(ids)
    found = torch.zeros(len(ids))
    for b, n in enumerate((ids != 0).sum(dim=1).tolist()):
        single = F.scaled_dot_product_attention(q[b, :n], k[b, :n], v[b, :n])
        found[b] = (output[b, :n] - single).abs().max()
    return found


RIGHT_GAPS = [largest, by_slices]


@pytest.mark.parametrize("answer", RIGHT_GAPS)
def test_right_gaps_pass(answer):
    """As floats or as a tensor, cut before or after the projections."""
    verdict = check_gaps(answer)
    assert verdict, verdict.message


def each(measure):
    """Return an answer that applies `measure` to the real rows alone and together."""

    def answer(ids, output, project):
        rows = ((alone(row, project), together) for row, together in zip(ids, output, strict=True))
        return [measure(single, together[: len(single)]) for single, together in rows]

    return answer


def untrimmed(ids, output, project):
    found = []
    for row, together in zip(ids, output, strict=True):
        single = attention(*project(row[None]))[0][0]
        found.append((single - together)[row != 0].abs().max())
    return found


def untrimmed_and_all(ids, output, project):
    return (attention(*project(ids))[0] - output).abs().amax(dim=(1, 2))


def pads_too(ids, output, project):
    return (attention(*project(ids), padding_blocked(ids))[0] - output).abs().amax(dim=(1, 2))


def causal(ids, output, project):
    single = attention(*project(ids), causal_blocked(ids.shape[1])[None])[0]
    return ((single - output).abs() * (ids != 0)[..., None]).amax(dim=(1, 2))


def whole(ids, output, project):
    gaps = (attention(*project(ids), padding_blocked(ids))[0] - output).abs()
    return gaps.where((ids != 0)[..., None], 0.0).amax(dim=(1, 2))


def masked_rows(ids, output, project):
    rows = []
    for row, together in zip(ids[:, None], output, strict=True):
        single = attention(*project(row), padding_blocked(row))[0][0]
        rows.append((single - together)[row[0] != 0].abs().max().item())
    return rows


def zeroes_output(ids, output, project):
    output[ids == 0] = 0.0
    return largest(ids, output, project)


WRONG_GAPS = {
    "untrimmed": (untrimmed, "still has its padding"),
    "untrimmed, pads too": (untrimmed_and_all, "still has its padding"),
    "a mask": (causal, "largest absolute differences between each query alone"),
    "signed": (each(lambda s, t: (t - s).max()), "take the absolute value"),
    "mean": (each(lambda s, t: (t - s).abs().mean()), "It takes a mean"),
    "mean over components": (each(lambda s, t: (t - s).abs().mean(dim=1).max()), "It takes a mean"),
    "mean over tokens": (each(lambda s, t: (t - s).abs().mean(dim=0).max()), "It takes a mean"),
    "equal": (each(lambda s, t: torch.allclose(s, t, atol=1e-6)), "how far they lie apart"),
    "with itself": (each(lambda s, _: (s - s).abs().max()), "cannot fail"),
    "second token": (
        each(lambda s, t: (s - t)[1:2].abs().sum()),
        "With ids = [[3]], output = [[[4.0]]], project = ids_as_numbers: expected 1.0000; got 0.0000",
    ),
    "without the last": (each(lambda s, t: (s - t)[: max(1, len(s) - 1)].abs().max()), "the last real token"),
    "pads too": (pads_too, "The outputs of padding are compared too"),
    "the worst only": (lambda *args: max(largest(*args)), "one float: expected 5 numbers, one a sequence"),
    "one a token": (lambda ids, *_: torch.zeros(ids.shape), "5 of list"),
    "nothing": (lambda *_: None, "without `return`"),
    "added up": (each(lambda s, t: (s - t).abs().sum()), "added up"),
    "added up by token": (each(lambda s, t: (s - t).abs().sum(-1).max()), "of a token are added up first"),
    "norm": (each(lambda s, t: (s - t).norm()), "the length of the differences"),
    "squares": (each(lambda s, t: (s - t).pow(2).max()), "the largest square"),
    "spread": (each(lambda s, t: (s - t).max() - (s - t).min()), "the spread between"),
    "signs cancel": (each(lambda s, t: (s - t).sum().abs()), "The signs cancel"),
    "sums": (each(lambda s, t: (s.abs().sum() - t.abs().sum()).abs()), "Sums are compared"),
    "largest numbers": (each(lambda s, t: (s.max() - t.max()).abs()), "The largest numbers are compared"),
    "NaN hidden": (each(lambda s, t: max((s - t).abs().flatten().tolist())), "A NaN goes unnoticed"),
    "NaN to zero": (each(lambda s, t: (s - t).abs().nan_to_num().max()), "A NaN goes unnoticed"),
    "rounded": (
        each(lambda s, t: round((s - t).abs().max().item(), 3)),
        "With every real number wrong by another amount: expected 1.52675, ",
    ),
    "clipped": (each(lambda s, t: (s - t).abs().clamp(max=100).max()), "With numbers wrong by about a thousand"),
    "masked, not cut": (whole, "The queries are not run alone"),
    "masked, one by one": (masked_rows, "The queries are not run alone"),
    "pads zeroed": (zeroes_output, "changed its argument `output`"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_GAPS.values(), ids=WRONG_GAPS)
def test_wrong_gaps_are_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_gaps(answer)
    assert not verdict
    assert named in verdict.message


def test_gaps_that_skip_full_sequences_are_named():
    """A sequence without padding is one, too."""

    def padded_only(ids, output, project):
        return [gap if 0 in row else 0.0 for row, gap in zip(ids, largest(ids, output, project), strict=True)]

    assert "a sequence without padding goes unnoticed" in check_gaps(padded_only).message


def test_another_runtime_error_is_reported_as_it_is():
    """Only sizes that do not meet are explained."""

    def broken(_):
        raise RuntimeError("out of luck")

    assert check_joined_mask(broken).message.startswith("It raised RuntimeError: out of luck")


def test_checks_leave_the_generator_alone():
    """What a reader draws after a check is what would have come without it."""
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    check_padding_mask(pads)
    check_joined_mask(lambda ids: pads(ids) | triangle(ids))
    check_gaps(largest)
    assert torch.equal(torch.rand(3), expected)
