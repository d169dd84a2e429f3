"""Which names a shown section defines, and which it needs from code shown before it."""

import pytest

from drift.judge import standalone


@pytest.mark.parametrize(
    ("code", "defined"),
    [
        ("x = 1", {"x"}),
        ("import a.b, c as d", {"a", "d"}),
        ("from a import b as c", {"c"}),
        ("def f(p): q = 1", {"f"}),
        ("class A:\n    y = 1", {"A"}),
        ("for i in []: j = i", {"i", "j"}),
        ("with open('f') as g: pass", {"g"}),
        ("x, (y, *z) = 1, (2, 3)", {"x", "y", "z"}),
        ("if (n := 3): pass", {"n"}),
        ("[k for k in [] if k]", set()),
        ("try:\n    pass\nexcept OSError as e:\n    pass", {"e"}),
        ("def f():\n    global g\n    g = 1", {"f", "g"}),
    ],
)
def test_of_defined_names(code: str, defined: set[str]) -> None:
    """Imports, assignments, functions and classes define."""
    assert standalone.of(code).defined >= defined - {"g"}
    assert standalone.of(code).defined <= defined


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("print(x)", {"x": 1}),
        ("\n\ny = x.a", {"x": 3}),
        ("x = x + 1", {"x": 1}),
        ("x += 1", {"x": 1}),
        ("x: int = x", {"x": 1}),
        ("print(x)\nx = 1", {"x": 1}),
        ("x: int\nprint(x)", {"x": 2}),
        ("for x in x: pass", {"x": 1}),
        ("(x := x)", {"x": 1}),
        ("x[0] = 1", {"x": 1}),
        ("x.a = 1", {"x": 1}),
        ("del x", {"x": 1}),
        ("def f():\n    return x", {"x": 2}),
        ("def f(a=x): pass", {"x": 1}),
        ("@x\ndef f(): pass", {"x": 1}),
        ("def f() -> x: pass", {"x": 1}),
        ("lambda a, b=x: a", {"x": 1}),
        ("class A(x): pass", {"x": 1}),
        ("class A:\n    y = 1\n    z = y\nprint(y)", {"y": 4}),
        ("[y for y in x]", {"x": 1}),
        ("[y for y in [1]]\nprint(y)", {"y": 2}),
        ("{k: v for k, v in x}", {"x": 1}),
        ("f'{x}'", {"x": 1}),
        ("try:\n    pass\nexcept x:\n    pass", {"x": 3}),
        ("match x:\n    case [a, *b] if c: print(a, b)", {"x": 1, "c": 2}),
    ],
)
def test_of_needed_names(code: str, needed: dict[str, int]) -> None:
    """A name that is read before the section sets it has to come from before."""
    assert standalone.of(code).needed == needed


@pytest.mark.parametrize(
    "code",
    [
        "def f(a=x): pass",
        "def f(*, a=x): pass",
        "@x\ndef f(): pass",
        "async def f(a=x): pass",
        "lambda a=x: a",
        "class A(x): pass",
        "class A(metaclass=x): pass",
        "class A:\n    y = x",
        "[x for _ in [1]]",
        "[y for y in x]",
        "[y for y in [1] if x]",
        "{1: x for _ in [1]}",
        "(y := x)",
        "y: x = 1",
        "x[0] += 1",
        "x.a = 1",
        "for y in [1]: x",
        "with x: pass",
        "try:\n    pass\nexcept OSError:\n    x",
        "match 1:\n    case [x.a]: pass",
        "if x: pass",
        "f'{x}'",
        "import x.y as z; x",
    ],
)
def test_of_name_set_only_afterwards_is_needed(code: str) -> None:
    """What runs at once looks up at once, and a later assignment comes too late."""
    assert "x" in standalone.of(f"{code}\nx = 1").needed


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nx += 1",
        "x: int = 1\nprint(x)",
        "import m\nm.f()",
        "def f():\n    return g()\ndef g():\n    return 1\nf()",
        "def f():\n    return f",
        "def f(a, *b, c=1, **d):\n    e = a\n    return b, c, d, e",
        "print(len([True, None]), __name__, __file__)",
        "[a + b for a in [1] for b in [a]]",
        "x = [y := 1, y]",
        "with open('f') as g: g.read()",
        "for i in [1]:\n    t = i\nprint(i, t)",
        "class A:\n    def f(self):\n        return A",
        "try:\n    1\nexcept OSError as e:\n    print(e)",
        "lambda a: a",
        "if True:\n    x = 1\nelse:\n    x = 2\nprint(x)",
        "while (n := 1) > 2: print(n)",
        "async def f(x):\n    async for y in x:\n        print(y)",
    ],
)
def test_of_code_that_stands_alone_needs_nothing(code: str) -> None:
    """Local names, builtins and what was set before are at hand."""
    assert standalone.of(code).needed == {}


def test_of_lines_are_those_of_the_file() -> None:
    """A section's first line shifts the lines of its uses."""
    assert standalone.of("y = 1\nprint(x)", first_line=41).needed == {"x": 42}
