"""Lab 4's look as a task: contexts and weights, from a memory and states."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_src.core.attention import attention
from attention_src.labs.judge import Arguments, Case, Mistake, Task
from attention_src.models.encoder_decoder import attend, average

# B, M, W: distinct primes.
_SIZES = ((3, 7, 5), (2, 11, 13))


def _products(memory: Tensor, state: Tensor) -> Tensor:
    """Dot products of each state with its own memory, (B, M), with no matrix product in it."""
    return (memory * state.unsqueeze(1)).sum(dim=-1)


def _scores(memory: Tensor, state: Tensor) -> Tensor:
    return _products(memory, state) / math.sqrt(state.shape[-1])


def _weighed(memory: Tensor, weights: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * memory).sum(dim=1)


def _look(memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    weights = _scores(memory, state).softmax(dim=-1)
    return _weighed(memory, weights), weights


def _cases(generator: torch.Generator) -> list[Case]:
    def draw(batch: int, states: int, width: int) -> Arguments:
        # Twice as wide as normal, so that the rows are uneven and no mistake hides in them.
        memory = 2 * torch.randn(batch, states, width, generator=generator)
        return {"memory": memory, "state": 2 * torch.randn(batch, width, generator=generator)}

    whole = torch.randint(-9, 10, (3, 5, 4), generator=generator).float()
    state = torch.randint(1, 10, (3, 4), generator=generator).float()
    # Whole numbers and a width of 4: the scores are exact. The rows differ in size, so one maximum for all is wrong.
    large = {"memory": whole, "state": state * torch.tensor([[1.0], [-40.0], [3000.0]])}
    plain = [Case(_told(*sizes), draw(*sizes), gradients=True) for sizes in _SIZES]
    return [
        *plain,
        Case("a batch of one sequence", draw(1, 7, 5), edge=True),
        Case("a memory of one state", draw(2, 1, 3), edge=True),
        Case("states of one number", draw(2, 3, 1), edge=True),
        Case("as many sequences as states and numbers", draw(4, 4, 4), edge=True),
        Case("scores of several thousand", large, edge=True, tolerance=1e-3),
    ]


def _told(batch: int, states: int, width: int) -> str:
    return f"{batch} sequences, {states} states, width {width}"


def _small() -> list[Arguments]:
    few = (
        ([[[1.0]]], [[2.0]]),
        ([[[1.0], [0.0]]], [[2.0]]),
        ([[[1.0, 0.0], [0.0, 2.0]]], [[1.0, 1.0]]),
        ([[[1.0, 0.0], [0.0, 2.0]], [[3.0, 1.0], [1.0, 0.0]]], [[1.0, 1.0], [0.0, 1.0]]),
        ([[[1.0, 0.0, 3.0], [0.0, 2.0, 1.0]], [[3.0, 1.0, 0.0], [1.0, 0.0, 2.0]]], [[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]]),
    )
    return [{"memory": torch.tensor(memory), "state": torch.tensor(state)} for memory, state in few]


def _weights(told: str | Callable[..., str], weights: Callable[[Tensor, Tensor], Tensor]) -> Mistake:
    """A look with these weights, and the context that they give."""

    def answer(memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        table = weights(memory, state)
        return _weighed(memory, table), table

    return Mistake(told, answer)


def _context(told: str | Callable[..., str], context: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Mistake:
    """A look with the right weights, and this context."""

    def answer(memory: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        table = _look(memory, state)[1]
        return context(memory, state, table), table

    return Mistake(told, answer)


def _root(state: Tensor) -> float:
    return math.sqrt(state.shape[-1])


def _over_batch(memory: Tensor, state: Tensor) -> str:
    total = float(_scores(memory, state).softmax(dim=0)[0].sum())
    return (
        f"The weights sum to one over the batch, and those of the first sequence sum to {total:.4f}: "
        "the softmax ran over dim=0, use dim=-1."
    )


def _drop(weights: Tensor, below: float) -> Tensor:
    return weights.where(weights >= below, 0.0)


_MISTAKES = (
    Mistake(
        "The weights come first and the context second: look returns the context, then the weights.",
        lambda memory, state: _look(memory, state)[::-1],
    ),
    _weights(
        lambda memory, _: (
            f"All weights are 1/{memory.shape[1]}, whatever the state: that is the mean, without a choice. "
            "Score each state of the memory by its dot product with the decoder's state."
        ),
        lambda memory, _: torch.full(memory.shape[:2], 1 / memory.shape[1]),
    ),
    _weights(_over_batch, lambda memory, state: _scores(memory, state).softmax(dim=0)),
    _weights(
        lambda memory, _: (
            f"The weights of the whole batch sum to one: expected one for each of {len(memory)} sequences."
        ),
        lambda memory, state: F.softmax(_scores(memory, state).flatten(), dim=0).view(memory.shape[:2]),
    ),
    _weights("These are the scores: the softmax over the positions (dim=-1) is missing.", _scores),
    _weights("These are the dot products: the division by the root of W and the softmax are missing.", _products),
    _weights(
        "These are sigmoids, each weight by itself: the softmax makes the weights sum to one.",
        lambda memory, state: _scores(memory, state).sigmoid(),
    ),
    _weights(
        "These are logarithms of the weights: softmax, and not log_softmax.",
        lambda memory, state: _scores(memory, state).log_softmax(dim=-1),
    ),
    _weights(
        "The softmax is taken twice.", lambda memory, state: _scores(memory, state).softmax(dim=-1).softmax(dim=-1)
    ),
    _weights(
        lambda _, state: f"The scores are √W = {_root(state):.2f} times too large: the division by √W is missing.",
        lambda memory, state: _products(memory, state).softmax(dim=-1),
    ),
    _weights(
        lambda _, state: f"The scores are divided by W = {state.shape[-1]}: expected its root, {_root(state):.2f}.",
        lambda memory, state: (_products(memory, state) / state.shape[-1]).softmax(dim=-1),
    ),
    _weights(
        lambda _, state: f"The scores are multiplied by √W = {_root(state):.2f}: expected a division.",
        lambda memory, state: (_products(memory, state) * _root(state)).softmax(dim=-1),
    ),
    _weights(
        lambda _, state: f"The scores are multiplied by W = {state.shape[-1]}: expected a division by its root.",
        lambda memory, state: (_products(memory, state) * state.shape[-1]).softmax(dim=-1),
    ),
    _weights(
        lambda memory, state: (
            f"The scores are divided by the root of M = {memory.shape[1]}, the number of states: expected that of "
            f"W = {state.shape[-1]}."
        ),
        lambda memory, state: (_products(memory, state) / math.sqrt(memory.shape[1])).softmax(dim=-1),
    ),
    _weights(
        lambda memory, state: (
            f"The scores are divided by the root of B = {len(memory)}, the number of sequences: expected that of "
            f"W = {state.shape[-1]}."
        ),
        lambda memory, state: (_products(memory, state) / math.sqrt(len(memory))).softmax(dim=-1),
    ),
    _weights(
        "The worst match gets the largest weight: the scores have the wrong sign.",
        lambda memory, state: (-_scores(memory, state)).softmax(dim=-1),
    ),
    _weights(
        "All weight is on the best match: an argmax has no gradient, so use softmax.",
        lambda memory, state: F.one_hot(_scores(memory, state).argmax(dim=-1), memory.shape[1]).to(memory),
    ),
    _weights(
        "Every sequence looks at the memory of the first one: expected that each looks at its own.",
        lambda memory, state: _look(memory[:1].expand_as(memory), state)[1],
    ),
    _weights(
        "The exponentials overflow where scores are large: subtract the largest score of each sequence first, as "
        "softmax does.",
        lambda memory, state: (powers := _scores(memory, state).exp()) / powers.sum(dim=-1, keepdim=True),
    ),
    _weights(
        "One maximum is subtracted from the scores of all sequences, so small ones vanish: take that of each sequence.",
        lambda memory, state: (
            (powers := (_scores(memory, state) - _scores(memory, state).max()).exp()) / powers.sum(dim=-1, keepdim=True)
        ),
    ),
    _context(
        lambda memory, _: (
            f"The context is {memory.shape[1]} times too small: the weights are a mean already, so sum and stop."
        ),
        lambda memory, _, weights: _weighed(memory, weights) / memory.shape[1],
    ),
    _context(
        "The context is the plain mean of the memory: the weights are not used.",
        lambda memory, _state, _weights: memory.mean(dim=1),
    ),
    _context(
        "The context is the plain sum of the memory: the weights are not used.",
        lambda memory, _state, _weights: memory.sum(dim=1),
    ),
    _context(
        "The context is the best match alone: expected the sum of all states, each times its weight.",
        lambda memory, _, weights: memory[torch.arange(len(memory)), weights.argmax(dim=-1)],
    ),
    _context(
        "The context is the decoder's state: expected the memory, weighed.", lambda _memory, state, _weights: state
    ),
    _context(
        "The context has the decoder's state added to it: expected the weighed memory alone.",
        lambda memory, state, weights: _weighed(memory, weights) + state,
    ),
    _context(
        "The context is made from the memory of the first sequence: expected that of each.",
        lambda memory, _, weights: _weighed(memory[:1].expand_as(memory), weights),
    ),
    _context(
        "The context is made from the scores, and not from the weights.",
        lambda memory, state, _: _weighed(memory, _scores(memory, state)),
    ),
)


def _property(arguments: Arguments, part: str, got: Tensor) -> str:
    """Say which property the weights or the context lack."""
    memory, state = arguments["memory"], arguments["state"]
    if part == "context":
        return "The weights are right, the context is not the sum of the memory's states, each times its weight."
    if bool((got < 0).any()):
        return "A weight is negative, which softmax never gives."
    if bool(got.isnan().any()):
        return "There is a NaN among the weights."
    total = got.detach().double().sum(dim=-1)
    if not torch.allclose(total, torch.ones_like(total), atol=1e-5):
        worst = total[(total - 1).abs().argmax()].item()
        return f"The weights of a sequence sum to {worst:.6f} over its positions, and should sum to 1."
    alone = _look(memory[:1], state[:1])[1]
    if len(memory) > 1 and torch.allclose(got[:1], alone, atol=1e-5):
        return "The weights of the first sequence are right, and those of another are not."
    return "The weights sum to one, and are not the right ones."


def _shape(_arguments: Arguments, part: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    if len(shape) > len(wanted):
        return "each state must meet its own sequence's memory only, as bmm or a sum of products does it"
    return f"the {part} of each sequence" if len(shape) < len(wanted) else ""


LOOK = Task(
    right=_look,
    cases=_cases,
    small=_small,
    mistakes=_MISTAKES,
    parts=("context", "weights"),
    order=("weights", "context"),
    property_of=_property,
    shape_of=_shape,
    place=lambda part, place: f"{part} of sequence {place[0]}, number {place[1]}",
    borrowed=(attention, attend, average),
)
