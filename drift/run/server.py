"""The process that imports what snippets need once, and forks a child for each.

Requests come in as JSON lines on descriptor 0 and events go out on descriptor 1.
When the checker dies, descriptor 0 closes; the server then ends its children and itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

from drift.run import child, clock, watch


def main() -> NoReturn:
    """Entry point: `serve SETTINGS` for the fork server, `run SETTINGS FOLDER` for one snippet."""
    command, settings, *folders = sys.argv[1:]
    setup = json.loads(Path(settings).read_text(encoding="utf-8"))
    add_root(setup["root"])
    if command == "run":
        watch.install(setup, str(Path("server.reads").absolute()))
        clock.begin(setup["date"])
        child.main(Path(folders[0]))
    Server(setup, Path(settings).parent).serve()
    sys.exit(0)


def add_root(root: str) -> None:
    """Let snippets import the packages of this checkout, ahead of another one that happens to be installed."""
    sites = (n for n, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages")))
    if root not in sys.path:
        sys.path.insert(next(sites, len(sys.path)), root)


class Server:
    """Forks children and reports when they end; `folder` holds everything that they write."""

    def __init__(self, setup: dict[str, Any], folder: Path) -> None:
        self.setup = setup
        self.folder = folder
        self.children: dict[int, int] = {}
        self.requests = os.dup(0)
        self.events = os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(2, 1)  # what the preloaded modules print belongs to nobody
        self.wake_read, self.wake_write = os.pipe()
        for descriptor in (self.wake_read, self.wake_write):
            os.set_blocking(descriptor, False)

    def serve(self) -> None:
        """Preload, then answer requests until there are no more."""
        if not self.preload():
            return
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.collect()
        gc.freeze()  # children share these objects; a collection there would copy every page
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.requests, selectors.EVENT_READ)
            selector.register(self.wake_read, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select()}
                if self.wake_read in ready:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake_read, 4096)
                    self.reap()
                if self.requests in ready:
                    data = os.read(self.requests, 65536)
                    if not data:
                        break
                    *lines, pending = (pending + data).split(b"\n")
                    for line in lines:
                        self.answer(json.loads(line))
        for pid in self.children.values():
            _kill_group(pid)
            os.waitpid(pid, 0)
        # The checker does this too, unless it was killed.
        shutil.rmtree(self.folder, ignore_errors=True)

    def preload(self) -> bool:
        """Import the modules; report the first that fails."""
        watch.install(self.setup, str(self.folder / "server.reads"))
        clock.begin(self.setup["date"])
        for name in self.setup["preload"]:
            try:
                importlib.import_module(name)
            except BaseException as error:
                text = "".join(traceback.format_exception_only(error)).strip()
                self.tell("unusable", 0, f"preload: cannot import {name!r}: {text}")
                return False
        self.tell("ready", 0, "")
        return True

    def answer(self, request: dict[str, Any]) -> None:
        """Carry out one request."""
        number = request["number"]
        if request["do"] == "run":
            self.fork(number, request["folder"])
        elif number in self.children:
            pid = self.children[number]
            if request["do"] == "ask":
                os.kill(pid, signal.SIGUSR1)
            else:
                _kill_group(pid)

    def fork(self, number: int, folder: str) -> None:
        """Start a child in a process group of its own."""
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            pid = os.fork()
        except OSError as error:
            self.tell("unusable", number, f"cannot start a process: {error}")
            return
        if pid == 0:
            try:
                os.setsid()
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for descriptor in (self.requests, self.events, self.wake_read, self.wake_write):
                    os.close(descriptor)
                child.main(Path(folder))
            except BaseException:
                Path(folder, "fault").write_text(traceback.format_exc(), encoding="utf-8")
            finally:
                os._exit(child.NOT_REPORTED)
        self.children[number] = pid
        self.tell("started", number, str(pid))

    def reap(self) -> None:
        """Report the children that have ended, and end what they left behind."""
        for number, pid in list(self.children.items()):
            # Left as a zombie until its group is dead, so that the group's number cannot be taken anew.
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            _kill_group(pid)
            _, status = os.waitpid(pid, 0)
            del self.children[number]
            self.tell("ended", number, str(os.waitstatus_to_exitcode(status)))

    def tell(self, event: str, number: int, text: str) -> None:
        """Send one event to the checker; nobody listens any more when it has gone."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.events, json.dumps([event, number, text[:1000]]).encode() + b"\n")


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
