"""The check of lab 4 that watches a decoder write: what each step was given, and what came back."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attention_src.labs.verdict import WrongAnswer, check
from attention_src.models.copy_task import DIGITS, START, SYMBOLS

Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""From symbols (B,) and states (B, W) to logits (B, S) and new states (B, W)."""

LoopAnswer = Callable[[Step, Tensor, Tensor], Tensor]

_WIDTH = 11


class _Watched:
    """A decoder with drawn weights that keeps what every step was given and gave."""

    def __init__(self, batch: int, generator: torch.Generator) -> None:
        self.table = 2 * torch.randn(SYMBOLS, _WIDTH, generator=generator)
        self.carry = torch.randn(_WIDTH, _WIDTH, generator=generator)
        self.readout = torch.randn(_WIDTH, SYMBOLS, generator=generator)
        self.first = torch.randn(batch, _WIDTH, generator=generator)
        self.symbols: list[Tensor] = []
        self.before: list[Tensor] = []
        self.after: list[Tensor] = []
        self.best: list[Tensor] = []

    def step(self, symbol: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One step, noted."""
        if not isinstance(symbol, Tensor) or symbol.is_floating_point() or symbol.shape != self.first.shape[:1]:
            found = f"{symbol.dtype} {tuple(symbol.shape)}" if isinstance(symbol, Tensor) else type(symbol).__name__
            raise WrongAnswer(f"step reads one symbol a sequence: expected integers ({len(self.first)},), got {found}.")
        if not isinstance(state, Tensor) or state.shape != self.first.shape:
            found = str(tuple(state.shape)) if isinstance(state, Tensor) else type(state).__name__
            raise WrongAnswer(f"step updates a state: expected {tuple(self.first.shape)}, got {found}.")
        logits, new = self.run(symbol, state)
        self.symbols.append(symbol.clone())
        self.before.append(state.clone())
        self.after.append(new.clone())
        self.best.append(logits.argmax(dim=-1))
        return logits, new

    def run(self, symbol: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One step, not noted."""
        new = torch.tanh(state @ self.carry + self.table[symbol])
        return new @ self.readout, new

    def freely(self, length: int) -> Tensor:
        """What it writes when it reads what it wrote, (B, N)."""
        symbol, state, written = torch.full((len(self.first),), START), self.first, []
        for _ in range(length):
            logits, state = self.run(symbol, state)
            symbol = logits.argmax(dim=-1)
            written.append(symbol)
        return torch.stack(written, dim=1)


@check("write_freely")
def check_write_freely(write_freely: LoopAnswer) -> str:
    """Judge the loop in which a decoder reads what it wrote.

    Args:
        write_freely: The answer: from a step, the first state (B, W) and the source (B, N), whose shape it may
            use, to the symbols written, (B, N). A step takes symbols (B,) and states (B, W), and returns logits
            (B, S) and new states (B, W).

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    generator = torch.Generator().manual_seed(6)
    for batch, length in ((5, 7), (3, 11), (1, 2)):
        decoder = _Watched(batch, generator)
        source = torch.randint(0, DIGITS, (batch, length), generator=generator)
        result = write_freely(decoder.step, decoder.first.clone(), source.clone())
        expected = decoder.freely(length)
        if not _same(result, expected):
            _judge_steps(decoder, source)
            raise WrongAnswer(_wrong_result(result, expected, source))
    return "It starts with the start symbol, carries the state on, and reads what it wrote a step before."


def _judge_steps(decoder: _Watched, source: Tensor) -> None:
    """Raise if a step was given something else than it should have been."""
    length = source.shape[1]
    if not decoder.symbols:
        raise WrongAnswer("step was never called: expected one call for each symbol to be written.")
    if not bool((decoder.symbols[0] == START).all()):
        raise WrongAnswer(
            f"The first step must read the start symbol, {START}, for every sequence, got "
            f"{decoder.symbols[0].tolist()}."
        )
    if len(decoder.symbols) != length:
        raise WrongAnswer(
            f"The source has {length} symbols, so there are {length} steps: got {len(decoder.symbols)} calls."
        )
    if not torch.equal(decoder.before[0], decoder.first):
        raise WrongAnswer("The first step must be given the state that write_freely was given.")
    if not _stack_equal(decoder.before[1:], decoder.after[:-1]):
        if all(torch.equal(state, decoder.first) for state in decoder.before):
            raise WrongAnswer("Every step began with the first state: pass on the state that the last step returned.")
        raise WrongAnswer("A step was given another state than the one before it returned.")
    _judge_inputs(decoder, source)


def _judge_inputs(decoder: _Watched, source: Tensor) -> None:
    """Raise if the steps after the first read anything but what was written a step before."""
    later = decoder.symbols[1:]
    if _stack_equal(later, decoder.best[:-1]):
        return
    truth = list(source.unbind(dim=1))
    if _stack_equal(later, truth[:-1]):
        raise WrongAnswer(
            "The steps read the right symbols of the source: that is teacher forcing. "
            "Expected that each step reads what the step before wrote."
        )
    if _stack_equal(later, truth[1:]):
        raise WrongAnswer("The steps read the very symbols that they should write: expected what was written before.")
    if all(bool((symbol == START).all()) for symbol in later):
        raise WrongAnswer("Every step read the start symbol: feed the symbol that was written into the next step.")
    raise WrongAnswer("A step read another symbol than the likeliest of the step before: expected its argmax.")


def _wrong_result(result: object, expected: Tensor, source: Tensor) -> str:
    """Name what came back, given that every step was given the right things."""
    want = tuple(expected.shape)
    if not isinstance(result, Tensor):
        return f"Expected one tensor {want}, got {type(result).__name__}: torch.stack(..., dim=1) makes one."
    got = tuple(result.shape)
    if got == (*want, SYMBOLS):
        return f"These are logits, {got}: expected the likeliest symbols, their argmax over the last axis."
    if _same(result.mT if result.ndim == 2 else result, expected):
        return f"Steps and sequences are exchanged: expected {want}, got {got}. Stack along dim=1."
    if result.ndim == 2 and bool((result[:, 0] == START).all()):
        return "The start symbol stands in the result: it is read first, and never written."
    if got != want:
        return f"Expected one symbol for each of the source, {want}, got {got}."
    if torch.equal(result.long(), source):
        return "The source came back, and not what the decoder wrote."
    places = (result != expected).any(dim=0).nonzero().flatten().tolist()
    return f"Every step was given the right things, but at the places {places} other symbols came back."


def _same(result: object, expected: Tensor) -> bool:
    return isinstance(result, Tensor) and result.shape == expected.shape and bool((result == expected).all())


def _stack_equal(some: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return len(some) == len(others) and all(torch.equal(one, other) for one, other in zip(some, others, strict=True))
