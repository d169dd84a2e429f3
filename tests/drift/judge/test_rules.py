"""Rules of a project's own: what they find is reported, and one that cannot be used says so."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from authoring import Book

RULES = """from drift.problem import Place, Problem


def short(site):
    for page in site.pages:
        if len(page.text) < 10_000:
            yield Problem(page.place(1), "the page is short", "10000 characters", str(len(page.text)))


def broken(site):
    yield Problem(site.pages[0].place(2), "found before the error")
    {}["often"]


def leaves(site):
    raise SystemExit("no more")


def other(site):
    return ["a text"]


NUMBER = 3
"""


@pytest.fixture
def ruled(book: Book) -> Iterator[Book]:
    """A project with a module of rules, which no setting names yet."""
    book.write("own_rules.py", RULES)
    path = list(sys.path)
    yield book
    sys.modules.pop("own_rules", None)
    assert sys.path == path


def report(book: Book, *rules: str) -> str:
    """What `check` prints with these rules, in a table whose fourth line begins their list."""
    listed = "".join(f'  "{rule}",\n' for rule in rules)
    book.write("pyproject.toml", f"[tool.drift]\ntimeout = 20\nrules = [\n{listed}]\n")
    return book.refused()


def test_rule_problems_are_reported_like_all_others(ruled: Book) -> None:
    """What a rule finds stands in the report with place, expected and got, and fails the check."""
    ruled.edit("docs/a.md", "[0.9321](fact:a/one.share), or", "[0.9322](fact:a/one.share), or")
    told = report(ruled, "own_rules:short")
    assert "docs/a.md:1  the page is short\n    expected 10000 characters\n    got      653" in told
    assert "0.9322" in told
    assert "2 problems" in told


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("no_such_rules:short", "got      ModuleNotFoundError: No module named 'no_such_rules'"),
        ("own_rules:absent", "got      AttributeError: module 'own_rules' has no attribute 'absent'"),
        ("own_rules.short", "got      ValueError: no colon between module and function"),
        ("own_rules:NUMBER", "got      TypeError: not a function: 3"),
    ],
)
def test_rule_that_cannot_be_imported_names_its_setting(ruled: Book, rule: str, message: str) -> None:
    """The report leads to the line of the settings, and the other rules are run."""
    told = report(ruled, rule, "own_rules:short")
    assert f"pyproject.toml:4  the rule '{rule}' cannot be imported\n    expected [tool.drift] rules: " in told
    assert message in told
    assert "the page is short" in told


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("own_rules:broken", "got      KeyError: 'often'\n    made in  own_rules.py:12"),
        ("own_rules:leaves", "got      SystemExit: no more\n    made in  own_rules.py:16"),
        ("own_rules:other", "got      TypeError: expected a rule to give drift.problem.Problem, got 'a text'"),
    ],
)
def test_rule_that_raises_names_its_setting_and_its_line(ruled: Book, rule: str, message: str) -> None:
    """An error in a rule is a finding; what was found before and what other rules find is kept."""
    told = report(ruled, rule, "own_rules:short")
    assert f"pyproject.toml:4  the rule '{rule}' ended in an error" in told
    assert message in told
    assert "the page is short" in told
    assert ("docs/a.md:2  found before the error" in told) == (rule == "own_rules:broken")
    assert "Traceback" not in told


def test_no_rules_find_nothing(ruled: Book) -> None:
    """A project without rules agrees as before."""
    assert ruled.drift("check").code == 0
