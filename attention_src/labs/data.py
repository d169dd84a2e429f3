"""The queries that a lab runs on: Banking77 where it is, and else the few that come with the package."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attention_src.banking77 import has_banking77, load_banking77
from attention_src.queries import load_queries
from attention_src.rows import Rows


@dataclass(frozen=True)
class LabQueries:
    """Queries, split, and where they come from.

    Attributes:
        training: The rows to build a vocabulary from, and to train on.
        validation: The rows to measure on.
        intents: The categories, sorted; a label is a position in them.
        source: What the queries are, and how many, to print at the top of a lab.
    """

    training: Rows
    validation: Rows
    intents: tuple[str, ...]
    source: str

    def labels(self, rows: Rows) -> Tensor:
        """Return the label of each row, (B,), int64."""
        number = {intent: label for label, intent in enumerate(self.intents)}
        return torch.tensor([number[category] for category in rows.categories], dtype=torch.int64)


def lab_queries(*, own: bool = False) -> LabQueries:
    """Return Banking77 if it is on this machine, and the project's own queries if it is not.

    Of its own 48 queries, every fourth is for validation.

    Args:
        own: Take the project's own queries, whether or not Banking77 is there.

    Returns:
        The queries; print their `source`, as the numbers of a lab depend on it.

    Raises:
        FileNotFoundError: `BANKING77_DIR` is set to a folder without the file.
        ValueError: A file of queries is not the one that is expected.
    """
    if own or not has_banking77():
        return _own()
    data = load_banking77()
    return LabQueries(
        data.training, data.validation, data.intents, _source("Banking77", data.training, data.validation)
    )


def _own() -> LabQueries:
    rows = load_queries()
    validation = _take(rows, [n for n in range(len(rows)) if n % 4 == 3])
    training = _take(rows, [n for n in range(len(rows)) if n % 4 != 3])
    source = _source(f"the project's own {len(rows)} queries", training, validation)
    return LabQueries(training, validation, tuple(sorted(set(rows.categories))), source)


def _take(rows: Rows, numbers: list[int]) -> Rows:
    return Rows(tuple(rows.texts[n] for n in numbers), tuple(rows.categories[n] for n in numbers))


def _source(name: str, training: Rows, validation: Rows) -> str:
    return f"{name}, {len(training):,} for training and {len(validation):,} for validation"
