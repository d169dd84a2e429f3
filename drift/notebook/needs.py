"""What a snippet needs that does not come with the project, and cells that are skipped where it is missing.

The checker skips a snippet whose `needs` is not met. A notebook has many snippets, so it skips their cells and goes on.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent


@dataclass(frozen=True)
class Condition:
    """A call of `needs`, as source.

    Attributes:
        before: the statements before it, which its arguments may use.
        met: whether it is there.
        reason: what is missing and how to get it.
    """

    before: str
    met: str
    reason: str


def condition(text: str) -> Condition | None:
    """The first `needs(met, reason)` at the top level of a snippet; None where it has none."""
    before: list[ast.stmt] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "needs":
            given = [*node.value.args, *(keyword.value for keyword in node.value.keywords)]
            return Condition("\n".join(map(ast.unparse, before)), *map(ast.unparse, given))
        if not _of_the_checker(node):
            before.append(node)
    return None


def ready(conditions: Mapping[str, Condition]) -> str:
    """The function that says whether what an experiment needs is there and, where it is not, how to get it."""
    lines = [
        "def ready(name):",
        '    """Say whether what an experiment needs is here; where it is not, print how to get it."""',
    ]
    for name, each in conditions.items():
        lines += [f'    if name == "{name}":']
        lines += [indent(f"{each.before}\nmet, reason = {each.met}, {each.reason}".strip("\n"), 8 * " ")]
    lines += ["    if not met:", '        print(f"This cell is skipped ({name}): {reason}.")', "    return met"]
    return "\n".join(lines)


def guarded(name: str, source: str) -> str:
    """Code that runs where what its experiment needs is there."""
    inside = _inside_strings(source)
    lines = source.split("\n")
    moved = [f"    {line}" if line.strip() and number not in inside else line for number, line in enumerate(lines, 1)]
    return "\n".join([f'if ready("{name}"):', *moved])


def _inside_strings(source: str) -> set[int]:
    """The lines that begin inside a text, where a space more would be another text."""
    texts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant | ast.JoinedStr)]
    return {number for node in texts for number in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)}


def _of_the_checker(node: ast.stmt) -> bool:
    """Whether a statement is the docstring, or imports what only a checked snippet calls."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return isinstance(node, ast.ImportFrom) and node.module == "drift"
