"""What code that a page does not show does to code that it shows: a reader who copies the page runs only the latter.

No name comes from hidden code, and no name that shown code made is changed by hidden code before shown code uses it.
Looked at are assignments, deletions, calls that by their names change their object, and random generators that are
drawn from; what a function does to its arguments is not.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from functools import lru_cache

from drift.judge import standalone
from drift.problem import Place, Problem
from drift.read.fences import Include
from drift.read.page import Page
from drift.read.site import Site
from drift.read.snippet import Section, Snippet, statements

# Methods of Python's containers, of modules and of optimizers; PyTorch's own in-place ones end in an underscore.
_CHANGING = frozenset(
    (
        *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "update", "add"),
        *("discard", "setdefault", "train", "eval", "step", "backward", "zero_grad", "load_state_dict", "manual_seed"),
        *("set_state", "register_buffer", "register_parameter", "register_forward_hook", "shuffle"),
    )
)


def check(site: Site, page: Page) -> Iterator[Problem]:
    """Every use of a name on the page that hidden code defines or changes."""
    shown: dict[str, list[Include]] = {}
    for fence, include in page.shown():
        stem, _, kind = include.path.rpartition(".")
        known = stem in site.snippets and site.snippets[stem].section(include.section) is not None
        if kind == "py" and known and fence.notest is None and not site.snippets[stem].problems:
            shown.setdefault(stem, []).append(include)
    for stem, includes in shown.items():
        found = site.snippets[stem]
        try:
            yield from _missing(page, found, includes)
            yield from _changed(page, found, includes)
        except RecursionError:
            message = "code that is nested too deeply to be read: what it needs from hidden code is not known"
            yield Problem(page.place(includes[0].line), message, source=Place(found.file))


def _missing(page: Page, found: Snippet, includes: list[Include]) -> Iterator[Problem]:
    defined: set[str] = set()
    for include in includes:
        section = _names(found, include.section)
        for name in sorted(section.needed.keys() - defined):
            yield Problem(
                page.place(include.line),
                f"section {include.section!r} uses {name!r}, which no code shown before it on this page defines",
                source=Place(found.file, section.needed[name]),
                fix="define or import it in a section that the page shows first",
            )
        defined |= section.defined


def _changed(page: Page, found: Snippet, includes: list[Include]) -> Iterator[Problem]:
    lines = {include.section: include.line for include in includes}
    defined: set[str] = set()
    changed: dict[str, int] = {}
    bodies: dict[str, frozenset[str]] = {}
    for number, (name, _) in enumerate(_groups(found)):
        if name not in lines:
            if defined:
                changed |= {key: line for key, line in _changes(found, number).items() if key in defined}
            continue
        section = _names(found, name)
        reads = _with_bodies(section.needed, bodies)
        for key in sorted(changed.keys() & reads):
            yield Problem(
                page.place(lines[name]),
                f"section {name!r} uses {key!r}, which code that the page does not show has changed",
                source=Place(found.file, changed[key]),
                fix="give the hidden code a name of its own, or show it",
            )
        bodies |= _bodies(found.code(_section(found, name)))
        defined |= section.defined
        changed = {key: line for key, line in changed.items() if key not in section.defined}


def _names(found: Snippet, name: str) -> standalone.Names:
    section = _section(found, name)
    return standalone.of(found.code(section), section.first)


def _section(found: Snippet, name: str) -> Section:
    section = found.section(name)
    assert section is not None
    return section


@lru_cache(maxsize=512)
def _groups(found: Snippet) -> tuple[tuple[str, list[ast.stmt]], ...]:
    """The sections of a snippet in order, "" for what stands outside, with their statements."""
    return tuple((name or "", body) for name, body in statements(found))


@lru_cache(maxsize=2048)
def _changes(found: Snippet, number: int) -> dict[str, int]:
    """The names that the statements of a group assign, delete or change in place in the module, with the first line."""
    changes: dict[str, int] = {}
    _, body = _groups(found)[number]
    for node, top in _walk(body, top=True):
        for name in _changed_by(node) if top else _declared_global(node):
            changes.setdefault(name, getattr(node, "lineno", 0))
    return changes


def _walk(body: Iterable[ast.AST], *, top: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below some, and whether it runs with the module's names.

    Functions and classes have names of their own, and so have comprehensions for what they go through.
    """
    waiting = [(node, top) for node in body]
    while waiting:
        node, here = waiting.pop()
        yield node, here
        own = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))
        local = node.target if isinstance(node, ast.comprehension) else None
        waiting += [(child, here and not own and child is not local) for child in ast.iter_child_nodes(node)]


def _changed_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        yield from _root(node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, ast.Call):
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method in _CHANGING or (method.endswith("_") and not method.endswith("__")):
            yield from _root(node.func)
        yield from (name for word in node.keywords if word.arg == "generator" for name in _root(word.value))


def _declared_global(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Global):
        yield from node.names


def _root(node: ast.AST) -> Iterator[str]:
    """The name at the beginning of `a.b[0].c`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


@lru_cache(maxsize=512)
def _bodies(code: str) -> dict[str, frozenset[str]]:
    """The names that the functions and classes of a section look up, which happens when they are called."""
    table = symtable.symtable(code, "<section>", "exec")
    return {child.get_name(): frozenset(standalone.global_uses(child, top=False)) for child in table.get_children()}


def _with_bodies(names: Iterable[str], bodies: dict[str, frozenset[str]]) -> set[str]:
    """Names, and what the functions behind them look up in turn."""
    reads: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reads:
            reads.add(name)
            waiting += bodies.get(name, ())
    return reads
