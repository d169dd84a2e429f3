"""One run of one snippet, seen from the checker: what goes into its folder, and what is read back from it."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

from drift.config import Config
from drift.facts import Fact
from drift.problem import Place, Problem
from drift.read.snippet import Snippet, statements
from drift.run import leftover
from drift.run.capture import PlaceFile
from drift.run.environment import Environment
from drift.run.outcome import Outcome
from drift.run.tracked import LISTINGS
from drift.run.transcript import Transcript

MAX_OUTPUT = 1024 * 1024
MAX_TAIL = 400


@dataclass(frozen=True)
class End:
    """How a job's process ended.

    Attributes:
        status: exit code; negative: the signal that ended it.
        stopped: why the checker ended it (`timeout`, `output`); None when it ended by itself.
        seconds: how long it ran.
    """

    status: int
    stopped: str | None
    seconds: float


@dataclass
class Seen:
    """What the watch saw.

    Attributes:
        notes: what the run found out before it changed it itself: a value by (word of `tracked.PRESENT`, path),
            and the hash of a variable's value by ("variable", name).
        written: files that it wrote, with the line of the snippet.
        modules: top-level modules that a file of the project could come to hide, or that were not found.
        unseen: what the run did that nobody could watch.
    """

    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)

    @property
    def files(self) -> dict[str, str]:
        """Hash of every file that was read, and of the names in every folder that was listed."""
        read = {name: value for (kind, name), value in self.notes.items() if kind == "read"}
        listed = {f"{name}/": value for (kind, name), value in self.notes.items() if kind in LISTINGS}
        return dict(sorted((read | listed).items()))


@dataclass
class Result:
    """An outcome, and what it depended on."""

    outcome: Outcome
    seen: Seen


def prepare(config: Config, environment: Environment, snippet: Snippet, folder: Path) -> None:
    """Make `folder` and write what the child process needs to know."""
    folder.mkdir(parents=True)
    job = {
        "id": snippet.id,
        "path": str(snippet.path),
        "file": snippet.file,
        "text": snippet.text,
        "sections": [astuple(section) for section in snippet.sections],
        "root": str(config.root),
        "settings": str(folder.parent / "settings.json"),
        "date": environment.date,
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    PlaceFile.create(folder / "place")


def collect(config: Config, snippet: Snippet, folder: Path, end: End, logs: Sequence[Path]) -> Result:
    """Everything that the run in `folder` gave; `logs` were written by `drift.watch`, the oldest first."""
    outcome = Outcome(snippet.id, seconds=end.seconds)
    seen = read_logs(logs)
    outcome.dependencies = seen.files
    outcome.unkept = tuple(sorted(seen.unseen))
    outcome.problems += trespasses(config, snippet, seen.written)
    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        outcome.problems.append(died(config, snippet, folder, end))
        return Result(outcome, seen)
    seen.modules.update(report["imports"])
    fill(outcome, Transcript(config, snippet, folder, report))
    return Result(outcome, seen)


def fill(outcome: Outcome, transcript: Transcript) -> None:
    """Put what a process reported into `outcome`."""
    report, problems = transcript.report, outcome.problems
    ledger = report["ledger"]
    if report["failure"] and report["failure"]["kind"] == "unmet":
        outcome.unmet = report["failure"]["message"]
        return
    outcome.facts = {name: Fact(*fact) for name, fact in ledger["facts"].items()}
    outcome.tolerances = ledger["tolerances"]
    if report["failure"]:
        problems.append(transcript.failure())
    outcome.outputs = transcript.outputs(problems)
    transcript.stray(problems)
    transcript.complaints(problems)
    if not report["failure"]:
        outcome.artifacts = transcript.artifacts(problems)


def trespasses(config: Config, snippet: Snippet, written: dict[str, int]) -> list[Problem]:
    """Files of the site that a run wrote: what was judged would not be what is published."""
    folders = [config.relative(folder) for folder in (config.docs, config.snippets, config.figures)]
    return [
        Problem(
            Place(snippet.file, line),
            f"writes {name}, which belongs to the site",
            fix="write into the current folder, or where artifact() says",
        )
        for name, line in written.items()
        if any(name == folder or name.startswith(f"{folder}/") for folder in folders)
    ]


def waits_for_programs(folder: Path, logs: Sequence[Path]) -> bool:
    """Whether a Python program that the run started is still about to say that it is watched.

    A helper that `multiprocessing` starts may begin later than the run ends.
    """
    kinds = [kind for kind, _, _ in _log_lines(logs, Seen())]
    return kinds.count("joined") < kinds.count("started") and any(leftover.processes_in(folder))


def read_logs(logs: Sequence[Path]) -> Seen:
    """What the logs of `drift.watch` say, the server's own first."""
    seen = Seen()
    started, joined = [], 0
    for kind, name, value in _log_lines(logs, seen):
        if kind == "unseen":
            seen.unseen.add(name)
        elif kind == "sought":
            seen.modules.add(name)
        elif kind == "wrote":
            seen.written.setdefault(name, int(value or 0))
        elif kind == "started":
            started.append(value)
        elif kind == "joined":
            joined += 1
        elif name not in seen.written or kind in ("variable", "machine"):
            seen.notes.setdefault((kind, name), value)
    if joined < len(started):  # a Python program that was told not to look at its variables
        seen.unseen.update(started)
    return seen


def _log_lines(logs: Sequence[Path], seen: Seen) -> Iterator[tuple[str, str, str]]:
    for log in logs:
        try:
            lines = log.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            continue
        for line in filter(None, lines):
            try:
                kind, name, value = json.loads(line)
                yield kind, name, value
            except ValueError:
                seen.unseen.add("what it read was not written down")


def died(config: Config, snippet: Snippet, folder: Path, end: End) -> Problem:
    """The problem of a process that did not live to report."""
    line, at = whereabouts(snippet, folder)
    place = Place(snippet.file, line)
    if end.stopped == "timeout":
        return Problem(
            place,
            f"still running after {config.timeout:g} s{at}; stopped",
            got=_tail(folder / "stdout"),
            fix="make it do less work, or raise timeout in [tool.drift]",
        )
    if end.stopped == "output":
        return Problem(place, f"prints more than {MAX_OUTPUT // 1024} KiB{at}; stopped", got=_tail(folder / "stdout"))
    if end.status < 0:
        how = f"its process was killed by {_signal_name(-end.status)}"
        if -end.status == getattr(signal, "SIGKILL", 9):
            how += " (the system does that when memory runs out)"
    else:
        how = f"its process ended with exit code {end.status} before the snippet did"
    return Problem(place, how + at, got=_tail(folder / "fault") or _tail(folder / "stderr"))


def whereabouts(snippet: Snippet, folder: Path) -> tuple[int, str]:
    """The line that a run had got to, and the place in words."""
    number, line = PlaceFile.read(folder / "place")
    if number < 0:
        return 0, ", before its first statement"
    plan = [section for section, body in statements(snippet) for _ in body]
    if number >= len(plan):
        return 0, ", after its last statement, with a thread still at work"
    section = plan[number]
    try:
        trace = (folder / "crash").read_text(encoding="utf-8", errors="replace")
    except OSError:
        trace = ""
    # The innermost frame comes first.
    precise = re.search(rf'File "{re.escape(str(snippet.path))}", line (\d+)', trace)
    return int(precise[1]) if precise else line, f", in section {section!r}" if section else ""


def _tail(path: Path) -> str | None:
    """The end of a text file, if there is any text in it."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MAX_TAIL))
            return file.read().decode("utf-8", "replace").strip() or None
    except OSError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
