"""Print problems: the place first, then expected and got, then the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.text import Text

from drift.problem import Problem
from drift.run.outcome import Outcome


def show(console: Console, problems: Iterable[Problem]) -> int:
    """Print every problem, sorted by file and line; give how many there were."""
    ordered = sorted(set(problems), key=_key)
    for problem in ordered:
        console.print(render(problem), soft_wrap=True)
    return len(ordered)


def unmet(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Why snippets could not run, by their ids."""
    return {name: outcome.unmet for name, outcome in outcomes.items() if outcome.unmet is not None}


def show_unmet(console: Console, reasons: Mapping[str, str]) -> None:
    """Print which snippets did not run and why, so that a check never passes over them in silence."""
    waiting: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        waiting.setdefault(reason, []).append(name)
    for reason, names in waiting.items():
        many = "1 snippet" if len(names) == 1 else f"{len(names)} snippets"
        console.print(f"{many} not run ({', '.join(names)}): {reason}", markup=False, soft_wrap=True)


def render(problem: Problem) -> Text:
    """One problem as styled text; without the styles it is what a log shows."""
    text = Text()
    text.append(f"{problem.place}", "bold red")
    text.append(f"  {problem.message}\n")
    for label, value, style in (
        ("expected", problem.expected, "green"),
        ("got", problem.got, "yellow"),
        ("made in", str(problem.source) if problem.source else None, "cyan"),
        ("accept", problem.fix if problem.fix and problem.fix.startswith("python") else None, "bold"),
        ("mend", problem.fix if problem.fix and not problem.fix.startswith("python") else None, "bold"),
    ):
        if value is not None:
            first, *rest = value.split("\n")
            text.append(f"    {label:<9}", "dim")
            text.append(first + "\n", style)
            for line in rest:
                text.append(" " * 13 + line + "\n", style)
    return text


def _key(problem: Problem) -> tuple[str, int, str, str, str]:
    return (problem.place.file, problem.place.line, problem.message, problem.expected or "", problem.got or "")
