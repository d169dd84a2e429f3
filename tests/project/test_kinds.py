"""The page of what the checker refuses names tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/what-it-refuses.md").read_text(encoding="utf-8").split("\n")
    if re.match(r"\| (?!kind|---)", line)
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_kind_names_its_members_and_its_tests(row: list[str]) -> None:
    """Each kind has examples, says what happens, and names files with tests."""
    _, examples, happens, held = row
    assert examples
    assert happens
    files = re.findall(r"`([^`]+)`", held)
    assert files
    for file in files:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert text.count("\ndef test_") + text.count("@pytest.mark.parametrize") > 2, f"{file} has few members"


def test_kinds_are_told_once() -> None:
    """A kind has one row."""
    names = [row[0] for row in ROWS]
    assert len(names) > 30
    assert len(set(names)) == len(names)
