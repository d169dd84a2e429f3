"""Numbers that no quote binds."""

import pytest
from authoring import Book

from drift import config
from drift.judge import numerals
from drift.read import page, site

HEAD = "---\nliterals:\n  {}: why\n---\n\n# A\n\n"


@pytest.fixture
def home(book: Book) -> Book:
    """A project that pins versions and has titled pages."""
    book.write("requirements.lock", "torch==2.13.0+cpu\nnumpy==2.3.1  # why\nmy_lib==1.20.0\n")
    book.write("pyproject.toml", '[project]\nrequires-python = ">=3.11"\n[tool.drift]\n')
    book.write("docs/labs/one.md", "# Lab 1: loops\n")
    book.write("docs/labs/two.md", '---\ntitle: "Lab 2: masks"\n---\n\n# Masks\n')
    return book


def found(book: Book, text: str) -> list[str]:
    whole = site.read(config.load(book.root))
    parsed = page.parse(book.root / "docs" / "b.md", "docs/b.md", text)
    return [f"{problem.message}: {problem.got}" for problem in numerals.check(whole, parsed)]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "PyTorch 2.13.0 on a CPU",
            "torch 2.13",
            "torch v2.13.0",
            "NumPy 2.3.1",
            "numpy\n2.3",
            "my-lib 1.20",
            "My_Lib 1.20.0",
        ),
        *("**PyTorch** 2.13", "PyTorch version 2.13.0", "Python 3.11", "Python 3.11, or newer"),
        *(
            "Lab 1 and Lab 2",
            "[Lab 1](labs/one.md)",
            "[Lab 2: masks](labs/two.md#a)",
            "in [our Lab 1 here](labs/one.md)",
        ),
    ],
)
def test_check_numbers_that_are_bound_by_what_they_name(home: Book, text: str) -> None:
    """A version that ran, and the number of a page that is titled so."""
    assert found(home, text) == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "PyTorch 2.12.0",
            "PyTorch 2.5 times faster",
            "PyTorch 2 times",
            "torch 2.1",
            "torch 2.13.01",
            "numpy 3.1 GB",
        ),
        *(
            "Python 3 hours",
            "Python 3",
            "Python 3.12",
            "PyTorch 2.13 GB",
            "PyTorch 2.13 million",
            "2.13.0",
            "pandas 2.13.0",
        ),
        *("torch takes 2.13", "version 2.13", "7D tensor", "3-D", "## 77 Heads beat one", "77. Heads", "Steps (2000)."),
        *(
            "Lab 3",
            "Chapter 1",
            "Lab 1.5",
            "Lab 1 GB",
            "Lab 1 million",
            "[Lab 1](labs/two.md)",
            "[Lab 2](other.md)",
            "Labs 1",
        ),
    ],
)
def test_check_numbers_beside_a_name_that_bind_nothing(home: Book, text: str) -> None:
    """A name in front of a number does not make it a version, a page or a year."""
    assert found(home, text)


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        *(
            ("48", "48 keys"),
            ("48 GB", "48 GB and 48&nbsp;GB"),
            ("48 GB", "48GB"),
            ("93 %", "93% or 93 %"),
            ("93%", "93 %"),
        ),
        *(
            ("40 minutes", "about 40 minutes"),
            ("7D", "a 7D tensor"),
            ("7-D", "a 7-D tensor"),
            ("5 million", "5\nmillion"),
        ),
        *(("2.12.0", "PyTorch 2.12.0"), ("3 k", "3k"), ('"0.5"', "0.5"), ("-1", "−1")),
    ],
)
def test_check_literal_that_covers_its_number(home: Book, literal: str, text: str) -> None:
    """A literal is a number with its unit, however the two are spaced."""
    assert found(home, HEAD.format(literal) + text) == []


@pytest.mark.parametrize(
    ("literal", "text", "message"),
    [
        *(("48", f"48 {unit}", "a number with another unit than the literal '48'") for unit in ("GB", "%", "million")),
        *(
            ("48", f"48 {unit}", "a number with another unit than the literal '48'")
            for unit in ("hours", "ms", "k", "‰")
        ),
        ("48", "48D", "a number with another unit than the literal '48'"),
        ("48 GB", "48 MB", "a number with no fact"),
        ("48 GB", "48 keys", "a number with no fact"),
        ("48", "49", "a number with no fact"),
    ],
)
def test_check_literal_covers_no_other_unit(home: Book, literal: str, text: str, message: str) -> None:
    """What is declared for a length says nothing of gigabytes."""
    (first, second) = found(home, HEAD.format(literal) + text)
    assert first == f"{message}: {text}"
    assert second.startswith(f"literal {literal!r} is not used")


def test_check_version_names_the_one_that_ran(home: Book) -> None:
    """The finding says which version it should be."""
    whole = site.read(config.load(home.root))
    parsed = page.parse(home.root / "docs" / "b.md", "docs/b.md", "With PyTorch 2.12.0 it fails.")
    (problem,) = numerals.check(whole, parsed)
    assert problem.message == "a version of PyTorch that did not run"
    assert (problem.expected or "").startswith("PyTorch 2.13.0, which ran")


def test_around_is_cut_to_what_is_near() -> None:
    """The number itself is always in the excerpt, with what it counts."""
    many = "word " * 60
    for text in (
        f"{many}41 heads",
        f"41 heads {many}",
        f"{many}41 heads {many}",
        f"[1](fact:b.c) {many}41 heads\n{many}",
    ):
        excerpt = numerals.around(f"above\n{text}", len("above\n") + text.index("41"))
        assert "41 heads" in excerpt
        assert "word word" in excerpt
        assert len(excerpt) <= 100
        assert "above" not in excerpt
