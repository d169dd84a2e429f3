"""Give a run a date of its own, so that what it prints does not depend on the day.

The clock begins at a fixed moment and goes on at its usual speed.
"""

from __future__ import annotations

import ctypes
import datetime
import functools
import gc
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

_real = time.time
_real_ns = time.time_ns
_behind_ns = 0  # what the clock of a run lies behind the real one, in nanoseconds
_set = False


def begin(date: int) -> None:
    """Let the clock of this process show `date` (seconds since 1970, UTC) now."""
    global _behind_ns, _set
    _behind_ns = _real_ns() - date * 10**9
    if not _set:
        _set = True
        _replace_functions()
        _replace_methods()


def now_ns() -> int:
    """The time of the run in nanoseconds since 1970."""
    return _real_ns() - _behind_ns


def now() -> float:
    """The time of the run in seconds since 1970."""
    return now_ns() / 1e9


def _replace_functions() -> None:
    strftime, asctime = time.strftime, time.asctime
    functions: dict[str, Callable[..., Any]] = {
        "time": now,
        "time_ns": now_ns,
        **{name: _at_present(getattr(time, name)) for name in ("localtime", "gmtime", "ctime")},
        "strftime": lambda format, *when: strftime(format, *(when or (time.localtime(),))),
        "asctime": lambda *when: asctime(*(when or (time.localtime(),))),
    }
    if hasattr(time, "clock_gettime"):
        real, real_ns, wall = time.clock_gettime, time.clock_gettime_ns, time.CLOCK_REALTIME
        functions["clock_gettime"] = lambda clock: now() if clock == wall else real(clock)
        functions["clock_gettime_ns"] = lambda clock: now_ns() if clock == wall else real_ns(clock)
    for name, function in functions.items():
        # Static, since a class may keep one (`logging.Formatter.converter`), where a function would become a method.
        setattr(time, name, staticmethod(functools.update_wrapper(function, getattr(time, name))))


def _at_present(function: Callable[..., Any]) -> Callable[..., Any]:
    def at(seconds: float | None = None) -> Any:
        return function(now() if seconds is None else seconds)

    return at


def _replace_methods() -> None:
    """Replace what `datetime` takes from the system directly; `today` asks the module `time`.

    Its types are C's and cannot be assigned to, but their tables can.
    """
    table = next((found for found in gc.get_referents(datetime.datetime.__dict__) if isinstance(found, dict)), None)
    if table is None:
        return

    def current(kind: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return kind.fromtimestamp(now(), tz)

    def current_utc(kind: type[datetime.datetime]) -> datetime.datetime:
        if sys.version_info >= (3, 12):
            text = "datetime.datetime.utcnow() is deprecated and scheduled for removal in a future version."
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return kind.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

    table["now"], table["utcnow"] = classmethod(current), classmethod(current_utc)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))
