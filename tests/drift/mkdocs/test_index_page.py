"""The page that lists every snippet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from authoring import seal
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from drift.facts import Fact
from drift.mkdocs import index_page
from drift.read.snippet import Snippet
from drift.records.record import Record

MKDOCS = """\
site_name: Dice
use_directory_urls: false
strict: true
theme: {name: null, custom_dir: theme}
not_in_nav: /code/
nav: [index.md, list.md]
markdown_extensions:
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.snippets: {base_path: [!relative $config_dir/snippets]}
  - pymdownx.superfences
plugins:
  - drift: {index: list.md, index_title: All of it}
"""
SNIPPET = '''\
"""The total of two dice.

More about it.
"""

# --8<-- [start:roll]
total = 3 + 4
# --8<-- [end:roll]

from drift import fact

fact("total", total)
'''


def make(root: Path, text: str = SNIPPET, mkdocs: str | None = MKDOCS) -> Path:
    """Build a site of one page and one snippet; give its folder. Without `mkdocs`, its configuration is there."""
    for name, content in {
        "pyproject.toml": "[tool.drift]\n",
        **({"mkdocs.yml": mkdocs} if mkdocs else {}),
        "theme/main.html": "{{ page.content }}",
        "snippets/dice/sum.py": text,
        "snippets/dice/sum.facts.json": '{"facts": {"total": {"value": 7}}, "tolerances": {}, "artifacts": []}',
        "docs/index.md": '# Dice\n\n[7](fact:dice/sum.total)\n\n```python\n--8<-- "dice/sum.py:roll"\n```\n',
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    seal(root, "dice/sum")
    config = load_config(str(root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return root / "site"


def parsed(text: str) -> Snippet:
    """A snippet with this source."""
    return Snippet("a/b", Path("b.py"), "snippets/a/b.py", text, (), ())


def test_list_names_purpose_code_facts_and_page(tmp_path: Path) -> None:
    """Each snippet stands under the page that shows it, with links to its code and what it states."""
    html = (make(tmp_path) / "list.html").read_text()
    for part in (
        '<h2><a href="index.html">Dice</a></h2>',
        "<td>The total of two dice.</td>",
        '<a href="code/dice/sum.html"><code>dice/sum.py</code></a>',
        "<summary>1</summary>",
        "<code>total</code> 7",
        '<td><a href="index.html">Dice</a></td>',
    ):
        assert part in html
    assert "More about it" not in html


def test_list_puts_a_snippet_under_the_page_that_shows_it(tmp_path: Path) -> None:
    """A page that only quotes it comes second, even if it is first in the navigation."""
    for name, content in {
        "mkdocs.yml": MKDOCS.replace("[index.md, list.md]", "[first.md, index.md, list.md]"),
        "docs/first.md": "# First\n\n[7](fact:dice/sum.total)\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    html = (make(tmp_path, mkdocs=None) / "list.html").read_text()
    assert re.findall("<h2>.*?</h2>", html) == ['<h2><a href="index.html">Dice</a></h2>']
    assert re.search('<td><a href="first.html">First</a>, <a href="index.html">Dice</a></td>', html)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SNIPPET.replace('"""The total of two dice.\n\nMore about it.\n"""\n', ""), "expected one, found none"),
        (SNIPPET.replace("two dice", "2 dice"), "no fact binds a number: 2"),
    ],
)
def test_build_stops_at_a_docstring_that_cannot_be_listed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, message: str
) -> None:
    """A snippet without a purpose, or with a number in it, stops the build by name."""
    with pytest.raises(Abort):
        make(tmp_path, text)
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "snippets/dice/sum.py:1" in logged
    assert message in logged


def test_purpose_is_the_first_paragraph_on_one_line() -> None:
    """Line breaks in the docstring become spaces, and what follows the first paragraph is left out."""
    assert index_page.purpose(parsed('"""One\nline.\n\nNot this.\n"""\n')) == "One line."


def test_fill_escapes_what_a_fact_holds() -> None:
    """A fact's value is text and not markup; code in a purpose is code."""
    record = Record("a/b", facts={"word": Fact("<b>")})
    entry = index_page.Entry(parsed('"""A < b in `c`."""\n'), record, "code/a/b.html", [])
    html = index_page.fill(index_page.MARK, [index_page.Group("T", "t.html", [entry])])
    assert "&lt;b&gt;" in html
    assert "A &lt; b in <code>c</code>." in html
