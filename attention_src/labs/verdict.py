"""What a check says about a reader's answer."""

import sysconfig
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import ParamSpec

P = ParamSpec("P")
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
    """

    subject: str
    right: bool
    message: str

    def __bool__(self) -> bool:
        """Say whether the answer is right."""
        return self.right

    def __str__(self) -> str:
        """Return what a check cell prints, in lines that fit a page."""
        text = f"{self.subject}: {'right' if self.right else 'not yet'}. {self.message}"
        return fill(text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


class WrongAnswer(Exception):  # noqa: N818 (a finding about an answer, and no fault of the program)
    """A property that an answer lacks; the message says which, what was expected and what came."""


def check(subject: str) -> Callable[[Callable[P, str]], Callable[P, Verdict]]:
    """Make a check out of a function that returns praise, or raises `WrongAnswer` at the first broken property.

    An answer that is still a stub, or that raises an error of its own, is no reason for a check to fail: the
    verdict says so, and names the line.

    Args:
        subject: The name of the answer, as the reader knows it.

    Returns:
        A decorator; what it decorates returns a `Verdict`.
    """

    def decorate(judge: Callable[P, str]) -> Callable[P, Verdict]:
        @wraps(judge)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Verdict:
            try:
                return Verdict(subject, True, judge(*args, **kwargs))
            except WrongAnswer as wrong:
                return Verdict(subject, False, str(wrong))
            except NotImplementedError as stub:
                return Verdict(subject, False, f"It is not written: {stub}")
            except Exception as error:
                return Verdict(subject, False, f"It raised {_told(error)}")

        return checked

    return decorate


def _told(error: Exception) -> str:
    """The error, with the line of the reader's code that it came through last."""
    text = f"{type(error).__name__}: {error}"
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if _is_the_readers(frame.filename)]
    return f"{text} (at `{lines[-1]}`)" if lines and lines[-1] else text


def _is_the_readers(filename: str) -> bool:
    """Whether a file is neither this package's, nor Python's own, nor an installed one's."""
    return not filename.startswith(OURS_AND_PYTHONS) and "site-packages" not in filename
