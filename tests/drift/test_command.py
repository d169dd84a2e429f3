"""What a command does with a full disk, with Ctrl-C, and with input that is odd: a message, and whole files."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from drift.records import record

CODE = "snippets/a/one.py"


def test_update_on_a_full_disk_writes_nothing(book, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second file finds no room: the first is not written either, and the message says what to do."""
    book.edit(CODE, "0.93214", "0.55554")
    before = book.hashes()
    original, calls = record.draft, []

    def draft(path: Path, data: bytes) -> Path:
        calls.append(path)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return original(path, data)

    monkeypatch.setattr(record, "draft", draft)
    ran = book.drift("update")
    assert ran.code == 2
    assert ran.err.endswith("No space left on device; make room and run it again; no record or page was changed\n")
    assert "Traceback" not in ran.err
    assert book.hashes() == before


@pytest.mark.parametrize("command", ["check", "update"])
def test_command_without_a_temporary_folder_says_so(book, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A snippet that has to run needs a place to run in."""
    monkeypatch.setattr("tempfile.tempdir", str(book.root / "nowhere"))
    book.edit(CODE, "0.93214", "0.55554")
    ran = book.drift(command)
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert "nowhere" in ran.err


def wait_for_the_command(pid: int) -> None:
    """Python catches Ctrl-C from its start; the command lets go of it before it imports anything."""
    for caught in (True, False):
        while bool(int(re.findall(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())[0], 16) & 2) != caught:
            time.sleep(0.001)


def interrupt(book, tmp_path: Path, after: float, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start a command as a person does, and press Ctrl-C after some seconds."""
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    env = {**os.environ, "TMPDIR": str(scratch)}
    env.pop("CI", None)
    command = [sys.executable, "-m", "drift", *arguments]
    with subprocess.Popen(
        command,
        cwd=book.root,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    ) as process:
        wait_for_the_command(process.pid)
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert list(scratch.iterdir()) == []
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the moment is read from /proc")
@pytest.mark.parametrize("after", [0, 0.1, 0.3, 0.8, 1.5])
@pytest.mark.parametrize("command", ["check", "update"])
def test_interrupted_command_ends_without_a_trace(book, tmp_path: Path, command: str, after: float) -> None:
    """Ctrl-C at whatever moment: no traceback, no half-written file, no temporary file."""
    book.edit(CODE, "share = 0.93214", "import time\ntime.sleep(3)\nshare = 0.93214")
    before = book.hashes()
    ran = interrupt(book, tmp_path, after, command)
    assert ran.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in ran.stderr + ran.stdout
    assert ran.returncode != 130 or "drift: interrupted" in ran.stderr
    assert book.hashes() == before


@pytest.mark.parametrize("text", ["{", "[]", '{"a/one": "soon"}', '{"a/one": null}', "\x00\xff"])
def test_damaged_times_cost_nothing(book, text: str) -> None:
    """The file that says what to start first may hold anything."""
    from drift.run import cache

    path = book.root / ".drift/times.json"
    if text.startswith("{") and text != "{":
        cache.write_entry(path, {"a/one": None if "null" in text else "soon"})
    else:
        path.write_text(text, encoding="utf-8")
    book.edit(CODE, "import artifact", "import  artifact")
    ran = book.drift("check")
    assert (ran.code, "Traceback" in ran.err) == (0, False)


def test_expression_that_python_cannot_read_is_a_problem_of_its_file(book) -> None:
    """Thousands of terms: the file is named, and the rest of the check is reported."""
    book.write("snippets/a/deep.py", "x = " + "+".join(["1"] * 20_000) + "\n")
    book.edit("docs/a.md", "[two]", "[six]")
    ran = book.drift("check")
    assert (ran.code, "Traceback" in ran.err) == (1, False)
    assert "snippets/a/deep.py  " in ran.out
    assert "a quote that is not its fact" in ran.out


def test_output_that_ends_in_empty_lines_is_accepted_and_agreed_with(book) -> None:
    """A blank line at the end is part of what was printed."""
    book.edit(CODE, 'print("double", double)', 'print("double", double)\nprint()\nprint("\\n")')
    assert book.drift("update").code == 0
    assert book.read("snippets/a/one.out").endswith("double 1.86428\n\n\n\n# --8<-- [end:more]\n")
    assert book.drift("check").code == 0


@pytest.mark.parametrize("mark", ["\f", "\u2028", "\u2029", "\x1c", "\x85", "\v"])
def test_lines_are_counted_as_python_counts_them(book, mark: str) -> None:
    """A character that ends a line for others ends none in a source."""
    book.edit(CODE, "total = 9216", f"total = 9216  # {mark} here")
    line = book.edit(CODE, 'fact("total", total)', 'fact("total", total + 1)')
    report = book.refused()
    assert f"made in  snippets/a/one.py:{line}\n" in report


@pytest.mark.parametrize("mark", ["\f", "\u2028", "\r"])
def test_source_shown_by_inspect_is_the_right_one(project, mark: str) -> None:
    """`inspect.getsource` shows the function, as in a run by hand."""
    outcome = project.one(
        f"# a{mark}# b\ndef f():\n    return 1\n\n\n# --8<-- [start:x]\nimport inspect\n\n"
        "print(inspect.getsource(f), end='')\n# --8<-- [end:x]\n"
    )
    assert outcome.outputs == {"x": "def f():\n    return 1\n"}


def test_checkout_with_other_line_ends_changes_nothing(book) -> None:
    """On Windows everything agrees too, and `update` leaves every file as it is."""
    for path in book.root.rglob("*"):
        if path.is_file() and ".drift" not in path.parts:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert book.drift("check").code == 0
    ran = book.drift("update", "--dry-run")
    assert (ran.code, ran.out) == (0, "0 files would change\n")
    book.edit(CODE, "0.93214", "0.55554")
    assert book.drift("update").code == 0
    for path in ("snippets/a/one.out", "snippets/a/one.facts.json", "docs/a.md", "docs/assets/figures/a/bar.svg"):
        assert book.read(path).count("\n") == book.read(path).count("\r\n") > 0, path
    assert book.drift("check").code == 0


def test_fact_stated_by_a_helper_names_the_line_that_called_it(book) -> None:
    """The line is the snippet's that ran, not a helper's and not one that looks alike."""
    book.write("snippets/a/_state.py", "from drift import fact\n\n\ndef state(name, value):\n    fact(name, value)\n")
    book.edit(CODE, 'fact("total", total)', 'from _state import state\n\nstate("total", total)')
    book.edit(CODE, 'fact("heads", 2)', 'for name in ("heads",):\n    fact(\n        name,\n        2,\n    )')
    assert book.drift("update").code == 0
    lines = book.read(CODE).split("\n")
    facts = book.read("snippets/a/one.facts.json")
    for name, value, call in (("total", 9216, 'state("total", total)'), ("heads", 2, "    fact(")):
        assert f'"{name}": {{"value": {value}, "line": {lines.index(call) + 1}}}' in facts


def test_run_server_that_is_killed_blames_no_setting(project) -> None:
    """A server that was up and is gone says so, at the snippet."""
    outcome = project.one("import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(5)\n")
    (problem,) = outcome.problems
    assert problem.message == "the run server was killed by SIGKILL"
    assert problem.place.file == "snippets/a/one.py"
