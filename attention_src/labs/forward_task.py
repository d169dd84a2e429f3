"""Lab 3's forward pass as a task: a class, in three configurations, as a function of its weights and of ids.

The wrong answers that it recognises are in `attention_src.labs.forward_mistakes`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from attention_src.labs.asking import adapter, same
from attention_src.labs.forward_mistakes import Forward, Weights, forward, mistakes, unmasked
from attention_src.labs.judge import Arguments, Case, Mistake, Task, judge
from attention_src.labs.order_tasks import drawn_queries, told
from attention_src.labs.verdict import WrongAnswer
from attention_src.models.classifier import KINDS, Classifier

SYMBOLS, INTENTS, WIDTH = 307, 5, 11
_LENGTHS = (((5, 2, 7), 7), ((1, 13), 17))
Answer = Callable[[int, int, str, int], nn.Module]


def judge_forward(kind: str, answer: Answer, seed: int) -> None:
    """Judge one configuration.

    Raises:
        WrongAnswer: Its message begins with the kind.
    """
    try:
        judge(forward_task(kind), as_function(kind, answer), seed)
        if kind == "causal":
            _judge_both_masks(as_function(kind, answer))
    except WrongAnswer as wrong:
        raise WrongAnswer(f"{kind}: {wrong}", mistake=wrong.mistake) from None


def judge_layers(answer: Answer) -> None:
    """Raise unless the class draws its first weights as everybody's does, so that everybody gets the same numbers."""
    for kind in KINDS:
        ours, theirs = (_drawn(make, kind) for make in (Classifier, answer))
        for name, weights in ours.items():
            if not torch.equal(weights, theirs[name]):
                raise WrongAnswer(
                    f"{kind}: The forward pass is right, but from the same seed {name} starts with other numbers than "
                    "in the task: the layers are drawn in another order or way, so nobody else's numbers come "
                    f"out. Expected {weights.flatten()[-1]:.6f} as its last, got {theirs[name].flatten()[-1]:.6f}."
                )


