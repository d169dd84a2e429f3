"""Accept a run: new records, and the numbers in the prose rewritten where they stand."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from drift.judge import styles
from drift.judge.runs import same_fact
from drift.judge.values import same_artifact, same_text
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.records import record
from drift.records.record import Record
from drift.run.outcome import Outcome


@dataclass(frozen=True)
class Change:
    """One file as it is (None: not there) and as it should be (None: gone)."""

    path: Path
    old: str | None
    new: str | None


def plan(site: Site, outcomes: dict[str, Outcome]) -> list[Change]:
    """The changes that accept `outcomes`, of which none may have failed; nothing is written.

    The record of a snippet that could not run stays as it is.
    What agrees within its tolerance keeps its recorded value, so that two machines do not rewrite one another's.
    """
    records = dict(site.records)
    changes: list[Change] = []
    for name, outcome in outcomes.items():
        if outcome.unmet is not None:
            continue
        records[name] = accepted(site.records[name], outcome)
        changes += _record_changes(site, site.records[name], records[name])
    changes += [
        Change(page.path, page.text, new) for page in site.pages if (new := rewritten(page, records)) != page.text
    ]
    return changes


class ChangedMeanwhileError(Exception):
    """Files that somebody edited while the snippets ran."""


def apply(changes: list[Change]) -> None:
    """Write every change, each file in one step.

    Raises:
        ChangedMeanwhileError: a file is no longer as the change expects; nothing is written then.
    """
    stale = [change.path.name for change in changes if current(change.path) != change.old]
    if stale:
        raise ChangedMeanwhileError(f"edited while the snippets ran: {', '.join(stale)}")
    for change in changes:
        if change.new is None:
            change.path.unlink(missing_ok=True)
        else:
            record.replace_bytes(change.path, change.new.encode("utf-8"))


def current(path: Path) -> str | None:
    """A file's text with the line ends it has; None when there is no file, what is not UTF-8 as a mark."""
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else None


def accepted(old: Record, outcome: Outcome) -> Record:
    """The record that holds what `outcome` gave, keeping every old value that still agrees."""
    new = from_outcome(outcome)
    for name, text in new.outputs.items():
        if name in old.outputs and same_text(old.outputs[name], text, new.tolerances.get(name)):
            new.outputs[name] = old.outputs[name]
    for name, fact in new.facts.items():
        if name in old.facts and same_fact(old.facts[name], fact):
            new.facts[name] = old.facts[name]
    for name, text in new.artifacts.items():
        if name in old.artifacts and same_artifact(name, old.artifacts[name], text, new.tolerances.get(name)):
            new.artifacts[name] = old.artifacts[name]
    return new


def from_outcome(outcome: Outcome) -> Record:
    """The record that accepts everything a run gave."""
    return Record(
        outcome.snippet,
        outputs={name: text.removesuffix("\n") for name, text in outcome.outputs.items() if text},
        facts=dict(outcome.facts),
        tolerances=dict(outcome.tolerances),
        artifacts=dict(outcome.artifacts),
    )


def rewritten(page: Page, records: dict[str, Record]) -> str:
    """A page with every quote that is not its fact replaced, by offset; a quote without a fact is left alone."""
    text = page.text
    for quote in sorted(page.quotes, key=lambda quote: quote.start, reverse=True):
        stem, name = split_target(quote.target)
        fact = records[stem].facts.get(name) if stem in records else None
        if fact is None:
            continue
        try:
            new = styles.rewrite(quote.text, fact.value, fact.tol)
        except styles.NotANumberError:
            continue
        text = text[: quote.start] + new + text[quote.end :]
    return text


def show(console: Console, site: Site, change: Change) -> None:
    """Print one change as a diff; of a figure only that it changed."""
    name = site.config.relative(change.path)
    if change.path.suffix == ".svg":
        state = "new" if change.old is None else "removed" if change.new is None else "changed"
        console.print(Text(f"{name}: {state} figure", "bold"))
        return
    old, new = (change.old or "").splitlines(), (change.new or "").splitlines()
    console.print(Text(name, "bold"))
    for line in list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "dim")
        console.print(Text(f"  {line}", style), soft_wrap=True)


def _record_changes(site: Site, old: Record, new: Record) -> list[Change]:
    config = site.config
    out = record.out_path(config, new.snippet)
    wanted: dict[Path, str | None] = {
        record.facts_path(config, new.snippet): record.render_facts(new),
        out: record.render_outputs(new.outputs) if new.outputs else None,
    }
    for filename in old.artifacts:
        wanted[record.artifact_path(config, new.snippet, filename)] = None
    for filename, text in new.artifacts.items():
        wanted[record.artifact_path(config, new.snippet, filename)] = text
    found = ((path, current(path), text) for path, text in wanted.items())
    return [Change(path, before, after) for path, before, after in found if before != after]
