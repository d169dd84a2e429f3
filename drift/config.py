"""Where things are, read from `[tool.drift]` in the project's `pyproject.toml`."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, Any] = {
    "docs": "docs",
    "snippets": "snippets",
    "figures": "docs/assets/figures",
    "cache": ".drift",
    "preload": [],
    "timeout": 300,
    "env": [],
    "allow_unmet": [],
    "lock": "requirements.lock",
    "rules": [],
    "update": "python -m drift update",
    "unbound": None,
}


class ConfigError(ValueError):
    """The project's `[tool.drift]` table cannot be used."""


@dataclass(frozen=True)
class Config:
    """Absolute paths and settings of one documentation project.

    Attributes:
        root: the folder of `pyproject.toml`.
        docs, snippets, figures, cache: folders below it.
        preload: modules that the fork server imports once, before any snippet runs.
        timeout: seconds after which a snippet is stopped.
        env: environment variables that a run gets; a result depends on those that its snippet read.
        allow_unmet: patterns for the ids of snippets that may stay unrun where CI is set.
        lock: the file whose content stands for the installed packages.
        unbound: how many sentences may compare and bind nothing; None: nobody counts.
        update: the command that accepts a drift, as findings name it, up to its arguments.
        rules: functions of the project's own that judge the site, as `module:function`; see `judge.rules`.
    """

    root: Path
    docs: Path
    snippets: Path
    figures: Path
    cache: Path
    preload: tuple[str, ...]
    timeout: float
    env: tuple[str, ...]
    allow_unmet: tuple[str, ...]
    lock: Path
    rules: tuple[str, ...]
    update: str
    unbound: int | None

    def declared(self) -> dict[str, str]:
        """The variables that the settings name, with the values that they have here."""
        found = {name: os.environ[name] for name in self.env if name in os.environ}
        if "XDG_CACHE_HOME" in self.env and not found.get("XDG_CACHE_HOME"):
            # Its default hangs on HOME, which a run does not have.
            found["XDG_CACHE_HOME"] = str(Path.home() / ".cache")
        return found

    def relative(self, path: Path) -> str:
        """`path` as a reader would type it from the project's root."""
        try:
            return path.resolve().relative_to(self.root).as_posix()
        except (ValueError, OSError, RuntimeError):  # elsewhere, or a link in a circle
            return str(path)


def load(start: Path | None = None) -> Config:
    """Read the configuration of the project that holds `start` (default: the current folder).

    Raises:
        ConfigError: no `pyproject.toml` with a `[tool.drift]` table above `start`, an unknown key, a value of
            the wrong type, or a folder that does not exist.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            try:
                table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("drift")
            except ValueError as error:
                raise ConfigError(f"{file}: not TOML: {error}") from error
            if table is not None:
                return from_table(folder, table)
    raise ConfigError(f"{here}: expected a pyproject.toml with a [tool.drift] table here or above, found none")


def from_table(root: Path, table: dict[str, Any]) -> Config:
    """Build a `Config` for `root` from the keys of `[tool.drift]`, with defaults for the others."""
    for key, value in table.items():
        if key not in DEFAULTS:
            raise ConfigError(
                f"{root / 'pyproject.toml'}: [tool.drift] does not know {key!r}; it has {', '.join(DEFAULTS)}"
            )
        if not _same_kind(value, DEFAULTS[key]):
            expected = "a whole number" if DEFAULTS[key] is None else type(DEFAULTS[key]).__name__
            raise ConfigError(f"{root / 'pyproject.toml'}: [tool.drift] {key}: expected {expected}, got {value!r}")
    merged = {**DEFAULTS, **table}
    folders = {key: root / merged[key] for key in ("docs", "snippets", "figures", "cache", "lock")}
    for key in ("docs", "snippets"):
        if not folders[key].is_dir():
            raise ConfigError(f"{root / 'pyproject.toml'}: [tool.drift] {key}: {folders[key]} is not a folder")
    return Config(
        root=root,
        preload=tuple(merged["preload"]),
        timeout=float(merged["timeout"]),
        env=tuple(merged["env"]),
        allow_unmet=tuple(merged["allow_unmet"]),
        rules=tuple(merged["rules"]),
        update=merged["update"],
        unbound=merged["unbound"],
        **folders,
    )


def _same_kind(value: Any, default: Any) -> bool:
    if default is None:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if isinstance(default, int):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
    return isinstance(value, str) and bool(value)
