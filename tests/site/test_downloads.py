"""The notebooks that readers download run from an empty folder, with the project installed as a package."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from executions import Execution, remembered
from whole import whole

from attention_src.data.banking77 import has_banking77
from drift.judge.values import same_text
from drift.mkdocs import downloads
from drift.notebook import build
from drift.read.page import Page
from drift.run.cache import read_entry
from theme.rules import navigation

ROOT = Path(__file__).resolve().parents[2]
Once = Callable[[str, Callable[[Path], object]], Path]


def skipped() -> list[str]:
    """What the site's settings leave out; MkDocs itself would take seconds to read them."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_multi_constructor("!", lambda *_: None)
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), loader)
    return next(plugin["drift"]["notebooks_skip"] for plugin in settings["plugins"] if "drift" in plugin)


@functools.cache
def offered() -> dict[str, Page]:
    """The notebooks that the site has to offer: their pages, by their paths below its folder of notebooks."""
    pages = downloads.offered(whole(), skipped())
    return {build.uri(page, whole().config.docs, "notebooks").removeprefix("notebooks/"): page for page in pages}


OFFERED = list(offered())


def snippets(name: str) -> list[str]:
    """The snippets whose code stands in a notebook."""
    paths = {include.path for fence in offered()[name].fences for include in fence.includes}
    return sorted({path.rpartition(".")[0] for path in paths} & whole().snippets.keys())


def with_queries() -> list[str]:
    """The notebooks among them that read the labs' queries, and so other ones where Banking77 is not."""
    found = whole().snippets.values()
    return [f"{item.id}.ipynb" for item in found if item.is_notebook and "lab_queries()" in item.text]


@functools.cache
def times() -> dict[str, Any]:
    """How long each snippet took when it last ran here, as far as that is known."""
    return read_entry(whole().config.cache / "times.json") or {}


def seconds(name: str) -> float:
    """About how long a notebook takes; starting its process takes some too."""
    return 5 + sum(times().get(snippet, 0.0) for snippet in snippets(name))


def timed(names: Iterable[str]) -> list[Any]:
    """The notebooks as arguments of a test that executes them."""
    return [pytest.param(name, marks=pytest.mark.takes(seconds(name))) for name in names]


executing = pytest.mark.parametrize("name", timed(OFFERED))


@pytest.fixture(scope="session")
def package(once: Once) -> Path:
    """A folder with the project as pip installs it, and nothing of the working copy."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", *options, str(ROOT), "--target"]
    environment = os.environ | {"PIP_USER": "0"}
    return once("package", lambda target: subprocess.run([*command, str(target)], check=True, env=environment))


@pytest.fixture(scope="module")
def executed(built: Path, package: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Execution]:
    """Executes a notebook, once for all tests that look at it; skips where its data is missing."""
    folder = built / "notebooks"
    run = functools.cache(
        lambda name: remembered(whole().config, folder / name, tmp_path_factory.mktemp("run"), package)
    )

    def executed(name: str) -> Execution:
        waiting = [snippet for snippet in snippets(name) if "needs(" in whole().snippets[snippet].text]
        if waiting and not has_banking77():
            pytest.skip(f"{name} shows the output of {', '.join(waiting)}, whose data is not on this machine")
        return run(name)

    return executed


def finished(execution: Execution) -> Execution:
    """The same, if it came to its end."""
    assert not execution.failure, "it stopped at an error, which test_notebook_runs_through shows"
    return execution


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
@executing
def test_notebook_runs_through(name: str, executed: Callable[[str], Execution]) -> None:
    """No cell raises."""
    done = executed(name)
    assert not done.failure, done.failure


@pytest.mark.slow
@executing
def test_notebook_prints_what_its_page_shows(name: str, executed: Callable[[str], Execution], built: Path) -> None:
    """Each cell prints its recorded output."""
    done = finished(executed(name))
    shown = nbformat.read(built / "notebooks" / name, as_version=4)
    for before, after in zip(shown.cells, done.cells[1:], strict=True):
        if before.cell_type == "code":
            targets = [tuple(target.replace(".py:", ":").split(":")) for target in before.metadata.get("drift", [])]
            tolerances = [whole().records[stem].tolerances.get(section) for stem, section in targets]
            tol = max((tol for tol in tolerances if tol is not None), default=None)
            assert same_text(printed(before), printed(after), tol), f"{name}, {targets}:\n{printed(after)}"


@pytest.mark.slow
@executing
def test_notebook_uses_the_installed_package(name: str, executed: Callable[[str], Execution]) -> None:
    """What it imports is the package as a reader installs it, not the working copy."""
    done = finished(executed(name))
    assert Path(printed(done.cells[0]).strip()).is_relative_to(done.package)


@pytest.mark.slow
@executing
def test_notebook_leaves_nothing_behind(name: str, executed: Callable[[str], Execution]) -> None:
    """The folder that it runs in stays empty."""
    assert executed(name).left == []


@pytest.mark.slow
@pytest.mark.parametrize("name", timed(with_queries()))
def test_lab_runs_on_the_own_queries_without_the_data(name: str, built: Path, package: Path, tmp_path: Path) -> None:
    """Where Banking77 is not, the lab runs through and prints which queries it used."""
    (tmp_path / "cache").mkdir()
    nothing = {"BANKING77_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = remembered(whole().config, built / "notebooks" / name, tmp_path, package, **nothing)
    assert (done.failure, done.left) == ("", [])
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
