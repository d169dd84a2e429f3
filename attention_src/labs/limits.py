"""An end to answers that do not end: a time limit that works in scripts, in notebooks and in other threads."""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SECONDS = 10.0
"""How long an answer may compute; right ones need a small part of it."""

PATIENCE = 6
"""How many times as long it may take on the clock, since a busy machine is slow, and a sleep computes nothing."""

# An answer may catch what stops it, as a bare `except:` does, so it is stopped again and again.
_AGAIN = 0.2
# Turns of a loop after which Python has raised what another thread asked for.
_AWHILE = 1000


class TimeUp(BaseException):
    """The answer was stopped; no `Exception`, so that `except Exception` in an answer does not catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` in the code inside once it has computed for `seconds`, or waited for `PATIENCE` times as long.

    The main thread is woken by a timer of the system, which also ends a sleep.
    Where there is no such timer, on Windows and in other threads, a second thread has Python raise the exception.

    Raises:
        TimeUp: The time is up.
    """
    main = threading.current_thread() is threading.main_thread()
    with _by_signal(seconds) if main and hasattr(signal, "setitimer") else _by_thread(seconds):
        yield


def _clock(seconds: float) -> Callable[[], bool]:
    """A function that says whether the time is up, counted from now."""
    computed, waited = time.process_time() + seconds, time.monotonic() + PATIENCE * seconds
    return lambda: time.process_time() >= computed or time.monotonic() >= waited


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    inside, up = True, _clock(seconds)

    def stop(_number: int, _frame: FrameType | None) -> None:
        if inside and up():
            raise TimeUp

    before = signal.signal(signal.SIGALRM, stop)
    rest, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        inside = False
        # Somebody else's timer goes on; it is late rather than lost.
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    done, here, up = threading.Event(), ctypes.c_ulong(threading.get_ident()), _clock(seconds)

    def stop() -> None:
        if done.wait(seconds):
            return
        for _ in range(_AWHILE):
            while not up():
                if done.wait(_AGAIN):
                    return
            ctypes.pythonapi.PyThreadState_SetAsyncExc(here, ctypes.py_object(TimeUp))
            if done.wait(_AGAIN):
                return

    watchdog = threading.Thread(target=stop, daemon=True)
    watchdog.start()
    try:
        yield
    finally:
        # What was asked for and not raised yet is raised here; to take it back would leave Python 3.11's interpreter
        # with a flag that it never clears, and a profiler would hang.
        done.set()
        with suppress(TimeUp):
            watchdog.join()
            for _ in range(_AWHILE):
                pass
