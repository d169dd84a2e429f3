"""Comparing a fresh run with the record: what drifted, where a reader meets it, and where it is made."""

from dataclasses import replace

import pytest

from drift import config
from drift.facts import Fact
from drift.judge import check, runs
from drift.problem import Place, Problem
from drift.read import site
from drift.read.site import Site
from drift.records.record import Record
from drift.run.outcome import Outcome

FIX = "python -m drift update --only a/one"


@pytest.fixture
def whole(written) -> Site:
    """The project as it is on disk."""
    return site.read(config.load(written.root))


def agreeing(whole: Site) -> Outcome:
    """The run that the record accepts."""
    found = whole.records["a/one"]
    outputs = {name: f"{text}\n" for name, text in found.outputs.items()}
    return Outcome("a/one", outputs, dict(found.facts), dict(found.tolerances), dict(found.artifacts))


def test_check_agreeing_run_passes(whole: Site) -> None:
    """The record agrees with itself."""
    assert runs.check(whole, agreeing(whole)) == []


def test_check_failed_run_reports_its_failure_alone(whole: Site) -> None:
    """What a run that failed did not give is no drift."""
    problem = Problem(Place("snippets/a/one.py", 3), "ZeroDivisionError")
    assert runs.check(whole, Outcome("a/one", problems=[problem])) == [problem]


def test_check_drifted_output_names_page_record_and_code(whole: Site) -> None:
    """The first line that differs is shown with both sides."""
    outcome = agreeing(whole)
    outcome.outputs["count"] = outcome.outputs["count"].replace("9,216", "9,217")
    assert runs.check(whole, outcome) == [
        Problem(
            Place("docs/a.md", 14),
            "the output of a/one:count drifted; recorded in snippets/a/one.out:4",
            "total 9,216",
            "total 9,217",
            Place("snippets/a/one.py", 2),
            FIX,
        )
    ]


def test_check_new_and_lost_outputs_are_drift(whole: Site) -> None:
    """A section that begins or ceases to print differs from its record."""
    lost, new = agreeing(whole), agreeing(whole)
    lost.outputs["more"] = ""
    new.outputs["extra"] = "x\n"
    assert [(p.place, p.expected, p.got) for p in runs.check(whole, lost)] == [
        (Place("docs/a.md", 34), "double 1.86428", "")
    ]
    assert [(p.place.file, p.expected, p.got) for p in runs.check(whole, new)] == [("snippets/a/one.out", "", "x")]


def test_check_output_within_its_tolerance_passes(whole: Site) -> None:
    """The tolerance that the run states counts, and has to be the recorded one."""
    outcome = agreeing(whole)
    outcome.outputs["more"] = "double 1.86\n"
    outcome.tolerances["more"] = 0.01
    (problem,) = runs.check(whole, outcome)
    assert (problem.message, problem.expected, problem.got) == ("output tolerances drifted", "{}", "{'more': 0.01}")
    whole.records["a/one"].tolerances["more"] = 0.01
    assert runs.check(whole, outcome) == []


def test_check_drifted_fact_names_every_quote(whole: Site) -> None:
    """The first quote is the place, the others are listed, the code is the source."""
    outcome = agreeing(whole)
    outcome.facts["share"] = Fact(0.94, line=10)
    assert runs.check(whole, outcome) == [
        Problem(
            Place("docs/a.md", 17),
            "fact a/one.share drifted; also quoted in docs/a.md:17, docs/a.md:25",
            "0.93214",
            "0.94",
            Place("snippets/a/one.py", 10),
            FIX,
        )
    ]


@pytest.mark.parametrize(
    ("name", "fact", "expected", "got"),
    [
        ("heads", Fact(3), "2", "3"),
        ("heads", Fact(2.0), "2", "2.0"),
        ("heads", Fact(True), "2", "True"),
        ("word", Fact("king"), "queen", "king"),
        ("share", Fact(0.93214, 0.01), "0.93214", "0.93214 ± 0.01"),
        ("share", Fact(0.93214 * (1 + 2e-6)), "0.93214", "0.932141864"),
        ("extra", Fact(1), "(not stated)", "1"),
        ("loss", None, "-0.5", "(not stated)"),
    ],
)
def test_check_drifted_fact_shows_both_values(
    whole: Site, name: str, fact: Fact | None, expected: str, got: str
) -> None:
    """A value, its kind, its tolerance, and being stated at all can drift."""
    outcome = agreeing(whole)
    outcome.facts = {k: v for k, v in (outcome.facts | {name: fact}).items() if v is not None}
    (problem,) = runs.check(whole, outcome)
    assert (problem.expected, problem.got) == (expected, got)


def test_check_fact_within_float_resolution_passes(whole: Site) -> None:
    """What float32 cannot tell apart is the same."""
    outcome = agreeing(whole)
    outcome.facts["share"] = Fact(0.93214 * (1 + 5e-7))
    assert runs.check(whole, outcome) == []


