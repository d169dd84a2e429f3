"""What a record was made from: digests that anyone can recompute, and what has changed since."""

import hashlib
from pathlib import Path

import pytest

from drift import config
from drift.records import origin


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> config.Config:
    """A project with a snippet, a module, and data that a variable leads to."""
    for name in ("root/docs", "root/snippets/a", "data", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    root = tmp_path / "root"
    (root / "pyproject.toml").write_text('[tool.drift]\nenv = ["DATA"]\n')
    (root / "snippets/a/one.py").write_text("x = 1\n")
    (root / "core.py").write_text("n = 1\n")
    (tmp_path / "data/rows.csv").write_text("1\n")
    monkeypatch.setenv("DATA", str(tmp_path / "data"))
    return config.load(root)


def made(settings: config.Config, *more: str) -> origin.Origin:
    data = settings.root.parent / "data/rows.csv"
    return origin.origin(settings, ["snippets/a/one.py", "core.py", str(data), *more])


def test_origin_names_code_and_data(settings: config.Config) -> None:
    """Data outside is named by its variable; folders and files that only one machine has are left out."""
    found = made(settings, "docs/", "/etc/passwd", "gone.csv")
    assert list(found) == ["$DATA/rows.csv", "core.py", "snippets/a/one.py"]
    assert found["core.py"] == hashlib.sha256(b"n = 1").hexdigest()[:16]
    assert found["$DATA/rows.csv"] == hashlib.sha256(b"1\n").hexdigest()[:16]
    assert origin.has_outside(found)
    assert not origin.has_outside({"core.py": ""})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda root: root.touch(), []),
        (lambda root: (root / "core.py").write_text("n = 2\n"), ["core.py"]),
        (lambda root: (root / "core.py").unlink(), ["core.py"]),
        (lambda root: (root / "core.py").write_bytes(b"n = 1\r\n"), []),
        (lambda root: (root / "core.py").write_text("# Why.\n\nn = 1\n"), []),
        (lambda root: (root / "core.py").write_text("# --8<-- [start:x]\nn = 1\n"), ["core.py"]),
        (lambda root: (root / "core.py").write_text("# %% x\nn = 1\n"), ["core.py"]),
        (lambda root: (root / "core.py").write_text("if 1:\n    n = 1\n"), ["core.py"]),
        (lambda root: (root / "snippets/a/one.py").write_text("x = 2\n"), ["snippets/a/one.py"]),
        (lambda root: (root.parent / "data/rows.csv").write_text("2\n"), ["$DATA/rows.csv"]),
        (lambda root: (root.parent / "data/rows.csv").unlink(), []),
    ],
)
def test_changed_names_what_is_not_as_it_was(settings: config.Config, change, expected: list[str]) -> None:
    """Code and data that differ are named; data that is missing may be as it was, code that is missing is not."""
    before = made(settings)
    change(settings.root)
    assert origin.changed(settings, before) == expected


def test_changed_where_the_variable_is_not_set(settings: config.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no data still sees that the code is newer."""
    before = made(settings)
    monkeypatch.delenv("DATA")
    (settings.root / "core.py").write_text("n = 2\n")
    assert origin.changed(settings, before) == ["core.py"]


def test_origin_of_the_same_data_elsewhere_has_the_same_digests(settings, monkeypatch, tmp_path: Path) -> None:
    """Another folder gives the same, so that two machines do not rewrite one another's record."""
    before = made(settings)
    (tmp_path / "elsewhere/rows.csv").write_text("1\n")
    monkeypatch.setenv("DATA", str(tmp_path / "elsewhere"))
    files = ["snippets/a/one.py", "core.py", str(tmp_path / "elsewhere/rows.csv")]
    assert origin.origin(settings, files) == before
