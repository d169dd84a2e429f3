"""Traps of the tools around the checker: each is shown to be there, and shown to be caught.

When a tool mends one, its test fails, and the guard against it can go.
"""

import re
from pathlib import Path

import markdown
import pytest
from pytest_markdown_docs._runners import DefaultRunner
from pytest_markdown_docs.definitions import FenceTestDefinition
from pytest_markdown_docs.plugin import FenceSyntax, extract_fence_tests

from drift.pytest_plugin import FenceParser

ROOT = Path(__file__).resolve().parents[3]


def rendered(book, text: str, **options: object) -> str:
    """What MkDocs' includes make of a text, with the site's options for them."""
    settings = {"base_path": [str(book.root / "snippets")], "check_paths": True, "restrict_base_path": True, **options}
    names = ["pymdownx.snippets", "pymdownx.superfences"]
    return re.sub(r"<[^>]*>", "", markdown.markdown(text, extensions=names, extension_configs={names[0]: settings}))


INCLUDE = '```python\n--8<-- "a/one.py:count"\n```'


def test_include_without_end_marker_shows_the_rest_of_the_file(book) -> None:
    """MkDocs includes hidden code silently; the checker names the section."""
    line = book.edit("snippets/a/one.py", "# --8<-- [end:more]\n", "") - 3
    assert "fact(" in rendered(book, INCLUDE.replace("count", "more"))
    assert f"snippets/a/one.py:{line}  section 'more' has no end marker" in book.refused()


def test_include_whose_end_marker_is_missing_before_another_section_is_named(book) -> None:
    """Where the next section begins first, that is what is said."""
    line = book.edit("snippets/a/one.py", "# --8<-- [end:count]\n", "")
    assert "fact(" in rendered(book, INCLUDE)
    report = book.refused()
    assert "section 'more' starts inside section 'count'\n    expected [end:count] first" in report
    assert f"snippets/a/one.py:{line + 10}  " in report


def test_include_of_an_output_without_end_marker_shows_the_rest(book) -> None:
    """The same holds for a record that lost its marker."""
    book.edit("snippets/a/one.out", "# --8<-- [end:count]\n", "")
    assert "double 1.86428" in rendered(book, INCLUDE.replace(".py", ".out"))
    assert "snippets/a/one.out:2  output 'count' has no end marker" in book.refused()


def test_include_with_a_trailing_space_is_text(book) -> None:
    """MkDocs shows the line to the reader; the checker names it."""
    text = INCLUDE.replace('count"', 'count" ')
    assert "8&lt;--" in rendered(book, text)
    line = book.add(text)
    assert f"docs/a.md:{line + 1}  an include that MkDocs would show as text" in book.refused()


def test_include_of_a_section_that_exists_twice_shows_the_first(book) -> None:
    """MkDocs never shows the second; the checker names it."""
    book.write(
        "snippets/a/one.py",
        book.read("snippets/a/one.py") + "# --8<-- [start:count]\nlater = 1\n# --8<-- [end:count]\n",
    )
    assert "later" not in rendered(book, INCLUDE)
    assert "section 'count' exists twice; includes show only the first" in book.refused()


def test_include_of_a_missing_file_is_silent_by_default(book) -> None:
    """MkDocs leaves nothing behind unless it is told to check; the site tells it, and the checker names the line."""
    text = INCLUDE.replace("one", "gone")
    assert rendered(book, text, check_paths=False).strip() == ""
    with pytest.raises(Exception, match="could not be found"):
        rendered(book, text)
    line = book.add(text)
    assert f"docs/a.md:{line + 1}  no snippet 'a/gone'" in book.refused()


def test_include_paths_do_not_depend_on_the_working_directory() -> None:
    """A plain `base_path` is looked up from where the command runs; the site's is not, and missing files are errors."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "base_path: [!relative $config_dir/snippets]" in text
    assert "check_paths: true" in text


def collected(text: str, parser: object = None, syntax: FenceSyntax = FenceSyntax.default) -> list[str]:
    """The code of every fence that pytest-markdown-docs finds."""
    from markdown_it import MarkdownIt

    found = extract_fence_tests(parser or MarkdownIt("commonmark"), text, 0, Path("a.md"), fence_syntax=syntax)
    return [test.source.strip() for test in found]


IN_A_TAB = '=== "A"\n\n    ```python\n    x = 1\n    ```'
IN_A_BOX = "!!! note\n    ```python\n    x = 1\n    ```"


@pytest.mark.parametrize("text", [IN_A_TAB, IN_A_BOX])
def test_fence_in_a_tab_or_a_box_is_not_collected_by_the_plugin_alone(text: str) -> None:
    """CommonMark takes it for code or for text; the checker's parser finds it."""
    assert collected(text) == []
    assert len(collected(text, FenceParser("commonmark"))) == 1


def test_fence_with_notest_as_a_class_is_collected(book) -> None:
    """`{.python .notest}` runs in the plugin; here it is an error for want of a reason."""
    text = "```{.python .notest}\n1 / 0\n```"
    assert collected(text, syntax=FenceSyntax.superfences) == ["1 / 0"]
    line = book.add(text)
    assert f"docs/a.md:{line}  a fence that is not executed has to say why" in book.refused()


@pytest.mark.parametrize("option", ["continuation", "fixture:capsys", "retry:3", "runner:other"])
def test_fence_option_of_the_plugin_breaks_the_page(book, option: str) -> None:
    """The site shows such a fence as text, so the checker refuses it; sections share a namespace without."""
    text = f"```python {option}\nx = 1\n```"
    assert "```" in rendered(book, text) or option in rendered(book, text)
    line = book.add(text)
    assert f"docs/a.md:{line}  a fence whose head the site does not understand" in book.refused()


def test_continuation_runs_earlier_blocks_again() -> None:
    """The plugin pastes the earlier code in front; the checker's parser never asks for it."""
    text = "```python\na = 1\n```\n\n```python continuation\nb = 2\n```"
    assert "a = 1" in collected(text)[1]
    assert "a = 1" not in collected(text, FenceParser("commonmark"))[1]


def test_include_line_is_valid_python_that_fails() -> None:
    """The plugin alone would execute the include itself."""
    test = FenceTestDefinition('--8<-- "a/one.py:count"', (), 1, source_path=Path("a.md"), runner_name=None)
    with pytest.raises(TypeError, match="bad operand type for unary -"):
        DefaultRunner().runtest(test, {})


def test_plugin_does_not_capture_output(capfd: pytest.CaptureFixture[str]) -> None:
    """The plugin asserts nothing about what a fence prints; the checker compares it with the record."""
    test = FenceTestDefinition("print('unseen')", (), 1, source_path=Path("a.md"), runner_name=None)
    DefaultRunner().runtest(test, {})
    assert capfd.readouterr().out == "unseen\n"
