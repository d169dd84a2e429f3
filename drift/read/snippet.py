"""Read a snippet: its sections, and the statements in each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drift.config import Config
from drift.problem import Place, Problem
from drift.read import folder, percent

MARKER = re.compile(
    r"^(?P<indent>[ \t]*)#[ \t]*-{2,}8<-{2,}[ \t]+"
    r"\[[ \t]*(?P<kind>start|end)[ \t]*:[ \t]*(?P<name>.*?)[ \t]*\][ \t]*$"
)
NEARLY_MARKER = re.compile(r"-8<-")
SECTION_NAME = re.compile(r"[a-z][-_0-9a-z]*\Z")


@dataclass(frozen=True)
class Section:
    """A named region: `first` and `last` are the lines between its markers, counted from 1."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Snippet:
    """One Python file below the snippets folder.

    Attributes:
        id: its path below that folder, without the ending (`scaling/saturation`).
        path: absolute path.
        file: path relative to the project's root, as shown in messages.
        text: the source, with `\\n` line ends.
        sections: in file order; of a notebook, its shown code cells.
        problems: what is wrong with the markers or the syntax; such a snippet is not run.
    """

    id: str
    path: Path
    file: str
    text: str
    sections: tuple[Section, ...]
    problems: tuple[Problem, ...]

    def section(self, name: str) -> Section | None:
        """The section called `name`, if there is one."""
        return next((section for section in self.sections if section.name == name), None)

    def code(self, section: Section) -> str:
        """The lines of `section`, as a page shows them."""
        return "\n".join(self.text.split("\n")[section.first - 1 : section.last])

    @property
    def is_notebook(self) -> bool:
        """Whether it is written as cells, and so is a page too."""
        return percent.is_notebook(self.text)

    @property
    def chapter(self) -> str:
        """The folder it stands in (`scaling`)."""
        return self.id.rpartition("/")[0]


def discover(config: Config) -> list[Snippet]:
    """Every snippet of the project, in the order of their ids.

    Files and folders whose names begin with `_` or `.` are helpers, not snippets.
    """
    paths = (path for path in folder.walk(config.root, config.snippets).files if path.suffix == ".py")
    found = (read(config, path) for path in paths if not _hidden(path.relative_to(config.snippets)))
    return sorted(found, key=lambda snippet: snippet.id)


def read(config: Config, path: Path) -> Snippet:
    """Parse one snippet; what is wrong with it is in `.problems`, nothing is raised for its content."""
    snippet_id = path.relative_to(config.snippets).with_suffix("").as_posix()
    file = folder.named(config.root, path)
    text, problem = folder.read(path, file)
    if problem is not None:
        return Snippet(snippet_id, path, file, "", (), (problem,))
    # Python ends a line at each of these, and at no other character.
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    notebook = percent.is_notebook(text)
    sections, problems = (cell_sections if notebook else find_sections)(file, text)
    if "." in path.relative_to(config.snippets).with_suffix("").as_posix():
        problems.append(Problem(Place(file), "a snippet's path must not contain a dot: a fact's name begins after it"))
    problems += _statement_problems(file, text, sections)
    return Snippet(snippet_id, path, file, text, tuple(sections), tuple(problems))


def find_sections(file: str, text: str) -> tuple[list[Section], list[Problem]]:
    """The sections that the markers in `text` open and close, and every marker that does not fit."""
    markers, problems = _markers(file, text)
    sections: list[Section] = []
    seen: dict[str, int] = {}
    opened, since = "", 0
    for number, kind, name in markers:
        here = Place(file, number)
        if kind == "start":
            problems += _badly_started(here, name, opened, seen)
            seen.setdefault(name, number)
            opened, since = name, number
        elif name == opened:
            sections.append(Section(name, since + 1, number - 1))
            opened = ""
        else:
            expected = f"[end:{opened}]" if opened else "no end here"
            problems.append(Problem(here, f"[end:{name}] closes nothing", expected))
    if opened:
        message = f"section {opened!r} has no end marker; an include would show the rest of the file"
        expected = f"# --8<-- [end:{opened}]"
        problems.append(Problem(Place(file, since), message, expected, "the end of the file"))
    return sections, problems


