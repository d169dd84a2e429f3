"""Whether shown code stands on its own: every name it uses comes from code that the page shows before it."""

from __future__ import annotations

import ast
import builtins
import symtable
from dataclasses import dataclass

_ALWAYS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


@dataclass(frozen=True)
class Names:
    """The module-level names that a piece of code defines, and those it needs, with the line of the first use."""

    defined: frozenset[str]
    needed: dict[str, int]


def of(code: str, first_line: int = 1) -> Names:
    """The names of a section; `first_line` is where it begins in its file.

    Imports, assignments, functions and classes define; everything else that is looked up in the module is needed.
    """
    table = symtable.symtable(code, "<section>", "exec")
    defined = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    needed = _global_uses(table, top=True) - _ALWAYS
    lines: dict[str, int] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and node.id in needed:
            lines[node.id] = min(lines.get(node.id, 10**9), node.lineno + first_line - 1)
    return Names(frozenset(defined), {name: lines.get(name, first_line) for name in needed})


def _global_uses(table: symtable.SymbolTable, *, top: bool) -> set[str]:
    uses = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())}
    for child in table.get_children():
        uses |= _global_uses(child, top=False)
    return uses
