"""The page of sources names every address that the site cites, and how each was read."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "sources.md"
ROW = re.compile(r"^\| \[[^\]]+\]\((https?://\S+)\) \| (.+) \|$", re.MULTILINE)
ADDRESS = re.compile(r"\]\((https?://[^)\s]+)\)")
STATES = ("thread", "abstract", "text", "installed text", "not opened")


def listed() -> dict[str, str]:
    """How each listed source was read, by its address."""
    return dict(ROW.findall(LIST.read_text(encoding="utf-8")))


def cited() -> dict[str, str]:
    """Where each address is cited first: pages, and the notebooks that are written as snippets."""
    pages = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path != LIST]
    found: dict[str, str] = {}
    for path in [*pages, *sorted((ROOT / "snippets" / "labs").glob("*.py"))]:
        for address in ADDRESS.findall(path.read_text(encoding="utf-8")):
            found.setdefault(address, str(path.relative_to(ROOT)))
    return found


def test_sources_of_every_page_are_listed() -> None:
    """What a page cites stands in the list, so that nobody cites what nobody opened without saying so."""
    assert not {address: place for address, place in cited().items() if address not in listed()}


def test_sources_listed_are_cited() -> None:
    """An address that no page cites any more leaves the list."""
    assert not listed().keys() - cited().keys()


def test_sources_say_how_they_were_read() -> None:
    """Each state is one that the page explains, perhaps with a word on how much more was read."""
    text = LIST.read_text(encoding="utf-8")
    explained = set(re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE))
    assert explained == set(STATES)
    assert not {state for state in listed().values() if not state.startswith(STATES)}


def test_sources_that_are_threads_were_read() -> None:
    """A report is cited for what it says, so none is cited that was not opened."""
    threads = {address for address in cited() if re.search(r"/(issues|pull)/\d+$", address)}
    assert threads
    assert {listed()[address] for address in threads} == {"thread"}
