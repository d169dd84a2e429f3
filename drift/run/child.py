"""Run one snippet in a process of its own. Everything here happens in that process."""

from __future__ import annotations
import __future__ as future

import ast
import atexit
import builtins
import faulthandler
import gc
import json
import linecache
import os
import signal
import sys
import tempfile
import threading
import types
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from drift import facts
from drift.read.snippet import Section, Snippet, statements
from drift.run import clock, inherit, watch
from drift.run.capture import Capture, PlaceFile
from drift.run.failure import HERE, describe, own

FUTURE_FLAGS = 0
for _name in future.all_feature_names:
    FUTURE_FLAGS |= getattr(future, _name).compiler_flag

FINISHED = 0
NOT_REPORTED = 70


@dataclass
class Unit:
    """One top-level statement, ready to run."""

    section: str | None
    line: int
    code: types.CodeType


@dataclass
class Report:
    """What the process found out, sent to the checker as JSON.

    Attributes:
        marks: for each statement begun its section, its line, and the sizes of stdout and stderr after it.
        failure: the exception that ended the run, from `failure.describe`.
        ledger: facts, tolerances and artifacts stated.
        imports: top-level names of the modules loaded that are neither Python's own nor the project's.
    """

    marks: list[list[Any]] = field(default_factory=list)
    failure: dict[str, Any] | None = None
    ledger: dict[str, Any] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)


class Builtins:
    """Python's own builtins and limit of recursion while our code runs, whatever the snippet put in their place."""

    def __init__(self) -> None:
        self.table = vars(builtins)
        self.ours = self.table.copy()
        self.theirs, self.limit = self.ours, sys.getrecursionlimit()

    def __enter__(self) -> None:
        self.theirs, self.limit = self.table.copy(), sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.limit, 1000))
        self.table.update(self.ours)

    def __exit__(self, *_: object) -> None:
        self.table.update(self.theirs)
        sys.setrecursionlimit(self.limit)


def main(folder: Path) -> NoReturn:
    """Run the job in `folder`, write its `report.json`, and end the process without any clean-up."""
    me = os.getpid()
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    sections = tuple(Section(*section) for section in job["sections"])
    snippet = Snippet(job["id"], Path(job["path"]), job["file"], job["text"], sections, ())
    root = Path(job["root"])
    ledger = facts.Ledger(folder / "artifacts")
    capture = Capture(folder / "stdout", folder / "stderr")
    place = PlaceFile(folder / "place")
    report = Report()
    prepare(folder, job, snippet, capture)
    facts.begin(ledger)
    execute(snippet, capture, place, report, root)
    if os.getpid() != me:  # a process that the snippet forked came through here
        os._exit(FINISHED)
    watch.finish()
    report.ledger = _plain(ledger)
    report.imports = _imports(root)
    draft = folder / "report.tmp"
    draft.write_text(json.dumps(vars(report)), encoding="utf-8")
    draft.replace(folder / "report.json")
    os._exit(FINISHED)


def prepare(folder: Path, job: dict[str, Any], snippet: Snippet, capture: Capture) -> None:
    """Give the process its own folder, output, arguments and crash log."""
    for name in ("cwd", "tmp", "home", "artifacts"):
        (folder / name).mkdir()
    os.chdir(folder / "cwd")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
    os.environ["HOME"] = os.environ["USERPROFILE"] = str(folder / "home")
    crash = (folder / "crash").open("w")
    faulthandler.enable(crash, all_threads=False)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, crash, all_threads=False)
    inherit.hand_on(os.environ, job["settings"], str(folder / "reads"))
    path = str(snippet.path)
    sys.argv = [path]
    sys.path.insert(0, str(snippet.path.parent))
    linecache.cache[path] = (len(snippet.text), None, source_lines(snippet.text), path)
    sys.set_coroutine_origin_tracking_depth(1)  # one that is never awaited is told of with its line
    capture.begin()
    clock.begin(job["date"])
    watch.redirect(str(folder / "reads"))


def execute(snippet: Snippet, capture: Capture, place: PlaceFile, report: Report, root: Path) -> None:
    """Run the statements one after the other as `__main__`, noting what had been printed after each."""
    run, ours = exec, Builtins()
    module = types.ModuleType("__main__")
    module.__file__ = str(snippet.path)
    names = vars(module)
    names["__builtins__"] = builtins
    sys.modules["__main__"] = module
    here: tuple[str | None, int] = (None, 0)
    try:
        units = compiled(snippet)
        for number, unit in enumerate(units):
            here = (unit.section, unit.line)
            place.set(number, unit.line)
            run(unit.code, names)
            with ours:
                watch.watch_packages()
                report.marks.append([*here, *capture.sizes()])
        here = (None, 0)
        with ours:
            place.set(len(units), 0)
            end_like_python(module, root)
    except BaseException as error:
        with ours:
            report.failure = describe(error, snippet, root)
    ours.__enter__()  # for good: what the snippet did must not keep us from telling of it
    report.marks.append([*here, *capture.sizes()])


def end_like_python(module: types.ModuleType, root: Path) -> None:
    """Do what Python does at its end and a reader would see: wait for threads, call what was registered, clear names.

    What is printed on the way counts, and so do errors in `__del__` and coroutines that were never awaited.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    others = (vars(other) for other in list(sys.modules.values()) if _is_project(other, root))
    for names in [vars(module), *others]:
        # Names with one underscore first, as Python does; those with two are Python's own.
        for name in sorted(names, key=lambda name: not name.startswith("_")):
            if not name.startswith("__"):
                names[name] = None
    gc.collect()


def _is_project(module: types.ModuleType, root: Path) -> bool:
    """Whether a module is one of the project's, and none of the checker that is still at work."""
    file = getattr(module, "__dict__", {}).get("__file__")
    return isinstance(file, str) and own(file, root) and not file.startswith(HERE)


def source_lines(text: str) -> list[str]:
    """The lines of a source as Python counts them: a form feed or another Unicode break ends none."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return lines[:-1] if text.endswith("\n") else lines


def compiled(snippet: Snippet) -> list[Unit]:
    """Each top-level statement as code with the snippet's own name and lines.

    Raises:
        SyntaxError: what parses but does not compile (`return` outside a function).
    """
    name = str(snippet.path)
    whole = compile(snippet.text, name, "exec", dont_inherit=True)  # gives warnings and errors, once
    flags = whole.co_flags & FUTURE_FLAGS
    units: list[Unit] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for section, body in statements(snippet):
            for statement in body:
                # A text alone in a module would become its `__doc__`; only the first one may.
                before = [ast.copy_location(ast.Pass(), statement)] if units and _is_text(statement) else []
                code = compile(ast.Module([*before, statement], []), name, "exec", flags, dont_inherit=True)
                units.append(Unit(section, statement.lineno, code))
    return units


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _plain(ledger: facts.Ledger) -> dict[str, Any]:
    return {
        "facts": {name: [fact.value, fact.tol, ledger.lines[name]] for name, fact in ledger.facts.items()},
        "tolerances": ledger.tolerances,
        "artifacts": ledger.artifacts,
    }


def _imports(root: Path) -> list[str]:
    """Top-level modules that a file of the same name in the project would come to hide."""
    names = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if "." not in name and name not in sys.stdlib_module_names and not own(str(file), root):
            names.add(name)
    return sorted(names - {"__main__", "__mp_main__", "drift"})
