"""How a page divides into blocks."""

import pytest

from drift.read.text import blocks


def stretches(text: str) -> list[str]:
    return [text[start:end] for start, end in blocks.segments(blocks.lines(text))]


def test_lines_know_depth_indent_and_text() -> None:
    """Quote marks and spaces are told from the text."""
    text = "a\n    b  \n> > - c\n>     d\n\te"
    found = blocks.lines(text)
    assert [(line.depth, line.indent, line.text) for line in found] == [
        (0, 0, "a"),
        (0, 4, "b"),
        (2, 0, "- c"),
        (1, 4, "d"),
        (0, 4, "e"),
    ]
    assert [text[line.at :][: len(line.text)] for line in found] == [line.text for line in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\nb\n\nc", ["a\nb", "c"]),
        ("a\n- b\n- c\nd", ["a", "- b", "- c\nd"]),
        ("1. a\n2. b", ["1. a", "2. b"]),
        ("# a\nb", ["# a", "b"]),
        ("a\n---\nb", ["a", "---", "b"]),
        ("a | b\nc", ["a | b", "c"]),
        ("!!! note\n    a\n    b", ["!!! note", "    a\n    b"]),
        ("a\n> b\n> c\nd", ["a", "> b\n> c", "d"]),
        ("[^1]: a\nb", ["[^1]: a\nb"]),
        ("a\n[^1]: b", ["a", "[^1]: b"]),
        ("a\n<b>c", ["a", "<b>c"]),
        ("a\n   \nb", ["a", "b"]),
        ("", []),
    ],
)
def test_segments_divide_at_least_as_finely_as_the_site(text: str, found: list[str]) -> None:
    """Paragraphs, items, headings, rows and titles are stretches of their own."""
    assert stretches(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1. a\n2. b", ["1", "2"]),
        ("a\n2. b", []),
        ("- a\n1. b", ["1"]),
        ("- a\n2. b", []),
        ("- a\n\n    1. b", ["1"]),
        ("- 1. a", ["1"]),
        ("> 1. a\n> 2. b", ["1", "2"]),
        ("> a\n> 2. b", []),
        ("a\n> 1. b", ["1"]),
        ("!!! note\n    1. a", ["1"]),
        ("# a\n1. b", ["1"]),
        ("1) a", []),
        ("1.a", []),
        ("1.", []),
        ("1. a | b", []),
        ("a\n\n2024. b", []),
    ],
)
def test_list_numbers_are_those_of_lists(text: str, found: list[str]) -> None:
    """A number that merely begins a line of a paragraph is none."""
    assert [text[start:end] for start, end in blocks.list_numbers(blocks.lines(text))] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    a", ["a"]),
        ("a\n\n    b\n    c", ["b"]),
        ("a\n    b", []),
        ("- a\n\n    b", []),
        ("- a\n\n        b", ["b"]),
        ("- a\n    - b\n\n        c", []),
        ("- a\n\n    b\n\n    c", []),
        ("- a\n\nb\n\n    c", ["c"]),
        ("!!! note\n\n    a\n\n        b", ["b"]),
        ('=== "A"\n\n    a', []),
        ("[^1]: a\n\n    b", []),
        ("> a\n\n    b", ["b"]),
        (">     a", ["a"]),
        ("   a", []),
        ("a\n\n     \n\nb", []),
        ("<div>\n\n    <p>", []),
        ("> - a\n\n    b", ["b"]),
        ("- a\n\n    b\n\n        c", ["c"]),
        ("\ta", ["a"]),
    ],
)
def test_indented_code_is_found_where_nothing_holds_it(text: str, found: list[str]) -> None:
    """An item, a box, a tab or a footnote holds what is indented below it, up to the next step."""
    assert [line.text for line in blocks.indented_code(blocks.lines(text))] == found


def test_cells_divide_the_rows_of_tables_only() -> None:
    """A border outside of a table is a character."""
    text = "a | b\n--- | ---\nc | d \\| e\n\n|x| is"
    found = blocks.lines(text)
    divided = [text[start:end] for start, end in blocks.table_cells(found, blocks.segments(found), text)]
    assert divided == ["a ", " b", "--- ", " ---", "c ", " d \\| e", "|x| is"]
