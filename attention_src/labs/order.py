"""Checks for lab 3: the mean over real tokens, the reversal of real tokens, and the classifier's forward pass.

Each compares an answer with the project's own function on made-up queries, whose sizes are different primes.
Where they disagree, the answer is compared with what well-known mistakes give, to call the mistake by its name.
"""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.data.vocabulary import PAD
from attention_src.labs.verdict import WrongAnswer, check
from attention_src.masks import causal_blocked, combine, padding_blocked
from attention_src.models.classifier import KINDS, Classifier, masked_mean, reverse_real

Named = Iterable[tuple[str, Tensor]]
"""What mistakes give, each with the sentence that names the mistake."""

SYMBOLS, INTENTS, LAYER_WIDTH = 23, 5, 11


@check("masked_mean")
def check_masked_mean(answer: Callable[[Tensor, Tensor], Tensor]) -> str:
    """Check a mean over the real tokens.

    Args:
        answer: From vectors (B, N, V) and ids (B, N) to means (B, V).
    """
    generator = torch.Generator().manual_seed(7)
    for lengths, n, width in (((5, 2, 7), 7, 5), ((1, 11), 13, 3), ((3, 3, 3, 3, 3), 3, 2)):
        ids = _queries(lengths, n)
        x = torch.randn(len(lengths), n, width, generator=generator) + 3.0 * (ids == PAD)[..., None]
        found = _tensor(answer(x.clone(), ids.clone()), (len(lengths), width), "one vector a query, (B, V)")
        _compare("", found, masked_mean(x, ids), _wrong_means(x, ids))
    return "Only real tokens count, and each query is divided by its own number of them."


@check("reverse_real")
def check_reverse_real(answer: Callable[[Tensor], Tensor]) -> str:
    """Check a reversal of the real tokens that leaves the padding in place.

    Args:
        answer: From ids (B, N), padded with 0 on the right, to ids (B, N).
    """
    for lengths, n in (((5, 2, 7), 11), ((1, 13), 13), ((3, 0, 4, 2, 1), 5)):
        ids = _queries(lengths, n)
        given = ids.clone()
        found = _tensor(answer(given), (len(lengths), n), "that of the ids, (B, N)")
        if not torch.equal(given, ids):
            raise WrongAnswer("The ids that came in were changed, so the queries forwards are lost: make a new tensor.")
        if found.is_floating_point():
            raise WrongAnswer(f"The ids are not whole numbers any more: expected {ids.dtype}, got {found.dtype}.")
        for row, turned, right in zip(ids.tolist(), found.tolist(), reverse_real(ids).tolist(), strict=True):
            if turned != right:
                cause = _cause(found, _wrong_reversals(ids)) or "The real tokens are not reversed in place."
                raise WrongAnswer(f"{cause} For {row} expected {right}, got {turned}.")
    return "Each query is read from its own last token to its first, and its padding stays where it was."


@check("forward")
def check_forward(answer: Callable[[int, int, str, int], nn.Module]) -> str:
    """Check the forward pass of the classifier in its three configurations.

    Args:
        answer: The class: from rows of the embedding, number of intents, one of `KINDS` and a width to a module
            with the layers of `attention_src.models.classifier.Classifier` under the same names.
    """
    for kind in KINDS:
        reference, mine = _models(kind, answer)
        for lengths, n in (((5, 2, 7), 7), ((1, 13), 17)):
            ids = _queries(lengths, n)
            logits = _tensor(mine(ids.clone()), (len(lengths), INTENTS), "one number an intent, (B, C)")
            _compare(f"{kind}: ", logits, reference(ids), _wrong_logits(reference, ids))
        _check_gradients(kind, mine, ids)
        if kind == "causal":
            _check_both_masks(reference, mine)
    return "All three configurations agree with the reference, and the gradient reaches every layer."


def _queries(lengths: tuple[int, ...], n: int) -> Tensor:
    """Made-up ids, (B, n), from 2 on and different within a query, with as many real tokens as `lengths` says."""
    rows = [[2 + (5 * row + 3 * place) % (SYMBOLS - 2) for place in range(n)] for row in range(len(lengths))]
    padding = torch.arange(n) >= torch.tensor(lengths)[:, None]
    return torch.tensor(rows).masked_fill(padding, PAD)


def _tensor(found: object, shape: tuple[int, ...], meaning: str) -> Tensor:
    if found is None:
        raise WrongAnswer("Nothing came back: the function has no `return`.")
    tensor = torch.as_tensor(found)
    if tuple(tensor.shape) != shape:
        raise WrongAnswer(f"The shape is not {meaning}: expected {shape}, got {tuple(tensor.shape)}.")
    return tensor


