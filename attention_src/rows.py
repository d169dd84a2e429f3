"""Texts with their categories, read from a CSV file."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

COLUMNS = ["text", "category"]


@dataclass(frozen=True)
class Rows:
    """Texts, and the category of each; both have one entry a row."""

    texts: tuple[str, ...]
    categories: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)


def read_rows(path: Path) -> Rows:
    """Read a CSV file with the columns `text` and `category`.

    Args:
        path: The file, UTF-8.

    Returns:
        Its rows, in the file's order.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not UTF-8, or a line is not what is expected; the message names file and line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected UTF-8, got {error.reason} at byte {error.start}") from None
    pairs = list(_pairs(path, text))
    return Rows(tuple(text for text, _ in pairs), tuple(category for _, category in pairs))


def _pairs(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield text and category of each row after the header."""
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    line = 1
    try:
        header = next(reader, [])
        if header != COLUMNS:
            raise ValueError(f"{path}:1: expected the columns {','.join(COLUMNS)}, got {','.join(header) or 'nothing'}")
        line = reader.line_num + 1
        for row in reader:
            if len(row) != len(COLUMNS) or not all(cell.strip() for cell in row):
                raise ValueError(f"{path}:{line}: expected a text and a category, got {row}")
            yield row[0], row[1]
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}:{line}: expected CSV, got {error}") from None
