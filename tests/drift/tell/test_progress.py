"""What is shown while snippets run."""

from io import StringIO

from rich.console import Console

from drift.tell.progress import Progress


def test_progress_in_a_log_is_a_line_a_snippet() -> None:
    """What was not run needs no line, and what ended has its time."""
    stream = StringIO()
    with Progress(Console(file=stream), 3) as progress:
        progress("a/one", "cached", 1.0)
        progress("a/two", "running", 0.0)
        progress("a/two", "done", 1.25)
        progress("a/three", "running", 0.0)
        progress("a/three", "failed", 0.5)
    assert stream.getvalue() == "   done a/two 1.2 s\n failed a/three 0.5 s\n"
    assert progress.finished == 3


def test_progress_on_a_terminal_names_what_is_running() -> None:
    """A live line tells how far the run is and what it waits for, and goes away."""
    console = Console(file=StringIO(), force_terminal=True, width=80)
    with Progress(console, 2) as progress:
        progress("a/one", "running", 0.0)
        progress("a/two", "running", 0.0)
        assert progress.status is not None
        assert progress.status.status == "0 of 2, running a/one, a/two"
        progress("a/one", "done", 0.1)
        assert progress.status.status == "1 of 2, running a/two"
        progress("a/two", "done", 0.1)
    assert progress.running == []
