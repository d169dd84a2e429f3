"""Checks for lab 4: one look at the encoder's states, and three shares of a copy.

The check of the loop that writes freely is in `attention_src.labs.copy_loop`.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attention_src.labs.verdict import WrongAnswer, check
from attention_src.models.copy_task import Accuracy

LookAnswer = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
SharesAnswer = Callable[[Tensor, Tensor, Tensor], tuple[float, float, float]]

# B, M, W: distinct primes, then a batch of one and a memory of one state.
_SIZES = ((3, 7, 5), (2, 11, 13), (1, 7, 5), (2, 1, 3))


@check("look")
def check_look(look: LookAnswer) -> str:
    """Judge one look of a decoder at the encoder's states.

    Args:
        look: The answer: from the memory (B, M, W) and the decoder's states (B, W) to contexts (B, W) and the
            weights of the encoder's states, (B, M).

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(4)
    for batch, states, width in _SIZES:
        # Twice as wide as normal, so that the rows are uneven and no mistake hides in them.
        memory = 2 * torch.randn(batch, states, width, generator=generator)
        state = 2 * torch.randn(batch, width, generator=generator)
        with torch.enable_grad():
            _judge_look(look, memory, state)
    return "The weights of a sequence sum to one, the context is the sum they weigh, and gradients reach both inputs."


def _judge_look(look: LookAnswer, memory: Tensor, state: Tensor) -> None:
    ours = memory.clone().requires_grad_(), state.clone().requires_grad_()
    theirs = memory.clone().requires_grad_(), state.clone().requires_grad_()
    context, weights = _reference(*ours)
    got_context, got_weights = _pair(look(*theirs), memory, state)
    if not _close(got_weights, weights):
        raise WrongAnswer(_wrong_weights(look, memory, state, got_weights.detach()))
    if not _close(got_context, context):
        raise WrongAnswer(_wrong_context(memory, state, weights.detach(), got_context.detach()))
    if not (torch.equal(theirs[0], memory) and torch.equal(theirs[1], state)):
        raise WrongAnswer("The numbers are right, but look changed the memory or the state that it was given.")
    _judge_gradients(got_context, context, theirs, ours)


def _judge_gradients(got: Tensor, context: Tensor, theirs: tuple[Tensor, Tensor], ours: tuple[Tensor, Tensor]) -> None:
    """Raise unless the same gradients reach the memory and the state."""
    slope = torch.linspace(-1, 1, context.numel()).view_as(context)
    wanted = torch.autograd.grad((context * slope).sum(), ours)
    found: tuple[Tensor | None, ...] = (None, None)
    if got.requires_grad:
        found = torch.autograd.grad((got * slope).sum(), theirs, allow_unused=True)
    for name, mine, yours in zip(("memory", "decoder's state"), wanted, found, strict=True):
        if not _close(torch.zeros_like(mine) if yours is None else yours, mine, 1e-4):
            raise WrongAnswer(
                f"The numbers are right, but the gradient of the {name} is not, so training would fail: "
                "something on the way cuts it off (detach, item, tolist, no_grad, or a tensor made anew)."
            )


