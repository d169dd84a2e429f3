"""Two small encoder-decoders: one passes a single vector across, the other lets the decoder look back.

They exist to be compared, so they share every size: symbols become vectors of `W` numbers, and the states of
all recurrent layers have `W` numbers too.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attention_src.core.precision import widened

Look = Callable[[Tensor], tuple[Tensor, Tensor]]
"""From states (B, W) to contexts (B, W) and the weights of the encoder's states, (B, M)."""

Pool = Callable[[Tensor], Look]
"""From the encoder's states (B, M, W), the memory, to a way of looking at them."""


def attend(memory: Tensor) -> Look:
    """Return a look that weighs the memory by how well each of its states matches the decoder's.

    The memory serves as keys and as values, the decoder's state is the query.
    This is `attention_src.attention` for one query a sequence, with the division by the root done once; like it,
    shorter dtypes are computed in float32.

    Source: Luong et al. (2015), section 3.1, the score "dot"; the root is that of Vaswani et al. (2017).

    Args:
        memory: The encoder's states, (B, M, W).
    """
    (values,) = widened(memory)
    keys = values.mT / math.sqrt(memory.shape[-1])  # (B, W, M)

    def look(state: Tensor) -> tuple[Tensor, Tensor]:
        (query,) = widened(state.unsqueeze(1))  # (B, 1, W)
        weights = torch.bmm(query, keys).softmax(dim=-1)  # (B, 1, M)
        context = torch.bmm(weights, values)  # (B, 1, W)
        return context.squeeze(1).to(memory.dtype), weights.squeeze(1).to(memory.dtype)

    return look


def average(memory: Tensor) -> Look:
    """Return a look that gives every state of the memory the same weight, whatever the decoder's state.

    Args:
        memory: The encoder's states, (B, M, W).
    """
    context = memory.mean(dim=1)
    weights = memory.new_full(memory.shape[:2], 1 / memory.shape[1])
    return lambda _: (context, weights)


class PlainEncoderDecoder(nn.Module):
    """An encoder that hands its last state to a decoder, and nothing else.

    Source: Sutskever et al. (2014) and Cho et al. (2014), with one layer of gated recurrent units on each side.
    """

    def __init__(self, symbols: int, width: int) -> None:
        """Draw the weights from the global generator, in the order in which the layers stand.

        Args:
            symbols: Rows of the embedding and classes of the output, `S`.
            width: Of embeddings and states, `W`.
        """
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.decoder = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width, symbols)

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Return the logits of every output, with the decoder's inputs given: teacher forcing.

        Args:
            source: Symbols, (B, M), integers.
            inputs: What the decoder reads at each of its steps, (B, N), integers.

        Returns:
            Logits, (B, N, S).
        """
        _, state = self.encoder(self.embedding(source))
        states, _ = self.decoder(self.embedding(inputs), state)
        return self.output(states)  # type: ignore[no-any-return]

    @torch.no_grad()
    def generate(self, source: Tensor, start: int) -> Tensor:
        """Return as many symbols as the source has, each the likeliest one, fed back as the next input.

        Args:
            source: Symbols, (B, M), integers.
            start: The decoder's first input.

        Returns:
            Symbols, (B, M).
        """
        _, state = self.encoder(self.embedding(source))
        symbol, written = torch.full_like(source[:, :1], start), []
        for _ in range(source.shape[1]):
            states, state = self.decoder(self.embedding(symbol), state)
            symbol = self.output(states).argmax(dim=-1)  # (B, 1)
            written.append(symbol)
        return torch.cat(written, dim=1)


class LookingEncoderDecoder(nn.Module):
    """An encoder-decoder whose decoder looks at all states of the encoder, twice a step.

    At each step it looks with its old state, to update it, and with its new state, to choose the output.
    The new state of one step is the old state of the next, so the second look of a step *is* the first look of
    the next one, and is computed once: `N` steps need `N + 1` looks.

    Source: Bahdanau et al. (2014) for the first look, Luong et al. (2015) for the second.
    """

    def __init__(self, symbols: int, width: int, pool: Pool = attend) -> None:
        """Draw the weights from the global generator, in the order in which the layers stand.

        Args:
            symbols: Rows of the embedding and classes of the output, `S`.
            width: Of embeddings and states, `W`.
            pool: How the decoder looks: `attend`, or `average` to take the choice away from it.
        """
        super().__init__()
        self.pool = pool
        self.embedding = nn.Embedding(symbols, width)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.cell = nn.GRUCell(2 * width, width)
        self.output = nn.Linear(2 * width, symbols)

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Return the logits of every output, with the decoder's inputs given: teacher forcing.

        Args:
            source: Symbols, (B, M), integers.
            inputs: What the decoder reads at each of its steps, (B, N), integers.

        Returns:
            Logits, (B, N, S).
        """
        states, contexts, _ = self._decode(source, inputs)
        return self.output(torch.cat([states, contexts[:, 1:]], dim=-1))  # type: ignore[no-any-return]

    @torch.no_grad()
    def looks(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Return the weights of every look: one before the first step, and one after each.

        Args:
            source: Symbols, (B, M), integers.
            inputs: What the decoder reads at each of its steps, (B, N), integers.

        Returns:
            Weights, (B, N + 1, M). Without the last row they are the first looks of the steps, without the
                first row the second looks.
        """
        return self._decode(source, inputs)[2]

    @torch.no_grad()
    def generate(self, source: Tensor, start: int) -> Tensor:
        """Return as many symbols as the source has, each the likeliest one, fed back as the next input.

        Args:
            source: Symbols, (B, M), integers.
            start: The decoder's first input.

        Returns:
            Symbols, (B, M).
        """
        look, state = self._encode(source)
        context, _ = look(state)
        symbol, written = torch.full_like(source[:, 0], start), []
        for _ in range(source.shape[1]):
            state = self.cell(torch.cat([self.embedding(symbol), context], dim=-1), state)
            context, _ = look(state)
            symbol = self.output(torch.cat([state, context], dim=-1)).argmax(dim=-1)  # (B,)
            written.append(symbol)
        return torch.stack(written, dim=1)

    def _encode(self, source: Tensor) -> tuple[Look, Tensor]:
        """The look at the encoder's states, and the last of them, (B, W)."""
        memory, state = self.encoder(self.embedding(source))
        return self.pool(memory), state[0]

    def _decode(self, source: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The states after each step (B, N, W), and contexts (B, N + 1, W) and weights (B, N + 1, M) of the looks."""
        look, state = self._encode(source)
        context, weights = look(state)
        states, contexts, rows = [], [context], [weights]
        for symbol in self.embedding(inputs).unbind(dim=1):
            state = self.cell(torch.cat([symbol, context], dim=-1), state)
            context, weights = look(state)
            states.append(state)
            contexts.append(context)
            rows.append(weights)
        return torch.stack(states, dim=1), torch.stack(contexts, dim=1), torch.stack(rows, dim=1)