def _close(found: Tensor, expected: Tensor) -> bool:
    return torch.allclose(found.to(expected.dtype), expected, rtol=1e-5, atol=1e-5)


def _cause(found: Tensor, mistakes: Named) -> str | None:
    """The sentence of the first mistake that gives what was found, in the rows that hold numbers only."""
    rows = torch.isfinite(found).all(dim=1)
    if not rows.any():
        return None
    return next((sentence for sentence, wrong in mistakes if _close(found[rows], wrong[rows])), None)


def _compare(subject: str, found: Tensor, expected: Tensor, mistakes: Named) -> None:
    """Raise `WrongAnswer` where two tables (B, V) differ, with the cause if it is known, and the worst place."""
    if _close(found, expected):
        return
    cause = _cause(found, mistakes)
    if cause is None and not torch.isfinite(found).all():
        cause = "A softmax over keys that are all blocked gives NaN: which rows does the mask block as a whole?"
    gap = (found - expected).abs().nan_to_num(nan=math.inf)
    row, column = divmod(int(gap.argmax()), expected.shape[1])
    raise WrongAnswer(
        f"{subject}{cause or 'The numbers are others, by no mistake that this check knows.'} "
        f"In query {row}, number {column}: expected {expected[row, column]:.4f}, got {found[row, column]:.4f}."
    )


def _wrong_means(x: Tensor, ids: Tensor) -> Named:
    real = (ids != PAD)[..., None]  # (B, N, 1)
    total, count = (x * real).sum(dim=1), real.sum(dim=1)
    yield "Padding is counted: this is the mean over all slots. Leave out those whose id is 0.", x.mean(dim=1)
    yield "The sum is divided by all slots: divide by the number of real tokens.", total / ids.shape[1]
    yield "This is the sum of the real tokens: divide it by their number.", total
    yield "Each sum is divided by the tokens of the whole batch: count per query.", total / count.sum()
    yield "Each sum is divided by the mean length of the batch: count per query.", total * len(ids) / count.sum()
    yield "The mask is inverted: this is the mean of the padding.", (x * ~real).sum(dim=1) / (~real).sum(dim=1)
    yield "Padding is added to the sum, and left out of the count only.", x.sum(dim=1) / count
    yield "This is the largest number and no mean.", x.masked_fill(~real, -math.inf).amax(dim=1)


def _wrong_reversals(ids: Tensor) -> Named:
    places = torch.arange(ids.shape[1])
    lengths = (ids != PAD).sum(dim=1, keepdim=True)
    real = places < lengths
    index = torch.where(real, lengths - 1 - places, places)
    yield "Nothing was reversed.", ids
    yield "The whole row was flipped: the padding moved to the front.", ids.flip(1)
    yield "The batch was reversed and not its tokens: they stand along axis 1.", ids.flip(0)
    yield "This is the index: `ids.gather(1, index)` fetches what stands there.", index
    off = torch.where(real, lengths - places, places).clamp(max=ids.shape[1] - 1)
    yield "The index is off by one: slot p takes slot L - 1 - p, since slots count from 0.", ids.gather(1, off)
    yield "The padding is gone: slots from L on keep their own.", ids.gather(1, index.where(real, 0))
    for which, common in (("the longest", lengths.max()), ("the first", lengths[0])):
        shared = torch.where(places < common, common - 1 - places, places).expand_as(ids)
        yield f"All queries were reversed with the length of {which}: count L per query.", ids.gather(1, shared)


