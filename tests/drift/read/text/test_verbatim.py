"""Comments, inline code and formulas: what the site shows word for word or not at all."""

import pytest

from drift.problem import Problem
from drift.read.text import blocks, verbatim
from drift.read.text.mask import Mask


def found(text: str) -> tuple[list[tuple[str, str]], list[Problem]]:
    mask = Mask(text)
    lines = blocks.lines(text)
    spans, problems = verbatim.find("f", mask, lines, blocks.segments(lines))
    return [(span.kind, text[span.start : span.end]) for span in spans], problems


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c", [("code", "`b`")]),
        ("``a`b``", [("code", "``a`b``")]),
        ("\\`a `b`", [("code", "`b`")]),
        ("\\\\`a`", [("code", "`a`")]),
        ("`a\\`", [("code", "`a\\`")]),
        ("<!-- a -->", [("comment", "<!-- a -->")]),
        ("a <!-- b\nc --> d", [("comment", "<!-- b\nc -->")]),
        ("<!-- a\n\nb -->", [("comment", "<!-- a\n\nb -->")]),
        ("   <!-- a\n\nb -->", [("comment", "<!-- a\n\nb -->")]),
        ("    <!-- a\n\nb -->", []),
        ("a <!-- b\n\nc -->", []),
        ("<!-- a", []),
        ("<!--> a -->", []),
        ("<!---> a -->", []),
        ("<!-- a --!> b -->", []),
        ("<!-- `a --> b", [("comment", "<!-- `a -->")]),
        ("`<!--` a `-->`", [("code", "`<!--`"), ("code", "`-->`")]),
        ("`a` $b$", [("code", "`a`"), ("math", "$b$")]),
        ("\\(a\\)", [("math", "\\(a\\)")]),
        ("$$\na\n$$", [("math", "$$\na\n$$")]),
        ("$$\na\n$$\n\nb $c$", [("math", "$$\na\n$$"), ("math", "$c$")]),
        ("| $a$ | $b$ |\n| --- | --- |", [("math", "$a$"), ("math", "$b$")]),
        ("\\$5 $a$", [("math", "$a$")]),
    ],
)
def test_find_spans_in_order(text: str, spans: list[tuple[str, str]]) -> None:
    """Each kind is found where the site would take it for one, and nothing is left over."""
    assert found(text) == (spans, [])


@pytest.mark.parametrize(
    ("text", "line", "mark", "expected"),
    [
        ("a\n\nb `c", 3, "`", "a second ` in the same paragraph"),
        ("``a`", 1, "``", "a second `` in the same paragraph"),
        ("a\n\nb $c", 3, "$", "a partner in the same paragraph, list item or table row, or \\$ for the character"),
        ("a\n$$\nb\n$$", 2, "$$", "a formula between $$ and $$ in a paragraph of its own"),
        ("a \\(b", 1, "\\(", "a partner in the same paragraph"),
    ],
)
def test_find_mark_without_partner_is_named(text: str, line: int, mark: str, expected: str) -> None:
    """The mark, its line and the way out are said."""
    problem = found(text)[1][0]
    assert problem.place.line == line
    assert problem.message == f"{mark} without a partner: code or a formula cannot be told from prose"
    assert problem.expected is not None
    assert problem.expected.startswith(expected)


@pytest.mark.parametrize(
    ("text", "line", "tag", "mark"),
    [
        ("<div>\n`a`\n</div>", 2, "div", "`"),
        ("<table>\n<tr><td>$a$</td></tr>\n</table>", 2, "table", "$"),
        ("a\n\n<p>\n[a](b)\n</p>", 4, "p", "]("),
        ("<div>\n<div>\n</div>\n`a`\n</div>", 4, "div", "`"),
        ('<DIV class="x"\nid="y">\n`a`\n</DIV>', 3, "DIV", "`"),
        ("<div>\n`a`", 2, "div", "`"),
        ("<div>\n[a]: b\n</div>", 2, "div", "]:"),
        ("<div>\na[^b]\n</div>", 2, "div", "[^"),
        ("<div>a</div>\n<p>`a`</p>", 2, "p", "`"),
    ],
)
def test_find_markdown_in_raw_html_is_named(text: str, line: int, tag: str, mark: str) -> None:
    """Where Python-Markdown passes HTML on as it is, a reader would see the marks."""
    (problem,) = found(text)[1]
    assert (problem.place.line, problem.got, problem.expected) == (line, mark, f"<{tag} markdown>")
    assert problem.message == f"Markdown inside <{tag}>, where the site does not read it"


@pytest.mark.parametrize(
    "text",
    [
        "<div markdown>\n`a`\n</div>",
        '<div class="x" markdown="1">\n`a`\n</div>',
        "<div>\na\n</div>\n`b`",
        "<div>\n<!-- `a` -->\n</div>",
        "a <b>`c`</b>",
        "<span>`a`</span>",
        "!!! note\n    <div>`a`</div>",
        "`<div>` and `b`",
    ],
)
def test_find_markdown_that_is_read_is_fine(text: str) -> None:
    """`markdown` on the tag, inline tags, and HTML in an example leave Markdown as it is."""
    assert found(text)[1] == []
