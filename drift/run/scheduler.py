"""Keep a few processes busy until every snippet has run, and stop those that go too far."""

from __future__ import annotations

import os
import queue
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.snippet import Snippet
from drift.run import job, launcher, leftover
from drift.run.environment import Environment
from drift.run.job import Result, Seen
from drift.run.launcher import Event, Launcher
from drift.run.outcome import Outcome
from drift.signals import uninterrupted

# How long a process that is stopped has to write down where it was.
GRACE = 0.3
TICK = 0.2
# How long a Python program that a run left alive may take to begin; on a busy machine imports take seconds.
JOINING = 10.0

# Importing torch from a cold, slow disk takes a while.
PRELOAD_TIMEOUT = 180


@dataclass
class Task:
    """A job under way; `started` is None until its process runs."""

    snippet: Snippet
    folder: Path
    started: float | None = None
    stopped: str | None = None
    kill_at: float = 0.0


class Scheduler:
    """Runs snippets, `jobs` at a time."""

    def __init__(self, config: Config, environment: Environment, jobs: int) -> None:
        self.config, self.environment, self.jobs = config, environment, jobs
        self.running: dict[int, Task] = {}

    def run(self, snippets: list[Snippet], begin: Callable[[Snippet], None], keep: Callable[[Result], None]) -> None:
        """Run all, in this order; on any way out no process and no file is left behind.

        Args:
            begin: called with each snippet whose process has started.
            keep: called with each result.
        """
        self.begin, self.keep = begin, keep
        self.base, held = leftover.new_folder()
        try:
            self.launcher = launcher.launch(self.config, self.environment, self.base)
            try:
                self.loop(snippets)
            finally:
                with uninterrupted():
                    self.launcher.close()
        finally:
            with uninterrupted():
                shutil.rmtree(self.base, ignore_errors=True)
                if held is not None:
                    os.close(held)

    def loop(self, snippets: list[Snippet]) -> None:
        """Start, listen and look after processes until none is left."""
        waiting = list(enumerate(snippets))
        quiet_since = time.monotonic()
        while waiting or self.running:
            while waiting and len(self.running) < self.jobs:
                self.start(*waiting.pop(0))
            event = _next(self.launcher)
            if event is None and not any(task.started for task in self.running.values()):
                if time.monotonic() - quiet_since > PRELOAD_TIMEOUT:
                    text = f"preload: not imported after {PRELOAD_TIMEOUT} s"
                    event = Event("unusable", 0, text)
            elif event is not None:
                quiet_since = time.monotonic()
            if event is not None and event.kind == "unusable":
                self.give_up(event.text, [snippet for _, snippet in waiting])
                return
            if event is not None:
                self.handle(event)
            self.look_after()

    def start(self, number: int, snippet: Snippet) -> None:
        """Have one snippet run."""
        folder = self.base / str(number)
        job.prepare(self.config, self.environment, snippet, folder)
        self.running[number] = Task(snippet, folder)
        self.launcher.start(number, folder)

    def handle(self, event: Event) -> None:
        """Take in what happened to a job."""
        task = self.running.get(event.number)
        if task is None or event.kind not in ("started", "ended"):
            return
        if event.kind == "started":
            task.started = time.monotonic()
            self.begin(task.snippet)
            return
        del self.running[event.number]
        end = job.End(int(event.text), task.stopped, time.monotonic() - (task.started or time.monotonic()))
        logs = [self.base / "server.reads", task.folder / "server.reads", task.folder / "reads"]
        until = time.monotonic() + JOINING
        while job.waits_for_programs(task.folder, logs) and time.monotonic() < until:
            time.sleep(TICK)
        leftover.kill_in(task.folder)
        self.keep(job.collect(self.config, task.snippet, task.folder, end, logs))
        shutil.rmtree(task.folder, ignore_errors=True)

    def look_after(self) -> None:
        """Stop what runs too long or prints too much."""
        now = time.monotonic()
        for number, task in self.running.items():
            if task.started is None:
                continue
            if task.stopped is None:
                if now - task.started > self.config.timeout:
                    task.stopped = "timeout"
                elif _size(task.folder / "stdout") + _size(task.folder / "stderr") > job.MAX_OUTPUT:
                    task.stopped = "output"
                if task.stopped:
                    task.kill_at = now + GRACE
                    self.launcher.ask(number)
            elif now > task.kill_at:
                self.launcher.kill(number)

    def give_up(self, text: str, waiting: list[Snippet]) -> None:
        """Nothing can be run any more: every snippet without a result says so."""
        message, _, details = text.partition("\n")
        for snippet in [*(task.snippet for task in self.running.values()), *waiting]:
            place = Place("pyproject.toml") if message.startswith("preload") else Place(snippet.file)
            problem = Problem(place, message, got=details or None)
            self.keep(Result(Outcome(snippet.id, problems=[problem]), Seen()))


def _next(source: Launcher) -> Event | None:
    """The next event, or None when there is none for a moment."""
    try:
        return source.events.get(timeout=TICK)
    except queue.Empty:
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
