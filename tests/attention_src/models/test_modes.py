"""Tests of `attention_src.models.modes`, and of what trains and predicts with it."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.testing import assert_close

from attention_src.models.classifier import accuracy, predict, train_epoch
from attention_src.models.modes import evaluating, learning

IDS = torch.tensor([[3, 1, 4], [1, 5, 0]])
LABELS = torch.tensor([2, 1])


class Net(nn.Module):
    """Two parts, one of which may be frozen; it notes the modes in which it ran, and stops where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen, self.head = nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5))
        self.ran: list[list[bool]] = []
        self.stop = False

    def forward(self, ids: Tensor) -> Tensor:
        self.ran.append(modes(self))
        if self.stop:
            raise KeyboardInterrupt
        return self.head(self.frozen(F.one_hot(ids, 6).float().sum(-1) + ids))


def modes(model: nn.Module) -> list[bool]:
    """Return the mode of each module."""
    return [module.training for module in model.modules()]


def frozen() -> Net:
    """Return a net in training mode with one part in evaluation mode."""
    net = Net().train()
    net.frozen.eval()
    return net


def adam(net: nn.Module) -> torch.optim.Optimizer:
    """Return an optimizer of all weights."""
    return torch.optim.Adam(net.parameters())


CALLS = {
    "predict": lambda net: predict(net, IDS),
    "accuracy": lambda net: accuracy(net, IDS, LABELS),
    "train_epoch": lambda net: train_epoch(net, [(IDS, LABELS)], adam(net)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("stop", [False, True], ids=["returns", "stops"])
@pytest.mark.parametrize("whole", [None, True, False], ids=["partly frozen", "training", "evaluation"])
def test_every_module_is_as_it_was(call, stop, whole):
    """Lightning #2551, #18930: one flag was put back for the whole tree, and none after an exception."""
    net = frozen() if whole is None else Net().train(whole)
    net.stop, before = stop, modes(net)
    try:
        call(net)
    except KeyboardInterrupt:
        assert stop
    assert net.ran
    assert modes(net) == before


def test_predict_runs_in_evaluation_mode_throughout():
    """The parts too, whatever they were in."""
    net = frozen()
    predict(net, IDS)
    assert net.ran == [[False] * 5]


def test_train_epoch_leaves_a_frozen_part_frozen_while_it_trains():
    """A frozen normalisation keeps its statistics, which training mode would move."""
    net = frozen()
    before = net.frozen.running_mean.clone()
    train_epoch(net, [(IDS, LABELS)], adam(net))
    assert net.ran == [modes(net)]
    assert_close(net.frozen.running_mean, before, rtol=0, atol=0)


def test_train_epoch_trains_a_model_that_was_in_evaluation_mode():
    """It runs in training mode with all its parts."""
    net = Net().eval()
    train_epoch(net, [(IDS, LABELS)], adam(net))
    assert net.ran == [[True] * 5]
    assert not net.frozen.running_mean.eq(0).all()


def test_train_epoch_of_an_empty_loader_puts_the_modes_back():
    """The error of our own is an exception, too."""
    net = Net().eval()
    with pytest.raises(ValueError, match="at least one batch"):
        train_epoch(net, [], adam(net))
    assert not any(modes(net))


def test_modes_nest():
    """Measuring inside an epoch gives the epoch its modes back."""
    net = frozen()
    before = modes(net)
    with learning(net):
        with evaluating(net), evaluating(net):
            assert not any(modes(net))
        assert modes(net) == before


def test_modes_of_a_model_that_refuses_to_change():
    """An `eval` that raises half-way leaves nothing changed."""

    class Stubborn(nn.Linear):
        def train(self, mode: bool = True) -> "Stubborn":
            if not mode:
                raise RuntimeError("no")
            return self

    net = nn.Sequential(nn.Linear(2, 2), Stubborn(2, 2))
    with pytest.raises(RuntimeError, match="no"), evaluating(net):
        pass
    assert all(modes(net))


def test_modes_respect_a_train_of_the_models_own():
    """A part that stays in evaluation mode by its own method does so in an epoch."""

    class Fixed(nn.Linear):
        def train(self, mode: bool = True) -> "Fixed":  # noqa: ARG002
            return super().train(False)

    net = nn.Sequential(nn.Linear(2, 2), Fixed(2, 2)).eval()
    with learning(net):
        assert modes(net) == [True, True, False]
    assert not any(modes(net))
    net[1].training = True
    with evaluating(net):
        assert not any(modes(net))
    assert modes(net) == [False, False, True]


def test_module_that_is_used_twice_gets_its_mode_back():
    """It is one module with one mode."""
    shared = nn.Dropout().eval()
    net = nn.Sequential(shared, nn.Linear(2, 2), shared)
    with evaluating(net):
        assert not net.training
    assert modes(net) == [True, False, True]
