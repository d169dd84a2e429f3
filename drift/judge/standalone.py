"""Whether shown code stands on its own: every name it uses comes from code that the page shows before it."""

from __future__ import annotations

import ast
import builtins
import symtable
from dataclasses import dataclass
from functools import lru_cache

_ALWAYS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


@dataclass(frozen=True)
class Names:
    """The module-level names that a piece of code defines, and those it needs from before, with the line of the use."""

    defined: frozenset[str]
    needed: dict[str, int]


@lru_cache(maxsize=512)
def of(code: str, first_line: int = 1) -> Names:
    """The names of a section; `first_line` is where it begins in its file.

    Imports, assignments, functions and classes define.
    What is looked up in the module before it is defined there is needed; the body of a function looks up late.
    """
    tree = ast.parse(code)
    table = symtable.symtable(code, "<section>", "exec")
    defined = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    order = _Order()
    order.visit(tree)
    late = global_uses(table, top=True) - defined - order.early.keys() - _ALWAYS
    lines = _first_lines(tree, late) | order.early
    needed = {name: line + first_line - 1 for name, line in lines.items() if name not in _ALWAYS}
    return Names(frozenset(defined), needed)


def _first_lines(tree: ast.AST, names: set[str]) -> dict[str, int]:
    """The line on which each of `names` first stands; 1 for one that stands nowhere."""
    lines = dict.fromkeys(names, 0)
    for node in ast.walk(tree) if names else ():
        if isinstance(node, ast.Name) and node.id in names:
            lines[node.id] = min(lines[node.id] or node.lineno, node.lineno)
    return {name: line or 1 for name, line in lines.items()}


class _Order(ast.NodeVisitor):
    """Walks statements as they run, and notes the names that are read before they are set.

    Branches count as taken, so that this never blames code that can run.
    """

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.early: dict[str, int] = {}

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.known.add(node.id)
        elif node.id not in self.known:
            self.early.setdefault(node.id, node.lineno)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._in_turn(node.value, *node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._in_turn(node.annotation, node.value)
        if node.value is not None:
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and node.target.id not in self.known:
            self.early.setdefault(node.target.id, node.lineno)
        self._in_turn(node.value, node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._in_turn(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self._in_turn(node.iter, node.target, *node.body, *node.orelse)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._in_turn(*node.decorator_list, *node.args.defaults, *node.args.kw_defaults)
        self.known.add(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._in_turn(*node.args.defaults, *node.args.kw_defaults)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._in_turn(*node.decorator_list, *node.bases, *node.keywords)
        outside = set(self.known)
        self._in_turn(*node.body)
        self.known = outside | {node.name}

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node.generators, node.elt)

    visit_SetComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node.generators, node.key, node.value)

    def visit_alias(self, node: ast.alias) -> None:
        self.known.add((node.asname or node.name).partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.known |= {node.name} if node.name else set()
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.known |= {node.name} if node.name else set()
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.known |= {node.name} if node.name else set()

    def _comprehension(self, generators: list[ast.comprehension], *results: ast.expr) -> None:
        outside = set(self.known)
        for generator in generators:
            self._in_turn(generator.iter, generator.target, *generator.ifs)
        self._in_turn(*results)
        self.known = outside

    def _in_turn(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)


def global_uses(table: symtable.SymbolTable, *, top: bool) -> set[str]:
    """The names that a block of code and the blocks in it look up in the module; at the `top` all names are its own."""
    uses = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())}
    for child in table.get_children():
        uses |= global_uses(child, top=False)
    return uses
