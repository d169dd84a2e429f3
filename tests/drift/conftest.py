"""A documentation project of a few files, made for one test."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from authoring import Book

from drift import config
from drift.read import snippet
from drift.run import engine
from drift.run.outcome import Outcome


class Project:
    """A project below `root`; its snippets stand in the chapter `a`."""

    def __init__(self, root: Path, settings: str = "") -> None:
        self.root = root.resolve()
        if not root.exists():
            for name in ("docs", "snippets/a"):
                (self.root / name).mkdir(parents=True)
            self.settings(settings)

    def at(self, root: Path) -> "Project":
        """The project that a copy of this one at `root` is."""
        return Project(root)

    def settings(self, text: str) -> None:
        """Write the table `[tool.drift]`."""
        self.write("pyproject.toml", f"[tool.drift]\n{text}\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file below the root, without the indentation that the test has."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return file

    def snippet(self, name: str, text: str) -> Path:
        """Write a snippet of the chapter `a`."""
        return self.write(f"snippets/a/{name}.py", text)

    def run(self, **options: Any) -> dict[str, Outcome]:
        """Run all snippets, by their names within the chapter."""
        settings = config.load(self.root)
        outcomes = engine.run(settings, snippet.discover(settings), **options)
        return {name.removeprefix("a/"): outcome for name, outcome in outcomes.items()}

    def one(self, text: str, **options: Any) -> Outcome:
        """Run a project of a single snippet."""
        self.snippet("one", text)
        return self.run(**options)["one"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project with nothing preloaded."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="module")
def make_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """Make further projects, or one for a whole module."""
    return lambda settings="": Project(tmp_path_factory.mktemp("made") / "project", settings)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A project of one chapter that agrees with itself; read it, do not change it."""
    return Book.begin(tmp_path_factory.mktemp("written") / "book")


@pytest.fixture
def book(written: Book, tmp_path: Path) -> Book:
    """A copy of that project, to be changed."""
    return written.copy(tmp_path / "book")
