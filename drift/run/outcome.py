"""What one run of a snippet gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from drift.facts import Fact
from drift.problem import Place, Problem


@dataclass
class Outcome:
    """The result of one run of one snippet, fresh or from the cache.

    Attributes:
        snippet: its id.
        outputs: what each section printed, with `\\n` line ends; a section that printed nothing holds "".
        facts: by name.
        tolerances: absolute, by section.
        artifacts: text of each file the snippet made, by filename.
        unkept: why nobody can say whether the result still holds, so that the snippet runs at every check.
        unmet: what the snippet needs and this machine lacks, in its own words; its record then stands unchecked.
        problems: why the run does not count (an exception, a timeout, text on stderr); empty when it does.
        dependencies: content hash of every file of the project that the run read or imported, by the path
            relative to the root (absolute for files outside it).
        seconds: wall-clock time of the run itself.
        cached: True when it was not run now.
    """

    snippet: str
    outputs: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    tolerances: dict[str, float] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)
    unkept: tuple[str, ...] = ()
    unmet: str | None = None
    problems: list[Problem] = field(default_factory=list)
    dependencies: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    cached: bool = False

    @property
    def counts(self) -> bool:
        """Whether the snippet ran to its end, so that what it gave can be compared and kept."""
        return not self.problems and self.unmet is None

    def to_json(self) -> dict[str, Any]:
        """A dict of plain JSON values; `from_json` gives the same outcome back."""
        return {
            "snippet": self.snippet,
            "outputs": self.outputs,
            "facts": {name: [fact.value, fact.tol, fact.line] for name, fact in self.facts.items()},
            "unmet": self.unmet,
            "tolerances": self.tolerances,
            "artifacts": self.artifacts,
            "problems": [_problem_to_json(problem) for problem in self.problems],
            "dependencies": self.dependencies,
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Outcome:
        """The outcome that `to_json` wrote."""
        return cls(
            snippet=data["snippet"],
            outputs=data["outputs"],
            facts={name: Fact(*fact) for name, fact in data["facts"].items()},
            unmet=data["unmet"],
            tolerances=data["tolerances"],
            artifacts=data["artifacts"],
            problems=[_problem_from_json(problem) for problem in data["problems"]],
            dependencies=data["dependencies"],
            seconds=data["seconds"],
        )


def _problem_to_json(problem: Problem) -> dict[str, Any]:
    return {
        "place": [problem.place.file, problem.place.line],
        "message": problem.message,
        "expected": problem.expected,
        "got": problem.got,
        "source": [problem.source.file, problem.source.line] if problem.source else None,
        "fix": problem.fix,
    }


def _problem_from_json(data: dict[str, Any]) -> Problem:
    return Problem(
        place=Place(*data["place"]),
        message=data["message"],
        expected=data["expected"],
        got=data["got"],
        source=Place(*data["source"]) if data["source"] else None,
        fix=data["fix"],
    )
