"""Tests of `attention_src.data.rows`."""

from pathlib import Path

import pytest

from attention_src.data.rows import Rows, read_rows


@pytest.fixture
def written(tmp_path):
    """Return a writer of CSV files."""

    def write(text: str | bytes) -> Path:
        path = tmp_path / "some.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_read_rows_keeps_the_order_of_the_file(written):
    """Quoted commas, quotes and line breaks belong to the text; a final line end is no row."""
    rows = read_rows(written('text,category\r\n"a, ""b""\nc",one\r\nd,two\r\n'))
    assert rows == Rows(('a, "b"\nc', "d"), ("one", "two"))
    assert len(rows) == 2


def test_read_rows_reads_utf8_with_or_without_a_mark(written):
    """Spreadsheets put a byte order mark first, which is no part of a column's name."""
    assert read_rows(written("\ufefftext,category\ncafé,one\n")).texts == ("café",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: expected the columns text,category, got nothing"),
        ("category,text\n", ":1: expected the columns text,category, got category,text"),
        ("text,category\na,one\nb\n", r":3: expected a text and a category, got \['b'\]"),
        (
            'text,category\n"a\nb",one\nc,two,x\n',
            r":4: expected a text and a category, got \['c', 'two', 'x'\]",
        ),
        ("text,category\na,\n", r":2: expected a text and a category, got \['a', ''\]"),
        ("text,category\n\na,one\n", r":2: expected a text and a category, got \[\]"),
        ('text,category\na,one\n"b,two\n', ":3: expected CSV, got unexpected end of data"),
        (b"text,category\n\xff,one\n", ": expected UTF-8, got invalid start byte at byte 14"),
    ],
)
def test_read_rows_names_file_and_line(written, text, message):
    """Whatever is wrong, the error says where and what was expected."""
    with pytest.raises(ValueError, match=rf"some\.csv{message}"):
        read_rows(written(text))


def test_read_rows_of_a_missing_file(tmp_path):
    """The system's error names the file."""
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        read_rows(tmp_path / "none.csv")
