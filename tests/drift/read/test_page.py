"""Reading a page: everything it holds, with lines of the file as it is on disk."""

from pathlib import Path

import pytest
from mkdocs.utils import meta

from drift import config
from drift.read import page
from drift.read.page import parse

PATH = Path("/p/docs/a/b.md")


def read(text: str) -> page.Page:
    return parse(PATH, "docs/a/b.md", text)


def test_parse_lines_count_from_the_top_of_the_file() -> None:
    """Front matter shifts nothing."""
    text = (
        "---\ntitle: Top 5\nliterals:\n  7: days\n---\n\n"
        '7 days, [1](fact:a/b.c)\n\n```python\n--8<-- "a/b.py:x"\n```\n\n![9](x.svg)\n'
    )
    for ends in (text, text.replace("\n", "\r\n")):
        found = read(ends)
        assert [(n.text, n.line) for n in found.numerals] == [("5", 2), ("7", 7), ("9", 13)]
        assert [(q.text, q.line) for q in found.quotes] == [("1", 7)]
        assert [(fence.first, include.line) for fence, include in found.shown()] == [(9, 10)]
        assert found.assets == ((Path("/p/docs/a/x.svg"), 13),)
        assert (found.literals["7"].line, found.problems, found.text) == (4, (), ends)


def test_parse_captions_of_fences_are_read() -> None:
    """A fence's title and its reason for not running are shown to the reader."""
    found = read('```bash title="all 41"\nls 42\n```\n\n```{.python notest="43 hours, CC BY 4.0"}\nx = 44\n```')
    assert [(n.text, n.line) for n in found.numerals] == [("41", 1), ("43", 5)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("![a](x.svg)", ["docs/a/x.svg"]),
        ("![a [1](fact:a/b.c) b](../x.svg)", ["docs/x.svg"]),
        ("![a](x.json)", ["docs/a/x.json"]),
        ('<img src="x.svg"> <object data-src="y.json">', ["docs/a/x.svg", "docs/a/y.json"]),
        ("![a](https://a.b/x.svg)", []),
        ("![a](x.png)", []),
        ("```html\n![a](x.svg)\n```", []),
        ("![a](x.svg) ![b](y.svg)", ["docs/a/x.svg", "docs/a/y.svg"]),
    ],
)
def test_parse_figures_and_data(text: str, names: list[str]) -> None:
    """Figures and data files are found by their paths, relative to the page."""
    assert [path.relative_to("/p").as_posix() for path, _ in read(text).assets] == names


@pytest.mark.parametrize("char", ["\x00", "\x02", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u2028", "\r"])
def test_parse_control_character_is_named(char: str) -> None:
    """What Python-Markdown drops or takes for a line break does not go unseen."""
    (problem,) = read(f"a\n\n0{char}.93 or x").problems
    assert (problem.place.line, problem.message, problem.got) == (3, "a control character in the page", ascii(char))


def test_parse_include_outside_of_a_fence_is_named() -> None:
    """The numbers of an included text would not be checked."""
    (problem,) = read('a\n--8<-- "a/b.out:x"').problems
    assert (str(problem.place), problem.message[:27]) == ("docs/a/b.md:2", "an include outside a fence:")


def test_discover_takes_what_mkdocs_takes(tmp_path: Path) -> None:
    """Every ending of a Markdown page counts, in every folder, in order."""
    for name in ("b.md", "a/c.markdown", "d.mdown", "e.mkd", "f.mkdn", "g.txt", "H.MD"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "snippets").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.drift]\n")
    found = [found.file for found in page.discover(config.load(tmp_path))]
    assert sorted(found) == [f"docs/{name}" for name in ("H.MD", "a/c.markdown", "b.md", "d.mdown", "e.mkd", "f.mkdn")]


def test_read_page_that_is_not_utf8_holds_nothing(tmp_path: Path) -> None:
    """Its one problem names the byte, and nothing is guessed."""
    for name in ("docs", "snippets"):
        (tmp_path / name).mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.drift]\n")
    (tmp_path / "docs/a.md").write_bytes(b"0.93 \xff")
    (found,) = page.discover(config.load(tmp_path))
    assert (found.text, found.numerals, found.problems[0].message) == (
        "",
        (),
        "not UTF-8: invalid start byte at byte 5",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Result: there is 1.\n\nMore.",
        "\ufeffa-b_1: x",
        "   Date: 5",
        "Note:\n",
        "http://a.org\n",
        "Result:41 of them\r\n",
    ],
)
def test_parse_first_line_that_mkdocs_takes_away(text: str) -> None:
    """A page that begins like metadata loses its first lines on the site."""
    (problem,) = [p for p in read(text).problems if p.message.startswith("a first line that MkDocs takes for metadata")]
    assert problem.place.line == 1
    assert meta.get_data(text.removeprefix("\ufeff"))[0] != text


@pytest.mark.parametrize(
    "text",
    [
        "\nResult: there is 1.",
        "# Result: 1",
        "A result: 1",
        "---\ntitle: A\n---\nResult: one",
        "    a: b",
        "*Note*: a",
        "",
    ],
)
def test_parse_first_line_that_stays(text: str) -> None:
    """With an empty line, a heading or front matter before it the line is text."""
    assert not [p for p in read(text).problems if "metadata" in p.message]
