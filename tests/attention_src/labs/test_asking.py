"""Tests of `attention_src.labs.asking`: copies that stay as they are, and answers that are the reader's own."""

import functools

import pytest
import torch
from torch import nn

from attention_src.labs.asking import asked, same
from attention_src.labs.mask_tasks import drawn_ids
from attention_src.labs.verdict import WrongAnswer
from attention_src.masks import causal_blocked, combine, padding_blocked

IDS = torch.tensor([[5, 1, 0], [7, 0, 0]])
PARAMETERS = {"weight": torch.ones(2, 2), "bias": torch.zeros(2)}


def emptied(parameters):
    parameters.clear()


def appended(rows):
    rows[0].append(1.0)


def nested(parameters):
    parameters["weight"].mul_(2)


CHANGING = {
    "a tensor": (lambda ids: ids.zero_(), {"ids": IDS}),
    "one place": (lambda ids: ids.__setitem__((0, 0), 6), {"ids": IDS}),
    "its shape": (lambda ids: ids.resize_(2, 2), {"ids": IDS}),
    "a dict": (emptied, {"parameters": PARAMETERS}),
    "a tensor in a dict": (nested, {"parameters": PARAMETERS}),
    "a list in a list": (appended, {"rows": [[0.0], [1.0]]}),
    "a layer": (lambda layer: layer.bias.data.zero_(), {"layer": nn.Linear(2, 2)}),
}


@pytest.mark.parametrize(("answer", "arguments"), CHANGING.values(), ids=CHANGING)
def test_asked_finds_a_changed_argument(answer, arguments):
    """The caller's own stays as it was, and the verdict has its name."""
    before = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}
    with pytest.raises(WrongAnswer, match=f"changed its argument `{next(iter(arguments))}`"):
        asked(answer, arguments)
    assert same(before, arguments)


def test_asked_takes_a_nan_for_itself():
    """A NaN that was left alone is no change."""
    assert asked(lambda x: x, {"x": torch.tensor([1.0, float("nan")])}).error is None


def test_asked_keeps_how_an_argument_lies_in_memory():
    """An input with gaps is handed on with gaps, or nobody would be asked for it."""
    spread = torch.stack([IDS, IDS], dim=-1)[..., 0]
    assert asked(lambda ids: ids.is_contiguous(), {"ids": spread}).value is False
    assert asked(lambda ids: ids.is_contiguous(), {"ids": IDS}).value is True


def test_asked_keeps_an_error_that_a_stub_is_not():
    """An error is an outcome; a stub is none."""
    assert isinstance(asked(lambda _: [][5], {"ids": IDS}).error, IndexError)

    def stub(_):
        raise NotImplementedError("write it")

    with pytest.raises(NotImplementedError):
        asked(stub, {"ids": IDS})


def caught(ids):
    """Hides what it did."""
    try:
        return padding_blocked(ids)
    except Exception:
        return ids


def late(ids):
    """Imports the answer where it is used."""
    from attention_src.masks import padding_blocked as mine

    return mine(ids)


BORROWED = {
    "itself": padding_blocked,
    "called": lambda ids: padding_blocked(ids),
    "partial": functools.partial(padding_blocked, pad=0),
    "in a comprehension": lambda ids: [padding_blocked(row[None]) for row in ids],
    "by map": lambda ids: list(map(padding_blocked, [ids])),
    "and caught": caught,
    "imported late": late,
    "a helper of the checks": lambda _: drawn_ids(torch.Generator(), 2, 3),
}


@pytest.mark.parametrize("answer", BORROWED.values(), ids=BORROWED)
def test_asked_finds_a_borrowed_answer(answer):
    """However the project's own function is reached, it is named."""
    with pytest.raises(WrongAnswer, match=r"It calls attention_src\.\S+: write the answer yourself"):
        asked(answer, {"ids": IDS}, borrowed=[padding_blocked])


def test_asked_allows_the_rest_of_the_project():
    """What is no answer may be called, and may call what it likes."""
    found = asked(lambda ids: combine((ids == 0)[:, None], causal_blocked(3)[None]), {"ids": IDS}, [padding_blocked])
    assert found.value.shape == (2, 3, 3)


def test_asked_refuses_tensors_where_a_task_does():
    """Making one is enough."""
    with pytest.raises(WrongAnswer, match="computes with tensors"):
        asked(lambda row: torch.tensor(row).tolist(), {"row": [1.0]}, tensors=False)
    assert asked(lambda row: [2 * entry for entry in row], {"row": [1.0]}, tensors=False).value == [2.0]
