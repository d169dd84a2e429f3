"""Tests of `attention_src.labs.limits`: what does not end is ended, wherever it runs."""

import signal
import sys
import threading
import time

import pytest

from attention_src.labs.limits import TimeUp, limited


def endless():
    while True:
        pass


def stubborn():
    """Catches whatever it can, and goes on."""
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def deaf():
    """Catches everything, as a bare `except:` does."""
    try:
        endless()
    except BaseException:
        endless()


@pytest.mark.parametrize("loop", [endless, stubborn, deaf])
def test_limit_ends_a_loop_in_the_main_thread(loop):
    """By a signal, again and again where the first was caught."""
    started = time.monotonic()
    with pytest.raises(TimeUp), limited(0.2):
        loop()
    assert time.monotonic() - started < 5


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_limit_ends_a_sleep():
    """The signal wakes what sleeps."""
    with pytest.raises(TimeUp), limited(0.2):
        time.sleep(60)


@pytest.mark.parametrize("loop", [endless, stubborn, deaf])
def test_limit_ends_a_loop_in_another_thread(loop):
    """There are no signals there, so Python raises the exception in the thread."""
    found = []

    def run():
        try:
            with limited(0.2):
                loop()
        except TimeUp:
            found.append("ended")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert found == ["ended"]


def test_limit_works_without_the_timer(monkeypatch):
    """As on Windows, where the main thread is ended as another one would be."""
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with pytest.raises(TimeUp), limited(0.2):
        endless()


def test_limit_leaves_the_interpreter_as_it_was(monkeypatch):
    """Python 3.11 hangs under a profiler when an exception for a thread was asked for and taken back."""
    monkeypatch.delattr(signal, "setitimer", raising=False)
    with limited(5):
        pass
    seen = []
    with limited(5):
        sys.setprofile(lambda *_: seen.append(True))
        try:
            threading.get_ident()
        finally:
            sys.setprofile(None)
    assert seen


def test_limit_leaves_what_ends_alone():
    """Nothing is raised inside, and nothing comes later."""
    with limited(0.2):
        pass
    time.sleep(0.4)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_limit_gives_back_another_timer():
    """Somebody else's alarm still rings, by their own handler."""
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with limited(5):
            pass
        assert not rung
        time.sleep(0.6)
        assert rung
    finally:
        signal.signal(signal.SIGALRM, before)
