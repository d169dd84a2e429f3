"""Which tests a run has, which of them share a worker, and which begin first.

`--quick` leaves out what an author need not wait for after each sentence: tests that are marked slow, and tests whose
fixtures build the site or start a browser. Those get their marks here, so nobody has to remember.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

# What a fixture's name says about the tests that ask for it, directly or through other fixtures.
MARKS = {"built": "site", "published": "site", "browser": "browser"}
BUILDS = frozenset(MARKS)
# What the quick run leaves out, with about how many seconds such a test takes.
SECONDS = {"slow": 10.0, "site": 1.0, "browser": 3.0}
LEFT_OUT = tuple(SECONDS)
# Modules whose tests look at the same runs, which take too long for the quick run.
SLOW = ("drift/run/test_stale.py",)
QUICK = "--quick"
LEFT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--quick`."""
    help_text = "leave out tests that are slow, build the site or start a browser"
    parser.addoption(QUICK, action="store_true", help=help_text)


# First, so that `-m` sees the marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark, leave out, and where there are workers order what was collected."""
    for item in items:
        for name in sorted({MARKS[name] for name in getattr(item, "fixturenames", ()) if name in MARKS}):
            item.add_marker(name)
        if item.nodeid.partition("::")[0].endswith(SLOW):
            item.add_marker("slow")
    if config.getoption(QUICK):
        leave_out(config, items)
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items)


def is_left_out(item: pytest.Item) -> bool:
    """Whether the quick run does without a test."""
    return any(item.get_closest_marker(name) for name in LEFT_OUT)


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out what the quick run does without, and count it."""
    left = [item for item in items if is_left_out(item)]
    items[:] = [item for item in items if not is_left_out(item)]
    config.hook.pytest_deselected(items=left)
    config.stash[LEFT] = len(left)


def shared_by(nodeid: str) -> str:
    """What a test has in common with others that one worker has to run, so that it is there once; or the test alone.

    Fences and `test_agreement` look up one check of the site, which runs snippets where its cache is cold. Each page
    of the site is visited once, for several tests. A notebook is executed once; its tests begin with the one that does
    so, and the others keep the worker from being given the next notebook early. The checker's tests share projects
    that were run for a whole module.
    """
    path, _, name = nodeid.partition("::")
    of_what = name.partition("[")[2]
    if path.endswith((".md", "test_agreement.py")):
        return "check"
    if path.endswith("site/test_downloads.py") and name.startswith("test_notebook_"):
        return f"notebook {of_what}"
    if path.endswith("site/test_pages.py") and name.startswith("test_page_"):
        return f"page {of_what}"
    return path if path.startswith("tests/drift/") else nodeid


def longest_first(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The tests in an order that leaves no worker waiting for a long one at the end; groups stay as they are."""
    units: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        units[shared_by(item.nodeid)].append(item)
    ordered = sorted(units.values(), key=lambda unit: max(map(seconds, unit)), reverse=True)
    return [item for unit in ordered for item in unit]


def seconds(item: pytest.Item) -> float:
    """About how long the test takes, or the group that it stands for, as far as somebody said so."""
    # Cold, the check takes as long as all snippets do.
    shared = 1000.0 if shared_by(item.nodeid) == "check" else 0.0
    takes = item.get_closest_marker("takes")
    marked = max((SECONDS[name] for name in LEFT_OUT if item.get_closest_marker(name)), default=0.0)
    return max(shared, marked, float(takes.args[0]) if takes else 0.0)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give out the tests in the order they were collected in, those that share something as one piece of work.

    xdist 3.8 has this as `--dist=loadgroup`, but with pytest 9.2 that groups nothing, since it renames a test by an
    attribute that is no longer there.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return shared_by(nodeid)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker tell how much it left out; each collects everything, so the numbers are the same."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take a worker's number; one that crashed has none."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what a quick run did not look at."""
    if config.getoption(QUICK):
        count = config.stash.get(LEFT, 0)
        text = f"quick run: {count} tests left out that are slow, build the site or start a browser"
        terminalreporter.write_line(text)
