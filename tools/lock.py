"""The lock file: what pip resolves, made fit for other machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# torch's Linux wheels bring these with them where they are wanted; a CPU build has none.
CUDA = re.compile(r"(nvidia|cuda|triton|pytorch-triton)(-|$)")
HEADER = """\
# Made by `nox -s lock` for Python {python}, from the tables of pyproject.toml; do not edit by hand.
# What only another platform needs is not listed here, and pip adds it.
"""


def pins(report: Mapping[str, Any]) -> list[str]:
    """Turn a pip installation report into sorted `name==version` lines.

    Args:
        report: the JSON of `pip install --dry-run --report`. It says more than a lock may hold: CUDA packages
            are left out, and of a local version (`2.13.0+cpu`), which names one build, the public part stays.

    Raises:
        ValueError: a package that was asked for by path or address, which another machine does not have.
    """
    versions: dict[str, str] = {}
    for item in report["install"]:
        name, version = canonical(item["metadata"]["name"]), item["metadata"]["version"]
        if item.get("is_direct"):
            raise ValueError(f"lock: expected {name} from an index, got {item['download_info']['url']}")
        if not CUDA.match(name):
            versions[name] = version.partition("+")[0]
    return [f"{name}=={versions[name]}" for name in sorted(versions)]


def render(lines: Iterable[str], python: str) -> str:
    """The lock file's text; `python` is the oldest version it is for, as `3.11`."""
    return HEADER.format(python=python) + "".join(line + "\n" for line in lines)


def pin(lock: str, name: str) -> str:
    """The line of a lock file's text that pins `name`.

    Raises:
        ValueError: there is none.
    """
    for line in lock.splitlines():
        if line.startswith(name + "=="):
            return line
    raise ValueError(f"requirements.lock: expected a pin of {name}, got none")


def canonical(name: str) -> str:
    """A package's name in the one spelling that the packaging rules (PEP 503) compare by."""
    return re.sub(r"[-_.]+", "-", name).lower()
