"""The check of lab 4 that watches a decoder write: what each step was given, and what came back."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from attention_src.labs.answers import readable
from attention_src.labs.asking import adapter
from attention_src.labs.judge import Arguments, Case, Mistake, Task, judge
from attention_src.labs.verdict import WrongAnswer, check
from attention_src.models.copy_task import DIGITS, START, SYMBOLS
from attention_src.models.encoder_decoder import LookingEncoderDecoder, PlainEncoderDecoder

Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""From symbols (B,) and states (B, W) to logits (B, S) and new states (B, W)."""

LoopAnswer = Callable[[Step, Tensor, Tensor], object]

_WIDTH = 11


@check("write_freely")
def check_write_freely(answer: LoopAnswer, seed: int) -> str:
    """Judge the loop in which a decoder reads what it wrote.

    Args:
        answer: From a step, the first state (B, W) and the source (B, N), whose shape it may use, to the symbols
            written, (B, N), in the type of the source. A step takes symbols (B,) and states (B, W), and returns
            logits (B, S) and new states (B, W).
        seed: For decoders that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(LOOP, watching(answer), seed)
    return "It starts with the start symbol, carries the state on, and reads what it wrote a step before."


class _Decoder:
    """A decoder with drawn weights, whose step is a function of symbols and states alone."""

    def __init__(self, generator: torch.Generator) -> None:
        self.table = 2 * torch.randn(SYMBOLS, _WIDTH, generator=generator)
        self.carry = torch.randn(_WIDTH, _WIDTH, generator=generator)
        self.readout = torch.randn(_WIDTH, SYMBOLS, generator=generator)

    def step(self, symbol: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One step, from symbols (B,) and states (B, W) to logits (B, S) and new states (B, W)."""
        new = torch.tanh(state @ self.carry + self.table[symbol])
        return new @ self.readout, new


class _Watched:
    """A decoder that keeps what every step was given and gave."""

    def __init__(self, decoder: _Decoder, first: Tensor) -> None:
        self.decoder, self.first = decoder, first.clone()
        self.symbols: list[Tensor] = []
        self.before: list[Tensor] = []
        self.after: list[Tensor] = []
        self.best: list[Tensor] = []

    @adapter
    def step(self, symbol: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One step, noted."""
        if not isinstance(symbol, Tensor) or symbol.is_floating_point() or symbol.shape != self.first.shape[:1]:
            found = f"{symbol.dtype} {tuple(symbol.shape)}" if isinstance(symbol, Tensor) else type(symbol).__name__
            raise WrongAnswer(f"step reads one symbol a sequence: expected integers ({len(self.first)},), got {found}.")
        if not isinstance(state, Tensor) or state.shape != self.first.shape:
            found = str(tuple(state.shape)) if isinstance(state, Tensor) else type(state).__name__
            raise WrongAnswer(f"step updates a state: expected {tuple(self.first.shape)}, got {found}.")
        logits, new = self.decoder.step(symbol, state)
        self.symbols.append(symbol.clone())
        self.before.append(state.clone())
        self.after.append(new.clone())
        self.best.append(logits.argmax(dim=-1))
        return logits, new


def watching(answer: LoopAnswer) -> Callable[[_Decoder, Tensor, Tensor], object]:
    """The answer, with a look at what it gave its steps where the result is wrong."""

    @adapter
    def watched(step: _Decoder, state: Tensor, source: Tensor) -> object:
        decoder = _Watched(step, state)
        right = _freely(step, state, source)
        found = answer(decoder.step, state, source)
        readable(found)
        if not isinstance(found, Tensor) or found.shape != right.shape or bool((found != right).any()):
            _judge_steps(decoder, source)
        return found

    return watched


def _freely(step: _Decoder, state: Tensor, source: Tensor) -> Tensor:
    """What a decoder writes when it reads what it wrote, (B, N)."""
    symbol, written = torch.full((len(state),), START), []
    for _ in range(source.shape[1]):
        logits, state = step.step(symbol, state)
        symbol = logits.argmax(dim=-1)
        written.append(symbol)
    return torch.stack(written, dim=1)


def _cases(generator: torch.Generator) -> list[Case]:
    def draw(batch: int, length: int) -> dict[str, Any]:
        decoder = _Decoder(generator)
        state = torch.randn(batch, _WIDTH, generator=generator)
        return {
            "step": decoder,
            "state": state,
            "source": torch.randint(0, DIGITS, (batch, length), generator=generator),
        }

    return [
        Case("5 sequences of 7 symbols", draw(5, 7)),
        Case("3 sequences of 11 symbols", draw(3, 11)),
        Case("one sequence", draw(1, 2), edge=True),
        Case("sequences of one symbol", draw(4, 1), edge=True),
        Case("as many sequences as symbols", draw(3, 3), edge=True),
    ]


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


def _stack_equal(some: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return len(some) == len(others) and all(torch.equal(one, other) for one, other in zip(some, others, strict=True))


def _logits(step: _Decoder, state: Tensor, source: Tensor) -> Tensor:
    """The logits of every step, (B, N, S)."""
    symbols, rows = _freely(step, state, source), []
    for symbol in [torch.full((len(state),), START), *symbols[:, :-1].unbind(dim=1)]:
        logits, state = step.step(symbol, state)
        rows.append(logits)
    return torch.stack(rows, dim=1)


# Wrong results of steps that were all given the right things; wrong steps are found by watching them.
_MISTAKES = (
    Mistake("These are logits: expected the likeliest symbols, their argmax over the last axis.", _logits),
    Mistake("Steps and sequences are exchanged: stack along dim=1.", lambda *given: _freely(*given).mT),
    Mistake(
        "The start symbol stands in the result: it is read first, and never written.",
        lambda step, state, source: torch.cat(
            [torch.full_like(source[:, :1], START), _freely(step, state, source)], dim=1
        ),
    ),
    Mistake(
        "The start symbol stands in the result, and the last is missing: return what was written, not what was read.",
        lambda step, state, source: torch.cat(
            [torch.full_like(source[:, :1], START), _freely(step, state, source)[:, :-1]], dim=1
        ),
    ),
    Mistake("The source came back, and not what the decoder wrote.", lambda _step, _state, source: source),
    Mistake("The symbols come in reverse order.", lambda *given: _freely(*given).flip(1)),
    Mistake("The unlikeliest symbols came back: take the argmax.", lambda *given: _logits(*given).argmin(dim=-1)),
)


def _property(_arguments: Arguments, _part: str, _got: Tensor) -> str:
    return "Every step was given the right things, and other symbols came back."


LOOP = Task(
    right=_freely,
    cases=_cases,
    small=list,
    mistakes=_MISTAKES,
    property_of=_property,
    shape_of=lambda *_: "one symbol for each of the source, torch.stack(..., dim=1) of the steps",
    place=lambda _, place: "sequence {}, place {}".format(*place),
    borrowed=(LookingEncoderDecoder.generate, PlainEncoderDecoder.generate),
    tolerance=0.0,
)
