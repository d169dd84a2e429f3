"""Tests of `attention_src.models.copy_task`."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention_src.models import copy_task
from attention_src.models.copy_task import Accuracy, accuracy, build, run, shifted, sources, train
from attention_src.models.encoder_decoder import attend, average


def test_sources_are_digits():
    """Every digit occurs and nothing else, in the shape asked for."""
    torch.manual_seed(0)
    source = sources(101, 7)
    assert source.shape == (101, 7)
    assert source.unique().tolist() == list(range(10))


@pytest.mark.parametrize(("count", "length"), [(0, 7), (3, 0), (-1, 7)])
def test_sources_without_digits_are_refused(count, length):
    """The error names what came."""
    with pytest.raises(ValueError, match=f"got count={count} and length={length}"):
        sources(count, length)


def test_shifted_by_hand():
    """The start comes first, the last digit is dropped, and the source stays as it was."""
    source = torch.tensor([[4, 9, 3], [0, 1, 2]])
    assert shifted(source).tolist() == [[10, 4, 9], [10, 0, 1]]
    assert source.tolist() == [[4, 9, 3], [0, 1, 2]]
    assert shifted(source).dtype == source.dtype
    assert shifted(source[:, :1]).tolist() == [[10], [10]]


def test_shifted_without_a_batch_is_refused():
    """The error names the shape that came."""
    with pytest.raises(ValueError, match=r"expected a shape \(B, N\), got \(3,\)"):
        shifted(torch.tensor([1, 2, 3]))


def test_build_makes_what_the_name_says():
    """One model without looks, two that differ in how they look."""
    assert not hasattr(build("plain"), "pool")
    assert build("attention").pool is attend
    assert build("mean").pool is average
    with pytest.raises(ValueError, match="expected one of plain, mean, attention, got 'maen'"):
        build("maen")


@pytest.mark.parametrize("name", copy_task.MODELS)
def test_train_keeps_the_protocol(name):
    """Three steps written out give the same weights, and leave the generator at the same place."""
    torch.manual_seed(1)
    model = build(name)
    train(model, 5, steps=3)
    after = torch.rand(())

    torch.manual_seed(1)
    other = build(name)
    adam = torch.optim.Adam(other.parameters(), lr=0.003)
    for _ in range(3):
        source = torch.randint(0, 10, (64, 5))
        inputs = torch.cat([torch.full((64, 1), 10), source[:, :-1]], dim=1)
        loss = F.cross_entropy(other(source, inputs).reshape(320, 12), source.reshape(320))
        adam.zero_grad()
        loss.backward()
        norm = torch.stack([parameter.grad.square().sum() for parameter in other.parameters()]).sum().sqrt()
        for parameter in other.parameters():
            parameter.grad *= min(1.0, 1.0 / norm.item())
        adam.step()
    for found, expected in zip(model.parameters(), other.parameters(), strict=True):
        assert_close(found, expected, rtol=1e-3, atol=1e-5)
    assert torch.equal(after, torch.rand(()))


def test_train_cuts_long_gradients(monkeypatch):
    """The norm that reaches the optimizer is at most the limit, and a low limit is felt."""
    norms = []
    step = torch.optim.Adam.step

    def watched(self):
        gradients = [parameter.grad for group in self.param_groups for parameter in group["params"]]
        norms.append(torch.cat([gradient.flatten() for gradient in gradients]).norm().item())
        return step(self)

    monkeypatch.setattr(torch.optim.Adam, "step", watched)
    monkeypatch.setattr(copy_task, "LARGEST_NORM", 0.01)
    torch.manual_seed(1)
    train(build("plain"), 5, steps=3)
    assert norms == pytest.approx([0.01] * 3, rel=1e-3)


@pytest.mark.slow
def test_train_learns():
    """Two digits are copied after two hundred steps, and not before."""
    torch.manual_seed(0)
    model = build("attention")
    untrained = accuracy(model, sources(500, 2))
    train(model, 2, steps=200)
    assert untrained.free < 0.3
    assert accuracy(model, sources(500, 2)).free > 0.9


class Stub(nn.Module):
    """Says `forced` when forced and `written` when free, and remembers what it was given."""

    def __init__(self, forced, written):
        super().__init__()
        self.forced, self.written = forced, written

    def forward(self, source, inputs):
        self.given = (source, inputs)
        return F.one_hot(self.forced, 12).float()

    def generate(self, source, start):
        self.given += (source, start)
        return self.written


def test_accuracy_by_hand():
    """Two sequences of four: five symbols right when forced, six when free, one sequence whole."""
    source = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
    stub = Stub(torch.tensor([[1, 2, 3, 0], [5, 6, 0, 0]]), torch.tensor([[1, 2, 3, 4], [5, 0, 0, 8]]))
    assert accuracy(stub, source) == Accuracy(forced=5 / 8, free=6 / 8, whole=1 / 2)
    first, inputs, second, start = stub.given
    assert first is second is source
    assert inputs.tolist() == [[10, 1, 2, 3], [10, 5, 6, 7]]
    assert start == 10


def test_run_seeds_builds_trains_and_measures_on_the_next_draw(monkeypatch):
    """The seed decides weights, batches and the test, which is what the generator gives after training."""
    seen = {}

    def short(model, length):
        train(model, length, steps=2)
        seen["state"] = torch.get_rng_state()

    def measured(model, source):
        seen["source"] = source
        return accuracy(model, source)

    monkeypatch.setattr(copy_task, "train", short)
    monkeypatch.setattr(copy_task, "accuracy", measured)
    model, result = run("plain", 3, seed=4)
    torch.set_rng_state(seen["state"])
    assert torch.equal(seen["source"], torch.randint(0, 10, (1000, 3)))
    again, same = run("plain", 3, seed=4)
    other, _ = run("plain", 3, seed=5)
    assert result == same
    assert torch.equal(model.output.weight, again.output.weight)
    assert not torch.equal(model.output.weight, other.output.weight)
