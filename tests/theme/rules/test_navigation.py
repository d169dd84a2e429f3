"""Reading the navigation: pages in their order, with the headings that they stand below."""

from __future__ import annotations

from pathlib import Path

from theme.rules import navigation
from theme.rules.navigation import Entry

ROOT = Path(__file__).resolve().parents[3]
TEXT = """extra: {name: !ENV [NAME, ""]}
nav:
  - index.md
  - Chapters:
      - Masks: masks.md
      - More:
          - "With: a colon": labs/more.ipynb
  - End: end.md
"""


def test_navigation_is_read_with_lines_and_headings(tmp_path: Path) -> None:
    """Pages without a title, nested ones and tags of MkDocs' own are read."""
    (tmp_path / "mkdocs.yml").write_text(TEXT, encoding="utf-8")
    assert navigation.read(tmp_path) == [
        Entry("index.md", 3, ()),
        Entry("masks.md", 5, ("Chapters",)),
        Entry("labs/more.ipynb", 7, ("Chapters", "More")),
        Entry("end.md", 8, ()),
    ]
    assert [entry.html for entry in navigation.below(tmp_path, "Chapters")] == ["masks.html", "labs/more.html"]


def test_navigation_may_be_missing(tmp_path: Path) -> None:
    """A site without a navigation has no entries."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    assert navigation.read(tmp_path) == []


def test_navigation_of_the_site_has_chapters_and_labs() -> None:
    """The two headings that the rules and the tests ask for are there."""
    assert len(navigation.below(ROOT, navigation.CHAPTERS)) > 1
    assert len(navigation.below(ROOT, navigation.LABS)) > 1
