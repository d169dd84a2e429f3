"""The list of sentences that compare and bind nothing."""

from authoring import Book


def test_command_lists_them_with_their_place(book: Book) -> None:
    """For people, and as JSON."""
    line = book.add("It is twice as large.")
    ran = book.drift("unbound")
    assert ran.code == 0
    assert f"docs/a.md:{line}  3  twice\n    It is twice as large.\n" in ran.out
    assert "1 of " in ran.out.splitlines()[-1]
    assert '"words": [' in book.drift("unbound", "--json").out
