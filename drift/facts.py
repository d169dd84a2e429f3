"""What a snippet tells the checker: facts, tolerances and files it made.

This module is imported by snippets, so it holds the standard library only.
Run by hand (`python snippets/scaling/saturation.py`) the calls check their arguments and record nothing.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Value = bool | int | float | str

FACT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?\Z")
ARTIFACT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\.(?:svg|json)\Z")
# A bracket would end the quote of a text, and a line break or a control character is not shown as it is.
_UNQUOTABLE = re.compile(r"[\[\]\x00-\x1f\x7f\x85\u2028\u2029]")


class FactError(ValueError):
    """A fact, tolerance or artifact that cannot be recorded."""


class UnmetNeedError(SystemExit):
    """Ends a snippet that lacks what it needs; run by hand, Python prints the reason and gives exit code 1."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not run: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Fact:
    """One named value, with the absolute tolerance within which a fresh run agrees.

    `line` is where the snippet stated it (0: unknown); two facts are equal wherever they were stated.
    """

    value: Value
    tol: float | None = None
    line: int = field(default=0, compare=False)


@dataclass
class Ledger:
    """Everything one run of a snippet stated."""

    artifact_dir: Path
    facts: dict[str, Fact] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    tolerances: dict[str, float] = field(default_factory=dict)
    artifacts: list[str] = field(default_factory=list)


# Set by the runner in the child process that executes the snippet; None when a person runs it.
_ledger: Ledger | None = None


def begin(ledger: Ledger | None) -> None:
    """Send what follows to `ledger` (the runner calls this; snippets do not)."""
    global _ledger
    _ledger = ledger


def fact(name: str, value: Any, tol: float | None = None) -> None:
    """State a named value for prose to quote.

    Args:
        name: letters, digits, `_`, `.` and `-`; unique within the snippet.
        value: a bool, int, float or str, or anything whose `.item()` gives one (a 0-d tensor).
        tol: absolute tolerance, in the value's own unit; measured with `python -m drift matrix`, never guessed.

    Raises:
        FactError: bad or repeated name, a value that is not a finite scalar, a text with brackets or line breaks
            or without anything to see, a tolerance that is not positive or that stands on a bool or a str.
    """
    stated = checked(name, value, tol)
    if _ledger is None:
        return
    if name in _ledger.facts:
        raise FactError(f"fact {name!r} stated twice, first on line {_ledger.lines[name]}")
    _ledger.facts[name] = stated
    _ledger.lines[name] = _caller_line()


def checked(name: str, value: Any, tol: float | None) -> Fact:
    """The fact that these arguments state.

    Raises:
        FactError: as for `fact`.
    """
    if not isinstance(name, str) or not FACT_NAME.match(name):
        raise FactError(f"fact name {name!r}: expected letters, digits, '_', '.' or '-'")
    scalar = _scalar(name, value)
    if isinstance(scalar, str):
        _check_text(name, scalar)
    _check_tolerance(f"fact {name!r}", tol)
    if tol is not None and isinstance(scalar, (bool, str)):
        raise FactError(f"fact {name!r}: a {type(scalar).__name__} agrees exactly or not at all, got tol={tol!r}")
    return Fact(scalar, tol)


def output_tolerance(section: str, tol: float) -> None:
    """Let the numbers that `section` prints differ by `tol` (absolute, in the unit printed)."""
    _check_tolerance(f"section {section!r}", tol)
    if _ledger is not None:
        _ledger.tolerances[section] = tol


def artifact(filename: str) -> Path:
    """Where to write a file that pages show (`saturation.svg`).

    A run of the checker gives its own folder; a run by hand gives the current one.
    """
    if not isinstance(filename, str) or not ARTIFACT_NAME.match(filename):
        raise FactError(f"artifact {filename!r}: expected lower-case letters, digits, '-', '_' and .svg or .json")
    if _ledger is None:
        return Path.cwd() / filename
    if filename in _ledger.artifacts:
        raise FactError(f"artifact {filename!r} made twice by one snippet")
    _ledger.artifacts.append(filename)
    return _ledger.artifact_dir / filename


def needs(met: bool, reason: str) -> None:
    """Go on only where this machine has what the snippet needs, such as data that is not committed.

    Where it has not, the run ends here: the snippet's record stands unchecked, and the checker reports the
    reason. So this comes before the first section, and asks for what cannot come with the repository only.

    Args:
        met: whether it is there.
        reason: what is missing and how to get it, one line.

    Raises:
        UnmetNeedError: `met` is false.
        FactError: `met` is not a bool, or `reason` is empty or longer than a line.
    """
    if not isinstance(met, bool):
        raise FactError(f"needs: expected True or False, got {type(met).__name__}")
    if not isinstance(reason, str) or not reason.strip() or len(reason.splitlines()) > 1:
        raise FactError(f"needs: expected one line that says what is missing and how to get it, got {reason!r}")
    if not met:
        raise UnmetNeedError(reason)


def _scalar(name: str, value: Any) -> Value:
    if not isinstance(value, (bool, int, float, str)) and hasattr(value, "item"):
        try:
            value = value.item()
        except (ValueError, RuntimeError) as error:
            raise FactError(f"fact {name!r}: expected one value, got {type(value).__name__}: {error}") from error
    if not isinstance(value, (bool, int, float, str)):
        raise FactError(f"fact {name!r}: expected a bool, int, float or str, got {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise FactError(f"fact {name!r}: expected a finite number, got {value}")
    # Subclasses (numpy's float64 is a float) would not survive JSON the same way.
    return next(kind(value) for kind in (bool, int, float, str) if isinstance(value, kind))


def _check_text(name: str, text: str) -> None:
    """Refuse a text that no quote can hold: one that would end it, or that nobody would see."""
    if text != text.strip() or not text:
        raise FactError(f"fact {name!r}: expected a text that begins and ends with what a reader sees, got {text!r}")
    wrong = _UNQUOTABLE.search(text)
    if wrong:
        raise FactError(f"fact {name!r}: a quote cannot hold {wrong.group()!r}, got {text!r}")


def _check_tolerance(what: str, tol: float | None) -> None:
    if tol is None:
        return
    if isinstance(tol, bool) or not isinstance(tol, (int, float)) or not math.isfinite(tol) or tol <= 0:
        raise FactError(f"{what}: expected a positive finite tolerance, got {tol!r}")


def _caller_line() -> int:
    """The line of the snippet from which `fact` was called, at whatever depth."""
    import sys

    snippet = getattr(sys.modules.get("__main__"), "__file__", None)
    nearest = frame = sys._getframe(2)
    while frame.f_code.co_filename != snippet:
        if frame.f_back is None:
            return nearest.f_lineno
        frame = frame.f_back
    return frame.f_lineno
