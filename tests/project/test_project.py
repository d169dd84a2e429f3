"""What the project's own documents say is true of its files."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from attention_src.data import banking77

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".ci/run", ".github/workflows/checks.yml")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _sessions() -> dict[str, str]:
    """The sessions of noxfile.py with their docstrings, read without importing nox."""
    found = {}
    for node in ast.parse(_read("noxfile.py")).body:
        if isinstance(node, ast.FunctionDef) and any("nox.session" in ast.unparse(d) for d in node.decorator_list):
            named = re.search(r"name='(\w+)'", ast.unparse(node.decorator_list[0]))
            found[named[1] if named else node.name] = ast.get_docstring(node) or ""
    return found


def _commands(text: str) -> list[str]:
    """The lines that start Python in a document or a script."""
    return [line for line in text.splitlines() if line.startswith("python -m ")]


def test_readme_has_two_commands() -> None:
    """Set-up is two commands: one builds the site, one runs the tests."""
    assert [line.split()[-1] for line in _commands(_read("README.md"))] == ["docs", "tests"]


def test_readme_commands_are_what_ci_runs() -> None:
    """What a reader is told to type is what continuous integration types."""
    run = _commands(_read(".ci/run"))
    assert [line for line in run if line in _commands(_read("README.md"))] == _commands(_read("README.md"))
    assert run[-1] == _commands(_read("README.md"))[-1]


def test_ci_run_is_executable_and_strict() -> None:
    """The script can be started, and stops at the first failure."""
    assert os.name == "nt" or os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "\nset -euo pipefail\n" in _read(".ci/run")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_names_sessions_that_exist(name: str) -> None:
    """`nox -s NAME` names a session of the noxfile."""
    assert set(re.findall(r"nox -s (\w+)", _read(name))) <= set(_sessions())


@pytest.mark.parametrize(("session", "text"), _sessions().items())
def test_session_docstring_is_one_sentence(session: str, text: str) -> None:
    """`nox -l` is the menu, so every session says in one line what it is for."""
    assert text.count("\n") == 0, session
    assert text.endswith("."), session


def test_contributing_lists_every_session() -> None:
    """A session that CONTRIBUTING leaves out is one that nobody finds."""
    assert set(re.findall(r"^\| `nox -s (\w+)`", _read("CONTRIBUTING.md"), re.MULTILINE)) == set(_sessions())


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_document_links_to_files_that_exist(name: str) -> None:
    """A link or picture without a scheme names a file of the repository."""
    text = re.sub(r"^(`{3,}).*?^\1`*$", "", _read(name), flags=re.DOTALL | re.MULTILINE)
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if ":" not in target]
    assert [target for target in targets if not (ROOT / target.split("#")[0]).exists()] == []


def _steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_workflow_runs_what_ci_runs() -> None:
    """Every push is held to the same commands, in the same order, as a run of .ci/run, once the data is there."""
    jobs = yaml.safe_load(_read(".github/workflows/checks.yml"))["jobs"]
    steps = jobs["check"]["steps"]
    assert all(job["needs"] == "check" for name, job in jobs.items() if name != "check")
    data, *commands = [step["run"] for step in steps if "run" in step]
    assert commands == _commands(_read(".ci/run"))
    assert data.endswith("python -m nox -s data")
    assert f"    {data}\n" in _read(".ci/run")


def test_workflow_keeps_the_data_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the workflow keeps between its runs is the folder of the download."""
    for name in (banking77.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    steps = yaml.safe_load(_read(".github/workflows/checks.yml"))["jobs"]["check"]["steps"]
    (kept,) = [step["with"]["path"] for step in steps if step.get("uses", "").startswith("actions/cache@")]
    assert Path(kept).expanduser() == banking77._path().parent


@pytest.mark.parametrize("name", [".ci/run", ".github/workflows/checks.yml"])
def test_order_is_docs_lint_tests(name: str) -> None:
    """The site is built before anything else can fail, and the log ends with what the tests say."""
    assert [s for s in re.findall(r"nox -s (\w+)", _read(name)) if s != "data"] == ["docs", "lint", "tests"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_grants_nothing_by_default(workflow: Path) -> None:
    """A job gets the right to read, and what it needs more it asks for itself."""
    assert yaml.safe_load(workflow.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("name", [*DOCUMENTS, "noxfile.py", "requirements.lock", "pyproject.toml"])
def test_file_names_no_machine(name: str) -> None:
    """No path of the machine that a file was written on gets into the repository."""
    assert re.findall(r"(?<![\w.])/(?:home|root|work|Users|tmp|opt)/\S*", _read(name)) == []
