"""Findings for programs."""

import json

import pytest
from authoring import Book

from drift.problem import Place, Problem
from drift.tell import machine


def test_check_as_json_is_nothing_else(book: Book) -> None:
    """A program reads the whole of stdout, and the exit code says the same as ever."""
    assert book.drift("check", "--format", "json").out == "[]\n"
    book.edit("docs/a.md", "[9,216]", "[9,217]")
    ran = book.drift("check", "--format", "json")
    assert ran.code == 1
    [found] = json.loads(ran.out)
    assert found == {
        "file": "docs/a.md",
        "line": 18,
        "message": "a quote that is not its fact: a/one.total is 9216",
        "expected": "9,216",
        "got": "9,217",
        "source": "snippets/a/one.py:11",
        "fix": "python -m drift update",
    }


def test_check_annotates_where_it_runs_on_github(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """The findings stand beside the changed lines, and the log can still be read."""
    book.edit("docs/a.md", "[9,216]", "[9,217]")
    assert "::error" not in book.drift("check").out
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = book.drift("check")
    assert ran.code == 1
    assert "::error file=docs/a.md,line=18,title=drift::a quote that is not its fact" in ran.out
    assert "1 problem" in ran.out.splitlines()[-1]


def test_on_github_escapes_what_would_end_the_command() -> None:
    """Percent signs, line breaks, and in a file's name commas and colons."""
    problem = Problem(Place("docs/a,b:c.md"), "50 %\nof it", got="x\r\ny")
    [line] = machine.on_github([problem, problem], "update")
    assert line.startswith("::error file=docs/a%2Cb%3Ac.md,title=drift::")
    assert "50 %25" in line
    assert "\n" not in line
    assert "\r" not in line
