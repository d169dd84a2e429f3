"""The list of typed numbers that a fact could hold."""

from authoring import Book


def test_command_lists_typed_numbers(book: Book) -> None:
    """Declared numbers, too, may have become facts since."""
    book.edit("docs/a.md", "  7: days of a week", "  7: days of a week\n  9,216: a size")
    line = book.add("A size of 9,216.")
    ran = book.drift("suggest")
    assert ran.code == 0
    assert ran.out == f"docs/a.md:{line}  9,216: a/one.total\n1 typed number that a fact could hold\n"
    assert '"facts": [' in book.drift("suggest", "--json").out
