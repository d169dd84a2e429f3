"""The copy task: read a sequence of digits, write it down again.

Nothing has to be understood, everything has to be remembered, so the task measures what a model can carry.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_src.models.encoder_decoder import LookingEncoderDecoder, PlainEncoderDecoder, average

DIGITS = 10
START = 10
"""What the decoder reads first; no source holds it."""
SYMBOLS = 12
"""Rows of the embedding: the digits, the start, and one that stays unused."""
WIDTH = 32

STEPS = 2500
BATCH = 64
LEARNING_RATE = 3e-3
LARGEST_NORM = 1.0
"""Longer gradients are cut to this length."""


TESTS = 1000
"""Sequences on which a trained model is measured."""

MODELS = ("plain", "mean", "attention")
"""Names for `build`."""

Model = PlainEncoderDecoder | LookingEncoderDecoder


@dataclass(frozen=True)
class Accuracy:
    """How much of the sources a model copies; three shares from 0 to 1.

    Attributes:
        forced: Of symbols, with the right symbol as the next input whatever the model wrote.
        free: Of symbols, with what the model wrote as its next input.
        whole: Of sequences in which the free-running model got every symbol right.
    """

    forced: float
    free: float
    whole: float


def sources(count: int, length: int) -> Tensor:
    """Draw sequences of digits from the global generator.

    Args:
        count: How many, `B`.
        length: Digits in each, `N`.

    Returns:
        Digits, (B, N), int64.

    Raises:
        ValueError: `count` or `length` is not positive.
    """
    if count < 1 or length < 1:
        raise ValueError(f"expected a positive count and length, got count={count} and length={length}")
    return torch.randint(0, DIGITS, (count, length))


def shifted(source: Tensor) -> Tensor:
    """Return the decoder's inputs: the start, then the source without its last symbol.

    At each step the decoder reads what it should have written a step before.

    Args:
        source: Digits, (B, N), integers.

    Returns:
        Symbols, (B, N), in the dtype of `source`.

    Raises:
        ValueError: `source` does not have two axes.
    """
    if source.dim() != 2:
        raise ValueError(f"source: expected a shape (B, N), got {tuple(source.shape)}")
    return F.pad(source[:, :-1], (1, 0), value=START)


def build(name: str) -> Model:
    """Make one of the models compared, with weights from the global generator.

    Args:
        name: `plain`, whose decoder gets one vector; `attention`, whose decoder looks at all states;
            `mean`, the same network with the plain mean of all states in place of every look.

    Raises:
        ValueError: another name.
    """
    if name == "plain":
        return PlainEncoderDecoder(SYMBOLS, WIDTH)
    if name == "mean":
        return LookingEncoderDecoder(SYMBOLS, WIDTH, pool=average)
    if name == "attention":
        return LookingEncoderDecoder(SYMBOLS, WIDTH)
    raise ValueError(f"name: expected one of {', '.join(MODELS)}, got {name!r}")


def train(model: Model, length: int, steps: int = STEPS) -> None:
    """Teach a model to copy sequences of one length, on a fresh batch from the global generator at each step.

    Adam on the mean cross-entropy over all positions, with teacher forcing and the gradient's norm clipped.

    Args:
        model: Its weights change.
        length: Digits in each sequence, `N`.
        steps: Batches.

    Raises:
        ValueError: `length` is not positive.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    for _ in range(steps):
        source = sources(BATCH, length)
        logits = model(source, shifted(source))
        loss = F.cross_entropy(logits.flatten(0, 1), source.flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), LARGEST_NORM)
        optimizer.step()


@torch.no_grad()
def accuracy(model: Model, source: Tensor) -> Accuracy:
    """Return how much of each source the model copies.

    Args:
        model: A trained model.
        source: Digits, (B, N), integers.
    """
    forced = model(source, shifted(source)).argmax(dim=-1) == source
    right = model.generate(source, START) == source
    return Accuracy(_share(forced), _share(right), _share(right.all(dim=1)))


def run(name: str, length: int, seed: int = 0) -> tuple[Model, Accuracy]:
    """Seed the global generator, build a model, train it, and measure it on the next sequences drawn.

    One run takes from 5 seconds of one core, at length 4, to a minute, at length 32.

    Args:
        name: As for `build`.
        length: Digits in each sequence, `N`.
        seed: Decides the first weights and all sequences.

    Returns:
        The trained model and its accuracy on `TESTS` sequences.

    Raises:
        ValueError: As `build` and `sources` do.
    """
    torch.manual_seed(seed)
    model = build(name)
    train(model, length)
    return model, accuracy(model, sources(TESTS, length))


def _share(answers: Tensor) -> float:
    """The share of True, counted: a mean in float32 would not be the nearest float to it."""
    return int(answers.sum()) / answers.numel()
