"""Print the sentences that compare and bind nothing."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from drift.judge.unbound import Unbound


def as_json(found: list[Unbound]) -> list[dict[str, object]]:
    """The sentences as plain JSON values."""
    return [
        {"file": one.place.file, "line": one.place.line, "weight": one.weight, "words": one.words, "text": one.text}
        for one in found
    ]


def show(console: Console, found: list[Unbound], total: int) -> None:
    """Print each sentence under its place and the words in it that compare; the last line counts them."""
    for one in found:
        line = Text(f"{one.place}", "bold")
        line.append(f"  {one.weight}  {', '.join(one.words)}\n", "dim")
        line.append(f"    {one.text}")
        console.print(line, soft_wrap=True)
    console.print(f"{len(found):,} of {total:,} sentences compare, count or generalise, and bind nothing")
