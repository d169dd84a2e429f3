"""Turn what a run's process reported into outputs, artifacts and problems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.snippet import Snippet

MAX_ARTIFACT = 400 * 1024
MAX_QUOTED = 2000

# A page shows text: other control characters would show as something else, or not at all.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Written:
    """What one statement wrote to one stream: the bytes from `start` to `end`; line 0 is after the last."""

    section: str | None
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Transcript:
    """One run: its snippet, the folder with the files that it wrote, and its report (`child.Report`)."""

    config: Config
    snippet: Snippet
    folder: Path
    report: dict[str, Any]

    def read(self, stream: str) -> tuple[bytes, list[Written]]:
        """All that was written to `stdout` or `stderr`, and by which statement."""
        data = (self.folder / stream).read_bytes()
        column = ("stdout", "stderr").index(stream)
        pieces, start = [], 0
        for section, line, *sizes in self.report["marks"]:
            pieces.append(Written(section, line, start, sizes[column]))
            start = sizes[column]
        return data, pieces

    def failure(self) -> Problem:
        """The exception that ended the run."""
        failure = self.report["failure"]
        place = Place(self.snippet.file, failure["line"])
        if failure["kind"] == "exit":
            begun = {mark[0] for mark in self.report["marks"]}
            missed = [section.name for section in self.snippet.sections if section.name not in begun]
            tail = f"; never ran: {', '.join(missed)}" if missed else ""
            text = f"exits early, with SystemExit({failure['code']}){tail}"
            return Problem(place, text, fix="let it run to its end")
        source = Place(*failure["source"]) if failure["source"] else None
        return Problem(place, failure["message"], got=failure["trace"] or None, source=source)

    def outputs(self, problems: list[Problem]) -> dict[str, str]:
        """What each section that ran printed."""
        data, pieces = self.read("stdout")
        begun = {mark[0] for mark in self.report["marks"]}
        found: dict[str, str] = {}
        for section in self.snippet.sections:
            if section.name not in begun:
                continue
            printed = b"".join(data[s.start : s.end] for s in pieces if s.section == section.name)
            found[section.name], wrong = readable(printed)
            if wrong:
                place = Place(self.snippet.file, section.first)
                problems.append(Problem(place, f"section {section.name!r} prints {wrong}"))
        for piece in pieces:
            if piece.end < piece.start:
                place = Place(self.snippet.file, piece.line)
                problems.append(Problem(place, "cuts off what was printed before"))
        return found

    def stray(self, problems: list[Problem]) -> None:
        """Text printed where no page shows it."""
        data, pieces = self.read("stdout")
        for piece in _joined(pieces):
            if piece.section is not None:
                continue
            text = data[piece.start : piece.end].decode("utf-8", "replace")
            where = "outside every section" if piece.line else "after the last statement"
            problems.append(
                Problem(
                    Place(self.snippet.file, piece.line),
                    f"prints {where}, where no page shows it",
                    got=text[:MAX_QUOTED],
                    fix="print inside a section, or do not print",
                )
            )

    def complaints(self, problems: list[Problem]) -> None:
        """Text written to stderr, warnings among it, by the statement that wrote it."""
        data, pieces = self.read("stderr")
        for piece in _joined(pieces):
            text = data[piece.start : piece.end].decode("utf-8", "replace")
            line = self.line_in(text) or piece.line
            who = f"section {piece.section!r} writes" if piece.section else "writes"
            shown = text.replace(f"{self.config.root}/", "")[:MAX_QUOTED].rstrip()
            problems.append(
                Problem(
                    Place(self.snippet.file, line),
                    f"{who} to stderr",
                    expected="nothing, no warning either",
                    got=shown or repr(text[:MAX_QUOTED]),
                )
            )

    def line_in(self, text: str) -> int | None:
        """The line of the snippet that a warning or a traceback names."""
        path = re.escape(str(self.snippet.path))
        warned = re.search(rf"^{path}:(\d+): ", text, re.MULTILINE)
        traced = re.findall(rf'File "{path}", line (\d+)', text)
        return int(warned[1]) if warned else int(traced[-1]) if traced else None

    def artifacts(self, problems: list[Problem]) -> dict[str, str]:
        """Text of the files that the snippet said it makes."""
        found = {}
        for name in self.report["ledger"]["artifacts"]:
            text, wrong = _artifact(self.folder / "artifacts" / name)
            if wrong:
                place = Place(self.snippet.file, line_of(self.snippet, "artifact", name))
                problems.append(Problem(place, f"artifact {name!r} {wrong}"))
            else:
                found[name] = text
        return found


def _joined(pieces: list[Written]) -> list[Written]:
    """The pieces that hold something; those of statements that follow one another in a section are one.

    A thread's traceback may come while the next statement runs already.
    """
    found: list[Written] = []
    for piece in pieces:
        if piece.start >= piece.end:
            continue
        last = found[-1] if found else None
        if last is not None and (last.section, last.end) == (piece.section, piece.start):
            found[-1] = Written(last.section, last.line, last.start, piece.end)
        else:
            found.append(piece)
    return found


def readable(data: bytes) -> tuple[str, str | None]:
    """Printed bytes as text with `\\n` line ends, and what keeps a page from showing them."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        wrong = f"bytes that are not UTF-8: {error.reason} at byte {error.start}"
        return data.decode("utf-8", "replace"), wrong
    control = _CONTROL.search(text)
    if control is not None:
        what = "ANSI escapes" if control[0] == "\x1b" else f"the control character {control[0]!r}"
        return text, f"{what}, which a page cannot show"
    if "--8<--" in text:
        return text, "a literal --8<--, which an include would take for a marker"
    return text, None


def line_of(snippet: Snippet, function: str, argument: str) -> int:
    """The line that calls `function` with the literal `argument`; 0 when the name is put together."""
    call = re.search(rf"""\b{function}\(\s*(["']){re.escape(argument)}\1""", snippet.text)
    return snippet.text.count("\n", 0, call.start()) + 1 if call else 0


def _artifact(path: Path) -> tuple[str, str | None]:
    try:
        data = path.read_bytes()
    except OSError:
        return "", "was never written"
    if len(data) > MAX_ARTIFACT:
        return "", f"is too large: {len(data) / 1024:.0f} KiB, at most {MAX_ARTIFACT // 1024} KiB"
    try:
        return data.decode("utf-8").replace("\r\n", "\n"), None
    except UnicodeDecodeError as error:
        return "", f"is not UTF-8: {error.reason} at byte {error.start}"
