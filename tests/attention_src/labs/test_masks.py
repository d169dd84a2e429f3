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


@pytest.mark.parametrize(
    "answer",
    [
        padding_blocked,
        by_lengths,
        lambda ids: (ids == 0).unsqueeze(1),
        lambda ids: (ids == 0)[:, None].expand(-1, ids.shape[1], -1),
    ],
    ids=["core", "lengths", "unsqueeze", "expanded"],
)
def test_right_padding_mask_passes(answer):
    """By the ids or by the lengths, shared by the queries or written out for each."""
    verdict = check_padding_mask(answer)
    assert verdict, verdict.message


def rows_of(ids):
    return (ids == 0)[:, :, None].expand(-1, -1, ids.shape[1])


def zeroes_ids(ids):
    mask = padding_blocked(ids)
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
    "everything": (lambda ids: torch.ones_like(ids, dtype=torch.bool)[:, None], "query 0, key 0 should be open"),
    "integers": (lambda ids: (ids == 0).int()[:, None], "got torch.int32"),
    "for adding": (lambda ids: torch.zeros(ids.shape).masked_fill(ids == 0, -math.inf)[:, None], "got torch.float32"),
    "one sequence": (lambda ids: (ids[0] == 0)[None, None], "Expected the shape (B, 1, M)"),
    "a list": (lambda ids: (ids == 0).tolist(), "Expected a tensor (B, 1, M), got list"),
    "None": (lambda _: None, "Expected a tensor (B, 1, M), got NoneType"),
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


@pytest.mark.parametrize(
    "answer",
    [
        lambda ids: combine(padding_blocked(ids), causal_blocked(ids.shape[1])[None]),
        lambda ids: pads(ids) | triangle(ids),
        lambda ids: ~((ids != 0)[:, None] & triangle(ids).logical_not()),
    ],
    ids=["core", "or", "negated and"],
)
def test_right_joined_mask_passes(answer):
    """With the core, with `or`, or as what is left open."""
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
    "only padding": (padding_blocked, "The causal mask is not in it"),
    "only the triangle": (triangle, "The padding mask is not in it"),
    "one triangle": (lambda ids: triangle(ids)[None], "The padding mask is not in it"),
    "heads": (lambda ids: pads(ids)[:, None] | triangle(ids), "an axis too many"),
    "added": (lambda ids: pads(ids).int() + triangle(ids).int(), "got torch.int32"),
    "nothing": (
        lambda ids: triangle(ids).expand(len(ids), -1, -1) & False,
        "should be blocked: expected True, got False",
    ),
    "no axis": (lambda ids: (ids == 0) | triangle(ids), "needs an axis of size 1 for the queries"),
    "None": (lambda _: None, "got NoneType"),
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


@pytest.mark.parametrize("answer", [largest, by_slices])
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


WRONG_GAPS = {
    "untrimmed": (untrimmed, "still has its padding"),
    "untrimmed, pads too": (untrimmed_and_all, "still has its padding"),
    "a mask": (causal, "without padding, and without a mask"),
    "signed": (each(lambda s, t: (t - s).max()), "take the absolute value"),
    "mean": (each(lambda s, t: (t - s).abs().mean()), "It takes a mean"),
    "mean over components": (each(lambda s, t: (t - s).abs().mean(dim=1).max()), "It takes a mean"),
    "mean over tokens": (each(lambda s, t: (t - s).abs().mean(dim=0).max()), "It takes a mean"),
    "equal": (each(lambda s, t: torch.allclose(s, t, atol=1e-6)), "how far they lie apart"),
    "with itself": (each(lambda s, _: (s - s).abs().max()), "cannot fail"),
    "second token": (each(lambda s, t: (s - t)[1:2].abs().sum()), "the first token goes unnoticed"),
    "without the last": (each(lambda s, t: (s - t)[: max(1, len(s) - 1)].abs().max()), "the last real token"),
    "pads too": (pads_too, "The outputs of padding are compared too"),
    "the worst only": (lambda *args: max(largest(*args)), "one float: expected 5 numbers, one a sequence"),
    "one a token": (lambda ids, *_: torch.zeros(ids.shape), "5 of list"),
    "nothing": (lambda *_: None, "without `return`"),
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
    check_padding_mask(padding_blocked)
    check_joined_mask(lambda ids: pads(ids) | triangle(ids))
    check_gaps(largest)
    assert torch.equal(torch.rand(3), expected)
