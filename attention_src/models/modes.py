"""Training and evaluation mode for a while, and each module back in its own afterwards."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from torch import nn


def evaluating(model: nn.Module) -> AbstractContextManager[None]:
    """Put a model into evaluation mode for a while.

    Args:
        model: Each of its modules gets its own mode back at the end, also after an exception: a model in training
            mode may hold frozen modules in evaluation mode, so one flag for all does not do.
    """
    return _in_mode(model, training=False)


def learning(model: nn.Module) -> AbstractContextManager[None]:
    """Put a model into training mode for a while, unless it is in training mode already.

    Args:
        model: If it is, no module is touched, so that frozen ones stay in evaluation mode. Otherwise each module
            gets its own mode back at the end, also after an exception.
    """
    return nullcontext() if model.training else _in_mode(model, training=True)


@contextmanager
def _in_mode(model: nn.Module, *, training: bool) -> Iterator[None]:
    before = [(module, module.training) for module in model.modules()]
    try:
        model.train(training)
        yield
    finally:
        for module, mode in before:
            module.training = mode
