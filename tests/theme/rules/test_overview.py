"""The rule for overviews: a chapter or lab that no first page links is reported at its line of the navigation."""

from __future__ import annotations

from pathlib import Path

import pytest
from authoring import Book

from drift import config
from drift.problem import Problem
from drift.read import site
from theme.rules import navigation, overview

ROOT = Path(__file__).resolve().parents[3]
NAVIGATION = """nav:
  - Home: index.md
  - Chapters:
      - Masks: masks.md
  - Labs:
      - About: labs/index.md
      - Lab 1: labs/loops.ipynb
      - Solution: labs/loops-solution.ipynb
  - Alone: alone.md
"""


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A project whose chapter, lab and solution are all linked."""
    book = Book(tmp_path)
    book.write("pyproject.toml", "[tool.drift]\n")
    book.write("mkdocs.yml", NAVIGATION)
    book.write("docs/index.md", "[Masks](masks.md#a) and [labs](labs/index.md)\n")
    book.write("docs/masks.md", "[Lab](labs/loops.ipynb)\n")
    book.write("docs/labs/index.md", "[Lab 1](loops.ipynb)\n")
    book.write("snippets/labs/loops.py", "# %% [markdown]\n# # Lab 1\n#\n# [solution](loops-solution.ipynb)\n")
    book.write("snippets/labs/loops-solution.py", "# %% [markdown]\n# # Solution\n")
    return book


def found(book: Book) -> list[Problem]:
    """What the rule finds."""
    return list(overview.problems(site.read(config.load(book.root))))


def test_pages_that_are_linked_are_accepted(book: Book) -> None:
    """Chapters are linked from the home page, labs from their own first page, solutions from their task."""
    assert found(book) == []


@pytest.mark.parametrize(
    ("file", "link", "line", "page", "expected"),
    [
        ("docs/index.md", "(masks.md#a)", 4, "masks.md", "docs/index.md"),
        ("docs/index.md", "(labs/index.md)", 6, "labs/index.md", "docs/index.md"),
        ("docs/labs/index.md", "(loops.ipynb)", 7, "labs/loops.ipynb", "docs/index.md or docs/labs/index.md"),
        (
            *("snippets/labs/loops.py", "(loops-solution.ipynb)", 8, "labs/loops-solution.ipynb"),
            "docs/index.md or docs/labs/index.md or docs/labs/loops.ipynb",
        ),
    ],
)
def test_page_without_its_link_is_reported(
    book: Book, file: str, link: str, line: int, page: str, expected: str
) -> None:
    """Each link, taken out, is missed; that a page elsewhere links there is not enough."""
    book.edit(file, link, "")
    (problem,) = found(book)
    assert str(problem.place) == f"mkdocs.yml:{line}"
    assert problem.message.startswith(f"{page} is in the navigation, and no page")
    assert problem.expected == f"a link in {expected}"


def test_link_in_a_comment_or_in_code_is_none(book: Book) -> None:
    """What a reader does not see leads nowhere."""
    book.write("docs/index.md", "<!-- [Masks](masks.md) -->\n\n```console\n[a](masks.md)\n```\n\n[b](labs/index.md)\n")
    assert [str(problem.place) for problem in found(book)] == ["mkdocs.yml:4"]


@pytest.mark.slow
def test_every_page_of_the_site_is_held_by_a_link() -> None:
    """On the site itself each chapter and lab is missed as soon as the pages that may link it do not."""
    whole = site.read(config.load(ROOT))
    assert list(overview.problems(whole)) == []
    listed = [*navigation.below(ROOT, navigation.CHAPTERS), *navigation.below(ROOT, navigation.LABS)]
    whole.pages = []
    assert {entry.line for entry in listed} <= {problem.place.line for problem in overview.problems(whole)}
