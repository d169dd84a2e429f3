"""What a changed answer breaks, found by comparing it with the solution on many inputs, without the checks' help."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from attention_src.labs import limits
from tools.lab_mutants.inputs import INPUTS
from tools.lab_mutants.sources import Target, answer, definitions

DRAWS = 60
SECONDS = 1.0
"""For all draws together; a change can make an endless loop."""

Function = Callable[..., Any]


@dataclass(frozen=True)
class Run:
    """What came of one call.

    Attributes:
        parts: What came back, flattened.
        error: Type of the error that was raised, or nothing.
        changed: Whether an argument is another than before.
        gradients: Of each part, with respect to each argument.
    """

    parts: tuple[object, ...] = ()
    error: str = ""
    changed: bool = False
    gradients: tuple[Tensor, ...] = ()


def as_function(target: Target, made: Function) -> Function:
    """A class as a function of kind, weights and ids; anything else as it is."""
    if target.name != "MyClassifier":
        return made

    def call(kind: str, weights: dict[str, Tensor], ids: Tensor) -> object:
        symbols, width = weights["embedding.weight"].shape
        return functional_call(made(symbols, len(weights["head.bias"]), kind, width), weights, (ids,), strict=True)

    return call


@cache
def draws(target: Target) -> list[tuple[Any, ...]]:
    """The inputs of a target, in an order that does not depend on the machine."""
    generator = torch.Generator().manual_seed(2026)
    return [INPUTS[target.name](generator) for _ in range(DRAWS)]


def broken(target: Target, made: Function) -> set[str]:
    """The properties that a changed answer lacks somewhere; none is what makes it equivalent to the solution."""
    changed = as_function(target, made)
    found: set[str] = set()
    inputs = list(zip(draws(target), solved(target), strict=True))
    try:
        with limits.limited(SECONDS), torch.random.fork_rng(devices=[]):
            found |= _other_draws(target, made)
            for arguments, right in inputs:
                other = run(changed, arguments, numbers=target.numbers)
                found |= _differences(right, other)
                if target.constants and run(changed, arguments, numbers=True).parts != other.parts:
                    found.add("repeats")
    except limits.TimeUp:
        found.add("end")
    except (SystemExit, RecursionError):
        found.add("end")
    return found


@cache
def solved(target: Target) -> list[Run]:
    """What the solution gives for each of the inputs."""
    solution = as_function(target, answer(target, [*definitions(target)]))
    with torch.random.fork_rng(devices=[]):
        return [run(solution, arguments, numbers=target.numbers) for arguments in draws(target)]


def run(function: Function, arguments: tuple[Any, ...], *, numbers: bool = False) -> Run:
    """Call a function twice: once as it is, and once for its gradients.

    Args:
        function: An answer.
        arguments: For it; it gets copies.
        numbers: Whether numbers are asked for, in whichever form they come; a number carries no gradient.
    """
    given = _copy(arguments)
    try:
        value = function(*given)
    except RecursionError:
        raise
    except Exception as error:
        return Run(error=type(error).__name__, changed=not _same(arguments, given))
    return Run(
        tuple(_flat(_plain(value) if numbers else value)),
        "",
        not _same(arguments, given),
        () if numbers else _gradients(function, arguments),
    )


def agree(one: object, other: object) -> bool:
    """Whether two parts hold the same numbers, as far as rounding lets one say."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape:
            return False
        right = one.detach().double()
        size = float(right.abs().nan_to_num(0, 0, 0).max()) if right.numel() else 0.0
        return torch.allclose(right, other.detach().double(), rtol=1e-4, atol=1e-5 * (1 + size), equal_nan=True)
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-250) or (math.isnan(one) and math.isnan(other))
    return type(one) is type(other) and bool(one == other)


