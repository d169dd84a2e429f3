"""The rule for the glossary: what is missing, said twice or out of order is reported at the entry's line."""

from __future__ import annotations

from pathlib import Path

import pytest
from authoring import Book

from drift import config
from drift.problem import Problem
from drift.read import page as pages
from drift.read import site
from theme.rules import glossary

ROOT = Path(__file__).resolve().parents[3]
CHAPTER = "Chapter: [Masks](masks.md#a)."
ENTRY = f"A definition.\n\nSymbol: $k$.\n{CHAPTER}"
KEY = f"# Glossary\n\nWords.\n\n## Key\n\n{ENTRY}\n"


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A project with a glossary of one term, and the page that explains it."""
    book = Book(tmp_path)
    book.write("pyproject.toml", "[tool.drift]\n")
    (book.root / "snippets").mkdir()
    book.write("docs/masks.md", "# Masks\n")
    book.write("docs/glossary.md", KEY)
    return book


def found(book: Book) -> list[Problem]:
    """What the rule finds."""
    return sorted(glossary.problems(site.read(config.load(book.root))))


def test_glossary_of_the_site_can_be_read() -> None:
    """The terms of the course are there, each with a definition and a chapter."""
    terms, problems = glossary.read(pages.read(config.load(ROOT), ROOT / "docs" / "glossary.md"))
    assert problems == []
    assert len(terms) >= 45
    assert all(term.definition and term.page and term.forms for term in terms)


def test_entry_is_read(book: Book) -> None:
    """An entry gives its forms, its anchor and its definition as plain text."""
    book.add(f'## Mask {{ data-also="masks" }}\n\nSays *which* `"keys"` are\nblocked.\n\n{CHAPTER}', "docs/glossary.md")
    book.add(f'## Value {{ data-only="the values" data-not="masks.md" }}\n\n{ENTRY}', "docs/glossary.md")
    page = pages.read(config.load(book.root), book.root / "docs" / "glossary.md")
    (_, mask, value), problems = glossary.read(page)
    assert problems == []
    assert (mask.title, mask.anchor, mask.forms, mask.line) == ("Mask", "mask", ("Mask", "masks"), 12)
    assert (mask.definition, mask.page) == ('Says which "keys" are blocked.', "masks.md")
    assert (value.forms, value.not_on) == (("the values",), ("masks.md",))


def test_glossary_that_is_right_is_accepted(book: Book) -> None:
    """A glossary without a fault is no problem, and a heading in a fence or a comment is no term."""
    book.add("<!--\n## Key\n-->", "docs/masks.md")
    book.edit("docs/glossary.md", "Words.", "<!--\n## Key\n-->\n\n```console\n## Key\n```")
    assert found(book) == []


@pytest.mark.parametrize(
    ("markdown", "line", "message"),
    [
        (
            f"## Key\n\n{ENTRY}\n\n## Key\n\n{ENTRY}",
            8,
            "term 'Key' says 'key' again | None | first said by 'Key' in line 1",
        ),
        (f'## Key\n\n{ENTRY}\n\n## Row {{ data-also="key" }}\n\n{ENTRY}', 8, "term 'Row' says 'key' again"),
        (f"## Key\n\n{CHAPTER}", 1, "term 'Key' has no definition"),
        ("## Key", 1, "term 'Key' has no definition"),
        (
            "## Key\n\nA definition.",
            1,
            "has no chapter in its last line | Chapter: [Title](page.md#section). | A definit",
        ),
        ("## Key\n\nA definition.\n\nChapter: [Paper](https://example.org#a).", 1, "has no chapter in its last line"),
        ("## Key\n\nA definition.\n\nChapter: [Masks](masks.md).", 1, "has no chapter in its last line"),
        (f"## Key\n\nOne.\n\nTwo.\n\n{CHAPTER}", 1, "has more in it | a definition, then lines `Symbol: …` and"),
        (f"## Key\n\nA definition.\n\nSee also.\n{CHAPTER}", 1, "and `Chapter: …` | See also."),
        (f"## Key\n\nA [link](masks.md).\n\n{CHAPTER}", 1, "has a definition that cannot be shown | plain words"),
        (f'## Key {{ data-alos="keys" }}\n\n{ENTRY}', 1, "has something else behind its heading | data-also"),
        (f"## Row\n\n{ENTRY}\n\n## Key\n\n{ENTRY}", 8, "term 'Key' is not in the order of the alphabet | before 'Row'"),
        (
            f"## Key\n\nA definition.\n\n{CHAPTER.replace('masks', 'order')}",
            1,
            "a page that is not there | a path below",
        ),
        (f'## Key {{ data-not="labs/a.md" }}\n\n{ENTRY}', 1, "a path below docs/ | labs/a.md"),
    ],
)
def test_entry_that_cannot_be_used_is_reported(book: Book, markdown: str, line: int, message: str) -> None:
    """What is missing, said twice or out of order is reported at the entry, with what was expected and what came."""
    book.write("docs/glossary.md", markdown)
    told = [f"{problem.place} {problem.message} | {problem.expected} | {problem.got}" for problem in found(book)]
    assert any(text.startswith(f"docs/glossary.md:{line} term ") and message in text for text in told), told


def test_missing_glossary_is_reported(book: Book) -> None:
    """The hook would mark nothing, without a word."""
    (book.root / "docs" / "glossary.md").unlink()
    assert [(str(problem.place), problem.message) for problem in found(book)] == [
        ("docs/glossary.md", "the glossary is missing")
    ]
