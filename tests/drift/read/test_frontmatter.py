"""A page's front matter: declared literals, and what of it a reader sees."""

import pytest

from drift.read import frontmatter
from drift.read.frontmatter import Literal


def test_read_literals_with_lines_and_visible_texts() -> None:
    """Numbers are keys as the page writes them, reasons values; the rest is shown somewhere."""
    text = "---\ntitle: Two of 9\nliterals:\n  48: queries\n  −0.5: a shift\n  1e-6: tiny\ntags: [a, 3 b]\n---\nBody"
    found = frontmatter.read("f", text)
    assert found.literals == {
        "48": Literal("48", "queries", 4),
        "-0.5": Literal("-0.5", "a shift", 5),
        "1e-6": Literal("1e-6", "tiny", 6),
    }
    assert [value for _, value in found.visible] == ["Two of 9", "a", "3 b"]
    assert all(text[offset:].startswith(value) for offset, value in found.visible)
    assert (text[found.end :], found.problems) == ("Body", ())


@pytest.mark.parametrize("mark", ["---", "..."])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_read_either_end_mark_and_line_end(mark: str, ends: str) -> None:
    """Front matter ends with dashes or dots, in files of either system."""
    text = ends.join(("---", "literals: {48: why, 2: heads}", mark, "Body"))
    found = frontmatter.read("f", text)
    assert (sorted(found.literals), text[found.end :]) == (["2", "48"], "Body")


@pytest.mark.parametrize(
    "text", ["", "Body", "# A\n\n---\nx: 1\n---\n", " ---\na: 1\n---\n", "---\na: 1\n---", "---\na"]
)
def test_read_page_without_front_matter(text: str) -> None:
    """What MkDocs does not take for front matter is body, and read as such."""
    found = frontmatter.read("f", text)
    assert (found.end, found.literals, found.visible, found.problems) == (0, {}, (), ())


def test_read_settings_are_not_shown() -> None:
    """Keys that only steer the site hold no text for readers."""
    found = frontmatter.read("f", "---\nicon: a/3\nhide: [toc]\ntemplate: 4.html\nsearch: {boost: 2}\n---\n")
    assert found.visible == ()


@pytest.mark.parametrize("key", ["date", "description", "subtitle", "authors"])
def test_read_values_that_a_theme_may_show(key: str) -> None:
    """Whatever a theme could print is read, at its first character."""
    text = f'---\n{key}: "41 of 2024-01-01"\n---\n'
    assert frontmatter.read("f", text).visible == ((text.index("41"), "41 of 2024-01-01"),)


def test_read_empty_front_matter() -> None:
    """Front matter that holds nothing declares nothing."""
    assert frontmatter.read("f", "---\n# only a comment\n---\nBody").problems == ()


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("a: [", 3, "front matter is not YAML"),
        ("a: b: c", 2, "front matter is not YAML"),
        ("just text", 2, "front matter: expected keys and values"),
        ("- a\n- b", 2, "front matter: expected keys and values"),
        ("x: 1\nliterals: 48", 3, "literals: expected a mapping of numbers to reasons"),
        ("literals: [48]", 2, "literals: expected a mapping of numbers to reasons"),
        ("literals:\n  48:", 3, "literal '48' has no reason"),
        ("literals:\n  48: ''", 3, "literal '48' has no reason"),
        ("literals:\n  48: [a]", 3, "literal '48' has no reason"),
        ("literals:\n  a: why", 3, "literal 'a': expected a number as the page writes it"),
        ("literals:\n  [4]: why", 3, "literal '': expected a number as the page writes it"),
        ("literals:\n  48: a\n  48: b", 4, "literal '48' is declared twice"),
        ("literals:\n  -4: a\n  −4: b", 4, "literal '-4' is declared twice"),
    ],
)
def test_read_bad_front_matter_is_named(body: str, line: int, message: str) -> None:
    """The line of the page is named, and nothing is raised."""
    (problem,) = frontmatter.read("docs/a.md", f"---\n{body}\n---\n").problems
    assert (problem.place.file, problem.place.line) == ("docs/a.md", line)
    assert problem.message.startswith(message)
