"""Tests of the checks of lab 4: a look, a loop and three shares."""

# ruff: noqa: ARG005 (wrong answers leave out what they should use)

import math
from dataclasses import astuple

import pytest
import torch

from attention_src.labs.copy_loop import check_write_freely
from attention_src.labs.copy_task import check_look, check_shares
from attention_src.models.copy_task import START, SYMBOLS, WIDTH, Accuracy
from attention_src.models.encoder_decoder import LookingEncoderDecoder, attend


def right_look(memory, state):
    """Matrix products."""
    weights = scored(memory, state).softmax(dim=-1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


def scored(memory, state):
    """Scores, (B, M)."""
    return (memory @ state.unsqueeze(-1)).squeeze(-1) / math.sqrt(state.shape[-1])


def weighed(weights):
    """A look that weighs the memory by a function of memory and state."""

    def look(memory, state):
        table = weights(memory, state)
        return (table.unsqueeze(1) @ memory).squeeze(1), table

    return look


def blended(context):
    """A look with right weights whose context is a function of memory, state and weights."""

    def look(memory, state):
        table = right_look(memory, state)[1]
        return context(memory, state, table), table

    return look


def by_loops(memory, state):
    """One sequence and one position at a time."""
    contexts, rows = [], []
    for states, query in zip(memory, state, strict=True):
        scores = torch.stack([key @ query for key in states]) / len(query) ** 0.5
        exponentials = (scores - scores.max()).exp()
        rows.append(exponentials / exponentials.sum())
        contexts.append(sum(weight * value for weight, value in zip(rows[-1], states, strict=True)))
    return torch.stack(contexts), torch.stack(rows)


def by_einsum(memory, state):
    """Einsum, in float64 on the way, and a list instead of a tuple."""
    wide = memory.double()
    weights = (torch.einsum("bmw,bw->bm", wide, state.double()) / state.shape[-1] ** 0.5).softmax(dim=1)
    return [torch.einsum("bm,bmw->bw", weights, wide).float(), weights.float()]


def by_bmm(memory, state):
    """One query a sequence, scaled first."""
    scores = torch.bmm(memory, (state / math.sqrt(state.size(1)))[:, :, None])
    weights = torch.nn.functional.softmax(scores, dim=1)
    return (weights * memory).sum(1), weights[..., 0]


def by_library(memory, state):
    """PyTorch's own function for the context, and the formula for the weights."""
    context = torch.nn.functional.scaled_dot_product_attention(state[:, None], memory, memory)
    return context[:, 0], right_look(memory, state)[1]


RIGHT_LOOKS = [right_look, by_loops, by_einsum, by_bmm, by_library]


@pytest.mark.parametrize("look", RIGHT_LOOKS)
def test_check_look_accepts_every_style(look):
    """Matrix products, loops, einsum in double precision, and the model's own look are all right."""
    verdict = check_look(look)
    assert verdict, verdict.message
    assert str(verdict).startswith("look: right.")


def drawn_anew(memory, state):
    """Right numbers, with the weights cut off from the graph."""
    context, weights = right_look(memory, state)
    return (weights.detach().unsqueeze(1) @ memory).squeeze(1) + 0 * context, weights


def changes_memory(memory, state):
    """Right numbers, and the memory is doubled on the way out."""
    context, weights = right_look(memory, state)
    with torch.no_grad():
        memory.mul_(2)
    return context, weights


WRONG_LOOKS = {
    "softmax over the batch": (weighed(lambda m, s: scored(m, s).softmax(dim=0)), "over dim=0, use dim=-1"),
    "softmax over everything": (
        weighed(lambda m, s: scored(m, s).flatten().softmax(dim=0).view(len(m), -1)),
        "weights of the whole batch sum to one",
    ),
    "no scale": (
        weighed(lambda m, s: (scored(m, s) * s.shape[-1] ** 0.5).softmax(dim=-1)),
        "√W = 2.24 times too large: the division by √W is missing",
    ),
    "divided by the width": (weighed(lambda m, s: (scored(m, s) / s.shape[-1] ** 0.5).softmax(-1)), "divided by W = 5"),
    "multiplied": (weighed(lambda m, s: (scored(m, s) * s.shape[-1]).softmax(-1)), "multiplied by √W"),
    "root of the states": (
        weighed(lambda m, s: (scored(m, s) * (s.shape[-1] / m.shape[1]) ** 0.5).softmax(-1)),
        "the root of M = 7",
    ),
    "no softmax": (weighed(scored), "These are the scores: the softmax over the positions (dim=-1) is missing"),
    "dot products": (weighed(lambda m, s: scored(m, s) * s.shape[-1] ** 0.5), "These are the dot products"),
    "sigmoid": (weighed(lambda m, s: scored(m, s).sigmoid()), "These are sigmoids"),
    "wrong sign": (weighed(lambda m, s: (-scored(m, s)).softmax(-1)), "wrong sign"),
    "argmax": (
        weighed(lambda m, s: torch.nn.functional.one_hot(scored(m, s).argmax(-1), m.shape[1]).float()),
        "argmax has no gradient",
    ),
    "mean": (
        weighed(lambda m, s: torch.full(m.shape[:2], 1 / m.shape[1])),
        "All weights are 1/7, whatever the state",
    ),
    "first memory": (
        weighed(lambda m, s: (s @ m[0].mT / s.shape[-1] ** 0.5).softmax(-1)),
        "looks at the memory of the first one",
    ),
    "neighbours": (
        weighed(lambda m, s: (scored(m, s) - scored(m, s).mean(0) / 2).softmax(-1)),
        "state = [[2.0]], weights of sequence 0, number 1: expected 0.1192, got 0.2689",
    ),
    "doubled": (weighed(lambda m, s: 2 * scored(m, s).softmax(-1)), "sum to 2.0000"),
    "negative": (
        weighed(lambda m, s: scored(m, s) / scored(m, s).sum(-1, keepdim=True)),
        "The weights sum to one, and are not the right ones. With memory = [[[",
    ),
    "another temperature": (weighed(lambda m, s: (1.5 * scored(m, s)).softmax(-1)), "are not the right ones"),
    "plain mean": (blended(lambda m, s, w: m.mean(dim=1)), "plain mean of the memory: the weights are not used"),
    "plain sum": (blended(lambda m, s, w: m.sum(dim=1)), "plain sum of the memory: the weights are not used"),
    "mean of the weighed": (blended(lambda m, s, w: (w.unsqueeze(-1) * m).mean(dim=1)), "7 times too small"),
    "best alone": (blended(lambda m, s, w: m[range(len(m)), w.argmax(-1)]), "the best match alone"),
    "query": (blended(lambda m, s, w: s), "The context is the decoder's state"),
    "residual": (blended(lambda m, s, w: s + (w.unsqueeze(1) @ m).squeeze(1)), "state added to it"),
    "flipped": (
        blended(lambda m, s, w: (w.unsqueeze(1) @ m.flip(1)).squeeze(1)),
        "The weights are right, the context is not the sum of the memory's states, each times its weight. With memory",
    ),
    "exchanged": (lambda m, s: right_look(m, s)[::-1], "The weights come first"),
    "context alone": (lambda m, s: right_look(m, s)[0], "expected a pair, got Tensor"),
    "floats": (
        lambda m, s: (right_look(m, s)[0].tolist(), right_look(m, s)[1]),
        "context: expected a tensor (3, 5), got a list",
    ),
    "axis left": (lambda m, s: (right_look(m, s)[0].unsqueeze(1), right_look(m, s)[1]), "of size one is left over"),
    "bare squeeze": (lambda m, s: (right_look(m, s)[0].squeeze(), right_look(m, s)[1]), "squeeze() without a number"),
    "all pairs": (
        lambda m, s: (right_look(m, s)[0], (m @ s.mT).softmax(dim=1)),
        "each state must meet its own sequence's memory only",
    ),
    "narrow": (lambda m, s: (right_look(m, s)[0][:, 1:], right_look(m, s)[1]), "shape (3, 5), got (3, 4)."),
    "weights cut off": (drawn_anew, "no gradient of the context reaches state"),
    "no gradient": (
        lambda m, s: tuple(t.detach() for t in right_look(m, s)),
        "no gradient of the context reaches memory, state",
    ),
    "state cut off": (lambda m, s: right_look(m, s.detach()), "no gradient of the context reaches state"),
    "half cut off": (
        lambda m, s: right_look((m + m.detach()) / 2, s),
        "the gradient of the context of memory is not, so training would go wrong",
    ),
    "weights alone cut off": (
        lambda m, s: (right_look(m, s)[0], right_look(m, s)[1].detach()),
        "no gradient of the weights reaches memory, state",
    ),
    "no maximum": (
        weighed(lambda m, s: (powers := scored(m, s).exp()) / powers.sum(-1, keepdim=True)),
        "The exponentials overflow where scores are large",
    ),
    "global maximum": (
        weighed(lambda m, s: (powers := (scored(m, s) - scored(m, s).max()).exp()) / powers.sum(-1, keepdim=True)),
        "One maximum is subtracted from the scores of all sequences",
    ),
    "float64": (
        lambda m, s: tuple(t.double() for t in right_look(m, s)),
        "of the type torch.float32, got torch.float64",
    ),
    "the model's look": (lambda m, s: attend(m)(s), "It calls attention_src.models.encoder_decoder.attend"),
    "squeeze everything": (lambda m, s: tuple(t.squeeze() for t in right_look(m, s)), "Seen with a batch of one"),
    "memory changed": (changes_memory, "changed its argument `memory`"),
}


@pytest.mark.parametrize("name", WRONG_LOOKS)
def test_check_look_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    look, told = WRONG_LOOKS[name]
    verdict = check_look(look)
    assert not verdict
    assert told in verdict.message


def right_loop(step, state, source):
    """Greedy, one symbol a step."""
    symbol, written = torch.full_like(source[:, 0], START), []
    for _ in range(source.shape[1]):
        logits, state = step(symbol, state)
        symbol = logits.argmax(dim=-1)
        written.append(symbol)
    return torch.stack(written, dim=1)


def filled(step, state, source):
    """Writes into a table that stands ready, and calls a step too often at the end."""
    table = torch.zeros(source.shape[0], source.shape[1] + 1, dtype=source.dtype)
    table[:, 0] = START
    for place in range(source.shape[1]):
        logits, state = step(table[:, place], state)
        table[:, place + 1] = logits.softmax(dim=-1).argmax(dim=-1)
    step(table[:, -1], state)
    return table[:, 1:]


RIGHT_LOOPS = [right_loop, filled]


@pytest.mark.parametrize("loop", RIGHT_LOOPS)
def test_check_write_freely_accepts_every_style(loop):
    """A list that is stacked and a table that is filled are both right."""
    verdict = check_write_freely(loop)
    assert verdict, verdict.message


def reads(choose, first=START):
    """A loop whose next input is `choose(place, source, best)`; it returns the best symbols."""

    def loop(step, state, source):
        symbol, written = torch.full_like(source[:, 0], first), []
        for place in range(source.shape[1]):
            logits, state = step(symbol, state)
            written.append(logits.argmax(dim=-1))
            symbol = choose(place, source, written[-1])
        return torch.stack(written, dim=1)

    return loop


def stateless(step, state, source):
    """Every step begins with the first state."""
    symbol, written = torch.full_like(source[:, 0], START), []
    for _ in range(source.shape[1]):
        logits, _ = step(symbol, state)
        symbol = logits.argmax(dim=-1)
        written.append(symbol)
    return torch.stack(written, dim=1)


def halved(step, state, source):
    """The state is changed between two steps."""
    return right_loop(lambda symbol, old: step(symbol, old / 2 if old is not state else old), state, source)


def as_logits(step, state, source):
    """The logits come back."""
    rows = []
    right_loop(lambda *given: rows.append(step(*given)) or rows[-1], state, source)
    return torch.stack([logits for logits, _ in rows], dim=1)


def one_axis_more(step, state, source):
    """The symbol has an axis of size one, as an embedding of a sequence wants it."""
    return right_loop(lambda symbol, old: step(symbol.unsqueeze(1), old), state, source)


WRONG_LOOPS = {
    "teacher forcing": (reads(lambda place, source, best: source[:, place]), "that is teacher forcing"),
    "reads ahead": (
        reads(lambda place, source, best: source[:, min(place + 1, source.shape[1] - 1)]),
        "the very symbols that they should write",
    ),
    "start for ever": (reads(lambda place, source, best: torch.full_like(best, START)), "Every step read the start"),
    "second best": (reads(lambda place, source, best: (best + 1) % SYMBOLS), "another symbol than the likeliest"),
    "no start": (reads(lambda place, source, best: best, first=0), "must read the start symbol, 10"),
    "stateless": (stateless, "Every step began with the first state"),
    "halved state": (halved, "another state than the one before it returned"),
    "zero state": (lambda f, s, x: right_loop(f, torch.zeros_like(s), x), "the state that write_freely was given"),
    "one step short": (lambda f, s, x: right_loop(f, s, x[:, 1:]), "there are 7 steps: got 6 calls"),
    "no step": (lambda f, s, x: x, "step was never called"),
    "logits": (as_logits, "These are logits: expected the likeliest symbols"),
    "transposed": (lambda f, s, x: right_loop(f, s, x).mT, "Steps and sequences are exchanged"),
    "list": (lambda f, s, x: list(right_loop(f, s, x).unbind(1)), "Expected a tensor (5, 7), got a list"),
    "no numbers": (
        lambda f, s, x: right_loop(f, s, x).to("meta"),
        "on the device meta, which has a shape and no numbers",
    ),
    "start kept": (
        lambda f, s, x: torch.cat([torch.full_like(x[:, :1], START), right_loop(f, s, x)], dim=1),
        "The start symbol stands in the result",
    ),
    "cut": (
        lambda f, s, x: right_loop(f, s, x)[:, 1:],
        "Expected the shape (5, 7), got (5, 6): one symbol for each of the source",
    ),
    "source": (lambda f, s, x: (right_loop(f, s, x), x)[1], "The source came back"),
    "last is zero": (
        lambda f, s, x: torch.cat([right_loop(f, s, x)[:, :-1], torch.full_like(x[:, :1], 11)], dim=1),
        "With 5 sequences of 7 symbols, sequence 0, place 6: expected 6, got 11",
    ),
    "axis too many": (one_axis_more, "expected integers (5,), got torch.int64 (5, 1)"),
    "shifted": (
        lambda f, s, x: torch.cat([torch.full_like(x[:, :1], START), right_loop(f, s, x)[:, :-1]], dim=1),
        "return what was written, not what was read",
    ),
    "into the source": (lambda f, s, x: x.copy_(right_loop(f, s, x)), "changed its argument `source`"),
    "int32": (lambda f, s, x: right_loop(f, s, x).int(), "of the type torch.int64, got torch.int32"),
    "squeezed": (lambda f, s, x: right_loop(f, s, x).squeeze(), "Seen with one sequence"),
    "state lost": (lambda f, s, x: right_loop(lambda a, b: f(a, b[0]), s, x), "expected (5, 11), got (11,)"),
}


@pytest.mark.parametrize("name", WRONG_LOOPS)
def test_check_write_freely_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    loop, told = WRONG_LOOPS[name]
    verdict = check_write_freely(loop)
    assert not verdict
    assert told in verdict.message


def right_shares(forced, free, source):
    """Means of floats."""
    rows = (free == source).all(dim=1)
    return (forced == source).float().mean(), (free == source).float().mean(), rows.float().mean()


def counted(forced, free, source):
    """Counts by Python, in a dataclass."""
    rows = list(zip(free.tolist(), source.tolist(), strict=True))
    hits = [one == other for row, truth in rows for one, other in zip(row, truth, strict=True)]
    taught = int((forced == source).sum()) / source.numel()
    return Accuracy(taught, sum(hits) / len(hits), sum(row == truth for row, truth in rows) / len(rows))


def stacked(*given):
    """One tensor of three."""
    return torch.stack(right_shares(*given))


RIGHT_SHARES = [right_shares, counted, stacked, lambda *given: list(right_shares(*given))]


@pytest.mark.parametrize("shares", RIGHT_SHARES)
def test_check_shares_accepts_every_style(shares):
    """Tensors, floats, a list, one tensor and the project's own class are all right."""
    verdict = check_shares(shares)
    assert verdict, verdict.message


def whole_by(count):
    """Right shares of symbols, and another third number."""

    def shares(forced, free, source):
        return (*right_shares(forced, free, source)[:2], count(forced == source, free == source))

    return shares


WRONG_SHARES = {
    "squeezed": (
        lambda f, g, s: (*right_shares(f, g, s)[:2], (g.squeeze() == s).all(dim=1).float().mean().item()),
        "With sequences of one symbol, whole",
    ),
    "percent": (lambda *given: tuple(100 * share for share in right_shares(*given)), "These are percentages"),
    "exchanged": (
        lambda f, g, s: right_shares(g, f, s)[:2] + right_shares(f, g, s)[2:],
        "The first two are exchanged",
    ),
    "counts": (lambda f, g, s: ((f == s).sum(), (g == s).sum(), 0.0), "These are counts of right symbols"),
    "free is forced": (
        lambda f, g, s: right_shares(f, f, s),
        "free: it was counted on the answers with teacher forcing",
    ),
    "whole of forced": (whole_by(lambda f, g: f.all(1).float().mean()), "counted on the answers with teacher forcing"),
    "whole of symbols": (whole_by(lambda f, g: g.float().mean()), "that is the share of symbols"),
    "any": (whole_by(lambda f, g: g.any(1).float().mean()), "any right symbol"),
    "places": (whole_by(lambda f, g: g.all(0).float().mean()), "use dim=1, or dim=-1"),
    "all at once": (whole_by(lambda f, g: g.all()), "asks whether all sequences are right"),
    "number": (whole_by(lambda f, g: g.all(1).sum()), "divide it by the number of sequences"),
    "anything": (whole_by(lambda f, g: 0.123), "got 0.1230."),
    "changes": (lambda f, g, s: right_shares(f, g.copy_(g), s.sub_(1).add_(2)), "changed its argument `source`"),
    "wrong symbols": (lambda *given: tuple(1 - share for share in right_shares(*given)), "shares of wrong symbols"),
    "text": (lambda *given: ("1", "x", "0"), "three numbers, got str, str, str"),
    "two": (lambda *given: right_shares(*given)[:2], "expected three numbers, got 2 of them"),
    "one": (lambda *given: 1.0, "expected three numbers, got float"),
    "a tensor of rows": (whole_by(lambda f, g: g.all(1)), "got [1, 1, 7] of them"),
}


@pytest.mark.parametrize("name", WRONG_SHARES)
def test_check_shares_names_the_mistake(name):
    """Each known mistake is refused, in words of its own."""
    shares, told = WRONG_SHARES[name]
    verdict = check_shares(shares)
    assert not verdict
    assert told in verdict.message


def stub(*_):
    """What a task notebook holds."""
    raise NotImplementedError("score every state")


def broken(*_):
    """An answer with a fault of its own."""
    return [][0]


@pytest.mark.parametrize("check", [check_look, check_write_freely, check_shares])
def test_checks_report_stubs_and_errors(check):
    """A stub is named as such with its message, an error with its own words."""
    assert "It is not written: score every state" in check(stub).message
    assert "It raised IndexError: list index" in check(broken).message


@pytest.mark.parametrize(
    ("check", "answer"), [(check_look, right_look), (check_write_freely, right_loop), (check_shares, right_shares)]
)
def test_checks_leave_the_generator_alone(check, answer):
    """A check neither draws from the global generator nor depends on it."""
    torch.manual_seed(3)
    before = torch.get_rng_state()
    assert check(answer)
    assert torch.equal(torch.get_rng_state(), before)


def test_check_look_works_without_gradients():
    """A reader who has switched gradients off gets the same verdict."""
    with torch.no_grad():
        assert check_look(right_look)


def test_a_right_look_and_loop_fit_the_model():
    """What the checks accept runs in the model, and writes what the model's own loop writes."""
    torch.manual_seed(0)
    model = LookingEncoderDecoder(SYMBOLS, WIDTH, pool=lambda memory: lambda state: right_look(memory, state))
    source = torch.randint(0, 10, (11, 7))
    memory, last = model.encoder(model.embedding(source))

    def step(symbol, state):
        state = model.cell(torch.cat([model.embedding(symbol), right_look(memory, state)[0]], dim=-1), state)
        return model.output(torch.cat([state, right_look(memory, state)[0]], dim=-1)), state

    assert torch.equal(right_loop(step, last[0], source), model.generate(source, START))
    assert len(astuple(counted(source, source, source))) == 3
