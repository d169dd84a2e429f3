"""Links within the site, and the addresses that come from the one setting."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from playwright.sync_api import Page

REPOSITORY = "https://github.com/someone/some-name"


class Addresses(HTMLParser):
    """Collects a page's ids, and every address it names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and not tag.startswith("use"):
                self.links.append(value)


def test_links_lead_somewhere(built: Path, pages: list[str]) -> None:
    """Every link within the site, generated ones included, names a file and an anchor that exist."""
    read = {(built / path).resolve(): Addresses((built / path).read_text(encoding="utf-8")) for path in pages}
    broken = []
    for path, page in read.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            # The page for a bad address is shown at any depth, so its links start at the root.
            if re.match(r"[a-z]+:", address) or path.name == "404.html":
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            if not target.exists():
                broken.append(f"{path.relative_to(built.resolve())}: {link}")
            elif anchor and target in read and unquote(anchor) not in read[target].ids:
                broken.append(f"{path.relative_to(built.resolve())}: {link} (no such anchor)")
    assert not broken, "\n".join(broken)


def test_addresses_are_absent_without_a_setting(built: Path, pages: list[str]) -> None:
    """Without a repository no page claims an address, a repository or an edit link."""
    for path in pages:
        html = (built / path).read_text(encoding="utf-8")
        assert 'rel="canonical"' not in html
        assert 'rel="edit"' not in html
        assert "md-source" not in html


def test_addresses_come_from_the_repository(published: Any, fact_page: str) -> None:
    """With a repository a page names its own address, the repository, and where to edit it."""
    html = (published.folder / fact_page).read_text(encoding="utf-8")
    assert f'<link rel="canonical" href="https://someone.github.io/some-name/{fact_page}">' in html
    assert f'<a href="{REPOSITORY}"' in html
    assert f'href="{REPOSITORY}/edit/main/docs/{fact_page.removesuffix(".html")}.md"' in html


@pytest.mark.parametrize("width", [390, 1280])
def test_repository_link_asks_nobody(
    published: Any, open_page: Callable[..., Page], watch: Callable[..., Any], fact_page: str, width: int
) -> None:
    """The theme's own link would fetch the number of stars; this one makes no request."""
    page = open_page("", width=width)
    outside, errors = watch(page, published.root)
    page.goto(published.root + fact_page, wait_until="networkidle")
    assert page.locator(".md-source").count() > 0
    assert (outside, errors) == ([], [])