def _reference(memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """Contexts and weights by multiplying and summing, with no matrix product in it."""
    weights = (_products(memory, state) / math.sqrt(state.shape[-1])).softmax(dim=-1)
    return (weights.unsqueeze(-1) * memory).sum(dim=1), weights


def _products(memory: Tensor, state: Tensor) -> Tensor:
    """Dot products of each state with its own memory, (B, M)."""
    return (memory * state.unsqueeze(1)).sum(dim=-1)


def _pair(result: object, memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """The contexts and the weights, of the shapes asked for."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        found = f"{len(result)} of them" if isinstance(result, tuple | list) else type(result).__name__
        raise WrongAnswer(f"look returns two tensors, the context and the weights: expected a pair, got {found}.")
    context, weights = result
    if not isinstance(context, Tensor) or not isinstance(weights, Tensor):
        found = f"{type(context).__name__} and {type(weights).__name__}"
        raise WrongAnswer(f"look returns two tensors: expected Tensor and Tensor, got {found}.")
    wanted = tuple(state.shape), tuple(memory.shape[:2])
    got = tuple(context.shape), tuple(weights.shape)
    if got == wanted[::-1] and got != wanted:
        raise WrongAnswer("The weights come first and the context second: look returns the context, then the weights.")
    for name, shape, want in zip(("context", "weights"), got, wanted, strict=True):
        if shape != want:
            raise WrongAnswer(f"The {name} must have the shape {want}, got {shape}{_shape_hint(shape, want)}.")
    return context, weights


def _shape_hint(shape: tuple[int, ...], want: tuple[int, ...]) -> str:
    """What probably made an axis too many or too few."""
    if len(shape) < len(want) and 1 in want:
        return ": squeeze() without a number drops every axis of size one, also a batch of one; name the axis"
    if len(shape) > len(want) and tuple(size for size in shape if size != 1) == tuple(s for s in want if s != 1):
        return ": an axis of size one is left over; squeeze it, and name the axis"
    if len(shape) > len(want):
        return ": each state must meet its own sequence's memory only, as bmm or a sum of products does it"
    return ""


def _wrong_weights(look: LookAnswer, memory: Tensor, state: Tensor, got: Tensor) -> str:
    """Name what the weights look like, the special causes first."""
    for wrong, message in _weights_by_mistake(memory, state):
        if _close(got, wrong):
            return message
    if bool((got < -1e-6).any()):
        return f"A weight is negative, {float(got.min()):.4f}: normalise the scores with softmax."
    total = float(got[0].sum())
    if abs(total - 1) > 1e-4:
        return f"The weights of the first sequence sum to {total:.4f} over its positions: expected 1.0000."
    _, alone = _pair(look(memory[:1].clone(), state[:1].clone()), memory[:1], state[:1])
    if not _close(alone, got[:1]):
        return (
            "The first sequence gets other weights in a batch than alone: expected that it looks at its own memory "
            "only, got a look that depends on its neighbours."
        )
    expected = _listed(_reference(memory, state)[1][0])
    return f"The weights sum to one and are not the right ones: expected {expected}, got {_listed(got[0])}."


def _weights_by_mistake(memory: Tensor, state: Tensor) -> list[tuple[Tensor, str]]:
    """Tables (B, M) that a known mistake gives, and what to say about each."""
    products = _products(memory, state)
    width, root = state.shape[-1], math.sqrt(state.shape[-1])
    scores, (batch, states) = products / root, products.shape
    over_batch, spread = scores.softmax(dim=0), scores.flatten().softmax(dim=0).view_as(scores)
    best = torch.nn.functional.one_hot(scores.argmax(dim=-1), states).to(scores)
    first = (state @ memory[0].mT / root).softmax(dim=-1)
    return [
        (torch.full_like(scores, 1 / states), _MEAN.format(states=states)),
        (over_batch, _OVER_BATCH.format(total=float(over_batch[0].sum()))),
        (spread, f"The weights of the whole batch sum to one: expected one for each of the {batch} sequences."),
        (scores, "These are the scores: the softmax over the positions (dim=-1) is missing."),
        (products, "These are the dot products: the division by the root of W and the softmax are missing."),
        (scores.sigmoid(), "These are sigmoids, each weight by itself: the softmax makes the weights sum to one."),
        (products.softmax(dim=-1), f"The scores are √W = {root:.2f} times too large: the division by √W is missing."),
        ((scores / root).softmax(dim=-1), f"The scores are divided by W = {width}: expected its root, {root:.2f}."),
        ((products * root).softmax(dim=-1), f"The scores are multiplied by √W = {root:.2f}: expected a division."),
        (
            (products / math.sqrt(states)).softmax(dim=-1),
            f"The scores are divided by the root of M = {states}, the number of states: expected that of W = {width}.",
        ),
        ((-scores).softmax(dim=-1), "The worst match gets the largest weight: the scores have the wrong sign."),
        (best, "All weight is on the best match: an argmax has no gradient, so use softmax."),
        (first, "Every sequence looks at the memory of the first one: expected that each looks at its own."),
    ]


_MEAN = (
    "All weights are 1/{states}, whatever the state: that is the mean, without a choice. "
    "Score each state of the memory by its dot product with the decoder's state."
)
_OVER_BATCH = (
    "The weights sum to one over the batch, and those of the first sequence sum to {total:.4f}: "
    "the softmax ran over dim=0, use dim=-1."
)


def _wrong_context(memory: Tensor, state: Tensor, weights: Tensor, got: Tensor) -> str:
    """Name what the context is, given that the weights are right."""
    right, states = (weights.unsqueeze(-1) * memory).sum(dim=1), memory.shape[1]
    best = memory[torch.arange(len(memory)), weights.argmax(dim=-1)]
    known = [
        (right / states, f"The context is {states} times too small: the weights are a mean already, so sum and stop."),
        (memory.mean(dim=1), "The context is the plain mean of the memory: the weights are not used."),
        (memory.sum(dim=1), "The context is the plain sum of the memory: the weights are not used."),
        (best, "The context is the best match alone: expected the sum of all states, each times its weight."),
        (state, "The context is the decoder's state: expected the memory, weighed."),
        (right + state, "The context has the decoder's state added to it: expected the weighed memory alone."),
    ]
    for wrong, message in known:
        if _close(got, wrong):
            return message
    return (
        "The weights are right, the context is not: expected the sum of the memory's states, each times its weight, "
        f"which begins with {float(right[0, 0]):.4f}, got {float(got[0, 0]):.4f}."
    )


@check("shares")
def check_shares(shares: SharesAnswer) -> str:
    """Judge the three shares that say how well a decoder copies.

    Args:
        shares: The answer: from the symbols written with teacher forcing, those written freely and the source,
            all (B, N), to the share of right symbols of the first, that of the second, and the share of sequences
            that the second has without any error.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(5)
    for batch, length in ((7, 5), (23, 3)):
        source = torch.randint(0, 10, (batch, length), generator=generator)
        forced, free = source.clone(), source.clone()
        forced[0, 1] = (forced[0, 1] + 1) % 10
        free[:3, 1:] = (free[:3, 1:] + 3) % 10
        _judge_shares(shares(forced.clone(), free.clone(), source.clone()), forced == source, free == source)
    return "Two shares of symbols and one of whole sequences, each of the answers it belongs to."


def _judge_shares(result: object, forced: Tensor, free: Tensor) -> None:
    got = _three(result)
    want = _share(forced), _share(free), _share(free.all(dim=1))
    if _near(got, want):
        return
    if _near(got, tuple(100 * share for share in want)):
        raise WrongAnswer(f"These are percentages: expected shares from 0 to 1, {want[0]:.4f} for {got[0]:.4f}.")
    if _near(got, (want[1], want[0], want[2])):
        raise WrongAnswer("The first two are exchanged: expected the share with teacher forcing first.")
    for name, found, share in zip(("forced", "free"), got, want, strict=False):
        if not _near((found,), (share,)):
            raise WrongAnswer(f"{name}: expected the share of right symbols, {share:.4f}, got {found:.4f}.")
    by_mistake = {
        _share(forced.all(dim=1)): "it was counted on the answers with teacher forcing, use the free-running ones",
        _share(free): "that is the share of symbols; a sequence counts only if all its symbols are right",
        _share(free.any(dim=1)): "that counts sequences with any right symbol; all of them must be right",
        _share(free.all(dim=0)): "that counts places at which all sequences are right; use dim=1, or dim=-1",
        float(free.all()): "that asks whether all sequences are right; take all() over dim=1, then the mean",
        float(free.all(dim=1).sum()): "that is a count; divide it by the number of sequences",
    }
    cause = next((why for value, why in by_mistake.items() if _near((got[2],), (value,))), None)
    told = f": {cause}" if cause else ""
    expected = f"the share of sequences without an error, {want[2]:.4f}"
    raise WrongAnswer(f"whole: expected {expected}, got {got[2]:.4f}{told}.")


def _three(result: object) -> tuple[float, ...]:
    """The three numbers, as floats."""
    if isinstance(result, Accuracy):
        return result.forced, result.free, result.whole
    if not isinstance(result, tuple | list | Tensor) or len(result) != 3:
        found = f"{len(result)} of them" if isinstance(result, tuple | list | Tensor) else type(result).__name__
        raise WrongAnswer(f"shares returns forced, free and whole: expected three numbers, got {found}.")
    sizes = [number.numel() if isinstance(number, Tensor) else 1 for number in result]
    if sizes != [1, 1, 1]:
        raise WrongAnswer(f"shares returns one number for each of forced, free and whole, got {sizes} of them.")
    return tuple(float(number) for number in result)


def _near(got: tuple[float, ...], want: tuple[float, ...]) -> bool:
    return all(math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6) for one, other in zip(got, want, strict=True))


def _share(answers: Tensor) -> float:
    return int(answers.sum()) / answers.numel()


def _close(got: Tensor, want: Tensor, tolerance: float = 1e-5) -> bool:
    """Whether two tensors of one shape agree; ours may be in float32 and theirs in float64."""
    if got.shape != want.shape:
        return False
    return torch.allclose(got.detach().double(), want.detach().double(), rtol=tolerance, atol=tolerance)


def _listed(row: Tensor) -> str:
    return "[" + ", ".join(f"{number:.3f}" for number in row.tolist()) + "]"
