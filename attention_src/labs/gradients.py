"""Whether training would reach what it should: the gradients of an answer, beside those of the right one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from attention_src.labs.answers import Parts, apart, as_parts, close, worst
from attention_src.labs.asking import each_tensor
from attention_src.labs.verdict import WrongAnswer, told

_TOLERANCE = 1e-3  # of the largest entry; gradients are sums of many terms


def judge_gradients(
    right: Callable[..., object],
    answer: Callable[..., object],
    arguments: Mapping[str, Any],
    parts: Sequence[str],
    reads: Callable[[object, Parts], Parts] = as_parts,
) -> None:
    """Raise unless each part of an answer passes on the gradient that the right one does.

    Args:
        right: The right answer.
        answer: The reader's, whose numbers are right.
        arguments: Gradients are taken with respect to every tensor of floats in them.
        parts: Names of what comes back.
        reads: Turns what came back into parts.

    Raises:
        WrongAnswer: A gradient is missing, is another, or cannot be taken.
    """
    ours, theirs = (_leaves(arguments) for _ in range(2))
    wanted = as_parts(right(*ours.values()), dict.fromkeys(parts, torch.empty(0)))
    try:
        got = reads(answer(*theirs.values()), wanted)
    except WrongAnswer:
        raise
    except Exception as error:
        raise WrongAnswer(
            f"The numbers are right, but with inputs that require a gradient it raised {told(error)}"
        ) from None
    for part in parts:
        _judge_part(part, _taken(wanted[part], ours), _taken(got[part], theirs))


def _leaves(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each_tensor(value, _leaf) for name, value in arguments.items()}


def _leaf(tensor: Tensor) -> Tensor:
    return tensor.clone().requires_grad_(tensor.is_floating_point())


def _named(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors of floats among the arguments, and in their dicts, by name."""
    for name, value in arguments.items():
        if isinstance(value, Tensor) and value.is_floating_point():
            yield name, value
        elif isinstance(value, dict):
            yield from _named(value)


def _taken(part: Tensor, arguments: Mapping[str, Any]) -> dict[str, Tensor]:
    """The gradient of a weighed sum of a part, by argument; zeros where none arrives."""
    leaves = dict(_named(arguments))
    slope = torch.linspace(-1, 1, part.numel()).view(part.shape).to(part.dtype)
    found: Sequence[Tensor | None] = [None] * len(leaves)
    if part.requires_grad:
        try:
            found = torch.autograd.grad((part * slope).sum(), [*leaves.values()], allow_unused=True, retain_graph=True)
        except RuntimeError as error:
            reason = str(error).split(":")[0]
            raise WrongAnswer(f"The numbers are right, but no gradient can be taken of them: {reason}.") from None
    pairs = zip(leaves.items(), found, strict=True)
    return {name: torch.zeros_like(leaf) if one is None else one for (name, leaf), one in pairs}


def _judge_part(part: str, wanted: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> None:
    of = f" of the {part}" if part else ""
    size = max((float(gradient.abs().max()) for gradient in wanted.values() if gradient.numel()), default=0.0)
    wrong = [name for name in wanted if not close(found[name], wanted[name], _TOLERANCE, _TOLERANCE * size)]
    cut = [name for name in wrong if not found[name].any()]
    if cut:
        raise WrongAnswer(
            f"The numbers are right, but no gradient{of} reaches {', '.join(cut)}, so it could not be trained: "
            "something on the way cuts it off (detach, data, item, tolist, no_grad, or a tensor made anew)."
        )
    for name in wrong:
        place = worst(found[name], wanted[name], 0.0)
        expected, got = apart(wanted[name][tuple(place)].item(), found[name][tuple(place)].item())
        raise WrongAnswer(
            f"The numbers are right, but the gradient{of} of {name} is not, so training would go wrong: something on "
            f"the way is cut off, or not smooth. At {place} expected {expected}, got {got}."
        )
