"""Have the Python programs that a run starts watched like the run itself.

They find `at_start/sitecustomize.py` through `PYTHONPATH`, and in a variable where to write what they read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path

VARIABLE = "DRIFT_WATCHED"
INHERITED = (VARIABLE, "PYTHONPATH")
HERE = str(Path(__file__).parent / "at_start")

Watched = list[list[str]]
"""Files of settings, each with the log to write to: of a run, and of a run of a check within it."""


def passed(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that hand the watching on; none where nobody watches, since `PYTHONPATH` is not passed on."""
    return {name: environ.get(name, "") for name in INHERITED if environ.get(VARIABLE)}


def hand_on(environ: MutableMapping[str, str], settings: str, log: str) -> None:
    """Have programs that are started with `environ` watched."""
    environ[VARIABLE] = json.dumps([*watched(environ), [settings, log]])
    environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([HERE, *_folders(environ)]))


def watched(environ: Mapping[str, str]) -> Watched:
    """Who watches a process with these variables."""
    found: Watched = json.loads(environ.get(VARIABLE) or "[]")
    return found


def handed_on(environ: Mapping[str, str]) -> bool:
    """Whether a Python program with these variables would be watched."""
    return bool(environ.get(VARIABLE)) and HERE in _folders(environ)


def _folders(environ: Mapping[str, str]) -> list[str]:
    return [folder for folder in environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
