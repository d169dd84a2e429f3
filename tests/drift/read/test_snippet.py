"""Reading a snippet: its sections, its markers, and the lines that state its facts."""

from pathlib import Path

import pytest

from drift import config
from drift.problem import Place
from drift.read import snippet
from drift.read.snippet import Section, find_sections


def marked(*lines: str) -> str:
    return "\n".join(line.replace("<", "# --8<-- [start:").replace(">", "# --8<-- [end:") for line in lines)


def read(tmp_path: Path, text: str | bytes, name: str = "a/one.py") -> snippet.Snippet:
    for folder in ("docs", "snippets"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "pyproject.toml").write_text("[tool.drift]\n")
    path = tmp_path / "snippets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return snippet.read(config.load(tmp_path), path)


def test_find_sections_gives_lines_between_markers() -> None:
    """A section is what stands between its markers, in file order."""
    text = marked("<one]", "x = 1", "y = 2", ">one]", "z = 3", "<two-2_b]", "w = 4", ">two-2_b]")
    assert find_sections("f", text) == ([Section("one", 2, 3), Section("two-2_b", 7, 7)], [])


@pytest.mark.parametrize(
    "line", ["# --8<-- [start:one]", "#--8<-- [start:one]", "# ---8<--- [ start : one ]  ", "#\t--8<-- [start:one]"]
)
def test_find_sections_knows_the_spellings_of_mkdocs(line: str) -> None:
    """Spaces and longer scissors are what MkDocs accepts too."""
    sections, problems = find_sections("f", f"{line}\nx = 1\n# --8<-- [end:one]")
    assert (sections, problems) == ([Section("one", 2, 2)], [])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (marked("<one]", "x"), 1, "section 'one' has no end marker; an include would show the rest of the file"),
        (marked("x", ">one]"), 2, "[end:one] closes nothing"),
        (marked("<one]", ">two]", ">one]"), 2, "[end:two] closes nothing"),
        (marked("<one]", "<two]", ">two]", ">one]"), 2, "section 'two' starts inside section 'one'"),
        (marked("<one]", ">one]", "<one]", ">one]"), 3, "section 'one' exists twice; includes show only the first"),
        (marked("    <one]", "    >one]"), 1, "section 'one': a marker stands at the left margin"),
        (marked("<One]", "x"), 1, "a section's name is lower-case letters"),
        (marked("<1one]", "x"), 1, "a section's name is lower-case letters"),
        (marked("<]", "x"), 1, "a section's name is lower-case letters"),
        ("x = 1  # --8<-- [start:one]", 1, "a section marker that is not understood"),
        ("# --8<-- [start:one] two", 1, "a section marker that is not understood"),
        ("# -8<- [start:one]", 1, "a section marker that is not understood"),
        ("# ;--8<-- [start:one]", 1, "a section marker that is not understood"),
        ('print("--8<-- [start:one]")', 1, "a section marker that is not understood"),
    ],
)
def test_find_sections_bad_marker_is_named(text: str, line: int, message: str) -> None:
    """Whatever MkDocs would take for a marker, or an author would, is understood or refused."""
    _, problems = find_sections("f", text)
    assert (Place("f", line), message) in [(p.place, p.message[: len(message)]) for p in problems]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (marked("<one]", "# only words", ">one]"), 1, "section 'one' holds no statement"),
        (marked("<one]", "if x:", "    y = 1", ">one]", "    z = 2"), 2, "section 'one' cuts this statement in two"),
        (marked("if x:", "    y = 1", "<one]", "    z = 2", ">one]"), 1, "section 'one' cuts this statement in two"),
        (marked("@f", "<one]", "def g(): pass", ">one]"), 1, "section 'one' cuts this statement in two"),
        ("x = = 1", 1, "syntax error: invalid syntax"),
        ("def f(:\n  pass", 1, "syntax error: invalid syntax"),
        ("x = '", 1, "syntax error: unterminated string literal"),
    ],
)
def test_read_statement_problem_is_named(tmp_path: Path, text: str, line: int, message: str) -> None:
    """A section holds whole statements, at least one, of a file that is Python."""
    problems = read(tmp_path, text).problems
    assert (line, message) in [(p.place.line, p.message[: len(message)]) for p in problems]
    assert {p.place.file for p in problems} == {"snippets/a/one.py"}


def test_read_windows_file_has_plain_lines(tmp_path: Path) -> None:
    """CRLF and a byte order mark leave no trace in the code or its sections."""
    found = read(tmp_path, b"\xef\xbb\xbf# --8<-- [start:one]\r\nx = 1\r\n# --8<-- [end:one]\r\n")
    assert found.problems == ()
    assert found.code(found.sections[0]) == "x = 1"
    assert (found.id, found.chapter, found.file) == ("a/one", "a", "snippets/a/one.py")


def test_read_other_encoding_is_named(tmp_path: Path) -> None:
    """The first byte that does not decode is said."""
    (problem,) = read(tmp_path, b"x = '\xe9'").problems
    assert problem.message == "not UTF-8: invalid continuation byte at byte 5"


def test_read_dot_in_the_path_is_named(tmp_path: Path) -> None:
    """A dot would leave open where the fact's name begins."""
    (problem,) = read(tmp_path, "x = 1", "a/one.two.py").problems
    assert problem.message.startswith("a snippet's path must not contain a dot")


def test_discover_skips_helpers(tmp_path: Path) -> None:
    """Names that begin with `_` or `.` are no snippets; the others come in order."""
    for name in ("b/two.py", "a/one.py", "a/_help.py", "_all/x.py", ".hidden/y.py", "a/sub/three.py"):
        read(tmp_path, "x = 1", name)
    assert [s.id for s in snippet.discover(config.load(tmp_path))] == ["a/one", "a/sub/three", "b/two"]


def test_statements_are_grouped_by_section(tmp_path: Path) -> None:
    """Hidden statements belong to no section; a decorator belongs to its function."""
    found = read(tmp_path, marked("a = 1", "<one]", "@f", "def g(): pass", "b = 2", ">one]", "c = 3"))
    assert [(name, len(group)) for name, group in snippet.statements(found)] == [(None, 1), ("one", 2), (None, 1)]


def test_section_is_found_by_its_name(tmp_path: Path) -> None:
    """Each name gives its own lines, and an unknown one nothing."""
    found = read(tmp_path, marked("<one]", "a = 1", ">one]", "<two]", "b = 2", ">two]"))
    assert [found.code(section) for name in ("one", "two") if (section := found.section(name))] == ["a = 1", "b = 2"]
    assert found.section("three") is None


def test_read_syntax_error_shows_the_line(tmp_path: Path) -> None:
    """The text of the line helps where the number alone does not; sections of such a file are still known."""
    found = read(tmp_path, marked("<one]", "x = = 1  ", ">one]"))
    (problem,) = found.problems
    assert (problem.place.line, problem.got) == (2, "x = = 1")
    assert [section.name for section in found.sections] == ["one"]
