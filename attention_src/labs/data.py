"""The queries that a lab runs on: Banking77 where it is, and else the few that come with the package."""

from dataclasses import dataclass

from attention_src.data.banking77 import has_banking77, load_banking77
from attention_src.data.queries import load_queries
from attention_src.data.rows import Rows, Split


@dataclass(frozen=True)
class LabQueries(Split):
    """Queries, split, and where they come from.

    Attributes:
        training: The rows to build a vocabulary from, and to train on.
        validation: The rows to measure on.
        intents: The categories, sorted; a label is a position in them.
        source: What the queries are, and how many, to print at the top of a lab.
    """

    source: str


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
    validation = rows.take(n for n in range(len(rows)) if n % 4 == 3)
    training = rows.take(n for n in range(len(rows)) if n % 4 != 3)
    source = _source(f"the project's own {len(rows)} queries", training, validation)
    return LabQueries(training, validation, tuple(sorted(set(rows.categories))), source)


def _source(name: str, training: Rows, validation: Rows) -> str:
    return f"{name}, {len(training):,} for training and {len(validation):,} for validation"
