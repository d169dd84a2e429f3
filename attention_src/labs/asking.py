"""Asking a reader's function: on copies of the arguments, which must stay as they are, and without borrowed answers."""

import copy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attention_src.labs import limits, verdict
from attention_src.labs.verdict import WrongAnswer, is_stub

P = ParamSpec("P")
T = TypeVar("T")
_PACKAGE = str(Path(__file__).parents[1])
_LABS = str(Path(__file__).parent)
_ADAPTERS: set[CodeType] = set()
# These run while an answer does.
_AROUND = {__file__, verdict.__file__, limits.__file__}


@dataclass(frozen=True)
class Outcome:
    """What a function gave: a value, or the error that it raised."""

    value: object = None
    error: Exception | None = None


def asked(
    function: Callable[..., object],
    arguments: Mapping[str, Any],
    borrowed: Iterable[Callable[..., object]] = (),
    *,
    tensors: bool = True,
) -> Outcome:
    """Call a reader's function on copies of its arguments.

    Args:
        function: What the reader wrote.
        arguments: By the names that the reader knows; passed by position.
        borrowed: Functions of the project that are the answer, and so must not be called.
        tensors: Whether the function may compute with tensors.

    Raises:
        WrongAnswer: It changed an argument, called a function of `borrowed`, or computed with tensors.
        NotImplementedError: It is a stub.
    """
    given = {name: each_tensor(value, _copy) for name, value in arguments.items()}
    mode = nullcontext() if tensors else _NoTensors()
    try:
        with unborrowed(borrowed, allowed=given.values()), mode:
            outcome = Outcome(function(*given.values()))
    except (RecursionError, WrongAnswer):
        raise
    except Exception as error:
        if is_stub(error):
            raise
        outcome = Outcome(error=error)
    for name, before in arguments.items():
        if not same(before, given[name]):
            raise WrongAnswer(f"It changed its argument `{name}`: expected a new one, since the caller needs the old.")
    return outcome


def adapter(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a function of a check that stands between it and a reader's code, so that both may call it."""
    _ADAPTERS.add(function.__code__)
    return function


def each_tensor(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Copy lists, tuples, dicts and modules, and put `change(tensor)` in the place of each tensor in them."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, nn.Module):
        return copy.deepcopy(value)
    if isinstance(value, list | tuple):
        return type(value)(each_tensor(entry, change) for entry in value)
    if isinstance(value, dict):
        return {key: each_tensor(entry, change) for key, entry in value.items()}
    return value


def _copy(tensor: Tensor) -> Tensor:
    """A copy that lies in memory as the original does: a clone may be contiguous where the original is not."""
    if tensor.is_contiguous():
        return tensor.clone()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(tensor)


def same(one: Any, other: Any) -> bool:
    """Say whether two arguments hold the same, in every bit."""
    if isinstance(one, Tensor):
        alike = isinstance(other, Tensor) and one.shape == other.shape and one.dtype == other.dtype
        return alike and bool(((one == other) | ((one != one) & (other != other))).all())  # a NaN is no other NaN
    if isinstance(one, nn.Module):
        return isinstance(other, nn.Module) and same(one.state_dict(), other.state_dict())
    if isinstance(one, Mapping):
        return (
            isinstance(other, Mapping) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        )
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


class _NoTensors(TorchFunctionMode):
    """Refuses every function of PyTorch."""

    def __torch_function__(  # type: ignore[no-untyped-def]
        self, _function: Callable[..., object], _types: object, _args: object = (), _kwargs: object = None
    ):
        raise WrongAnswer("It computes with tensors, and the task asks for loops over plain numbers.")


@contextmanager
def unborrowed(borrowed: Iterable[Callable[..., object]], allowed: Iterable[object] = ()) -> Iterator[None]:
    """Refuse the project's own answers, and whatever else belongs to the checks, while a reader's code runs.

    Args:
        borrowed: Functions that the reader's code must not call itself; what other functions call is their business.
        allowed: What the reader was given; functions among it may be called.

    Raises:
        WrongAnswer: One of them was called.
    """
    codes = [_codes(function) for function in borrowed]
    answers = {chain[-1] for chain in codes if chain}
    around = {code for chain in codes for code in chain[:-1]}
    given = _ADAPTERS | {chain[-1] for value in allowed if (chain := _codes(value))}
    caught: list[WrongAnswer] = []

    def watch(frame: FrameType, event: str, _arg: object) -> None:
        code = frame.f_code
        if event != "call" or code in given or not (code in answers or _of_a_check(code)):
            return
        caller = frame.f_back
        while caller is not None and caller.f_code in around:
            caller = caller.f_back
        name = caller.f_code.co_filename if caller is not None else ""
        if name == __file__ or not name.startswith(_PACKAGE):
            module = Path(code.co_filename).relative_to(_PACKAGE).with_suffix("").as_posix().replace("/", ".")
            caught.append(
                WrongAnswer(f"It calls attention_src.{module}.{code.co_qualname}: write the answer yourself.")
            )
            raise caught[0]

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
    if caught:
        raise caught[0]  # the answer may have caught it


def _of_a_check(code: CodeType) -> bool:
    """Whether code belongs to the checks; importing one of their modules is no call."""
    return code.co_filename.startswith(_LABS) and code.co_filename not in _AROUND and code.co_name != "<module>"


def _codes(value: object) -> list[CodeType]:
    """The code of a function, behind that of the decorators around it, the outermost first."""
    found = []
    while callable(value):
        code = getattr(value, "__code__", None)
        if isinstance(code, CodeType):
            found.append(code)
        value = getattr(value, "__wrapped__", None)
    return found
