"""Tests of a page's Markdown as a notebook shows it."""

from __future__ import annotations

import pytest

from drift.notebook.cell_text import convert

PAGES = {"masks.md": "https://x.org/masks.html", "fact:a.b": None, "#here": None, "https://y.org": "https://y.org"}


def converted(text: str) -> str:
    return convert(text, lambda to: PAGES.get(to), lambda to: "data:x" if to.endswith(".svg") else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is [0.93](fact:a.b).", "It is 0.93."),
        ("See [masks](masks.md).", "See [masks](https://x.org/masks.html)."),
        ("See [there](#here) and [gone](gone.md).", "See there and gone."),
        ("See [y](https://y.org).", "See [y](https://y.org)."),
        ("![It is [0.93](fact:a.b).](f.svg)", "![It is 0.93.](data:x)"),
        ("![photo](p.png)", "![photo](p.png)"),
        ("## Why {#why}", "## Why"),
        ("A\n<!-- not\nshown -->\n\nB", "A\n\nB"),
        ("term\n:   what it means", "term\n> what it means"),
        ("`[0.93](fact:a.b)` is a quote", "`[0.93](fact:a.b)` is a quote"),
        ("```{.console title='x'}\n[a](masks.md)\n```", "```console\n[a](masks.md)\n```"),
        ("$x_{#1}$ stays", "$x_{#1}$ stays"),
    ],
)
def test_prose_reads_without_the_site(text: str, expected: str) -> None:
    """Facts become text, links full addresses or text, figures data; code and formulas stay as they are."""
    assert converted(text) == expected


def test_opening_box_becomes_details() -> None:
    """A box that opens on demand still does, and what is in it is Markdown."""
    text = '??? question "What is `M < N`?"\n\n    It is [2](fact:a.b).\n\nAfter.'
    expected = "<details>\n<summary>What is <code>M &lt; N</code>?</summary>\n\nIt is 2.\n\n</details>\n\nAfter."
    assert converted(text) == expected


def test_boxes_in_boxes_open_one_by_one() -> None:
    """A hint in a hint stays inside it."""
    text = '??? tip "One"\n\n    First.\n\n    ??? tip "Two"\n\n        Second.\n'
    inner = "<details>\n<summary>Two</summary>\n\nSecond.\n\n</details>"
    assert converted(text) == f"<details>\n<summary>One</summary>\n\nFirst.\n\n{inner}\n\n</details>"


def test_note_becomes_a_block_quote() -> None:
    """A box that is always open becomes a quotation with its title."""
    assert converted("!!! note\n    In it.\n") == "> **Note**\n>\n> In it.".replace(">\n", "> \n")


def test_box_in_a_fence_is_an_example() -> None:
    """What a fence shows is not turned into anything."""
    text = '```markdown\n??? tip "x"\n\n    y\n```'
    assert converted(text) == text


def test_fence_in_a_box_is_kept_whole() -> None:
    """Code in a box loses its indentation with the box, and nothing else."""
    text = '??? tip "x"\n\n    ```python\n    a = [1](masks.md)\n    ```\n'
    assert "```python\na = [1](masks.md)\n```" in converted(text)
