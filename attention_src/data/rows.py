"""Texts with their categories, read from a CSV file, and a split of them."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import torch
from torch import Tensor

COLUMNS = ["text", "category"]


@dataclass(frozen=True)
class Rows:
    """Texts, and the category of each; both have one entry a row."""

    texts: tuple[str, ...]
    categories: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, numbers: Iterable[int]) -> "Rows":
        """Return the rows of these numbers, in this order."""
        chosen = list(numbers)
        return Rows(tuple(self.texts[n] for n in chosen), tuple(self.categories[n] for n in chosen))


@dataclass(frozen=True)
class Split:
    """Queries to train on and queries to measure on.

    Attributes:
        training: The rows to build a vocabulary from, and to train on.
        validation: The rows to measure on.
        intents: The categories, sorted; a label is a position in them.
    """

    training: Rows
    validation: Rows
    intents: tuple[str, ...]

    def labels(self, rows: Rows) -> Tensor:
        """Return the label of each row, (B,), int64."""
        number = {intent: label for label, intent in enumerate(self.intents)}
        return torch.tensor([number[category] for category in rows.categories], dtype=torch.int64)


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
