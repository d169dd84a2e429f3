"""How problems are printed."""

from io import StringIO

from rich.console import Console

from drift.problem import Place, Problem
from drift.run.outcome import Outcome
from drift.tell import report


def printed(*problems: Problem) -> str:
    stream = StringIO()
    report.show(Console(file=stream, width=40, highlight=False), problems)
    return stream.getvalue()


def test_render_problem_says_place_values_source_and_way_out() -> None:
    """Each part stands on its own line, under a heading."""
    place, source = Place("docs/a.md", 3), Place("snippets/a.py", 7)
    problem = Problem(place, "it drifted", "0.93", "0.94\n0.95", source, "python -m drift update")
    assert printed(problem) == (
        "docs/a.md:3  it drifted\n"
        "    expected 0.93\n"
        "    got      0.94\n"
        "             0.95\n"
        "    made in  snippets/a.py:7\n"
        "    accept   python -m drift update\n"
        "\n"
    )


def test_render_problem_without_parts_is_one_line() -> None:
    """What is not known is left out, and an edit is no command."""
    assert printed(Problem(Place("a"), "gone")) == "a  gone\n\n"
    assert printed(Problem(Place("a"), "gone", fix="delete it")) == "a  gone\n    mend     delete it\n\n"
    assert printed(Problem(Place("a"), "gone", "")) == "a  gone\n    expected \n\n"


def test_render_names_the_command_of_the_project() -> None:
    """Arguments follow the project's own command, whose separator goes where there are none."""
    for fix, command, told in (
        ("python -m drift update --only a/b", "nox -s update --", "nox -s update -- --only a/b"),
        ("python -m drift update", "nox -s update --", "nox -s update"),
        ("delete it", "nox -s update --", "delete it"),
    ):
        assert report.command(fix, command) == told


def test_show_sorts_by_file_and_line_and_counts_each_once() -> None:
    """Line 10 comes after line 9, and what was found twice is said once."""
    problems = [Problem(Place("b", 1), "x"), *(Problem(Place("a", n), "x") for n in (10, 9, 9))]
    stream = StringIO()
    assert report.show(Console(file=stream), problems) == 3
    assert [line for line in stream.getvalue().split("\n") if line] == ["a:9  x", "a:10  x", "b:1  x"]


def test_show_markup_and_long_lines_stay_as_they_are() -> None:
    """Brackets are no styles here, and a terminal's width cuts no value in two."""
    text = "[bold]" + "x" * 100 + " [/] :smile:"
    assert text in printed(Problem(Place("a"), text, got=text))


def test_unmet_needs_are_grouped_by_reason() -> None:
    """Snippets that wait for the same thing are named together."""
    outcomes = {"a": Outcome("a", unmet="no data"), "b": Outcome("b"), "c": Outcome("c", unmet="no data")}
    stream = StringIO()
    report.show_unmet(Console(file=stream), report.unmet(outcomes))
    assert stream.getvalue() == "2 snippets not run (a, c): no data\n"
