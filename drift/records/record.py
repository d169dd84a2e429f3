"""Records: the accepted outputs, facts and artifacts of a snippet, in files that a person reads in a diff."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drift.config import Config
from drift.facts import ARTIFACT_NAME, Fact, FactError, Value, checked
from drift.problem import Place, Problem
from drift.records.origin import Origin

HEADER = "# What the snippet of this name printed. Written by `python -m drift update`."
ACCEPT = "python -m drift update --only {id}"
_START = re.compile(r"# --8<-- \[start:([a-z][-_0-9a-z]*)\]\Z")


@dataclass
class Record:
    """The accepted result of one snippet.

    `lines` says where each output begins in the `.out` file, `made_from` which code and data gave the result.
    """

    snippet: str
    outputs: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    tolerances: dict[str, float] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)
    made_from: Origin = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    exists: bool = False


def out_path(config: Config, snippet_id: str) -> Path:
    """The file with the recorded outputs, which chapters include."""
    return config.snippets / f"{snippet_id}.out"


def facts_path(config: Config, snippet_id: str) -> Path:
    """The file with the recorded facts, tolerances and names of artifacts."""
    return config.snippets / f"{snippet_id}.facts.json"


def artifact_path(config: Config, snippet_id: str, filename: str) -> Path:
    """Where an accepted artifact lies, for pages to show."""
    return config.figures / Path(snippet_id).parent / filename


def load(config: Config, snippet_id: str) -> Record:
    """Read a record; a file that is missing or broken is a problem of the record, not an exception."""
    record = Record(snippet_id)
    _load_facts(config, record)
    _load_outputs(config, record)
    if record.exists and not record.problems:
        _check_seal(config, record)
    return record


def render_outputs(outputs: dict[str, str]) -> str:
    """The text of a `.out` file."""
    parts = [HEADER]
    for name, text in outputs.items():
        parts += [f"# --8<-- [start:{name}]", text, f"# --8<-- [end:{name}]"]
    return "\n".join(parts) + "\n"


def render_facts(record: Record) -> str:
    """The text of a `.facts.json` file: one fact a line, then what they were made from, then a seal over it all."""
    parts = []
    tables = (("facts", _facts(record)), ("tolerances", record.tolerances), ("made_from", record.made_from))
    for key, table in tables:
        lines = ",\n".join(f"    {_json(name)}: {_json(value)}" for name, value in table.items())
        parts.append(f"  {_json(key)}: {{\n{lines}\n  }}" if lines else f"  {_json(key)}: {{}}")
    parts.append(f'  "artifacts": {_json(sorted(record.artifacts))}')
    parts.append(f'  "seal": {_json(seal(record))}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def seal(record: Record) -> str:
    """A checksum over everything that a record says, figures among it: who edits one by hand breaks it."""
    said = {
        "outputs": record.outputs,
        "facts": _facts(record),
        "tolerances": record.tolerances,
        "artifacts": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in record.artifacts.items()},
        "made_from": record.made_from,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _facts(record: Record) -> dict[str, dict[str, Value]]:
    told: dict[str, dict[str, Value]] = {}
    for name, fact in record.facts.items():
        tol: dict[str, Value] = {} if fact.tol is None else {"tol": fact.tol}
        told[name] = {"value": fact.value, **tol, "line": fact.line}
    return told


def _load_facts(config: Config, record: Record) -> None:
    path = facts_path(config, record.snippet)
    file = config.relative(path)
    if not path.exists():
        return
    record.exists = True
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        # What a snippet could not have stated was not written by the checker.
        facts = {name: _fact(name, fact) for name, fact in data["facts"].items()}
        tolerances = {name: checked(name, 0.0, tol).tol or 0.0 for name, tol in data["tolerances"].items()}
        names = [name for name in data["artifacts"] if ARTIFACT_NAME.match(name)]
        if names != data["artifacts"]:
            raise FactError(f"artifacts: expected names of files, got {data['artifacts']}")
        made_from = {str(name): str(value) for name, value in data.get("made_from", {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        line = getattr(error, "lineno", 0)
        fix = ACCEPT.format(id=record.snippet)
        record.problems.append(
            Problem(Place(file, line), f"the record cannot be read: {type(error).__name__}: {error}", fix=fix)
        )
        return
    record.facts, record.tolerances, record.made_from = facts, tolerances, made_from
    for name in names:
        figure = artifact_path(config, record.snippet, name)
        text, wrong = _text(figure)
        if wrong is None:
            record.artifacts[name] = text
        else:
            message = "an accepted figure is missing" if not figure.exists() else wrong
            fix = ACCEPT.format(id=record.snippet)
            record.problems.append(Problem(Place(config.relative(figure)), message, source=Place(file), fix=fix))


def _fact(name: str, data: dict[str, Any]) -> Fact:
    stated = checked(name, data["value"], data.get("tol"))
    return replace(stated, line=int(data.get("line", 0)))


def _check_seal(config: Config, record: Record) -> None:
    """Hold a record to be what the checker wrote, to the letter."""
    path = facts_path(config, record.snippet)
    text, _ = _text(path)
    if text == render_facts(record):
        return
    message = "the record is not what the checker wrote: it was edited by hand, or by a merge"
    fix = ACCEPT.format(id=record.snippet)
    try:
        told = json.loads(text).get("seal", "no seal") if text else "no such file"
    except (ValueError, AttributeError):
        told = "no seal"
    got = "the same seal over other text" if told == seal(record) else str(told)
    record.problems.append(
        Problem(Place(config.relative(path)), message, expected=f"seal {seal(record)}", got=got, fix=fix)
    )


def _load_outputs(config: Config, record: Record) -> None:
    path = out_path(config, record.snippet)
    if not path.exists():
        return
    record.exists = True
    file = config.relative(path)
    name, body = "", [""]
    content, wrong = _text(path)
    if wrong is not None:
        record.problems.append(Problem(Place(file), wrong, fix=ACCEPT.format(id=record.snippet)))
    for number, line in enumerate(content.split("\n"), start=1):
        start = _START.match(line)
        if name and line == f"# --8<-- [end:{name}]":
            record.outputs[name] = "\n".join(body)
            name = ""
        elif name:
            body.append(line)
        elif start and start[1] not in record.lines:
            name, body = start[1], []
            record.lines[name] = number + 1
        elif line not in ("", HEADER):
            record.problems.append(
                Problem(
                    Place(file, number),
                    "text between outputs: this file is written by the checker, not by hand",
                    got=line,
                    fix=ACCEPT.format(id=record.snippet),
                )
            )
    if name:
        record.problems.append(
            Problem(
                Place(file, record.lines[name] - 1),
                f"output {name!r} has no end marker; an include would show the rest of the file",
                expected=f"# --8<-- [end:{name}]",
                fix=ACCEPT.format(id=record.snippet),
            )
        )


def _text(path: Path) -> tuple[str, str | None]:
    """A file's text, and why it has none."""
    try:
        return path.read_text(encoding="utf-8"), None
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        return "", f"not UTF-8: {error.reason} at byte {error.start}"


DRAFT = ".draft"
# A draft that is older belongs to a process that was killed.
DRAFT_SECONDS = 60


def draft(path: Path, data: bytes) -> Path:
    """Write what a file shall hold beside it, to be put in its place in one step; give the new file.

    Raises:
        OSError: there is no room, or nothing may be written; nothing is left then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=DRAFT)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def remove_drafts(config: Config) -> None:
    """Remove what a process that was killed left beside records and pages."""
    for folder in {config.docs, config.snippets, config.figures}:
        for path in folder.rglob(f".*{DRAFT}"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > DRAFT_SECONDS:
                    path.unlink()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
