"""What the code of a snippet says where it states a fact: the expression that gives the value."""

from __future__ import annotations

import ast
from functools import lru_cache

from drift.read.snippet import Snippet


def expression(snippet: Snippet, line: int) -> str:
    """The source of the value that the call of `fact` at `line` states, on one line; "" where there is none.

    Args:
        snippet: whose code it is.
        line: the line at which the run stated the fact, as its record says.
    """
    return _expressions(snippet).get(line, "")


@lru_cache(maxsize=256)
def _expressions(snippet: Snippet) -> dict[int, str]:
    try:
        tree = ast.parse(snippet.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "fact":
            value = _value(node)
            if value is not None:
                found[node.lineno] = ast.unparse(value)
    return found


def _value(call: ast.Call) -> ast.expr | None:
    if len(call.args) > 1:
        return call.args[1]
    return next((word.value for word in call.keywords if word.arg == "value"), None)
