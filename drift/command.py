"""The command line: check, update, list, show, unbound, suggest, ambiguous, tally, matrix."""

from __future__ import annotations

import argparse
import errno
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata

from rich.console import Console

from drift import config
from drift.accept import twice, update
from drift.accept.update import ChangedMeanwhileError
from drift.config import Config, ConfigError
from drift.judge import ambiguous, check, known, meanwhile, unbound, unmet
from drift.judge.check import NothingSelectedError
from drift.problem import Problem
from drift.read import site
from drift.read.snippet import Snippet
from drift.records import record
from drift.run.outcome import Outcome
from drift.signals import interruptible
from drift.tell import listing, machine, report, sentences, show, suggestions, tally
from drift.tell.progress import Progress

DISTRIBUTION = "attention-measured"
"""What has to be installed for this package to be there."""

# Commands that only read.
_LISTS = ("list", "unbound", "suggest", "ambiguous", "tally")
FAILED, MISUSED, INTERRUPTED = 1, 2, 130
_ERRORS = Console(stderr=True, highlight=False)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0: all agrees, 1: something does not, 2: the command cannot be run."""
    options = _parser().parse_args(arguments)
    console = Console(highlight=False)
    try:
        with interruptible():
            return int(options.command(options, config.load(), console))
    except (ConfigError, NothingSelectedError) as error:
        _ERRORS.print(f"drift: {error}", markup=False, soft_wrap=True)
        return MISUSED
    except OSError as error:
        _ERRORS.print(f"drift: {_disk(error)}", markup=False, soft_wrap=True)
        return MISUSED
    except KeyboardInterrupt:
        _ERRORS.print("drift: interrupted; what had run is remembered, and no file was changed", markup=False)
        return INTERRUPTED


def _disk(error: OSError) -> str:
    """What an operation on a file failed with, and what to do about it."""
    where = f"{error.filename}: " if error.filename else ""
    advice = {
        errno.ENOSPC: "; make room and run it again",
        errno.EDQUOT: "; make room and run it again",
        errno.EROFS: "; it has to be on a disk that can be written to",
        errno.EACCES: "; its owner has to allow it",
    }.get(error.errno or 0, "")
    return f"{where}{error.strerror or error}{advice}; no record or page was changed"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m drift", description="Hold a site's outputs and prose to its code.")
    parser.add_argument("--version", action="version", version=_version(), help="print the version and end")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
        ("check", _check, "run what changed and report every drift, every unbound number, everything unused"),
        ("update", _update, "run what changed, show a diff, and accept it: records and numbers in the prose"),
        ("list", _list, "list every fact: value, shown digits, tolerance, where made, where quoted"),
        ("show", _show, "print everything about one fact or one snippet"),
        ("unbound", _unbound, "list sentences that compare, count or generalise and bind nothing, the likeliest first"),
        ("suggest", _suggest, "list typed numbers that a fact could hold"),
        ("ambiguous", _ambiguous, "list quotes that could mean another fact of their snippet as well"),
        ("tally", _tally, "count what a check looks at, and what holds the numbers that no quote binds"),
        ("matrix", _matrix, "run every snippet under other threads and CPU capabilities and measure the spread"),
    ):
        sub = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        sub.set_defaults(command=command)
        if name not in (*_LISTS, "show"):
            sub.add_argument("--only", action="append", default=[], metavar="GLOB", help="snippets by id (repeatable)")
        if name in ("check", "update"):
            sub.add_argument("--no-cache", action="store_true", help="run everything, even if nothing changed")
        if name in (*_LISTS, "matrix"):
            sub.add_argument("--json", action="store_true", help="print JSON")
        if name == "check":
            help_text = "for a person, as JSON, or for a person and as annotations of GitHub"
            sub.add_argument("--format", choices=("text", "json", "github"), default=_format(), help=help_text)
        if name == "show":
            sub.add_argument("name", metavar="NAME", help="chapter/snippet.fact, or chapter/snippet")
        if name == "update":
            sub.add_argument("--dry-run", action="store_true", help="show the diff and write nothing")
    return parser


def _format() -> str:
    """GitHub's workflows get annotations unless they ask for something else."""
    return "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text"


def _version() -> str:
    try:
        return f"drift of {DISTRIBUTION} {metadata.version(DISTRIBUTION)}"
    except metadata.PackageNotFoundError:
        return f"drift, without an installation of {DISTRIBUTION}"


def _check(options: argparse.Namespace, settings: Config, console: Console) -> int:
    started = time.monotonic()
    record.remove_drafts(settings)
    before = meanwhile.states(settings)
    whole = site.read(settings)
    outcomes = _run(settings, check.select(whole, options.only), use_cache=not options.no_cache)
    problems = check.judge(whole, outcomes) + unmet.check(whole, outcomes, strict=_in_ci())
    problems += meanwhile.check(before, meanwhile.states(settings))
    count = _tell(console, problems, settings, options.format)
    if not count and len(outcomes) == len(whole.snippets):
        known.remember(whole)
    report.show_unkept(_ERRORS, outcomes)
    if options.format == "json":
        return FAILED if count else 0
    report.show_unmet(console, report.unmet(outcomes))
    cached = sum(outcome.cached for outcome in outcomes.values())
    _log(f"{cached} of {len(outcomes)} snippets unchanged, {time.monotonic() - started:.1f} s")
    console.print(report.summary(whole, outcomes, count), soft_wrap=True)
    return FAILED if count else 0


