"""Count how many values of a reference table the site's outputs show: `python -m tools.reference TABLE...`.

A table is tab-separated, with the columns id, kind, value and meaning; kinds other than `exact` are left out.
Whole words and numbers are compared, numbers by value, and a row of numbers has to stand in one line in this order.
Only the outputs of the chapters that treat an entry count, so that a small number is not found anywhere by chance.
What is not shown is named with the reason from `reference_gaps.toml`, or as unexplained, which is a failure.
"""

from __future__ import annotations

import csv
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GAPS = Path(__file__).with_name("reference_gaps.toml")

TOKEN = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|[^\W\d_]+")


@dataclass(frozen=True)
class Row:
    """One value of a table; `entry` is its id up to the first dash (`B08` of `B08-w-1`)."""

    id: str
    value: str
    meaning: str

    @property
    def entry(self) -> str:
        return self.id.partition("-")[0]


def read(path: Path) -> list[Row]:
    """The rows marked exact.

    Raises:
        ValueError: a column is missing.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if missing := {"id", "kind", "value", "meaning"} - set(rows.fieldnames or ()):
            raise ValueError(
                f"{path}: expected the columns id, kind, value, meaning; missing: {', '.join(sorted(missing))}"
            )
        return [Row(row["id"], row["value"], row["meaning"]) for row in rows if row["kind"] == "exact"]


def tokens(text: str) -> list[float | str]:
    """Numbers as floats and words in lower case, in the order in which they stand."""
    return [_token(match) for match in TOKEN.findall(text)]


def shows(lines: Iterable[list[float | str]], value: str) -> bool:
    """Whether one line holds the tokens of `value` next to one another."""
    wanted = tokens(value)
    size = len(wanted)
    return any(line[i : i + size] == wanted for line in lines for i in range(len(line) - size + 1))


def missing(rows: list[Row], chapters: Mapping[str, list[str]], outputs: Mapping[str, list[str]]) -> list[Row]:
    """The rows that no output of their chapters shows.

    Args:
        rows: what should be shown.
        chapters: the folders that treat each entry.
        outputs: the recorded outputs, by folder.
    """
    lines = {folder: [tokens(line) for text in texts for line in text.split("\n")] for folder, texts in outputs.items()}
    return [
        row
        for row in rows
        if not any(shows(lines.get(folder, []), row.value) for folder in chapters.get(row.entry, ()))
    ]


def main(arguments: list[str]) -> int:
    """Print the count and what is missing; 1 when something is missing without a reason."""
    settings = tomllib.loads(GAPS.read_text(encoding="utf-8"))
    chapters: dict[str, list[str]] = {}
    for folder, entries in settings["chapters"].items():
        for entry in entries:
            chapters.setdefault(entry, []).append(folder)
    rows = [row for name in arguments for row in read(Path(name)) if row.entry in chapters]
    outputs: dict[str, list[str]] = {}
    for path in sorted((ROOT / "snippets").rglob("*.out")):
        outputs.setdefault(path.parent.name, []).append(path.read_text(encoding="utf-8"))
    gaps = missing(rows, chapters, outputs)
    print(f"{len(rows) - len(gaps)} of {len(rows)} exact values stand in a recorded output")
    unexplained = 0
    for row in gaps:
        reason = settings["reasons"].get(f"{row.id} {row.value}") or settings["reasons"].get(row.id)
        unexplained += reason is None
        print(f"{row.id}\t{row.value}\t{row.meaning}: {reason or 'NO REASON GIVEN'}")
    return 1 if unexplained or not rows else 0


def _token(text: str) -> float | str:
    try:
        return float(text.replace(",", "").replace("−", "-"))
    except ValueError:
        return text.lower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
