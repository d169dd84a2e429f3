"""Everything about one fact or one snippet: what it is, the code behind it, who quotes it, how it came to be."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from difflib import get_close_matches

from rich.console import Console
from rich.text import Text

from drift.judge import styles
from drift.read import stated
from drift.read.site import Site, split_target
from drift.records import record
from drift.tell import report

# Of a fact's history, the changes that are told.
CHANGES = 5


class UnknownNameError(ValueError):
    """No snippet and no fact of that name."""


def show(console: Console, site: Site, name: str) -> None:
    """Print what is known about a fact (`chapter/snippet.name`) or a snippet (`chapter/snippet`).

    Raises:
        UnknownNameError: there is neither.
    """
    stem, fact = split_target(name)
    known = stem in site.snippets and (not fact or fact in site.records[stem].facts)
    if not known:
        raise UnknownNameError(f"no fact and no snippet {name!r}{_nearest(site, stem, fact)}")
    for label, value in _of_fact(site, stem, fact) if fact else _of_snippet(site, stem):
        line = Text(f"{label:<10}", "dim")
        line.append(value)
        console.print(line, soft_wrap=True)


def _of_fact(site: Site, stem: str, name: str) -> Iterator[tuple[str, str]]:
    fact = site.records[stem].facts[name]
    tolerance = f" ± {fact.tol:g}" if fact.tol is not None else ", exact" if not isinstance(fact.value, float) else ""
    yield "fact", f"{stem}.{name}"
    yield "value", f"{styles.full(fact.value)}{tolerance}"
    snippet = site.snippets[stem]
    said = stated.expression(snippet, fact.line)
    yield "made in", f"{snippet.file}:{fact.line}" + (f"  {said}" if said else "")
    for page in site.pages:
        for quote in page.quotes:
            if split_target(quote.target) == (stem, name):
                kind = "claimed" if quote.claim else "quoted"
                yield kind, f"{page.place(quote.line)}  {' '.join(quote.text.split())}"
    yield "run", f"python {snippet.file}"
    yield from (("changed", line) for line in _history(site, stem, name))


def _of_snippet(site: Site, stem: str) -> Iterator[tuple[str, str]]:
    snippet, loaded = site.snippets[stem], site.records[stem]
    yield "snippet", f"{stem}  {snippet.file}"
    for section in snippet.sections:
        places = [*site.code_shown.get((stem, section.name), []), *site.output_shown.get((stem, section.name), [])]
        yield "section", f"{section.name}  {', '.join(dict.fromkeys(map(str, places))) or 'shown by no page'}"
    for name, fact in loaded.facts.items():
        quoted = len(site.quoted.get((stem, name), []))
        yield "fact", f"{name}  {styles.full(fact.value)}  {report.many(quoted, 'quote')}"
    for filename in loaded.artifacts:
        yield "figure", filename
    yield "run", f"python {snippet.file}"


def _history(site: Site, stem: str, name: str) -> list[str]:
    """The commits that changed the recorded line of a fact, the newest first; none outside a repository of git."""
    path = record.facts_path(site.config, stem)
    lines = path.read_text(encoding="utf-8").split("\n")
    number = next((n for n, line in enumerate(lines, 1) if line.strip().startswith(f'"{name}": ')), None)
    if number is None:
        return []
    command = ["git", "log", "-s", f"-{CHANGES}", "--format=%h %as %s", f"-L{number},{number}:{path}"]
    try:
        done = subprocess.run(command, cwd=site.config.root, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def _nearest(site: Site, stem: str, fact: str) -> str:
    if stem in site.snippets:
        near = [f"{stem}.{name}" for name in get_close_matches(fact, site.records[stem].facts, n=3)]
    else:
        near = get_close_matches(stem, site.snippets, n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
