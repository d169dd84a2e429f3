"""The navigation in `mkdocs.yml`: the one list of what is a chapter and what is a lab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from drift.read.frontmatter import LOADER

FILE = "mkdocs.yml"
CHAPTERS = "Chapters"
LABS = "Labs"


@dataclass(frozen=True)
class Entry:
    """One page of the navigation.

    Attributes:
        path: below the docs folder.
        line: where the navigation names it.
        sections: the headings that it stands below, the outermost first.
    """

    path: str
    line: int
    sections: tuple[str, ...]

    @property
    def html(self) -> str:
        """The built page, below the site's folder."""
        return f"{self.path.rpartition('.')[0]}.html"


def read(root: Path) -> list[Entry]:
    """Every page of the navigation of the project at `root`, in its order; none when there is no navigation."""
    # Composed and not loaded, since MkDocs has tags of its own, and lines are wanted.
    document = yaml.compose((root / FILE).read_text(encoding="utf-8"), Loader=LOADER)
    keys = {key.value: node for key, node in document.value} if isinstance(document, yaml.MappingNode) else {}
    return list(_entries(keys["nav"], ())) if "nav" in keys else []


def below(root: Path, section: str) -> list[Entry]:
    """The pages below one heading of the navigation, at any depth."""
    return [entry for entry in read(root) if section in entry.sections]


def _entries(node: yaml.Node, sections: tuple[str, ...]) -> Iterator[Entry]:
    if isinstance(node, yaml.ScalarNode):
        yield Entry(str(node.value), node.start_mark.line + 1, sections)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _entries(item, sections)
    elif isinstance(node, yaml.MappingNode):
        for title, value in node.value:
            inner = sections if isinstance(value, yaml.ScalarNode) else (*sections, str(title.value))
            yield from _entries(value, inner)
