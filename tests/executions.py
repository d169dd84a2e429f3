"""Executions of notebooks, and those of an earlier run, found again by everything that they depend on.

A notebook trains for minutes and prints the same again, so one that came to its end is kept beside the checker's
runs of snippets, until its code, the package, the data or the environment are others.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat

from attention_src.data.banking77 import has_banking77
from drift.config import Config
from drift.run.cache import read_entry, write_entry
from drift.run.environment import UNSEEN, Environment, fingerprint

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
WHERE = "import attention_src\nprint(attention_src.__file__)"
ONE_THREAD = {"OMP_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Execution:
    """A notebook that was executed in an empty folder.

    Attributes:
        failure: What went wrong; empty where nothing did.
        text: The executed notebook, as its file holds it; empty after a failure.
        left: Names of what it left in its folder.
        package: The folder from which it could import the project.
    """

    failure: str
    text: str
    left: list[str]
    package: str

    @property
    def cells(self) -> list[nbformat.NotebookNode]:
        """Its cells with what they gave; the first one says which package they used."""
        found: list[nbformat.NotebookNode] = nbformat.reads(self.text, as_version=4).cells if self.text else []
        return found


def execute(path: Path, scratch: Path, package: Path, **variables: str) -> Execution:
    """Execute a notebook in an empty folder below `scratch`, on one thread.

    Args:
        path: The notebook.
        scratch: An empty folder.
        package: The folder that holds the project as pip installs it.
        variables: Of the environment, beside those that are there.
    """
    empty, source, target = scratch / "empty", scratch / "source.ipynb", scratch / "target.ipynb"
    empty.mkdir()
    found = nbformat.read(path, as_version=4)
    found.cells.insert(0, nbformat.v4.new_code_cell(WHERE))
    nbformat.write(found, source)
    command = [sys.executable, "-P", "-c", EXECUTE, str(source), str(target), str(empty)]
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(package)} | variables
    done = subprocess.run(command, env=environment, cwd=empty, capture_output=True, text=True, check=False)
    failure = f"{done.stdout}{done.stderr[-4000:]}" if done.returncode else ""
    text = "" if failure else target.read_text(encoding="utf-8")
    return Execution(failure, text, sorted(path.name for path in empty.iterdir()), str(package))


def remembered(config: Config, path: Path, scratch: Path, package: Path, **variables: str) -> Execution:
    """The same, from an earlier run where nothing has changed since; one execution is kept for each notebook.

    Args:
        config: Says where the checker keeps its runs; without the folder `executed` there, all are executed again.
        path, scratch, package, variables: as in `execute`.
    """
    kept = config.cache / "executed" / f"{path.parent.name}-{path.stem}{'-'.join(['', *sorted(variables)])}.json"
    state = depends_on(config, path, package, variables)
    entry = read_entry(kept)
    if entry is not None and entry["state"] == state:
        return Execution(**entry["execution"])
    done = execute(path, scratch, package, **variables)
    if not done.failure:
        write_entry(kept, {"state": state, "execution": asdict(done)})
    return done


def depends_on(config: Config, path: Path, package: Path, variables: dict[str, str]) -> str:
    """One hash of all that an execution depends on; the data is known by its own sum, so only whether it is there."""
    known = {
        "program": [EXECUTE, WHERE],
        "notebook": code(path),
        "package": contents(package / "attention_src"),
        "environment": fingerprint(config, Environment()),
        "settings": settings(),
        "data": has_banking77(),
        "variables": sorted(variables),
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode("utf-8")).hexdigest()


def code(path: Path) -> list[str | None]:
    """What a notebook runs, cell by cell; its prose counts as a place only."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source if cell.cell_type == "code" else None for cell in cells]


def settings() -> dict[str, str]:
    """The variables that numerical libraries and Python read, as an execution has them, but for those of no effect."""
    given = os.environ | ONE_THREAD
    without = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {name: given[name] for name in sorted(given) if UNSEEN.match(name) and name not in without}


def contents(folder: Path) -> dict[str, str]:
    """The sums of an installed package's files, without Python's caches and pip's notes on where it came from."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts and ".dist-info" not in file.parent.name
    }