def _differences(right: Run, other: Run) -> set[str]:
    if right.error:  # the solution has no answer, so any will do
        return set()
    if other.error:
        return {"raises"} | ({"changes"} if other.changed else set())
    found = {"changes"} if other.changed else set()
    if len(right.parts) != len(other.parts):
        return found | {"type"}
    for one, two in zip(right.parts, other.parts, strict=True):
        found |= _difference(one, two)
    if not found & {"type", "shape", "dtype", "values"}:
        pairs = zip(right.gradients, other.gradients, strict=False)
        if len(right.gradients) != len(other.gradients) or not all(_close(*pair) for pair in pairs):
            found.add("gradient")
    return found


def _difference(right: object, other: object) -> set[str]:
    if isinstance(right, Tensor) != isinstance(other, Tensor):
        return {"type"}
    if isinstance(right, Tensor) and isinstance(other, Tensor):
        if right.shape != other.shape:
            return {"shape"}
        # Where the solution has no number, as in the mean of nothing, any will do.
        free = torch.where(right.isnan(), right, other) if right.is_floating_point() else other
        found = set() if right.dtype == other.dtype else {"dtype"}
        return found if agree(right, free.to(right.dtype)) else found | {"values"}
    if isinstance(right, float) and isinstance(other, float):
        return set() if agree(right, other) else {"values"}
    return set() if right == other else {"values", "type"}


def _close(one: Tensor, other: Tensor) -> bool:
    size = float(one.abs().nan_to_num(0, 0, 0).max()) if one.numel() else 0.0
    return torch.allclose(one.nan_to_num(0, 0, 0), other.nan_to_num(0, 0, 0), rtol=1e-2, atol=1e-4 + 1e-3 * size)


def _gradients(function: Function, arguments: tuple[Any, ...]) -> tuple[Tensor, ...]:
    leaves: list[Tensor] = []

    def leaf(tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point():
            return tensor.clone()
        leaves.append(tensor.clone().requires_grad_())
        return leaves[-1]

    given = _each_tensor(arguments, leaf)
    if not leaves:
        return ()
    found = []
    try:
        for part in _flat(function(*given)):
            if not isinstance(part, Tensor) or not part.is_floating_point() or part.numel() == 0:
                continue
            if not part.requires_grad:
                found += [torch.zeros_like(each) for each in leaves]
                continue
            weighed = (part * torch.linspace(-1, 1, part.numel()).view(part.shape)).sum()
            some = torch.autograd.grad(weighed, leaves, allow_unused=True, retain_graph=True)
            found += [torch.zeros_like(each) if one is None else one for each, one in zip(leaves, some, strict=True)]
    except Exception:
        return (torch.full((1,), torch.inf),)
    return tuple(found)


def _plain(value: object) -> object:
    """Numbers as floats, whether they come in a tensor, as tensors, as ints or as booleans."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Tensor):
        return _plain(value.tolist())
    return float(value) if isinstance(value, int | float) else value


def _flat(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return [part for key in sorted(value) for part in [key, *_flat(value[key])]]
    if isinstance(value, tuple | list):
        return [part for each in value for part in _flat(each)]
    return [value]


def _copy(value: Any) -> Any:
    return _each_tensor(value, torch.clone)


def _each_tensor(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, nn.Module):
        return copy.deepcopy(value)
    if isinstance(value, tuple | list):
        return type(value)(_each_tensor(each, change) for each in value)
    if isinstance(value, dict):
        return {key: _each_tensor(each, change) for key, each in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, nn.Module):
        return _same(dict(one.state_dict()), dict(other.state_dict()))
    if isinstance(one, Tensor):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and torch.equal(one.nan_to_num(-7.5), other.nan_to_num(-7.5))
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return one is other or bool(one == other)


def _other_draws(target: Target, made: Function) -> set[str]:
    """For a class: whether its layers start with other numbers than the solution's."""
    if target.name != "MyClassifier":
        return set()
    solution = answer(target, [*definitions(target)])
    for kind in ("bag", "attention", "causal"):
        states = []
        for each in (solution, made):
            torch.manual_seed(3)
            try:
                states.append(dict(each(19, 3, kind, 5).state_dict()))
            except Exception:
                return {"raises", "layers"}
        if not _same(*states):
            return {"layers"}
    return set()
