"""Reading `[tool.drift]`: defaults, and settings that cannot be used."""

from pathlib import Path

import pytest

from drift import config
from drift.config import ConfigError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project folder with the two folders that must exist."""
    for name in ("docs", "snippets"):
        (tmp_path / name).mkdir()
    return tmp_path.resolve()


def settings(root: Path, table: str) -> config.Config:
    (root / "pyproject.toml").write_text(f"[tool.drift]\n{table}\n")
    return config.load(root)


def test_load_empty_table_gives_defaults(root: Path) -> None:
    """Everything has a default, and paths are absolute."""
    found = settings(root, "")
    assert (found.root, found.docs, found.snippets) == (root, root / "docs", root / "snippets")
    assert (found.figures, found.cache) == (root / "docs/assets/figures", root / ".drift")
    assert (found.preload, found.timeout, found.env, found.lock) == ((), 300.0, (), root / "requirements.lock")
    assert found.rules == ()


def test_load_values_are_taken(root: Path) -> None:
    """What the table says replaces the default."""
    (root / "pages").mkdir()
    found = settings(root, 'docs = "pages"\npreload = ["json"]\ntimeout = 1.5\nenv = ["DATA"]\nrules = ["a:b"]')
    assert (found.docs, found.preload, found.timeout, found.env) == (root / "pages", ("json",), 1.5, ("DATA",))
    assert found.rules == ("a:b",)


def test_load_folder_inside_the_project_finds_it(root: Path) -> None:
    """A command may run from any folder of the project; a file without the table is passed over."""
    settings(root, "")
    inner = root / "docs" / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert config.load(inner).root == root


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("docz = 'docs'", "does not know 'docz'; it has docs, snippets, figures"),
        ("docs = 3", "docs: expected str, got 3"),
        ("docs = ''", "docs: expected str, got ''"),
        ("timeout = 0", "timeout: expected int, got 0"),
        ("timeout = -1", "timeout: expected int, got -1"),
        ("timeout = true", "timeout: expected int, got True"),
        ("preload = 'torch'", "preload: expected list, got 'torch'"),
        ("env = [1]", r"env: expected list, got \[1\]"),
        ("docs = 'gone'", "docs: .*gone is not a folder"),
        ("snippets = 'pyproject.toml'", "snippets: .* is not a folder"),
        ("docs =", "not TOML"),
    ],
)
def test_load_bad_value_is_refused(root: Path, table: str, message: str) -> None:
    """The file, the key, what was expected and what came are named."""
    with pytest.raises(ConfigError, match=rf"pyproject\.toml: .*{message}"):
        settings(root, table)


def test_load_outside_of_a_project_is_refused(tmp_path: Path) -> None:
    """The folder that was searched is named."""
    with pytest.raises(ConfigError, match=r"expected a pyproject\.toml with a \[tool\.drift\] table here or above"):
        config.load(tmp_path)


def test_relative_path_reads_as_typed(root: Path) -> None:
    """Paths in messages are those a reader would type; a path elsewhere stays whole."""
    found = settings(root, "")
    assert found.relative(root / "docs" / "a.md") == "docs/a.md"
    assert found.relative(Path("/elsewhere/a.md")) == "/elsewhere/a.md"
