"""Ctrl-C at any moment: when it may end what runs, and when it has to wait."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C do nothing while files are put in place or removed."""
    with _handler(signal.SIG_IGN):
        yield


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt`, where it would end the process at once."""
    silent = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    with _handler(signal.default_int_handler) if silent else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _handler(handler: signal.Handlers | object) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # others cannot, and get no signals
        yield
        return
    before = signal.signal(signal.SIGINT, handler)  # type: ignore[arg-type]
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
