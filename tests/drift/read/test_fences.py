"""Finding fences and includes wherever a page holds them, and refusing what the site shows otherwise."""

import pytest

from drift.read import fences
from drift.read.fences import Include


def one(text: str) -> fences.Fence:
    found, loose, problems = fences.find("f", text)
    assert (len(found), loose, problems) == (1, [], [])
    return found[0]


INSIDE = {
    "top": "```python\nx\n```",
    "tildes": "~~~python\nx\n~~~",
    "long mark": "`````python\nx\n`````",
    "list": "- a\n\n    ```python\n    x\n    ```",
    "numbered list": "1. a\n\n    ```python\n    x\n    ```",
    "nested list": "- a\n    - b\n\n        ```python\n        x\n        ```",
    "box": "!!! note\n\n    ```python\n    x\n    ```",
    "folded box": "??? note\n    ```python\n    x\n    ```",
    "tab": '=== "A"\n\n    ```python\n    x\n    ```',
    "box in a tab": '=== "A"\n\n    !!! note\n\n        ```python\n        x\n        ```',
    "quote": "> ```python\n> x\n> ```",
    "tight quote": ">```python\n>x\n>```",
    "quote in a quote": "> > ```python\n> > x\n> > ```",
    "footnote": "[^1]: A\n\n    ```python\n    x\n    ```",
    "behind text": "text\n```python\nx\n```\ntext",
    "braces": "```{.python}\nx\n```",
    "braces behind a space": '``` {.python title="a"}\nx\n```',
    "language and braces": "```python {.wide}\nx\n```",
    "title": '```python title="a b" linenums="1"\nx\n```',
    "language with a dot": "```.python\nx\n```",
    "capitals": "```Python\nx\n```",
    "empty line inside": "- a\n\n    ```python\n\n    x\n    ```",
    "windows": "```python\r\nx\r\n```\r\n",
}


@pytest.mark.parametrize("place", INSIDE)
def test_find_python_fence_in_every_place(place: str) -> None:
    """A fence is found at any depth, with its lines and its body."""
    text = INSIDE[place]
    fence = one(text)
    lines = text.split("\n")
    assert (fence.lang, fence.is_python, fence.notest) == ("python", True, None)
    assert lines[fence.first - 1].lstrip(" >").startswith(("```", "~~~"))
    assert [line.strip("> ") for line in fence.body if line] == ["x"]
    assert fence.last == fence.first + len(fence.body) + 1
    assert text[fence.start : fence.end] == "\n".join(lines[fence.first - 1 : fence.last])


@pytest.mark.parametrize(
    ("head", "lang"),
    [
        ("", ""),
        ("text", "text"),
        ("{.text .python}", "text"),
        ("python {.text}", "python"),
        ("{#x .py}", "py"),
        ("{}", ""),
    ],
)
def test_find_language_is_the_one_the_site_takes(head: str, lang: str) -> None:
    """A word before the braces wins, then the first class in them."""
    assert one(f"```{head}\nx\n```").lang == lang


def test_find_nested_fences_are_text_of_the_outer() -> None:
    """An example of a fence inside a longer one is no fence of its own."""
    fence = one("````markdown\n```python\nx\n```\n````")
    assert (fence.lang, fence.body) == ("markdown", ("```python", "x", "```"))
    assert one("```markdown\n~~~python\nx\n~~~\n```").lang == "markdown"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ('{.python notest="needs a GPU"}', "needs a GPU"),
        ("{.python notest='needs a GPU'}", "needs a GPU"),
        ("{.python notest}", ""),
        ('{.python notest=""}', ""),
        ('{.python notest="  "}', ""),
        ("{.python}", None),
    ],
)
def test_find_reason_for_not_running(head: str, reason: str | None) -> None:
    """`notest` alone is no reason."""
    assert one(f"```{head}\nx\n```").notest == reason


def test_find_includes_in_and_outside_of_fences() -> None:
    """Each include comes with its file, section and line."""
    text = '--8<-- "a.py:x"\n\n```python\n--8<-- "b/c.py:y"\n  -8<- \'d.py\'\n```\n'
    found, loose, problems = fences.find("f", text)
    assert loose == [Include("a.py", "x", 1)]
    assert found[0].includes == (Include("b/c.py", "y", 4), Include("d.py", "", 5))
    assert problems == []


@pytest.mark.parametrize(
    "line",
    [
        '--8<-- "a.py:x" ',
        '--8<-- "a.py:x"  # why',
        '--8<-- "a.py:x',
        "--8<-- a.py",
        '--8<--"a.py"',
        "--8<--",
        '> --8<-- "a.py"',
        '- --8<-- "a.py:x"',
        'text --8<-- "a.py:x"',
    ],
)
@pytest.mark.parametrize("wrap", ["{}", "```text\n{}\n```"])
def test_find_line_that_mkdocs_would_show_is_named(line: str, wrap: str) -> None:
    """What looks like an include and is none is refused, with the line as it stands."""
    _, loose, problems = fences.find("f", wrap.format(line))
    assert loose == []
    assert [(p.place.line, p.message, p.got) for p in problems] == [
        (1 + wrap.count("`") // 6, "an include that MkDocs would show as text", repr(line))
    ]


@pytest.mark.parametrize("line", ['`--8<-- "a.py"`', '    # ;--8<-- "a.py"', "# --8<-- [start:one]"])
def test_find_example_of_an_include_is_allowed(line: str) -> None:
    """Inline code, the escape of MkDocs and section markers show the syntax without using it."""
    assert fences.find("f", line)[1:] == ([], [])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("```python\nx", 1, "a fence that is never closed"),
        ("```python\nx\n````", 1, "a fence that is never closed"),
        ("```python\nx\n~~~", 1, "a fence that is never closed"),
        ("```python\nx\n  ```", 1, "a fence that is never closed"),
        ("> ```python\n> x\n```", 1, "a fence that is never closed"),
        ("- ```python\n  x\n  ```", 1, "a fence behind a list mark is shown as text"),
        ("1. ```python\n   x\n   ```", 1, "a fence behind a list mark is shown as text"),
        ("```python continuation\nx\n```", 1, "a fence whose head the site does not understand"),
        ("```python fixture:x\nx\n```", 1, "a fence whose head the site does not understand"),
        ("```python{.x}\nx\n```", 1, "a fence whose head the site does not understand"),
        ("```some words here\nx\n```", 1, "a fence whose head the site does not understand"),
        ("    ```python\n    x\n    ```", 1, "a fence indented like code"),
        ("- a\n\n            ```python\n            x\n            ```", 3, "a fence indented like code"),
        ("- a\n\n    ```python\n  x\n    ```", 4, "a line left of its fence"),
        ("> ```python\nx\n> ```", 2, "a line left of its fence"),
    ],
)
def test_find_fence_that_the_site_shows_otherwise_is_named(text: str, line: int, message: str) -> None:
    """What would reach the reader as text, marks included, is an error of its line."""
    problems = fences.find("f", text)[2]
    assert (line, message) in [(p.place.line, p.message[: len(message)]) for p in problems]


@pytest.mark.parametrize("target", ["a.py:1", "a.py:1:3", "a.py:X", "a.py:", ":x", "a.py:x:y"])
def test_find_include_of_something_else_is_named(target: str) -> None:
    """Line numbers and names that no section can have are refused."""
    (problem,) = fences.find("f", f'--8<-- "{target}"')[2]
    assert problem.message.startswith("an include names a file and a section")
    assert problem.got == target
