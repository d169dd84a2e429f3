"""Captions of code blocks, and the look of outputs."""

from __future__ import annotations

import pytest

from drift.mkdocs.captions import link_captions, rewrite

PY = '```python\n--8<-- "a/b.py:c"\n```'
OUT = '```text\n--8<-- "a/b.out:c"\n```'


def test_code_fence_gets_its_source_as_title() -> None:
    """The head names the file and the section; the rest of the page stays."""
    assert rewrite(f"before\n\n{PY}\n\nafter") == (
        'before\n\n``` {.python title="drift:code:a/b.py:c"}\n--8<-- "a/b.py:c"\n```\n\nafter'
    )


def test_output_fence_gets_no_copy_button() -> None:
    """The theme is told that nobody wants to copy an output."""
    assert rewrite(OUT).startswith('``` {.text .drift-output .no-copy title="drift:output:"}\n')


def test_fence_keeps_indentation_and_attributes() -> None:
    """A fence in a list keeps its place, and what else its head says."""
    text = '1. x\n\n    ```{.python #here hl_lines="1"}\n    --8<-- "a/b.py:c"\n    ```'
    assert '    ``` {.python #here hl_lines="1" title="drift:code:a/b.py:c"}' in rewrite(text)


def test_fence_that_is_not_run_says_why() -> None:
    """The reason becomes the caption; it is no attribute of the HTML."""
    head = rewrite("```{.python notest=\"it {never} 'ends'\"}\nx\n```").split("\n")[0]
    assert head == "``` {.python title=\"drift:notest:it (never) 'ends'\"}"


@pytest.mark.parametrize("text", ["```python\nx = 1\n```", "```markdown\nx\n```", "prose", f"````markdown\n{PY}\n````"])
def test_other_fences_stay_as_they_are(text: str) -> None:
    """Without a snippet's section there is nothing to name."""
    assert rewrite(text) == text


def test_titles_become_captions() -> None:
    """Each title of ours turns into its caption, escaped; a title of the author's stays."""
    html = "".join(
        f'<span class="filename">{title}</span>'
        for title in ("drift:code:a/b.py:c", "drift:output:", "drift:notest:a &lt; b", "mine.py")
    )
    found = link_captions(html, lambda path, section: f"<{path} {section}>")
    assert found == (
        '<span class="filename drift-source"><a/b.py c></span><span class="filename drift-source">Output</span>'
        '<span class="filename drift-notest">Not run: a &lt; b</span><span class="filename">mine.py</span>'
    )