def _models(kind: str, answer: Callable[[int, int, str, int], nn.Module]) -> tuple[Classifier, nn.Module]:
    """A reference and the reader's model, with the same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        reference = Classifier(SYMBOLS, INTENTS, kind, LAYER_WIDTH)
        mine = answer(SYMBOLS, INTENTS, kind, LAYER_WIDTH)
    try:
        mine.load_state_dict(reference.state_dict())
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise WrongAnswer(f"{kind}: the layers are not those of the lab, which the check fills. {reason}") from None
    return reference, mine


def _wrong_logits(model: Classifier, ids: Tensor) -> Named:
    x = model.embedding(ids)
    if model.kind == "bag":
        yield "Padding is counted in the mean: use `masked_mean`.", model.head(x.mean(dim=1))
        return
    q, k, v = model.to_q(x), model.to_k(x), model.to_v(x)
    mixed, _ = attention(q, k, v, _mask(model.kind, ids))
    yield "Padding is counted in the mean: use `masked_mean`.", model.head(mixed.mean(dim=1))
    yield "There is no attention: this is the bag.", model.head(masked_mean(x, ids))
    yield "The embeddings are added to the output: this layer stands alone.", model.head(masked_mean(x + mixed, ids))
    for sentence, blocked in _wrong_masks(model.kind, ids):
        yield sentence, model.head(masked_mean(attention(q, k, v, blocked)[0], ids))
    for sentence, wrong in _wrong_formulas(q, k, v, x, _mask(model.kind, ids)):
        yield sentence, model.head(masked_mean(wrong, ids))


def _mask(kind: str, ids: Tensor) -> Tensor:
    padding = padding_blocked(ids)
    return combine(padding, causal_blocked(ids.shape[1])[None]) if kind == "causal" else padding


def _wrong_masks(kind: str, ids: Tensor) -> Named:
    right, padding, causal = _mask(kind, ids), padding_blocked(ids), causal_blocked(ids.shape[1])[None]
    yield "The mask is inverted: it shows what it should block. `True` blocks in `attention`.", ~right
    if kind == "attention":
        yield "The future is blocked too: only the causal configuration does that.", padding | causal
    else:
        # Padding on the right lies in the future of every real token, so a join with `and` blocks no more than this.
        yield "The causal mask has no effect: join it with the padding mask, by `or` and not by `and`.", padding
        yield "The causal mask is turned round: it blocks the past.", padding | causal.mT
        yield "The causal mask is off by one: a token sees the next one.", padding | causal.triu(2)
        yield "The causal mask is off by one: no token sees itself.", padding | torch.ones_like(causal).triu(0)
    yield "The mask does not reach the padding: pads get weight as keys.", torch.zeros_like(right)


def _wrong_formulas(q: Tensor, k: Tensor, v: Tensor, x: Tensor, blocked: Tensor) -> Named:
    raw, root = scores(q, k), math.sqrt(q.shape[-1])
    masked = raw.masked_fill(blocked, -math.inf)
    yield f"The scores are √D = {root:.2f} times too large: divide by it.", attention(q, k, v, blocked, 1.0)[0]
    yield "The softmax ran over the queries: use dim=-1.", masked.softmax(dim=-2).nan_to_num(0.0) @ v
    late = raw.softmax(dim=-1).masked_fill(blocked, 0.0)
    yield "The mask came after the softmax: the weights that are left do not sum to 1.", late @ v
    yield "Blocked scores became 0: fill them with -inf.", raw.masked_fill(blocked, 0.0).softmax(dim=-1) @ v
    yield "Queries and keys are exchanged.", attention(k, q, v, blocked)[0]
    yield "The values are the embeddings: send them through `to_v`.", attention(q, k, x, blocked)[0]
    yield "Queries, keys and values are the embeddings: send them through the layers.", attention(x, x, x, blocked)[0]


def _check_gradients(kind: str, mine: nn.Module, ids: Tensor) -> None:
    """A forward pass that is right but cut off from its weights would train nothing, without an error."""
    logits = mine(ids)
    if logits.requires_grad:
        logits.square().sum().backward()
    cut = [name for name, parameter in mine.named_parameters() if parameter.grad is None]
    if cut:
        raise WrongAnswer(f"{kind}: No gradient reaches {', '.join(cut)}: detach nothing, and run nothing in no_grad.")


def _check_both_masks(reference: Classifier, mine: nn.Module) -> None:
    """Padding on the right hides that the padding mask is missing beside the causal one; here it lies in between."""
    ids = torch.tensor([[4, 0, 9, 7, 0, 0, 0], [3, 8, 0, 0, 6, 2, 0], [5, 0, 0, 0, 0, 12, 11]])
    x = reference.embedding(ids)
    q, k, v = reference.to_q(x), reference.to_k(x), reference.to_v(x)
    alone, _ = attention(q, k, v, causal_blocked(ids.shape[1])[None])
    # A mean that counts slots up to the length is right for the lab, where padding stands on the right.
    by_length = (torch.arange(ids.shape[1]) < (ids != PAD).sum(dim=1, keepdim=True)).long()
    found = mine(ids)
    if any(_close(found, reference.head(masked_mean(alone, counted))) for counted in (ids, by_length)):
        raise WrongAnswer(
            "causal: The padding mask is missing. With padding on the right the causal mask covers for it; with "
            "padding between tokens, pads get weight as keys. Join the two."
        )