def _markers(file: str, text: str) -> tuple[list[tuple[int, str, str]], list[Problem]]:
    """Line, kind and name of every marker that names a section, and what is wrong with each marker by itself."""
    markers: list[tuple[int, str, str]] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        here = Place(file, number)
        marker = MARKER.match(line)
        if marker is None:
            if NEARLY_MARKER.search(line):
                message = "a section marker that is not understood"
                problems.append(Problem(here, message, "# --8<-- [start:name]", line.strip()))
            continue
        name = marker["name"]
        if marker["indent"]:
            message = f"section {name!r}: a marker stands at the left margin, between whole statements"
            problems.append(Problem(here, message))
        if SECTION_NAME.match(name):
            markers.append((number, marker["kind"], name))
        else:
            message = "a section's name is lower-case letters, digits, '-' and '_'"
            problems.append(Problem(here, message, got=name))
    return markers, problems


def _badly_started(here: Place, name: str, opened: str, seen: dict[str, int]) -> Iterator[Problem]:
    """What is wrong with a start where `opened` is open and `seen` were started before."""
    if opened:
        yield Problem(here, f"section {name!r} starts inside section {opened!r}", f"[end:{opened}] first")
    if name in seen:
        message = f"section {name!r} exists twice; includes show only the first"
        yield Problem(here, message, source=Place(here.file, seen[name]))


def cell_sections(file: str, text: str) -> tuple[list[Section], list[Problem]]:
    """The named cells of a notebook as sections, and what is wrong with its cells."""
    found, problems = percent.cells(file, text)
    for number, line in enumerate(text.split("\n"), start=1):
        if MARKER.match(line):
            problems.append(
                Problem(Place(file, number), "a section marker in a notebook, whose cells are its sections")
            )
    return [Section(cell.name, cell.first, cell.last) for cell in found if cell.kind == "code"], problems


def statements(snippet: Snippet) -> list[tuple[str | None, list[ast.stmt]]]:
    """The top-level statements in file order, grouped by the section they stand in (None: outside)."""
    groups: list[tuple[str | None, list[ast.stmt]]] = []
    for statement in ast.parse(snippet.text, filename=str(snippet.path)).body:
        name = next((s.name for s in snippet.sections if s.first <= _first_line(statement) <= s.last), None)
        if not groups or groups[-1][0] != name:
            groups.append((name, []))
        groups[-1][1].append(statement)
    return groups


def _statement_problems(file: str, text: str, sections: list[Section]) -> list[Problem]:
    try:
        tree = ast.parse(text, filename=file)
    except SyntaxError as error:
        return [
            Problem(
                Place(file, error.lineno or 0),
                f"syntax error: {error.msg}",
                got=(error.text or "").strip() or None,
            )
        ]
    except (ValueError, RecursionError, MemoryError) as error:
        # A null byte, or an expression of thousands of terms.
        return [Problem(Place(file), f"code that Python cannot read: {type(error).__name__}: {error}".rstrip(": "))]
    problems = []
    for section in sections:
        inside = [s for s in tree.body if section.first <= _first_line(s) <= section.last]
        if not inside:
            problems.append(Problem(Place(file, section.first - 1), f"section {section.name!r} holds no statement"))
        for statement in tree.body:
            first, last = _first_line(statement), statement.end_lineno or statement.lineno
            if first < section.first <= last or first <= section.last < last:
                problems.append(
                    Problem(
                        Place(file, first),
                        f"section {section.name!r} cuts this statement in two",
                        "whole top-level statements between the markers",
                    )
                )
    return problems


def _first_line(statement: ast.stmt) -> int:
    """The line a statement begins on, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _hidden(relative: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in relative.parts)
