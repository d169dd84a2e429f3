"""Tests of verdicts, and of what every check of the labs has in common."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch

from attention_src import labs
from attention_src.labs import limits
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


def test_what_torch_has_not_implemented_is_no_stub():
    """PyTorch raises the same error for an operation that a dtype lacks."""

    def confused(ids):
        return (ids == 0)[:, None] | torch.ones(ids.shape[1], ids.shape[1])

    message = CHECKS["check_joined_mask"](confused).message
    assert "it raised NotImplementedError" in message or message.startswith("It raised NotImplementedError")
    assert "not written" not in message


@pytest.mark.parametrize("name", CHECKS)
def test_answer_that_raises_is_reported_with_its_line(name):
    """An error of the reader's is a finding, and the line that it came from is told."""

    def broken(*_, **__):
        return [][5]

    verdict = CHECKS[name](broken)
    assert not verdict
    assert verdict.message.removeprefix("bag: ") == "It raised IndexError: list index out of range (at `return [][5]`)"


def test_error_below_the_answer_is_told_with_the_answers_line():
    """What a library raises is told with the reader's own line, and not with the library's."""

    def broken():
        return import_module("no_module_of_this_name")

    @check("answer")
    def judge(answer, _seed):
        return answer()

    assert '(at `return import_module("no_module_of_this_name")`)' in judge(broken).message


def test_verdict_is_true_exactly_when_the_answer_is_right():
    """A cell can go on with `if verdict:`."""

    @check("answer")
    def judge(answer, _seed):
        if answer != 3:
            raise WrongAnswer(f"Expected 3, got {answer}.")
        return "Three it is."

    right, wrong = judge(3), judge(5)
    assert right
    assert str(right) == "answer: right. Three it is."
    assert not wrong
    assert str(wrong) == "answer: not yet. Expected 3, got 5."


@check("answer")
def call(answer, _seed):
    """A check that only calls."""
    answer()
    return "It came back."


def endless():
    while True:
        pass


def again():
    return again()


ENDS = {
    "program": (lambda: sys.exit(), "It ended the whole program (at `"),
    "quit": (lambda: quit(), "It ended the whole program"),
    "recursion": (again, "It called itself again and again, and never came to an end (at `return again()`)"),
    "loop": (endless, "It had no answer after 0.5 seconds and was stopped (at `"),
    "sleep": (lambda: time.sleep(99), "It had no answer after 0.5 seconds and was stopped (at `"),
}


@pytest.mark.parametrize("name", ENDS)
def test_answer_that_does_not_return_is_told_in_a_sentence(name, monkeypatch):
    """A check comes back, whatever the answer does."""
    monkeypatch.setattr(limits, "SECONDS", 0.5)
    answer, told = ENDS[name]
    verdict = call(answer)
    assert not verdict
    assert told in verdict.message


def test_interrupt_is_the_readers_own():
    """Ctrl-C and the notebook's stop button end the check too."""

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(interrupted)


@pytest.mark.parametrize("name", CHECKS)
def test_check_names_the_seed_of_its_new_inputs(name):
    """It differs from call to call unless it is given, and the verdict holds it."""
    seeds = {CHECKS[name](lambda *_, **__: None).seed for _ in range(3)}
    assert len(seeds) > 1
    assert CHECKS[name](lambda *_, **__: None, seed=7).seed == 7


def test_global_state_is_left_alone():
    """What an answer does to PyTorch does not reach the reader's next cell."""

    def careless():
        torch.manual_seed(0)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)

    torch.manual_seed(3)
    before = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
    call(careless)
    after = torch.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_num_threads()
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_verdict_is_printed_in_lines_that_fit():
    """A long finding is broken between words, and nothing of it is lost."""
    message = "The sum is 1.2442 and not one. " * 9
    lines = str(Verdict("answer", False, message)).split("\n")
    assert len(lines) > 3
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(line.strip() for line in lines) == f"answer: not yet. {message}".strip()
