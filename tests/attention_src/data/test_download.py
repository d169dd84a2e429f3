"""Tests of `attention_src.data.download`; nothing leaves the machine."""

import hashlib
import socket
from pathlib import Path

import pytest

from attention_src.data.download import CHUNK, fetch

CONTENT = bytes(range(256)) * 1024
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def address(tmp_path):
    """Return the address of a file with `CONTENT`."""
    path = tmp_path / "served"
    path.write_bytes(CONTENT)
    return path.as_uri()


@pytest.fixture
def goal(tmp_path):
    """Return where the file goes, in a folder that does not exist."""
    return tmp_path / "new" / "folder" / "file"


def ignore(_: int) -> None:
    """Take the progress and do nothing."""


def left(goal: Path) -> list[str]:
    """Return the names of the files in the goal's folder."""
    return sorted(path.name for path in goal.parent.iterdir())


def test_fetch_writes_the_file_and_tells_how_far_it_is(address, goal):
    """The file appears under its name only, after steps of one chunk."""
    steps = []
    fetch(address, goal, SHA256, len(CONTENT), steps.append)
    assert goal.read_bytes() == CONTENT
    assert left(goal) == ["file"]
    assert steps == [CHUNK, 2 * CHUNK, 3 * CHUNK, 4 * CHUNK]


def test_fetch_refuses_a_wrong_sum(address, goal):
    """The error names the address and both sums, and nothing is kept."""
    wrong = "0" * 64
    with pytest.raises(ValueError, match=f"served: expected sha256 {wrong}, got {SHA256}; nothing was kept"):
        fetch(address, goal, wrong, len(CONTENT), ignore)
    assert left(goal) == []


def test_fetch_refuses_a_shorter_answer(address, goal):
    """A connection that broke off is no file."""
    with pytest.raises(ValueError, match="expected 262,145 bytes, got 262,144; nothing was kept"):
        fetch(address, goal, SHA256, len(CONTENT) + 1, ignore)
    assert left(goal) == []


def test_fetch_stops_at_a_longer_answer(address, goal):
    """A server that sends something endless cannot fill the disk."""
    with pytest.raises(ValueError, match="expected 100 bytes, got 65,536 or more; nothing was kept"):
        fetch(address, goal, SHA256, 100, ignore)
    assert left(goal) == []


def test_fetch_leaves_a_file_alone_when_it_fails(address, goal):
    """What was there before is still there."""
    goal.parent.mkdir(parents=True)
    goal.write_text("before", encoding="utf-8")
    with pytest.raises(ValueError, match="expected sha256"):
        fetch(address, goal, "0" * 64, len(CONTENT), ignore)
    assert goal.read_text(encoding="utf-8") == "before"
    assert left(goal) == ["file"]


def test_fetch_names_an_address_that_cannot_be_reached(goal, monkeypatch):
    """Without a network the error says what could not be reached."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/file"
        with pytest.raises(OSError, match=f"{address}: cannot be reached: "):
            fetch(address, goal, SHA256, len(CONTENT), ignore)
    assert left(goal) == []


def test_fetch_cleans_up_when_it_is_interrupted(address, goal):
    """Ctrl-C leaves no half of a file."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(address, goal, SHA256, len(CONTENT), interrupt)
    assert left(goal) == []
