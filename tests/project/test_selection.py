"""Which tests a run has: what the quick one leaves out and says, what shares a worker, and what begins first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from selection import BUILDS, LEFT_OUT

TESTS = Path(__file__).resolve().parents[1]

# Each test notes its name and its worker when it runs; so do the fixtures, for each test that asks for them.
NOTE = """
import os
from pathlib import Path

import pytest


def note(text):
    with Path("ran").open("a") as file:
        print(os.environ.get("PYTEST_XDIST_WORKER", "alone"), text, file=file)


@pytest.fixture
def built():
    note("building")


@pytest.fixture
def shown(built):
    return built


@pytest.fixture
def browser():
    note("starting")
"""
FILES = {
    "test_small.py": """
def test_small():
    note("small")


@pytest.mark.slow
def test_slow():
    note("slow")
""",
    "site/test_pages.py": """
def test_site(built):
    note("site")


def test_site_through_another_fixture(shown):
    note("site too")


@pytest.mark.parametrize("page", range(5))
def test_page_loads(browser, page):
    note(f"loads {page}")


@pytest.mark.parametrize("page", range(4))
def test_page_fits(browser, page):
    note(f"fits {page}")
""",
    "tests/drift/test_snippets.py": """
@pytest.mark.parametrize("number", range(4))
def test_project(number):
    note(f"project {number}")
""",
    "tests/drift/run/test_stale.py": """
def test_stale():
    note("stale")
""",
    "site/test_downloads.py": """
@pytest.mark.takes(999)
@pytest.mark.parametrize("name", ["one", "two"])
def test_notebook_runs(name):
    note(f"runs {name}")


@pytest.mark.parametrize("name", ["one", "two"])
def test_notebook_prints(name):
    note(f"prints {name}")
""",
}


@pytest.fixture
def ran(tmp_path: Path):
    """Runs that project with the hooks of these tests; gives what pytest printed, and what the tests noted."""
    marks = "\n".join(f"  {mark}: x" for mark in (*LEFT_OUT, "takes(seconds)"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{marks}\n")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(NOTE + text)

    def ran(*options: str) -> tuple[str, list[tuple[str, str]]]:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "selection",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:hypothesispytest",
        ]
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
        environment["PYTHONPATH"] = str(TESTS)
        done = subprocess.run(
            [*command, "--strict-markers", *options], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        notes = (tmp_path / "ran").read_text().splitlines()
        return done.stdout, [(worker, text) for worker, _, text in (note.partition(" ") for note in notes)]

    return ran


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="alone"), pytest.param(("-n", "2"), id="two workers", marks=pytest.mark.slow)],
)
def test_quick_leaves_out_and_says_how_much(ran, workers: tuple[str, ...]) -> None:
    """What is slow, builds the site or starts a browser does not run, and the last lines count it."""
    printed, noted = ran("--quick", *workers)
    notebooks, projects = ["prints one", "prints two"], [f"project {number}" for number in range(4)]
    assert sorted(text for _, text in noted) == [*notebooks, *projects, "runs one", "runs two", "small"]
    assert "quick run: 13 tests left out" in printed


def test_everything_runs_without_the_option(ran) -> None:
    """Nothing is left out, and nothing is said."""
    printed, noted = ran()
    assert "22 passed" in printed
    assert "quick run" not in printed
    assert {"slow", "site", "site too", "loads 0", "fits 0"} < {text for _, text in noted}


def test_marks_of_fixtures_can_be_selected(ran) -> None:
    """`-m browser` finds what asks for the browser, though no test says so."""
    printed, _ = ran("-m", "browser")
    assert "9 passed" in printed


@pytest.mark.slow
def test_workers_share_what_belongs_together(ran) -> None:
    """One worker has all tests of a page, one all tests of a notebook, and one those of a module of the checker's."""
    _, noted = ran("-n", "2")
    workers = {text: {worker for worker, other in noted if other == text} for _, text in noted}
    assert all(workers[f"loads {page}"] == workers[f"fits {page}"] for page in range(4))
    assert len(set().union(*(workers[f"project {number}"] for number in range(4)))) == 1
    assert workers["runs one"] == workers["prints one"]
    assert workers["runs two"] == workers["prints two"]


@pytest.mark.slow
def test_workers_begin_with_the_longest(ran) -> None:
    """Each worker starts with one of the two that take longest, and what takes no time comes after all that does."""
    _, noted = ran("-n", "2")
    assert set(dict(reversed(noted)).values()) == {"runs one", "runs two"}
    for worker in {worker for worker, _ in noted}:
        idle = [text == "small" or text.startswith("project") for name, text in noted if name == worker]
        assert idle == sorted(idle), noted


def test_collected_tests_that_build_or_browse_are_left_out(request: pytest.FixtureRequest) -> None:
    """In the run that this test is part of, whoever asks for the built site or a browser has its mark."""
    for item in request.session.items:
        wants = BUILDS & set(getattr(item, "fixturenames", ()))
        assert not wants or any(item.get_closest_marker(name) for name in LEFT_OUT), f"{item.nodeid} asks for {wants}"
        assert not wants or not request.config.getoption("--quick"), item.nodeid


def test_site_is_built_and_browser_started_behind_those_fixtures_only() -> None:
    """No test starts `mkdocs build` or Playwright around the fixtures that the quick run knows."""
    direct = re.compile(r"sync_playwright\(|\bbuild\(target|launch\(|\"mkdocs\", \"build\"")
    found = {
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if path != Path(__file__) and direct.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"site/conftest.py"}
