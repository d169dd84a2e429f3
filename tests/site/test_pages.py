"""Every page of the built site, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from accessibility import serious
from playwright.sync_api import Page

# Two blocks of many tokens that look alike, on their own backgrounds.
TOKENS = '<span class="n">name</span> ' * 30
CODE = """<!DOCTYPE html><html lang="en"><title>x</title><style>
pre { background: white } pre.odd { background: white } .n { color: black }
</style><main><h1>x</h1><pre><code>TOKENS</code></pre>
<pre class="odd"><code>TOKENS</code></pre>
<details><summary>x</summary><pre><code>TOKENS</code></pre></details>
<details open><summary>x</summary><pre><code>TOKENS</code></pre></details></main>""".replace("TOKENS", TOKENS)


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


@pytest.mark.parametrize(
    "style",
    [
        "pre:first-of-type .n:nth-child(17) { color: #ccc }",
        "pre.odd { background: #222 }",
        "pre.odd .n:last-child { background: #222 }",
        ".n { color: #ccc }",
        "details[open] .n { color: #ccc }",
        "details .n { color: #ccc }",
    ],
)
def test_tokens_of_code_that_look_otherwise_are_seen(open_page: Callable[..., Page], style: str) -> None:
    """Of tokens that look alike one is examined, so one that does not, by itself or by what is behind it, is found."""
    page = open_page("")
    page.set_content(CODE)
    assert serious(page) == []
    page.add_style_tag(content=style)
    assert any(found.startswith("color-contrast") for found in serious(page))
