"""Every page of the built site, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_pages_are_all_there(site: Any, pages: list[str]) -> None:
    """The build makes a page for each Markdown file and each snippet, and no other."""
    assert sorted(path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.html")) == pages


def test_page_asks_nobody_else(visits: Callable[[str], Any], page_path: str) -> None:
    """No page requests anything from another host."""
    assert visits(page_path).outside == []


def test_page_logs_no_error(visits: Callable[[str], Any], page_path: str) -> None:
    """No script fails and nothing is missing."""
    assert visits(page_path).errors == []


def test_page_fits_the_screen(visits: Callable[[str], Any], page_path: str) -> None:
    """Nothing makes the page itself scroll sideways."""
    assert {setting: excess for setting, excess in visits(page_path).overflow.items() if excess > 0} == {}


def test_page_is_accessible(visits: Callable[[str], Any], axe_path: str) -> None:
    """Axe finds nothing serious, contrast in both schemes included."""
    violations = visits(axe_path).violations
    assert not violations, "\n".join(violations)
