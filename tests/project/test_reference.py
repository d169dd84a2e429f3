"""The count of reference values that the outputs show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import reference
from tools.reference import Row, missing, read, shows, tokens


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        ("where   0.70 0.00 0.23", "0.7000, 0.0000, 0.2300", True),
        ("where   0.70 0.23 0.00", "0.7000, 0.0000, 0.2300", False),
        ("total 15,000,000", "15,000,000", True),
        ("total 15000000", "15,000,000", True),
        ("x 1.34e+08", "1.34e+08", True),
        ("scores (3, 5)", "(3, 5)", True),
        ("shape torch.Size([3, 5])", "(3, 5)", True),
        ("agrees: True", "True", True),
        ("agrees: False", "True", False),
        ("0.67", "0.7", False),
        ("17", "7", False),
        ("-0.5", "0.5", False),
        ("−0.5", "-0.5", True),
    ],
)
def test_shows_compares_whole_numbers_in_their_order(line: str, value: str, expected: bool) -> None:
    """A value is found by number, whole, with its sign, and a row of them next to one another."""
    assert shows([tokens(line)], value) is expected


def test_missing_looks_only_at_the_chapters_of_an_entry() -> None:
    """A number in another chapter's output does not count."""
    rows = [Row("A01", "7", "a"), Row("B02-x", "8", "b")]
    outputs = {"one": ["x 7\n"], "two": ["x 7 8\n"]}
    assert missing(rows, {"A01": ["one"], "B02": ["one"]}, outputs) == [rows[1]]
    assert missing(rows, {"A01": ["one"], "B02": ["two"]}, outputs) == []


def test_read_keeps_exact_rows_only(tmp_path: Path) -> None:
    """Trained and fragile values are held by tolerances and claims."""
    table = tmp_path / "t.tsv"
    table.write_text("id\tkind\tvalue\tmeaning\nA01\texact\t1\tx\nA02\ttrained\t2\ty\n", encoding="utf-8")
    assert read(table) == [Row("A01", "1", "x")]


def test_read_names_a_missing_column(tmp_path: Path) -> None:
    """A table of another form is refused by name."""
    table = tmp_path / "t.tsv"
    table.write_text("id\tvalue\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"t\.tsv: expected the columns .*; missing: kind, meaning"):
        read(table)


def test_main_fails_for_a_gap_without_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What no output shows is named, and without a reason it is a failure; so is a table with nothing to find."""
    table = tmp_path / "t.tsv"
    head = "id\tkind\tvalue\tmeaning\n"
    table.write_text(f"{head}A13\texact\t123456.5\tnothing like it\n", encoding="utf-8")
    assert reference.main([str(table)]) == 1
    assert "A13\t123456.5\tnothing like it: NO REASON GIVEN" in capsys.readouterr().out
    table.write_text(head, encoding="utf-8")
    assert reference.main([str(table)]) == 1


TABLES = sorted((reference.ROOT.parent / "shared" / "reference").glob("*-numbers.tsv"))


@pytest.mark.skipif(not TABLES, reason="the reference tables are not part of the project and not beside it")
def test_every_exact_value_of_the_reference_is_shown_or_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the tables are there, no value is missing without a reason."""
    assert reference.main([str(table) for table in TABLES]) == 0, capsys.readouterr().out