def _drawn(make: Answer, kind: str) -> Mapping[str, Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        return make(SYMBOLS, INTENTS, kind, WIDTH).state_dict()


def as_function(kind: str, answer: Answer) -> Callable[[Weights, Tensor], object]:
    """The forward pass of a class as a function of its weights, which can be given and have gradients."""

    @adapter
    def call(weights: Weights, ids: Tensor) -> object:
        symbols, width = weights["embedding.weight"].shape
        model = answer(symbols, len(weights["head.bias"]), kind, width)
        if not isinstance(model, nn.Module):
            raise WrongAnswer(f"Expected the class, which makes a module, and it made a {type(model).__name__}.")
        _same_names(dict(model.named_parameters()), weights)
        before = {name: tensor.clone() for name, tensor in weights.items()}
        found = functional_call(model, dict(weights), (ids,))
        for name, tensor in before.items():
            if not same(tensor, weights[name]):
                raise WrongAnswer(f"A forward pass changed {name}: only the optimizer changes weights.")
        return found

    return call


def _same_names(theirs: Mapping[str, Tensor], ours: Mapping[str, Tensor]) -> None:
    missing, other = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
    shapes = [name for name in ours if name in theirs and theirs[name].shape != ours[name].shape]
    found = [f"{told} {', '.join(names)}" for told, names in (("no", missing), ("unknown", other)) if names]
    found += [f"{name} has the shape {tuple(theirs[name].shape)}" for name in shapes]
    usual = torch.empty(0)  # of the type and on the device of what the lab's own lines make
    for what in ("dtype", "device"):
        odd = [name for name in ours if name in theirs and getattr(theirs[name], what) != getattr(usual, what)]
        found += [f"{name} has the {what} {getattr(theirs[name], what)}" for name in odd]
    if found:
        raise WrongAnswer(f"The layers are not those of the lab, which the check fills: {'; '.join(found)}.")


def _weights(generator: torch.Generator, kind: str, symbols: int = SYMBOLS, width: int = WIDTH) -> Weights:
    """Weights as the class draws them, wide enough that the rows of attention are uneven."""
    shapes = {name: tensor.shape for name, tensor in Classifier(symbols, INTENTS, kind, width).state_dict().items()}
    drawn = {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}
    for name, tensor in drawn.items():
        if name != "embedding.weight" and tensor.ndim == 2:
            tensor /= width**0.5
    drawn["embedding.weight"][0] = 0.0
    return drawn


def _whole(generator: torch.Generator, kind: str) -> Weights:
    """Small whole numbers and a width of 4, so that large scores are exact in whichever way they are computed."""
    drawn = _weights(generator, kind, width=4)
    return {
        name: (tensor * (8 if name == "embedding.weight" else 2)).round().clamp(-20, 20)
        for name, tensor in drawn.items()
    }


def _low(whole: Weights) -> Weights:
    """The same, with a bias in queries and keys that makes every score very small."""
    if "to_q.bias" not in whole:
        return whole
    far = torch.tensor([600.0, 0.0, 0.0, 0.0])
    return {**whole, "to_q.weight": torch.zeros(4, 4), "to_q.bias": -far, "to_k.bias": far}


def _cases(kind: str, generator: torch.Generator) -> list[Case]:
    weights = _weights(generator, kind)
    cases = [
        Case(told(lengths), {"weights": weights, "ids": drawn_queries(generator, lengths, n, SYMBOLS)}, gradients=True)
        for lengths, n in _LENGTHS
    ]
    edges = {
        "a batch of one query": [[7, 1, 9, 0, 0]],
        "queries of one token": [[5], [1]],
        "a query that is all padding": [[3, 1, 5], [0, 0, 0], [300, 0, 0]],
        "ids of 256 and more": [[256, 300, 306, 0], [2, 257, 1, 255]],
        "one query twice": [[5, 6, 0], [5, 6, 0]],
    }
    few = [Case(name, {"weights": weights, "ids": torch.tensor(ids)}, edge=True) for name, ids in edges.items()]
    whole, ids = _whole(generator, kind), drawn_queries(generator, (5, 7, 2), 7, SYMBOLS)
    large = {"scores of several hundred": whole, "scores of -100,000 and less": _low(whole)}
    few += [Case(name, {"weights": weights, "ids": ids}, edge=True, tolerance=1e-3) for name, weights in large.items()]
    return [*cases, *few]


def _small(kind: str) -> list[Arguments]:
    """One or two tokens, and weights that fit a line: an embedding of one number, which is the id over ten."""
    weights: dict[str, Tensor] = {"embedding.weight": torch.arange(0, 1, 0.1)[:, None]}
    for layer in () if kind == "bag" else ("to_q", "to_k", "to_v"):
        weights |= {f"{layer}.weight": torch.ones(1, 1), f"{layer}.bias": torch.zeros(1)}
    weights |= {"head.weight": torch.ones(1, 1), "head.bias": torch.zeros(1)}
    few = ([[5]], [[1]], [[5, 0]], [[5, 7]], [[5, 7, 0]], [[5, 1, 0]], [[5, 7, 2], [9, 0, 0]])
    return [{"weights": _Ones(weights), "ids": torch.tensor(ids)} for ids in few]


class _Ones(dict[str, Any]):
    """Weights that print as words."""

    def __str__(self) -> str:
        return "ones, biases = zeros and an embedding of id / 10"


def forward_task(kind: str) -> Task:
    def right(weights: Weights, ids: Tensor) -> Tensor:
        return forward(kind)(weights, ids)

    return Task(
        right=right,
        cases=lambda generator: _cases(kind, generator),
        small=lambda: _small(kind),
        mistakes=mistakes(kind),
        property_of=lambda *_: "The logits are others.",
        shape_of=lambda *_: "one number an intent, (B, C)",
        place=lambda _, place: "query {}, number {}".format(*place),
        borrowed=(Classifier.forward,),
    )


def _judge_both_masks(answer: Forward) -> None:
    """Padding on the right hides that the padding mask is missing beside the causal one; here it lies in between."""
    ids = torch.tensor([[4, 0, 9, 7, 0, 0, 0], [3, 8, 0, 0, 6, 2, 0], [5, 0, 0, 0, 0, 12, 11]])
    weights = _weights(torch.Generator().manual_seed(3), "causal")
    # A mean that counts slots up to the length is right for the lab, where padding stands on the right.
    by_length = (torch.arange(ids.shape[1]) < (ids != 0).sum(dim=1, keepdim=True)).long()
    found = answer(weights, ids)
    for counted in (ids, by_length):
        alone = unmasked(weights, ids, counted)
        if isinstance(found, Tensor) and torch.allclose(found, alone, rtol=1e-5, atol=1e-5):
            raise WrongAnswer(
                "The padding mask is missing. With padding on the right the causal mask covers for it; with "
                "padding between tokens, pads get weight as keys. Join the two.",
                mistake=Mistake("The padding mask is missing.", lambda weights, ids: unmasked(weights, ids, ids)),
            )
