"""Numbers in words, code and formulas, and what a page shows near them."""

import pytest
from authoring import Book

SECTION = '## Shown\n\n```python\n--8<-- "a/one.py:count"\n```\n\n```text\n--8<-- "a/one.out:count"\n```\n\n'


def messages(book: Book, text: str) -> list[str]:
    return [problem.message for problem in book.judge(text)]


@pytest.fixture
def sizes(book: Book) -> Book:
    """A project whose output and code hold whole numbers."""
    book.edit("snippets/a/one.out", "share 0.93214\n", "share 0.93214\ntorch.Size([5, 16]) 7.0 1,024\n")
    book.edit("snippets/a/one.py", 'print("share", share)', 'print("share", share, (3, 11), 0.25)')
    return book


HELD = [
    *(
        "five real weights",
        "`(5, 16)`",
        "`x.view(16, 5)`",
        "$n = 5$",
        "sixteen rows",
        "$2^{16}$",
        r"$\sqrt{1024} \cdot 5$",
    ),
    *("seven of them", "$7$", "`1_024`", "$1{,}024$", "eleven things", "`[3, 11]`", "`0.25`", "$0.93214$", "`0.93214`"),
]
WRONG = [
    *(
        "nine real weights",
        "six rows",
        "`(5, 17)`",
        "`x.view(-1, 6)`",
        "$n = 6$",
        r"$\sqrt{1025}$",
        "a dozen",
        "ninety-nine",
    ),
    *("$1{,}025$", "three hundred", "fourfold", "`0.26`", "$0.25$", "$0.9$", "`9e3`", "$12$"),
]


@pytest.mark.parametrize("text", HELD)
def test_check_number_that_its_section_shows(sizes: Book, text: str) -> None:
    """What an output or the code of the same section shows needs nothing else."""
    assert messages(sizes, f"{SECTION}So {text}.\n") == []
    assert messages(sizes, f"So {text}.\n\n{SECTION}") != []
    assert messages(sizes, f"{SECTION}## Next\n\nSo {text}.\n") != []
    assert messages(sizes, f"{SECTION}### Below\n\nSo {text}.\n") == []


@pytest.mark.parametrize("text", WRONG)
def test_check_number_that_nothing_near_it_shows(sizes: Book, text: str) -> None:
    """A count, a size or a result that no code gave is named where it stands."""
    (message,) = messages(sizes, f"{SECTION}So {text}.\n")
    assert message.endswith("that nothing near it shows")


@pytest.mark.parametrize(
    "text",
    [
        *("There are [9,216](fact:a/one.total): `9216` and $9{,}216$.", "It is $0.5$, as [0.5](fact:a/one.positive)."),
        *("[0.93](fact:a/one.share)\n\n## Next\n\n$0.93$", "[4.3 GB](fact:a/one.size)\n\n## Next\n\n`4_300_000_000`"),
    ],
)
def test_check_number_that_is_bound_on_the_page(book: Book, text: str) -> None:
    """A quote holds for all of its page."""
    book.edit(
        "snippets/a/one.facts.json",
        '"loss": {"value": -0.5, "line": 13}',
        '"loss": {"value": -0.5, "line": 13},\n    "positive": {"value": 0.5, "line": 13}',
    )
    assert messages(book, text) == []


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        *(("five", "five keys"), ("5", "five keys"), ("five", "Five keys, $5$ and `5`"), ("12", "a dozen")),
        *(
            ("three hundred", "three hundred"),
            ("a thousand", "one thousand"),
            ('"0.25"', "$0.25$"),
            ("1024", "$1{,}024$"),
        ),
    ],
)
def test_check_literal_in_words_or_digits(book: Book, literal: str, text: str) -> None:
    """A number is declared once, in words or in digits."""
    assert messages(book, f"---\nliterals:\n  {literal}: why\n---\n\n{text}\n") == []


def test_check_literal_in_words_is_no_number_of_prose(book: Book) -> None:
    """Digits in prose are declared as digits, with their unit."""
    assert messages(book, "---\nliterals:\n  five: why\n---\n\n5 keys\n") != []


@pytest.mark.parametrize(
    "text", ["one of two", "`x[0]`", "`dim=-1`", "$x^2 + 1$", "`float32`", "`x1`", "`torch==2.13.0`", "$x_1$"]
)
def test_check_small_whole_numbers_are_free(book: Book, text: str) -> None:
    """An index, an axis, a square and a word of the language need nothing."""
    assert messages(book, text) == []
