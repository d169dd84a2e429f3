"""The solutions of the labs as source, and as functions in a namespace of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "snippets" / "labs"


@dataclass(frozen=True)
class Target:
    """A function or class of a solution that a check judges.

    Attributes:
        lab: The notebook, without `-solution`.
        name: Of the function, as the check gets it.
        check: Module and name of the check, below `attention_src.labs`.
        helpers: Functions of the same notebook that belong to the answer and are changed too.
        constants: Names that the notebook assigns and the answer reads.
        numbers: Whether it may return its numbers in whichever form.
    """

    lab: str
    name: str
    check: str
    helpers: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    numbers: bool = False


TARGETS = (
    Target("loops", "row_weights", "loops.check_row_weights"),
    Target("loops", "shifted", "loops.check_row_weights"),
    Target("loops", "mix", "loops.check_mix"),
    Target(
        "loops",
        "largest_weights",
        "loops.check_largest_weights",
        ("scores_of_card",),
        ("seed", "words", "ids", "card"),
        numbers=True,
    ),
    Target("masks", "padding_mask", "masks.check_padding_mask"),
    Target("masks", "joined_mask", "masks.check_joined_mask", ("padding_mask",)),
    Target("masks", "gaps", "masks.check_gaps", numbers=True),
    Target("order", "masked_mean", "order.check_masked_mean"),
    Target("order", "reverse_real", "order.check_reverse_real", ("reversal_index",)),
    Target("order", "MyClassifier", "order.check_forward", ("masked_mean",)),
    Target("copy-task", "look", "copy_task.check_look"),
    Target("copy-task", "write_freely", "copy_loop.check_write_freely"),
    Target("copy-task", "shares", "copy_task.check_shares", numbers=True),
    Target("heads", "split_heads", "heads.check_split_heads"),
    Target("heads", "join_heads", "heads.check_join_heads"),
    Target("heads", "unpack", "heads.check_unpack"),
    Target("heads", "multi_head", "heads_layer.check_multi_head", ("split_heads", "join_heads")),
)

LABS = tuple(dict.fromkeys(target.lab for target in TARGETS))


@cache
def notebook(lab: str) -> ast.Module:
    """The solution of a lab, parsed."""
    return ast.parse((SNIPPETS / f"{lab}-solution.py").read_text(encoding="utf-8"))


def definitions(target: Target) -> list[ast.FunctionDef | ast.ClassDef]:
    """The parts of an answer, helpers first; copies, to be changed at will."""
    found = {node.name: node for node in notebook(target.lab).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return [_without_docstrings(found[name]) for name in (*target.helpers, target.name)]


def _without_docstrings(node: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | ast.ClassDef:
    copied = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(copied, ast.FunctionDef | ast.ClassDef)
    for each in ast.walk(copied):
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(each) is not None:
            each.body = each.body[1:]
    return copied


def _surroundings(target: Target) -> Iterator[ast.stmt]:
    """The imports of the notebook, and the constants that the answer reads."""
    for node in notebook(target.lab).body:
        if isinstance(node, ast.ImportFrom) and node.module in ("drift", "attention_src.figures"):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.Assign):
            names = {each.id for goal in node.targets for each in ast.walk(goal) if isinstance(each, ast.Name)}
            if names & {*target.constants}:
                yield node


@cache
def _compiled(target: Target) -> Any:
    body = [
        node
        for node in _surroundings(target)
        if not (isinstance(node, ast.ImportFrom) and str(node.module).startswith("matplotlib"))
    ]
    return compile(ast.Module(body=body, type_ignores=[]), f"<{target.lab}>", "exec")


def answer(target: Target, parts: list[ast.stmt]) -> Callable[..., Any]:
    """Run the parts of an answer in a namespace of its own, and return what the check gets."""
    module = ModuleType(f"answer_{target.name}")
    exec(_compiled(target), vars(module))
    tree = ast.fix_missing_locations(ast.Module(body=parts, type_ignores=[]))
    exec(compile(tree, f"<answer {target.name}>", "exec"), vars(module))
    found: Callable[..., Any] = vars(module)[target.name]
    return found
