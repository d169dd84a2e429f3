"""The notebooks that readers download run from an empty folder, with the project installed as a package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from mkdocs.config import load_config

from attention_src.data.banking77 import has_banking77
from drift import config
from drift.judge.values import same_text
from drift.mkdocs import downloads
from drift.notebook import build
from drift.read import site
from theme.rules import navigation

ROOT = Path(__file__).resolve().parents[2]
# In a process of its own, since the client leaves its event loop open. The longest cell trains for a minute.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

source, target, folder = sys.argv[1:]
found = nbformat.read(source, as_version=4)
NotebookClient(found, timeout=900, resources={"metadata": {"path": folder}}).execute()
nbformat.write(found, target)
"""


def offered() -> list[str]:
    """The notebooks that the site has to offer, by their paths below its folder of notebooks."""
    whole = site.read(config.load(ROOT))
    skipped = load_config(str(ROOT / "mkdocs.yml")).plugins["drift"].config.notebooks_skip
    pages = downloads.offered(whole, skipped)
    return [build.uri(page, whole.config.docs, "notebooks").removeprefix("notebooks/") for page in pages]


def with_queries() -> list[str]:
    """The notebooks among them that read the labs' queries, and so other ones where Banking77 is not."""
    snippets = site.read(config.load(ROOT)).snippets.values()
    return [f"{item.id}.ipynb" for item in snippets if item.is_notebook and "lab_queries()" in item.text]


OFFERED = offered()


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the project as pip installs it, and nothing of the working copy."""
    target = tmp_path_factory.mktemp("package")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(ROOT)]
    subprocess.run(command, check=True, env=os.environ | {"PIP_USER": "0"})
    return target


@pytest.fixture(scope="session")
def runs(
    built: Path, package: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[nbformat.NotebookNode]]]:
    """Every notebook being run, as many at a time as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {
            name: pool.submit(run, built / "notebooks" / name, tmp_path_factory.mktemp("run"), package)
            for name in OFFERED
        }
        yield started
        for future in started.values():
            future.cancel()


def run(path: Path, scratch: Path, package: Path, **variables: str) -> nbformat.NotebookNode:
    """Execute a notebook in an empty folder, and see that it left nothing behind."""
    empty, source, target = scratch / "empty", scratch / "source.ipynb", scratch / "target.ipynb"
    empty.mkdir()
    found = nbformat.read(path, as_version=4)
    found.cells.insert(0, nbformat.v4.new_code_cell("import attention_src\nprint(attention_src.__file__)"))
    nbformat.write(found, source)
    command = [sys.executable, "-P", "-c", EXECUTE, str(source), str(target), str(empty)]
    environment = os.environ | {"PYTHONPATH": str(package), "OMP_NUM_THREADS": "1"} | variables
    done = subprocess.run(command, env=environment, cwd=empty, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert list(empty.iterdir()) == []
    return nbformat.read(target, as_version=4)


def test_notebooks_are_offered(built: Path) -> None:
    """The site has a notebook for every page with code, chapters and labs among them, and no other."""
    folder = built / "notebooks"
    listed = [*navigation.below(ROOT, navigation.CHAPTERS), *navigation.below(ROOT, navigation.LABS)]
    pages = {
        Path(entry.path).with_suffix(".ipynb").as_posix() for entry in listed if not entry.path.endswith("index.md")
    }
    assert pages
    assert pages <= set(OFFERED)
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == set(OFFERED)


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFERED)
def test_notebook_prints_what_its_page_shows(
    name: str, runs: dict[str, Future[nbformat.NotebookNode]], built: Path, package: Path
) -> None:
    """Each cell, run with the installed package, prints its recorded output."""
    whole = site.read(config.load(ROOT))
    shown = nbformat.read(built / "notebooks" / name, as_version=4)
    needed = {target.partition(".")[0] for cell in shown.cells for target in cell.metadata.get("drift", [])}
    waiting = [stem for stem in needed if "needs(" in whole.snippets[stem].text]
    if waiting and not has_banking77():
        pytest.skip(f"{name} shows the output of {', '.join(waiting)}, whose data is not on this machine")
    done = runs[name].result()
    assert Path(printed(done.cells[0]).strip()).is_relative_to(package)
    for before, after in zip(shown.cells, done.cells[1:], strict=True):
        if before.cell_type == "code":
            targets = [tuple(target.replace(".py:", ":").split(":")) for target in before.metadata.get("drift", [])]
            tolerances = [whole.records[stem].tolerances.get(section) for stem, section in targets]
            tol = max((tol for tol in tolerances if tol is not None), default=None)
            assert same_text(printed(before), printed(after), tol), f"{name}, {targets}:\n{printed(after)}"


@pytest.mark.slow
@pytest.mark.parametrize("name", with_queries())
def test_lab_runs_on_the_own_queries_without_the_data(name: str, built: Path, package: Path, tmp_path: Path) -> None:
    """Where Banking77 is not, the lab runs through and prints which queries it used."""
    (tmp_path / "cache").mkdir()
    nothing = {"BANKING77_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run(built / "notebooks" / name, tmp_path, package, **nothing)
    text = "".join(printed(cell) for cell in done.cells if cell.cell_type == "code")
    assert "Banking77" not in text
    if name.endswith("solution.ipynb"):
        assert "the project's own 48 queries" in text


@pytest.mark.parametrize("name", OFFERED)
def test_notebook_needs_nothing_but_the_package(name: str, built: Path) -> None:
    """What its code imports is Python's own, the package, or what installing the package brings."""
    allowed = {*sys.stdlib_module_names, "attention_src", "torch", "numpy", "matplotlib"}
    found = nbformat.read(built / "notebooks" / name, as_version=4)
    cells = [cell.source for cell in found.cells if cell.cell_type == "code"]
    imported = {match[1] for cell in cells for match in re.finditer(r"^\s*(?:import|from) (\w+)", cell, re.MULTILINE)}
    assert imported - allowed == set()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {re.split(r"[=>]", line)[0] for line in declared} == {"torch", "numpy", "matplotlib", "lazy-loader"}


def printed(cell: nbformat.NotebookNode) -> str:
    """What a cell printed; anything else among its outputs is a finding."""
    assert all(output.output_type == "stream" and output.name == "stdout" for output in cell.outputs), cell.outputs
    return "".join(output.text for output in cell.outputs)
