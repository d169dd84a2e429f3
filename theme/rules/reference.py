"""The rule for the reference: every public name of `attention_src` has an entry."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from drift.problem import Place, Problem
from drift.read.site import Site
from theme.rules import headings

PACKAGE = "attention_src"
STUB = f"{PACKAGE}/__init__.pyi"
PAGE = "reference.md"

_ENTRY = re.compile(r"^::: +(?P<name>[\w.]+)", re.MULTILINE)


def problems(site: Site) -> Iterator[Problem]:
    """The names that the package's stub lists and the reference leaves out."""
    path = site.config.docs / PAGE
    page = next((page for page in site.pages if page.path == path), None)
    entries = {match["name"] for match in _ENTRY.finditer(headings.prose(page).text)} if page else set()
    for name, line in public((site.config.root / STUB).read_text(encoding="utf-8")):
        if name not in entries:
            message = f"{name.rpartition('.')[2]} is public and has no entry in {site.config.relative(path)}"
            yield Problem(Place(STUB, line), message, f"::: {name}")


def public(stub: str) -> list[tuple[str, int]]:
    """The full name of everything that a stub of the package imports, with the line."""
    return [
        (f"{PACKAGE}.{node.module}.{alias.name}", alias.lineno)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
