"""Tests of `attention_src.labs.judge` and `attention_src.labs.gradients`, on a task that one sees through."""

import math

import pytest
import torch

from attention_src.labs.gradients import judge_gradients
from attention_src.labs.judge import FIXED, Case, Mistake, Task, judge, judge_new
from attention_src.labs.verdict import WrongAnswer

# The second mistake cannot be told from the first where x is positive.
NEGATED = Mistake("The sign is wrong.", lambda x: -2 * x)
ABSOLUTE = Mistake(lambda x: f"The sign of {len(x)} numbers is lost.", lambda x: 2 * x.abs())
EDGE = Mistake("Large numbers are cut.", lambda x: 2 * x.clamp(max=100))


def drawn(generator):
    return [
        Case("three numbers", {"x": torch.randn(3, generator=generator)}, gradients=True),
        Case("five numbers", {"x": torch.randn(5, generator=generator)}),
        Case("a large number", {"x": torch.tensor([1000.0])}, edge=True),
    ]


DOUBLE = Task(
    right=lambda x: 2 * x,
    cases=drawn,
    small=lambda: [{"x": torch.tensor([0.0])}, {"x": torch.tensor([1.0])}, {"x": torch.tensor([1.0, -1.0])}],
    mistakes=(NEGATED, ABSOLUTE, EDGE),
    property_of=lambda *_: "It is not doubled.",
)


def verdict(answer, seed=7):
    with pytest.raises(WrongAnswer) as caught:
        judge(DOUBLE, answer, seed)
    return caught.value


def test_right_answer_passes():
    """In another way than the task's own."""
    judge(DOUBLE, lambda x: x + x, 7)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: x.to("meta"), "on the device meta, which has a shape and no numbers. Seen with three numbers"),
        (lambda x: x.to_sparse(), "of the layout torch.sparse_coo"),
    ],
)
def test_tensor_without_a_place_for_each_number_is_named(change, told):
    """No mistake is compared with it, and no error of PyTorch is shown."""
    assert told in str(verdict(lambda x: change(2 * x)))


@pytest.mark.parametrize(
    ("answer", "mistake", "told"),
    [
        (lambda x: x * -2, NEGATED, "The sign is wrong. With three numbers: expected "),
        (lambda x: (2 * x).abs(), ABSOLUTE, "The sign of 5 numbers is lost. With five numbers"),
        (
            lambda x: 2 * x.minimum(torch.tensor(100.0)),
            EDGE,
            "cut. With a large number: expected 2000.0000; got 200.0000",
        ),
    ],
)
def test_known_mistake_is_named_where_it_gives_everything(answer, mistake, told):
    """The words are the mistake's, with the first input that shows it."""
    found = verdict(answer)
    assert found.mistake is mistake
    assert told in str(found)


def test_unknown_mistake_is_a_property_with_the_smallest_input():
    """Zero does not show it, one does, and nothing is said of a cause."""
    found = verdict(lambda x: 3 * x)
    assert found.mistake is None
    assert str(found) == "It is not doubled. With x = [1.0]: expected 2.0000; got 3.0000."


def test_mistake_is_not_named_where_it_explains_a_part_only():
    """An answer that is wrong in the way of a mistake on some inputs, and otherwise on others, is of no known kind."""
    found = verdict(lambda x: -2 * x if len(x) == 3 else 5 * x)
    assert found.mistake is None
    assert "The sign" not in str(found)


def test_mistake_that_is_right_here_does_not_explain_a_wrong_type():
    """`EDGE` gives the right numbers on plain inputs; that the dtype is another has nothing to do with it."""
    found = verdict(lambda x: (2 * x).double())
    assert found.mistake is None
    assert "numbers of the type torch.float32, got torch.float64. Seen with three numbers" in str(found)


def test_error_that_always_comes_is_told_alone():
    """No input is needed to see it."""
    assert str(verdict(lambda _: [][5])).startswith("It raised IndexError: list index out of range")


def test_error_that_comes_sometimes_is_told_with_the_smallest_input():
    """Two numbers are enough."""

    def answer(x):
        if len(x) > 1:
            raise ValueError("too many")
        return 2 * x

    assert str(verdict(answer)).startswith("With x = [1.0, -1.0] it raised ValueError: too many")


def test_inputs_with_gaps_in_memory_are_tried():
    """The first input is asked again, spread."""
    assert "inputs that are not contiguous in memory" in str(
        verdict(lambda x: 2 * x if x.is_contiguous() else 2 * x + 1)
    )


def test_new_inputs_are_tried_with_the_seed_that_is_given():
    """An answer that knows what is always asked is wrong on them, and the verdict has the seed."""
    known = {}

    def record(x):
        return known.setdefault(tuple(x.tolist()), 2 * x)

    judge_new(DOUBLE, record, 7)
    judge_new(DOUBLE, lambda x: known[tuple(x.tolist())], 7)
    judge_new(DOUBLE, record, FIXED)
    with pytest.raises(WrongAnswer) as caught:
        judge_new(DOUBLE, lambda x: known.get(tuple(x.tolist()), torch.zeros_like(x)), 8)
    message = str(caught.value)
    assert "right on the inputs that are always tried, and wrong on new ones, drawn from seed 8" in message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x: 2 * x.detach(), "no gradient reaches x"),
        (lambda x: x + x.data, "the gradient of x is not, so training would go wrong"),
        (lambda x: torch.from_numpy(2 * x.numpy()), "with inputs that require a gradient it raised RuntimeError"),
        (lambda x: torch.stack([torch.tensor(2 * entry.item()) for entry in x]), "no gradient reaches x"),
        (lambda x: 2 * x * (1 + 0 * x.abs().sqrt()), "the gradient of x is not"),
    ],
)
def test_gradient_that_is_cut_off_is_told(answer, told):
    """The numbers are right, and training would not be."""
    with pytest.raises(WrongAnswer, match="The numbers are right, but") as caught:
        judge_gradients(lambda x: 2 * x, answer, {"x": torch.tensor([1.0, 0.0, -2.0])}, ("",))
    assert told in str(caught.value)


def test_gradients_are_those_of_all_parts_and_arguments():
    """Tensors in a dict have names of their own, and a part that needs no gradient is asked for none."""
    arguments = {"x": torch.ones(2), "weights": {"a": torch.ones(2), "b": torch.ones(2)}, "count": 3}

    def right(x, weights, count):
        return x * weights["a"], count * weights["b"]

    judge_gradients(
        right, lambda x, weights, count: (weights["a"] * x, weights["b"] * count), arguments, ("one", "two")
    )
    with pytest.raises(WrongAnswer, match="no gradient of the two reaches b,"):
        judge_gradients(
            right,
            lambda x, weights, count: (x * weights["a"], count * weights["b"].detach()),
            arguments,
            ("one", "two"),
        )


def test_nan_in_the_right_answer_leaves_the_place_free():
    """Whatever stands there, the rest must be right."""
    task = Task(
        right=lambda x: x.where(x > 0, math.nan),
        cases=lambda _: [Case("one of each", {"x": torch.tensor([1.0, -1.0])})],
        small=list,
        mistakes=(),
    )
    judge(task, lambda x: x.where(x > 0, 5.0), 7)
    judge(task, lambda x: x.where(x > 0, math.nan), 7)
    with pytest.raises(WrongAnswer):
        judge(task, lambda x: x.where(x < 0, 5.0), 7)
