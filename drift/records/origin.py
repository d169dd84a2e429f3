"""What a record was made from: the code and data of the accepted run, each with a digest that anyone can recompute.

It tells a record that is older than its code where the code cannot be run, since its data is missing.
Data outside the project is named by the variable that leads to it (`$BANKING77_DIR/rows.csv`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from drift.config import Config

LENGTH = 16
OUTSIDE = "$"

Origin = dict[str, str]
"""A short digest of content by the name of its file."""


def origin(config: Config, files: Iterable[str]) -> Origin:
    """The origin that these files are now.

    Args:
        config: the project.
        files: paths that a run read, as `Outcome.dependencies` names them; those of folders and of files that have
            no name on another machine are left out.
    """
    variables = config.declared()
    names = (_name(file, variables) for file in files if not file.endswith("/"))
    found = {name: digest(_path(config, name, variables)) for name in sorted(filter(None, names))}
    return {name: value for name, value in found.items() if value is not None}


def changed(config: Config, made_from: Origin) -> list[str]:
    """The files that are not what they were; data that is not here does not count as changed."""
    variables = config.declared()
    now = {name: digest(_path(config, name, variables)) for name in made_from}
    return [name for name, value in made_from.items() if now[name] != value and (now[name] or name.endswith(".py"))]


def has_outside(made_from: Origin) -> bool:
    """Whether there is data among it that does not come with the project."""
    return any(name.startswith(OUTSIDE) for name in made_from)


def digest(path: Path | None) -> str | None:
    """The beginning of the SHA-256 of a file, with `\\n` line ends; None when it is not there.

    Of Python only code counts: without empty lines, and without lines that hold a comment and mark no section or
    cell. So the prose of a notebook may change without making its record old.
    """
    try:
        data = path.read_bytes() if path is not None else None
    except OSError:
        return None
    if data is None or path is None:
        return None
    data = data.replace(b"\r\n", b"\n")
    if path.suffix == ".py":
        data = b"\n".join(line for line in data.split(b"\n") if _is_code(line.strip()))
    return hashlib.sha256(data).hexdigest()[:LENGTH]


def _is_code(line: bytes) -> bool:
    return bool(line) and (not line.startswith(b"#") or b"--8<--" in line or line.startswith(b"# %%"))


def _name(file: str, variables: Mapping[str, str]) -> str | None:
    if not Path(file).is_absolute():
        return file
    for variable, folder in variables.items():
        if folder and Path(file).is_relative_to(folder):
            return f"{OUTSIDE}{variable}/{Path(file).relative_to(folder).as_posix()}"
    return None


def _path(config: Config, name: str, variables: Mapping[str, str]) -> Path | None:
    if not name.startswith(OUTSIDE):
        return config.root / name
    variable, _, rest = name.removeprefix(OUTSIDE).partition("/")
    return Path(variables[variable]) / rest if variables.get(variable) else None
