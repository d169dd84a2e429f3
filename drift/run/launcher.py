"""Start processes for snippets: forked from a server that has imported what they need, or each from nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import signal
import site
import subprocess
import sys
import sysconfig
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from drift.config import Config
from drift.run.environment import Environment, variables, watched

# Forking after Apple's Accelerate has been loaded can hang, so macOS starts each process from nothing.
CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"

# The folder that holds the package `drift`.
HOME = Path(__file__).resolve().parents[2]

# The snippets get this checker's own `drift`, wherever they find their other modules.
_BOOT = (
    "import sys; home = sys.argv.pop(1); sys.path.insert(0, home); "
    "from drift.run import server; sys.path.remove(home); server.main()"
)
_COMMAND = [sys.executable, "-P", "-c", _BOOT, str(HOME)]


@dataclass(frozen=True)
class Event:
    """Something that happened to job `number`.

    Attributes:
        kind: `ready`; `started`; `ended`, with the exit code (negative: a signal) as text; `unusable`, with the
            reason, when nothing can be run any more.
    """

    kind: str
    number: int = 0
    text: str = ""


class Launcher(Protocol):
    """Runs jobs; what happens to them arrives in `events`."""

    events: queue.Queue[Event]

    def start(self, number: int, folder: Path) -> None:
        """Run the job in `folder`."""

    def ask(self, number: int) -> None:
        """Have a job write down where it is, if the platform can."""

    def kill(self, number: int) -> None:
        """End a job and its own processes."""

    def close(self) -> None:
        """End everything."""


def launch(config: Config, environment: Environment, folder: Path) -> Launcher:
    """A launcher whose processes keep their logs in `folder`."""
    (folder / "home").mkdir()
    env = {**variables(config, environment), "HOME": str(folder / "home"), "USERPROFILE": str(folder / "home")}
    if CAN_FORK:
        return ForkLauncher(write_settings(config, environment, folder, config.preload), env, folder)
    return SpawnLauncher(write_settings(config, environment, folder, ()), env)


class ForkLauncher:
    """Jobs are forked from one server."""

    def __init__(self, settings: Path, env: dict[str, str], folder: Path) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.pids: dict[int, int] = {}
        self.ready = False
        self.log = folder / "server.log"
        with self.log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*_COMMAND, "serve", str(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=env,
                cwd=folder,
                start_new_session=True,
            )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def start(self, number: int, folder: Path) -> None:
        self._send(do="run", number=number, folder=str(folder))

    def ask(self, number: int) -> None:
        self._send(do="ask", number=number)

    def kill(self, number: int) -> None:
        self._send(do="kill", number=number)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()  # the server ends its children, then itself
        if not self.ready:  # it is still importing, and does not listen
            self.process.kill()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in list(self.pids.values()):
            _kill_group(pid)
        self.reader.join(timeout=2)
        self.process.stdout.close()

    def _send(self, **request: object) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # a server that died is reported by `_read`
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            kind, number, text = json.loads(line)
            if kind == "ready":
                self.ready = True
            elif kind == "started":
                self.pids[number] = int(text)
            elif kind == "ended":
                self.pids.pop(number, None)
            elif kind == "unusable":
                text += self._said()
            self.events.put(Event(kind, number, text))
        status = self.process.wait()
        how = f"ended with exit code {status}" if status >= 0 else f"was killed by {signal.Signals(-status).name}"
        when = "" if self.ready else "preload: "
        self.events.put(Event("unusable", 0, f"{when}the run server {how}{self._said()}"))

    def _said(self) -> str:
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:  # the server removed it at its regular end
            return ""
        return f"\n{text[-2000:]}" if text else ""


class SpawnLauncher:
    """Each job is a fresh interpreter; nothing is preloaded."""

    def __init__(self, settings: Path, env: dict[str, str]) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.settings, self.env = settings, env

    def start(self, number: int, folder: Path) -> None:
        with (folder / "fault").open("wb") as fault:
            process = subprocess.Popen(
                [*_COMMAND, "run", str(self.settings), str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=fault,
                stderr=fault,
                env=self.env,
                cwd=folder,
                start_new_session=True,
            )
        self.processes[number] = process
        self.events.put(Event("started", number))
        threading.Thread(target=self._wait, args=(number, process), daemon=True).start()

    def ask(self, number: int) -> None:
        if hasattr(signal, "SIGUSR1"):
            self.processes[number].send_signal(signal.SIGUSR1)

    def kill(self, number: int) -> None:
        process = self.processes[number]
        if hasattr(os, "killpg"):
            _kill_group(process.pid)
        else:
            process.kill()

    def close(self) -> None:
        for number, process in self.processes.items():
            self.kill(number)
            process.wait()

    def _wait(self, number: int, process: subprocess.Popen[bytes]) -> None:
        status = process.wait()
        self.kill(number)
        self.events.put(Event("ended", number, str(status)))


def write_settings(config: Config, environment: Environment, folder: Path, preload: tuple[str, ...]) -> Path:
    """Write down what a process has to know before it can run jobs."""
    settings: dict[str, Any] = {
        "root": str(config.root),
        "preload": preload,
        "scope": {
            "root": str(config.root),
            "trusted": packages_folders(),
            "excluded": [str(config.cache), str(folder)],
        },
        "variables": {name: hashlib.sha256(value.encode()).hexdigest() for name, value in watched(config).items()},
        "date": environment.date,
        "backwards": environment.backwards,
    }
    path = folder / "settings.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def packages_folders() -> list[str]:
    """The folders of Python's library and of installed packages."""
    paths = sysconfig.get_paths()
    found = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found += [os.path.dirname(os.__file__), *site.getsitepackages()]  # noqa: PTH120
    # Python looks there, too, whether there is such a file or not.
    archive = f"python{sys.version_info.major}{sys.version_info.minor}.zip"
    found.append(os.path.join(sys.base_prefix, sys.platlibdir, archive))  # noqa: PTH118
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    if sys.prefix != sys.base_prefix:
        found.append(sys.prefix)
    return sorted({os.path.abspath(path) for path in found} | {os.path.realpath(path) for path in found})  # noqa: PTH100


def _kill_group(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
