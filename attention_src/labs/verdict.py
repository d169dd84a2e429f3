"""What a check says about a reader's answer, and what all checks have in common."""

import dis
import secrets
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import Protocol, TypeVar

import torch

from attention_src.labs import limits

Answer = TypeVar("Answer", contravariant=True)
WIDTH = 76
# Files that are not the reader's.
OURS_AND_PYTHONS = (str(Path(__file__).parents[1]), sysconfig.get_path("stdlib"), "<frozen")


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right and, if not, which property broke.

    True exactly when the answer is right, so a cell can go on with `if verdict:`.

    Attributes:
        subject: The name of what was checked.
        right: Whether every property holds.
        message: What was found, in one or two sentences.
        seed: What the new inputs were drawn from; the same check with `seed=` draws them again.
        mistake: The known mistake that gives all that the answer gave, where the message names the cause.
    """

    subject: str
    right: bool
    message: str
    seed: int = 0
    mistake: object = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        """Say whether the answer is right."""
        return self.right

    def __str__(self) -> str:
        """Return what a check cell prints, in lines that fit a page."""
        text = f"{self.subject}: {'right' if self.right else 'not yet'}. {self.message}"
        return fill(text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


class WrongAnswer(Exception):  # noqa: N818 (a finding about an answer, and no fault of the program)
    """A property that an answer lacks; the message says which, what was expected and what came.

    Attributes:
        mistake: The known mistake that gives all that the answer gave, where the message names the cause.
    """

    def __init__(self, message: str, *, mistake: object = None) -> None:
        super().__init__(message)
        self.mistake = mistake


class Check(Protocol[Answer]):
    """A check as a reader calls it."""

    __name__: str

    def __call__(self, answer: Answer, *, seed: int | None = None) -> Verdict:
        """Judge an answer; new inputs are drawn from `seed`, or from a seed that nobody knows before."""


def check(subject: str) -> Callable[[Callable[[Answer, int], str]], Check[Answer]]:
    """Make a check out of a function that returns praise, or raises `WrongAnswer` at the first broken property.

    The function gets the answer and a seed, for inputs that no answer can have been written for.
    An answer that is a stub, raises an error, ends the program, or does not end itself is no reason for a check to
    fail: the verdict says so, and names the line.
    The global generator, the mode of gradients, the default dtype and the number of threads are afterwards what they
    were before.

    Args:
        subject: The name of the answer, as the reader knows it.

    Returns:
        A decorator; what it decorates returns a `Verdict`.
    """

    def decorate(judge: Callable[[Answer, int], str]) -> Check[Answer]:
        @wraps(judge)
        def checked(answer: Answer, *, seed: int | None = None) -> Verdict:
            drawn = secrets.randbelow(10**6) if seed is None else seed
            try:
                with _undisturbed(), limits.limited(limits.SECONDS):
                    return Verdict(subject, True, judge(answer, drawn), drawn)
            except WrongAnswer as wrong:
                return Verdict(subject, False, str(wrong), drawn, wrong.mistake)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                return Verdict(subject, False, _ended(error), drawn)

        return checked

    return decorate


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep what an answer does to PyTorch's global state away from the reader's next cell.

    One thread is enough for small inputs; several, on a busy machine, take twenty times as long.
    """
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]), torch.inference_mode(mode=False), torch.enable_grad():
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)


def _ended(error: BaseException) -> str:
    """Say how an answer ended that neither returned nor was judged."""
    if is_stub(error):
        return f"It is not written: {error}"
    if isinstance(error, limits.TimeUp):
        return f"It had no answer after {limits.SECONDS:g} seconds and was stopped{_line(error)}: does a loop not end?"
    if isinstance(error, SystemExit):
        return f"It ended the whole program{_line(error)}: expected that it returns its answer."
    if isinstance(error, RecursionError):
        return f"It called itself again and again, and never came to an end{_line(error)}."
    return f"It raised {told(error)}"


def is_stub(error: BaseException) -> bool:
    """Say whether an error is that of a task that was not begun: a `raise` in Python, where PyTorch has its own."""
    raised = error.__traceback__
    if not isinstance(error, NotImplementedError) or raised is None:
        return False
    while raised.tb_next is not None:
        raised = raised.tb_next
    return dis.opname[raised.tb_frame.f_code.co_code[raised.tb_lasti]] == "RAISE_VARARGS"


def told(error: BaseException) -> str:
    """Return an error's words, with the line of the reader's code that it came through last."""
    return f"{type(error).__name__}: {error}{_line(error)}"


def _line(error: BaseException) -> str:
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if _is_the_readers(frame.filename)]
    return f" (at `{lines[-1]}`)" if lines and lines[-1] else ""


def _is_the_readers(filename: str) -> bool:
    """Whether a file is neither this package's, nor Python's own, nor an installed one's."""
    return not filename.startswith(OURS_AND_PYTHONS) and "site-packages" not in filename
