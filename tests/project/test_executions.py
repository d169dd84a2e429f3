"""Executions of notebooks that are kept: which change of what they depend on has one executed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import executions
import nbformat
import pytest
from executions import Execution, contents, remembered

from drift import config


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Asks for the execution of a notebook in a project of two files; gives how many were executed for that."""
    made: dict[tuple[str, ...], list[Execution]] = defaultdict(list)

    def execute(path: Path, scratch: Path, package: Path, **variables: str) -> Execution:
        text = path.read_text(encoding="utf-8")
        done = Execution("it stopped" if "stop" in text else "", text, [*variables, scratch.name], str(package))
        made[tuple(variables)].append(done)
        return done

    def again(code: str = "print(1)", prose: str = "One.", module: str = "x = 1", **variables: str) -> int:
        cells = [nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell(code)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "one.ipynb")
        (tmp_path / "package" / "attention_src" / "a.py").write_text(module, encoding="utf-8")
        before = len(made[tuple(variables)])
        arguments = (config.load(tmp_path), tmp_path / "one.ipynb", tmp_path, tmp_path / "package")
        assert remembered(*arguments, **variables) == made[tuple(variables)][-1]
        return len(made[tuple(variables)]) - before

    monkeypatch.setattr(executions, "execute", execute)
    (tmp_path / "pyproject.toml").write_text("[tool.drift]\n", encoding="utf-8")
    for folder in ("docs", "snippets", "package/attention_src"):
        (tmp_path / folder).mkdir(parents=True)
    return again


def test_execution_is_kept_while_nothing_changes(again: Callable[..., int]) -> None:
    """The second time nothing is executed, and what is given is the same, also with another word between the cells."""
    assert (again(), again(), again(prose="Two.")) == (1, 0, 0)


@pytest.mark.parametrize("change", [{"code": "print(2)"}, {"module": "x = 2"}])
def test_execution_is_repeated_after_a_change(again: Callable[..., int], change: dict[str, str]) -> None:
    """Another cell or another package is executed, and kept in place of the first."""
    assert (again(), again(**change), again(**change)) == (1, 1, 0)


def test_execution_is_repeated_in_another_environment(
    again: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting of a numerical library, and data that comes or goes, make another result."""
    assert again() == 1
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    assert (again(), again()) == (1, 0)
    monkeypatch.setattr(executions, "has_banking77", lambda: "other")
    assert (again(), again()) == (1, 0)


def test_execution_with_other_variables_is_another(again: Callable[..., int]) -> None:
    """A notebook that is executed with and without its data has two executions, which leave each other alone."""
    assert (again(), again(BANKING77_DIR=""), again(), again(BANKING77_DIR="")) == (1, 1, 0, 0)


def test_execution_that_failed_is_not_kept(again: Callable[..., int]) -> None:
    """It is tried each time."""
    assert (again(code="stop"), again(code="stop")) == (1, 1)


def test_contents_of_a_package_are_its_files(tmp_path: Path) -> None:
    """Names and sums count, Python's caches and pip's notes do not."""
    for name in ("a/b.py", "a/__pycache__/b.pyc", "a.dist-info/RECORD"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert list(contents(tmp_path)) == ["a/b.py"]
