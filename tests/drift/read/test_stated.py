"""The expression that a fact states."""

from pathlib import Path

import pytest

from drift.read import snippet, stated


@pytest.mark.parametrize(
    ("code", "line", "found"),
    [
        ('fact("x", a > b)', 1, "a > b"),
        ('y = 1\nfact(\n    "x",\n    y\n    == 2,\n)', 2, "y == 2"),
        ('fact("x", value=a is b)', 1, "a is b"),
        ('fact(value=max(a), name="x")', 1, "max(a)"),
        ('for n in (1, 2):\n    fact(f"x.{n}", n < 3, tol=None)', 2, "n < 3"),
        ('fact("x")', 1, ""),
        ('other("x", a > b)', 1, ""),
        ('fact("x", a > b)', 2, ""),
        ("def f(:", 1, ""),
    ],
)
def test_expression_at_a_line(code: str, line: int, found: str) -> None:
    """What the call at that line states, on one line; nothing where there is no such call."""
    made = snippet.Snippet("a/one", Path("/p/snippets/a/one.py"), "snippets/a/one.py", code, (), ())
    assert stated.expression(made, line) == found
