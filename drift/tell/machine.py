"""Findings for programs: JSON, and the lines that a code host shows beside the changed line."""

from __future__ import annotations

from collections.abc import Iterable

from drift.problem import Problem
from drift.tell import report


def as_json(problems: Iterable[Problem], update: str) -> list[dict[str, object]]:
    """The findings as plain JSON values, sorted by file and line; what a finding does not say is null."""
    return [
        {
            "file": problem.place.file,
            "line": problem.place.line or None,
            "message": problem.message,
            "expected": problem.expected,
            "got": problem.got,
            "source": str(problem.source) if problem.source else None,
            "fix": report.command(problem.fix, update) if problem.fix else None,
        }
        for problem in report.ordered(problems)
    ]


def on_github(problems: Iterable[Problem], update: str) -> Iterable[str]:
    """The findings as commands of GitHub's workflows (Workflow commands, "Setting an error message")."""
    for problem in report.ordered(problems):
        place = f"file={_property(problem.place.file)}" + (f",line={problem.place.line}" if problem.place.line else "")
        said = report.line(problem, update).removeprefix(f"{problem.place}: ")
        yield f"::error {place},title=drift::{_message(said)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
