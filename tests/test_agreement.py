"""The site agrees with its code: what `python -m drift check` reports fails here too, file by file."""

from __future__ import annotations

from collections import defaultdict
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from whole import whole

from drift.problem import Problem
from drift.pytest_plugin import checked
from drift.tell import report

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted({found.file for found in (*whole().pages, *whole().snippets.values())})


def problems() -> dict[str, list[Problem]]:
    """Every problem of the project, by the file that it names."""
    found: dict[str, list[Problem]] = defaultdict(list)
    for problem in checked(ROOT)[1]:
        found[problem.place.file].append(problem)
    return found


def told(found: list[Problem]) -> str:
    """The problems as the command prints them."""
    stream = StringIO()
    report.show(Console(file=stream, width=120, highlight=False), found)
    return stream.getvalue()


@pytest.mark.parametrize("file", FILES)
def test_file_agrees(file: str) -> None:
    """A page's numbers are its facts', and a snippet's run is its record."""
    if found := problems()[file]:
        pytest.fail(told(found), pytrace=False)


def test_no_problem_is_elsewhere() -> None:
    """Records, figures and settings agree as well."""
    found = problems()
    if elsewhere := [problem for file in found if file not in FILES for problem in found[file]]:
        pytest.fail(told(elsewhere), pytrace=False)
