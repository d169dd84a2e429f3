"""Show what is running: a live line on a terminal, a line a snippet in a log."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.status import Status


class Progress:
    """A callback for the engine; use it as a context manager, so that the live line goes away."""

    def __init__(self, console: Console, total: int) -> None:
        self.console = console
        self.total = total
        self.finished = 0
        self.running: list[str] = []
        self.status: Status | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def __call__(self, snippet: str, state: str, seconds: float) -> None:
        if state == "running":
            self.running.append(snippet)
        else:
            self.finished += 1
            if snippet in self.running:
                self.running.remove(snippet)
            if state != "cached":
                self.console.print(f"[dim]{state:>7}[/] {snippet} [dim]{seconds:.1f} s[/]", highlight=False)
        if self.console.is_terminal and self.running:
            if self.status is None:
                self.status = self.console.status("")
                self.status.start()
            self.status.update(f"{self.finished} of {self.total}, running {', '.join(self.running)}")
