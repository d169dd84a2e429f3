"""A page shown by Python-Markdown alone, as another builder would."""

from __future__ import annotations

import pytest
from authoring import Book
from markdown import Markdown

from drift import config
from drift.mkdocs.view import Shown, View
from drift.read import site

PAGE = """# Page

A share of [0.932](fact:a/one.share).

```python
--8<-- "a/one.py:count"
```
"""


@pytest.fixture
def shown(book: Book) -> Shown:
    """A project of its own, as it was accepted."""
    return Shown(site.read(config.load(book.root)), "code", {})


def render(view: View, text: str) -> str:
    """The HTML of one page."""
    extensions = [*view.extensions(), "pymdownx.highlight", "pymdownx.superfences"]
    return Markdown(extensions=extensions).convert(text)


def test_view_shows_a_page_without_mkdocs(shown: Shown) -> None:
    """Quotes lead to their facts and code to its lines; the builder says where pages lie."""
    html = render(View(shown, "deep/page.md", PAGE, lambda uri: f"/at/{uri}"), PAGE)
    assert 'href="../code/a/one.md#fact-share"' in html
    assert '<a href="/at/code/a/one.md#section-count">a/one.py, lines ' in html


def test_view_keeps_the_findings_of_its_own_page(shown: Shown) -> None:
    """Two pages that are shown at the same time do not mix what is wrong with them."""
    wrong = "\n[7](fact:a/one.nothing)\n"
    one, two = (View(shown, f"{name}.md", text, str) for name, text in (("one", wrong), ("two", PAGE)))
    render(one, wrong)
    render(two, PAGE)
    assert [str(problem.place) for problem in one.problems] == ["docs/one.md:2"]
    assert two.problems == []
