"""What hidden code does to shown code."""

import pytest
from authoring import Book

FIRST = "x = 1\ny = [1]\n\n\ndef f():\n    return x\n\n\nprint(x, y, f())\n"
LAST = "print(x, y, f())\n"


def messages(book: Book, hidden: str, last: str = LAST, first: str = FIRST) -> list[str]:
    marks = "# --8<-- [{}:{}]\n"
    book.write(
        "snippets/a/two.py",
        marks.format("start", "one")
        + first
        + marks.format("end", "one")
        + hidden
        + marks.format("start", "two")
        + last
        + marks.format("end", "two"),
    )
    page = "".join(f'```python\n--8<-- "a/two.py:{name}"\n```\n\n' for name in ("one", "two"))
    return [problem.message for problem in book.judge(page) if "recorded" not in problem.message]


CHANGES = [
    # assignments of any kind
    *(
        "x = 99\n",
        "x += 1\n",
        "x: int = 2\n",
        "for x in [5]:\n    pass\n",
        "import math as x\n",
        "from math import pi as x\n",
    ),
    *(
        "def x():\n    pass\n",
        "class x:\n    pass\n",
        "del x\n",
        "with open(__file__) as x:\n    pass\n",
        "if (x := 5):\n    pass\n",
    ),
    *("x, z = 1, 2\n", "[*x] = [1]\n", "try:\n    pass\nexcept ValueError as x:\n    pass\n", "if True:\n    x = 3\n"),
    "def g():\n    global x\n    x = 5\n\n\ng()\n",
    # objects changed in place
    *(
        "y[0] = 5\n",
        "y.append(2)\n",
        "y.name = 5\n",
        "y[0].z = 1\n",
        "y.fill_(0)\n",
        "y.weight.data.mul_(2)\n",
        "y.sort()\n",
    ),
    *(
        "del y[0]\n",
        "y.eval()\n",
        "y += [1]\n",
        "y.load_state_dict({})\n",
        "torch.randn(3, generator=y)\n",
        "y.pop()\n",
    ),
    "[y.append(i) for i in range(3)]\n",
]


@pytest.mark.parametrize("change", CHANGES)
def test_check_hidden_change_of_a_name_that_is_used_later(book: Book, change: str) -> None:
    """A reader who copies what is shown gets another result."""
    (message,) = messages(book, change)
    name = "x" if "x" in change.replace("except", "") and not change.startswith("y") else "y"
    assert message == f"section 'two' uses {name!r}, which code that the page does not show has changed"


@pytest.mark.parametrize(
    ("change", "last"),
    [
        ("x = 99\n", "print(f())\n"),
        ("x = 99\n", "def g():\n    return f()\n\n\nprint(g())\n"),
        ("x = 99\n", "print(lambda: x)\n"),
        ("def f():\n    return 5\n", "print(f())\n"),
    ],
)
def test_check_hidden_change_is_seen_through_functions(book: Book, change: str, last: str) -> None:
    """What a shown function looks up when it is called counts as used."""
    assert len(messages(book, change, last)) == 1


@pytest.mark.parametrize(
    ("change", "last"),
    [
        ("z = 99\n", LAST),
        ("x = 99\n", "print(y)\n"),
        ("x = 99\n", "x = 1\nprint(x)\n"),
        ("print(x)\n", LAST),
        ("sum(x for x in y)\n", LAST),
        ("def g(x):\n    x = 5\n", LAST),
        ("class A:\n    x = 5\n", LAST),
        ("lambda x: x\n", LAST),
        ("y.index(1)\n", LAST),
        ("y.__len__()\n", LAST),
        ("z = y[0]\n", LAST),
        ("print(y.shape)\n", LAST),
    ],
)
def test_check_hidden_code_that_changes_nothing_shown(book: Book, change: str, last: str) -> None:
    """Names of its own, and names that shown code sets again, do no harm."""
    assert messages(book, change, last) == []


def test_check_section_that_another_page_shows_is_hidden_here(book: Book) -> None:
    """What counts is what this page shows."""
    hidden = "# --8<-- [start:between]\nx = 99\n# --8<-- [end:between]\n"
    assert len(messages(book, hidden)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "x = " + " + ".join(["1"] * 900),
        "x = " + " + ".join(["1"] * 6000),
        "x = " + "-" * 6000 + "1",
        "x = a" + ".b" * 6000,
        "x = " + "(" * 300 + ")" * 300,
        "x = '\0'",
    ],
)
def test_check_code_that_is_too_deep_to_be_read(book: Book, code: str) -> None:
    """Such code is a finding of its own, and the rest of the page is still judged."""
    book.write(
        "snippets/a/two.py", f"# --8<-- [start:one]\n{code}\n# --8<-- [end:one]\nfact('a' {'+ str(1)' * 900}, 1)\n"
    )
    problems = book.judge('```python\n--8<-- "a/two.py:one"\n```\n\n[0.1](fact:a/one.share) [1](fact:a/two.gone)\n')
    assert any("a quote that is not its fact" in problem.message for problem in problems)
