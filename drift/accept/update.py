"""Accept a run: new records, and the numbers in the prose rewritten where they stand."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from drift.judge import styles
from drift.judge.runs import same_fact
from drift.judge.values import same_artifact, same_text
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.records import record
from drift.records.origin import has_outside, origin
from drift.records.record import Record
from drift.run.outcome import Outcome
from drift.signals import uninterrupted


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
        records[name] = sealed(site, accepted(site.records[name], outcome), outcome)
        changes += _record_changes(site, site.records[name], records[name])
    changes += [
        Change(page.path, page.text, new) for page in site.pages if (new := rewritten(page, records)) != page.text
    ]
    return changes


def sealed(site: Site, new: Record, outcome: Outcome) -> Record:
    """A record that says what it was made from.

    One that holds the same as before keeps what it said, since it was made then; but where data is needed that not
    everybody has, a record has to be as new as its code, or nobody without the data could trust it.
    """
    old = site.records[new.snippet]
    made_from = origin(site.config, [site.snippets[new.snippet].file, *outcome.dependencies])
    same = old.made_from and not differs(old, new)
    moved = sorted(made_from.values()) == sorted(old.made_from.values())  # the same data, found elsewhere
    keep = moved or (same and not has_outside(made_from))
    return replace(new, made_from=old.made_from if keep else made_from)


def differs(old: Record, new: Record, *, lines: bool = True) -> bool:
    """Whether two records hold something else; where from does not count, and lines only if asked."""
    if not lines:
        old, new = (
            replace(one, facts={name: replace(fact, line=0) for name, fact in one.facts.items()}) for one in (old, new)
        )
    return record.seal(replace(old, made_from={})) != record.seal(replace(new, made_from={}))


class ChangedMeanwhileError(Exception):
    """Files that somebody edited while the snippets ran."""


def apply(changes: list[Change]) -> None:
    """Write every change, each file in one step, and none before all of them found room.

    Raises:
        ChangedMeanwhileError: a file is no longer as the change expects; nothing is written then.
        OSError: the disk is full or must not be written to; nothing is written then, either.
    """
    stale = [change.path.name for change in changes if current(change.path) != change.old]
    if stale:
        raise ChangedMeanwhileError(f"edited while the snippets ran: {', '.join(stale)}")
    drafts: dict[Path, Path] = {}
    try:
        for change in changes:
            if change.new is not None:
                drafts[change.path] = record.draft(change.path, change.new.encode("utf-8"))
        with uninterrupted():
            for change in changes:
                if change.new is None:
                    change.path.unlink(missing_ok=True)
                else:
                    drafts.pop(change.path).replace(change.path)
    finally:
        for left in drafts.values():
            left.unlink(missing_ok=True)


def current(path: Path) -> str | None:
    """A file's text with the line ends it has; None when there is no file, what is not UTF-8 as a mark."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None


def accepted(old: Record, outcome: Outcome) -> Record:
    """The record that holds what `outcome` gave, keeping every old value that still agrees.

    Nothing is kept of a record that was edited by hand.
    """
    new = from_outcome(outcome)
    if old.problems:
        return new
    for name, text in new.outputs.items():
        if name in old.outputs and same_text(old.outputs[name], text, new.tolerances.get(name)):
            new.outputs[name] = old.outputs[name]
    for name, fact in new.facts.items():
        if name in old.facts and same_fact(old.facts[name], fact):
            new.facts[name] = replace(old.facts[name], line=fact.line)
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
        if fact is None or quote.claim:
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
    old, new = _shown(change.old), _shown(change.new)
    console.print(Text(name, "bold"))
    for line in list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "dim")
        console.print(Text(f"  {line}", style), soft_wrap=True)


def _shown(text: str | None) -> list[str]:
    """The lines of a file that a person has to read: without a record's digests, which say nothing to one."""
    lines = (text or "").split("\n")
    if '  "made_from": {' not in lines:
        return lines
    begin = lines.index('  "made_from": {')
    end = next((n for n, line in enumerate(lines) if n > begin and line.startswith("  }")), begin)
    return [line for line in (*lines[:begin], *lines[end + 1 :]) if not line.startswith('  "seal": ')]


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
    changes = (Change(path, before, with_line_ends(before, after)) for path, before, after in found)
    return [change for change in changes if change.old != change.new]


def with_line_ends(old: str | None, new: str | None) -> str | None:
    """A new text with the line ends that the old one has, as a checkout on Windows gives them."""
    return new.replace("\n", "\r\n") if new is not None and old is not None and "\r\n" in old else new
