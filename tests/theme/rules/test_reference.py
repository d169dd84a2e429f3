"""The rule for the reference: a public name without an entry is reported at its line of the stub."""

from __future__ import annotations

from pathlib import Path

import pytest

from drift import config
from drift.problem import Problem
from drift.read import page as pages
from drift.read.site import Site
from theme.rules import reference

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = config.load(ROOT)
PAGE = ROOT / "docs" / "reference.md"
TEXT = PAGE.read_text(encoding="utf-8")
STUB = (ROOT / reference.STUB).read_text(encoding="utf-8")


def found(text: str | None) -> list[Problem]:
    """What the rule finds with another text of its reference; None: without one."""
    shown = [] if text is None else [pages.parse(PAGE, "docs/reference.md", text)]
    return list(reference.problems(Site(SETTINGS, {}, {}, shown)))


def test_reference_of_the_site_is_complete() -> None:
    """Every public name has its entry."""
    assert found(TEXT) == []
    assert len(reference.public(STUB)) > 10


@pytest.mark.parametrize(("name", "line"), reference.public(STUB))
def test_entry_taken_out_is_reported(name: str, line: int) -> None:
    """Each entry, taken out or hidden in a comment, is missed by name, at the line that makes the name public."""
    entry = f"::: {name}\n"
    assert entry in TEXT
    for text in (TEXT.replace(entry, ""), TEXT.replace(entry, f"<!--\n{entry}-->\n")):
        (problem,) = found(text)
        assert str(problem.place) == f"attention_src/__init__.pyi:{line}"
        assert problem.message == f"{name.rpartition('.')[2]} is public and has no entry in docs/reference.md"
        assert problem.expected == f"::: {name}"


def test_missing_reference_is_reported_for_every_name() -> None:
    """Without the page no name has an entry."""
    assert len(found(None)) == len(reference.public(STUB))