def _tell(console: Console, problems: list[Problem], settings: Config, form: str) -> int:
    """Print the findings for a person or a program; give how many there are."""
    if form == "json":
        print(json.dumps(machine.as_json(problems, settings.update), ensure_ascii=False, indent=2))
        return len(report.ordered(problems))
    if form == "github":
        for line in machine.on_github(problems, settings.update):
            print(line)
    return report.show(console, problems, settings.update)


def _update(options: argparse.Namespace, settings: Config, console: Console) -> int:
    if _in_ci():
        console.print("drift: update refuses to run where CI is set: a person accepts a drift, after reading its diff")
        return MISUSED
    record.remove_drafts(settings)
    whole = site.read(settings)
    outcomes = _run(settings, check.select(whole, options.only), use_cache=not options.no_cache)
    failures = [problem for outcome in outcomes.values() for problem in outcome.problems]
    if not failures and not options.dry_run:
        failures = _again(whole, outcomes)
    if failures:
        report.show(console, failures, settings.update)
        console.print("nothing was written")
        return FAILED
    report.show_unmet(console, report.unmet(outcomes))
    changes = update.plan(whole, outcomes)
    for change in changes:
        update.show(console, whole, change)
    if options.dry_run:
        console.print(f"{report.many(len(changes), 'file')} would change")
        return 0
    try:
        update.apply(changes)
    except ChangedMeanwhileError as error:
        console.print(f"{error}; nothing was written, run it again", markup=False, soft_wrap=True)
        return FAILED
    whole = site.read(settings)
    count = report.show(console, check.judge(whole, outcomes), settings.update)
    left = f"{report.many(count, 'problem')} left for you" if count else report.agreement(whole, outcomes)
    console.print(f"{report.many(len(changes), 'file')} written: {left}", soft_wrap=True)
    return FAILED if count else 0


def _again(whole: site.Site, outcomes: dict[str, Outcome]) -> list[Problem]:
    """What a second run, under other circumstances, gives differently."""
    chosen = twice.to_run_again(whole, outcomes)
    if not chosen:
        return []
    started = time.monotonic()
    _log(f"{report.many(len(chosen), 'record')} would change; each runs again with another seed, date and two threads")
    with Progress(_ERRORS, len(chosen)) as progress:
        found = twice.check(whole, outcomes, progress)
    _log(f"second run: {time.monotonic() - started:.1f} s")
    return found


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _list(options: argparse.Namespace, settings: Config, console: Console) -> int:
    found = listing.rows(site.read(settings))
    return _listed(options, listing.as_json(found), lambda: listing.show(console, found))


def _listed(options: argparse.Namespace, as_json: list[dict[str, object]], show: Callable[[], None]) -> int:
    """Print a list for a program or a person."""
    if options.json:
        print(json.dumps(as_json, ensure_ascii=False, indent=2))
    else:
        show()
    return 0


def _show(options: argparse.Namespace, settings: Config, console: Console) -> int:
    try:
        show.show(console, site.read(settings), options.name)
    except show.UnknownNameError as error:
        _ERRORS.print(f"drift: {error}", markup=False, soft_wrap=True)
        return MISUSED
    return 0


def _unbound(options: argparse.Namespace, settings: Config, console: Console) -> int:
    whole = site.read(settings)
    found = unbound.find(whole)
    return _listed(options, sentences.as_json(found), lambda: sentences.show(console, found, unbound.count(whole)))


def _suggest(options: argparse.Namespace, settings: Config, console: Console) -> int:
    found = list(suggestions.find(site.read(settings)))
    lines = [f"{one.place}  {one.text}: {', '.join(one.facts)}" for one in found]
    end = f"{report.many(len(found), 'typed number')} that a fact could hold"
    return _listed(options, [asdict(one) for one in found], lambda: _lines(console, [*lines, end]))


def _ambiguous(options: argparse.Namespace, settings: Config, console: Console) -> int:
    found = list(ambiguous.find(site.read(settings)))
    lines = [f"{one.place}  {one.text}: {one.target}, not {', '.join(one.others)}" for one in found]
    end = f"{report.many(len(found), 'quote')} that could mean another fact of the same snippet"
    return _listed(options, [asdict(one) for one in found], lambda: _lines(console, [*lines, end]))


def _tally(options: argparse.Namespace, settings: Config, console: Console) -> int:
    found = tally.count(site.read(settings))
    return _listed(options, tally.as_json(found), lambda: tally.show(console, found))


def _lines(console: Console, lines: list[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def _matrix(options: argparse.Namespace, settings: Config, console: Console) -> int:
    from drift.measure import matrix

    chosen = check.select(site.read(settings), options.only)
    return matrix.main(settings, chosen, console, as_json=options.json)


def _run(settings: Config, chosen: list[Snippet], *, use_cache: bool) -> dict[str, Outcome]:
    with Progress(_ERRORS, len(chosen)) as progress:
        return check.run(settings, chosen, progress=progress, use_cache=use_cache)


def _log(text: str) -> None:
    """What differs from run to run goes to stderr, so that stdout can be compared."""
    _ERRORS.print(f"[dim]{text}[/]")
