"""The versions that the project's code ran with: what its lock file pins, and the Python that it asks for."""

from __future__ import annotations

import re
import tomllib

from drift.config import Config

_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[^\s;#\\]+)", re.MULTILINE)
_OLDEST = re.compile(r">=\s*(?P<version>\d+(?:\.\d+)*)")


def read(config: Config) -> dict[str, str]:
    """Versions by the names that prose may use, in lower case: `torch` and `pytorch`, `python`."""
    found: dict[str, str] = {}
    if config.lock.is_file():
        text = config.lock.read_text(encoding="utf-8", errors="replace")
        found = {normal(match["name"]): match["version"] for match in _PIN.finditer(text)}
    # A package is often called by its language as well.
    found |= {f"py{name}": version for name, version in found.items() if f"py{name}" not in found}
    oldest = _OLDEST.search(_requires_python(config))
    return found | ({"python": oldest["version"]} if oldest else {})


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _requires_python(config: Config) -> str:
    try:
        table = tomllib.loads((config.root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    project = table.get("project", {})
    return str(project.get("requires-python", "")) if isinstance(project, dict) else ""