def test_check_drifted_figure_names_page_and_line(whole: Site) -> None:
    """The first differing line of the file is shown, shortened."""
    outcome = agreeing(whole)
    outcome.artifacts["bar.svg"] = outcome.artifacts["bar.svg"].replace("0.93214", "0.94" + " " * 200)
    (problem,) = runs.check(whole, outcome)
    assert problem.place == Place("docs/a.md", 25)
    assert problem.message == "the figure docs/assets/figures/a/bar.svg drifted at its line 3"
    assert problem.expected == "<text>0.93214</text>"
    assert problem.got is not None
    assert len(problem.got) == 120


def test_check_new_and_lost_figures_are_drift(whole: Site) -> None:
    """A figure that begins or ceases to be made differs from the record."""
    lost, new = agreeing(whole), agreeing(whole)
    lost.artifacts = {}
    new.artifacts["new.svg"] = "<svg/>"
    assert [p.place for p in runs.check(whole, lost)] == [Place("docs/a.md", 25)]
    assert [p.place for p in runs.check(whole, new)] == [Place("docs/assets/figures/a/new.svg", 1)]


def test_check_figure_whose_file_is_missing_is_one_problem(whole: Site) -> None:
    """The record says that the file is gone; that it was made again is no second finding."""
    place = Place("docs/assets/figures/a/bar.svg")
    del whole.records["a/one"].artifacts["bar.svg"]
    whole.records["a/one"].problems.append(Problem(place, "an accepted figure is missing"))
    assert [p.message for p in runs.check(whole, agreeing(whole))] == ["an accepted figure is missing"]
    outcome = agreeing(whole)
    outcome.artifacts |= {"bar.svg": "<svg/>", "new.svg": "<svg/>"}
    assert [p.place.file for p in runs.check(whole, outcome)] == [place.file, "docs/assets/figures/a/new.svg"]


def test_check_tolerance_of_a_figure_is_fine(whole: Site) -> None:
    """A figure may have a tolerance as a section may."""
    outcome = agreeing(whole)
    outcome.tolerances["bar.svg"] = whole.records["a/one"].tolerances["bar.svg"] = 0.5
    outcome.artifacts["bar.svg"] = outcome.artifacts["bar.svg"].replace("0.93214", "0.53214")
    assert runs.check(whole, outcome) == []


def test_check_output_that_no_page_shows_is_placed_in_the_record(whole: Site) -> None:
    """Where no reader meets an output, the record is the place."""
    whole.output_shown.clear()
    outcome = agreeing(whole)
    outcome.outputs["count"] = outcome.outputs["count"].replace("9,216", "9,217")
    assert [str(p.place) for p in runs.check(whole, outcome)] == ["snippets/a/one.out:4"]


def test_check_fact_quoted_once_names_no_other_place(whole: Site) -> None:
    """There is no list of one."""
    outcome = agreeing(whole)
    outcome.facts["total"] = Fact(1)
    assert [p.message for p in runs.check(whole, outcome)] == ["fact a/one.total drifted"]


def test_check_tolerance_for_nothing_is_named(whole: Site) -> None:
    """A tolerance whose section or figure does not exist is a typing error."""
    outcome = agreeing(whole)
    outcome.tolerances["cuont"] = 0.1
    messages = [problem.message for problem in runs.check(whole, outcome)]
    assert "a tolerance of 0.1 for 'cuont', which is neither a section nor a figure" in messages


def test_judge_run_without_a_record_is_one_problem(whole: Site) -> None:
    """A new snippet says how it is accepted, and how much waits for it."""
    whole.records["a/one"] = Record("a/one")
    for outcome in (Outcome("a/one", facts={"x": Fact(1)}), Outcome("a/one", unmet="no data"), None):
        found = check.judge(whole, {"a/one": outcome} if outcome else {})
        (problem,) = [p for p in found if p.place.file.startswith("snippets/") and p.fix != "delete it"]
        assert (str(problem.place), problem.message) == (
            "snippets/a/one.py",
            "a snippet whose output was never accepted",
        )
        assert problem.fix == FIX
        assert (problem.got or "").endswith(" on 1 page wait for it")
    one = whole.snippets["a/one"]
    assert not runs.unaccepted(whole, one, Outcome("a/one", {"count": ""}))
    assert runs.unaccepted(whole, one, Outcome("a/one", {"count": "x\n"}))
    assert runs.unaccepted(whole, one, Outcome("a/one", artifacts={"a.svg": ""}))


def test_check_problems_of_the_record_are_reported(whole: Site) -> None:
    """A record that was edited is a problem, even where the values agree, or the snippet could not run."""
    problem = Problem(Place("snippets/a/one.out", 5), "text between outputs")
    whole.records["a/one"].problems.append(problem)
    assert runs.check(whole, agreeing(whole)) == [problem]
    assert runs.check(whole, replace(Outcome("a/one"), unmet="no data")) == [problem]


def test_check_fact_that_is_stated_on_another_line_is_named(whole: Site) -> None:
    """The line that made a number is the one that ran, so a record that names another one is out of date."""
    outcome = agreeing(whole)
    outcome.facts["share"] = replace(outcome.facts["share"], line=12)
    (problem,) = runs.check(whole, outcome)
    assert problem.message == "facts are stated on other lines than their record says"
    assert (problem.expected, problem.got, problem.fix) == ("share: 10", "share: 12", FIX)
    assert str(problem.place) == "snippets/a/one.py:12"
