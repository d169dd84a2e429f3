"""The page that lists every snippet: what it shows, its code, its facts, and the pages that show it.

It is made from the snippets and their records, so it cannot go stale.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from drift.mkdocs.quotes import shown
from drift.read import frontmatter, percent
from drift.read.snippet import Snippet
from drift.read.text.prose import numerals_in
from drift.records.record import Record

MARK = "<!-- drift:index -->"


@dataclass(frozen=True)
class Entry:
    """One snippet in the list; `url` and the addresses in `pages` are relative to the list's page."""

    snippet: Snippet
    record: Record
    url: str
    pages: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Group:
    """The snippets that a page is the first to show."""

    title: str
    url: str
    entries: Sequence[Entry]


def skeleton(title: str) -> str:
    """The page's Markdown; `fill` replaces the mark in it."""
    intro = (
        "Every experiment behind this site, in the order of the chapters.\n"
        "The list is made from the code when the site is built.\n"
        "Each file runs by itself, from the root of the repository."
    )
    return f"---\ntitle: {title}\n---\n\n# {title}\n\n{intro}\n\n{MARK}\n"


def fill(html: str, groups: Sequence[Group]) -> str:
    """The rendered skeleton with the list in place."""
    return html.replace(MARK, "\n".join(_group(group) for group in groups))


def purpose(snippet: Snippet) -> str:
    """What a snippet shows: the first paragraph of its docstring, or a notebook's description.

    Raises:
        ValueError: there is none, or it holds a numeral, which no fact would bind.
    """
    if snippet.is_notebook:
        text = frontmatter.value(percent.translate(snippet.id, snippet.text).text, "description")
    else:
        text = ast.get_docstring(ast.parse(snippet.text)) or ""
    first = " ".join(text.split("\n\n")[0].split())
    if not first:
        where = "the description in a notebook's front matter" if snippet.is_notebook else "a snippet's docstring"
        raise ValueError(f"{where} says what it shows; expected one, found none")
    if numbers := numerals_in(first):
        raise ValueError(f"a snippet's docstring is shown in the list, where no fact binds a number: {numbers[0]}")
    return first


def _group(group: Group) -> str:
    columns = ("What it shows", "Code", "Facts", "Shown in")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    rows = "\n".join(_row(entry) for entry in group.entries)
    return (
        f'<h2><a href="{escape(group.url)}">{escape(group.title)}</a></h2>\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _row(entry: Entry) -> str:
    pages = ", ".join(f'<a href="{escape(url)}">{escape(title)}</a>' for title, url in entry.pages)
    code = f'<a href="{escape(entry.url)}"><code>{escape(entry.snippet.id)}.py</code></a>'
    shows = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(purpose(entry.snippet)))
    return f"<tr><td>{shows}</td><td>{code}</td><td>{_facts(entry)}</td><td>{pages}</td></tr>"


def _facts(entry: Entry) -> str:
    facts = entry.record.facts
    if not facts:
        return "none"
    items = "".join(f"<li><code>{escape(name)}</code> {escape(shown(fact.value))}</li>" for name, fact in facts.items())
    return f"<details><summary>{len(facts)}</summary><ul>{items}</ul></details>"
