"""A small classifier of texts in three configurations: a bag of embeddings, and two with one attention layer.

They exist to be compared, so they share every size and the recipe they are trained by.
What they differ in is what happens between the embedding and the mean over the tokens.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from attention_src.core.attention import attention
from attention_src.core.precision import wide
from attention_src.core.sizes import shape_of
from attention_src.data.vocabulary import PAD
from attention_src.masks import causal_blocked, combine, padding_blocked
from attention_src.models.modes import evaluating, learning

KINDS = ("bag", "attention", "causal")
"""Nothing; attention with a padding mask; attention with a padding mask joined with a causal one."""

WIDTH = 64
LEARNING_RATE = 0.01
BATCH = 32
EPOCHS = 10

Loader = DataLoader[tuple[Tensor, ...]]
"""Batches of ids (B, N) with their labels (B,)."""


def masked_mean(x: Tensor, ids: Tensor) -> Tensor:
    """Return the mean of the vectors that stand at real tokens.

    Vectors at padding are left out, whatever they hold, NaN included.
    The sum is taken in float32 for shorter dtypes: 33 entries of 2,000 exceed what float16 can hold.

    Args:
        x: Vectors, (B, N, V), floating.
        ids: Token ids, (B, N), integers; 0 is padding.

    Returns:
        Means, (B, V), in the dtype of `x`; zeros for a row that is all padding.

    Raises:
        TypeError: `x` is not floating.
        ValueError: The shapes do not fit.
    """
    if not x.is_floating_point():
        raise TypeError(f"x must be floating, got {x.dtype}")
    if x.dim() != 3 or shape_of(ids) != shape_of(x)[:2]:
        raise ValueError(f"expected x (B, N, V) and ids (B, N), got {shape_of(x)} and {shape_of(ids)}")
    padding = ids == PAD
    count = (~padding).sum(dim=1, keepdim=True).clamp(min=1)  # (B, 1)
    # A multiplication by 0 would keep a NaN.
    total = x.masked_fill(padding[..., None], 0).sum(dim=1, dtype=wide(x.dtype))
    return (total / count).to(x.dtype)


def reverse_real(ids: Tensor) -> Tensor:
    """Turn the real tokens of each row around, and leave the padding where it is.

    With `L` real tokens, slot `p < L` takes what stands in slot `L - 1 - p`.
    Turning the whole row would move the padding to the front, and change two things at once.

    Args:
        ids: Token ids, (B, N), integers, padded with 0 on the right.

    Returns:
        Token ids, (B, N), in the dtype of `ids`.

    Raises:
        ValueError: `ids` does not have two axes, or padding stands before a token.
    """
    if ids.dim() != 2:
        raise ValueError(f"ids: expected a shape (B, N), got {tuple(ids.shape)}")
    places = torch.arange(ids.shape[1], device=ids.device)  # (N,)
    lengths = (ids != PAD).sum(dim=1, keepdim=True)  # (B, 1)
    real = places < lengths  # (B, N)
    if not torch.equal(real, ids != PAD):
        raise ValueError("ids: expected padding on the right only, got padding before a token")
    return ids.gather(1, torch.where(real, lengths - 1 - places, places))


class Classifier(nn.Module):
    """Embedding, perhaps one attention layer, mean over the real tokens, and a linear layer to the intents.

    No positions are added anywhere, so only a causal mask can make it notice the order of the tokens.
    """

    def __init__(self, symbols: int, intents: int, kind: str, width: int = WIDTH) -> None:
        """Draw the weights from the global generator, in the order in which the layers stand.

        Args:
            symbols: Rows of the embedding, `S`; row 0 is padding.
            intents: Classes of the output, `C`.
            kind: One of `KINDS`; a `bag` has no attention layer, and draws none.
            width: Of embeddings, queries, keys and values.

        Raises:
            ValueError: Another kind.
        """
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind: expected one of {', '.join(KINDS)}, got {kind!r}")
        self.kind = kind
        self.embedding = nn.Embedding(symbols, width, padding_idx=PAD)
        if kind != "bag":
            self.to_q, self.to_k, self.to_v = (nn.Linear(width, width) for _ in range(3))
        self.head = nn.Linear(width, intents)

    def forward(self, ids: Tensor) -> Tensor:
        """Return how well each intent fits each text.

        Args:
            ids: Token ids, (B, N), integers; 0 is padding.

        Returns:
            Logits, (B, C).
        """
        x = self.embedding(ids)  # (B, N, V)
        if self.kind != "bag":
            x, _ = attention(self.to_q(x), self.to_k(x), self.to_v(x), self._blocked(ids))
        return self.head(masked_mean(x, ids))  # type: ignore[no-any-return]

    def _blocked(self, ids: Tensor) -> Tensor:
        """The mask of the layer: (B, 1, N), or (B, N, N) with the future blocked too."""
        padding = padding_blocked(ids)
        if self.kind == "attention":
            return padding
        return combine(padding, causal_blocked(ids.shape[1], device=ids.device)[None])


def batches(ids: Tensor, labels: Tensor, generator: torch.Generator) -> Loader:
    """Return a loader that gives all rows in batches of `BATCH`, in a new order each time it is gone through.

    Args:
        ids: Token ids, (B, N).
        labels: One a row, (B,), int64.
        generator: Decides the orders; going through the loader moves it on.
    """
    return DataLoader(TensorDataset(ids, labels), batch_size=BATCH, shuffle=True, generator=generator)


def train_epoch(model: nn.Module, loader: Loader, optimizer: torch.optim.Optimizer) -> float:
    """Go through all batches once, with one step of the optimizer each.

    A model in training mode is left as it is, so that those of its modules that are in evaluation mode, frozen
    ones, stay so. One in evaluation mode is in training mode for the epoch, with all its modules, and back after it.

    Args:
        model: From ids (B, N) to logits (B, C); its weights change.
        loader: From `batches`.
        optimizer: Over the weights of `model`.

    Returns:
        The mean cross-entropy over the rows, each measured before the step that its batch caused.

    Raises:
        ValueError: The loader is empty.
    """
    total, rows = 0.0, 0
    with learning(model):
        for ids, labels in loader:
            loss = F.cross_entropy(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += loss.item() * len(labels)  # the last batch may be smaller, and counts for less
            rows += len(labels)
    if rows == 0:
        raise ValueError("loader: expected at least one batch, got none")
    return total / rows


@torch.no_grad()
def predict(model: nn.Module, ids: Tensor) -> Tensor:
    """Return the intent that fits each text best, in evaluation mode; the mode of each module is put back.

    Args:
        model: From ids (B, N) to logits (B, C).
        ids: Token ids, (B, N).

    Returns:
        Labels, (B,), int64.
    """
    with evaluating(model):
        labels: Tensor = model(ids).argmax(dim=-1)
    return labels


def accuracy(model: nn.Module, ids: Tensor, labels: Tensor) -> float:
    """Return the share of texts whose intent a model gets right.

    Args:
        model: From ids (B, N) to logits (B, C).
        ids: Token ids, (B, N).
        labels: The right ones, (B,).
    """
    return share(predict(model, ids) == labels)


def share(answers: Tensor) -> float:
    """Return the share of True, counted: a mean in float32 would not be the nearest float to it.

    Args:
        answers: Booleans, any shape, at least one.
    """
    return int(answers.sum()) / answers.numel()
