"""Tests of verdicts, and of what every check of the labs has in common."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest

from attention_src import labs
from attention_src.labs.verdict import WIDTH, Verdict, WrongAnswer, check

MODULES = [import_module(f"{labs.__name__}.{found.name}") for found in iter_modules(labs.__path__)]
CHECKS = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if name.startswith("check_") and value.__module__ == module.__name__
}


def test_all_checks_are_found():
    """The tests below are about every lab."""
    assert len({value.__module__ for value in CHECKS.values()}) >= 5
    assert len(CHECKS) >= 15


@pytest.mark.parametrize("name", CHECKS)
def test_stub_is_recognised(name):
    """A stub says what to write, and the verdict passes it on."""

    def stub(*_, **__):
        raise NotImplementedError("write it")

    verdict = CHECKS[name](stub)
    assert not verdict
    assert verdict.message == "It is not written: write it"


@pytest.mark.parametrize("name", CHECKS)
def test_answer_that_raises_is_reported_with_its_line(name):
    """An error of the reader's is a finding, and the line that it came from is told."""

    def broken(*_, **__):
        return [][5]

    verdict = CHECKS[name](broken)
    assert not verdict
    assert verdict.message == "It raised IndexError: list index out of range (at `return [][5]`)"


def test_error_below_the_answer_is_told_with_the_answers_line():
    """What a library raises is told with the reader's own line, and not with the library's."""

    def broken():
        return import_module("no_module_of_this_name")

    @check("answer")
    def judge(answer):
        return answer()

    assert '(at `return import_module("no_module_of_this_name")`)' in judge(broken).message


def test_verdict_is_true_exactly_when_the_answer_is_right():
    """A cell can go on with `if verdict:`."""

    @check("answer")
    def judge(answer):
        if answer != 3:
            raise WrongAnswer(f"Expected 3, got {answer}.")
        return "Three it is."

    right, wrong = judge(3), judge(5)
    assert right
    assert str(right) == "answer: right. Three it is."
    assert not wrong
    assert str(wrong) == "answer: not yet. Expected 3, got 5."


def test_verdict_is_printed_in_lines_that_fit():
    """A long finding is broken between words, and nothing of it is lost."""
    message = "The sum is 1.2442 and not one. " * 9
    lines = str(Verdict("answer", False, message)).split("\n")
    assert len(lines) > 3
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(line.strip() for line in lines) == f"answer: not yet. {message}".strip()
