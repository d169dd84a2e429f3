"""Tests of `attention_src.core.sizes`: what the core does while a graph of it is recorded.

Each function is recorded at one size and run at another, where a size that had become a constant would show.
"""

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim, export
from torch.func import functionalize, vmap
from torch.testing import assert_close

from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.heads import MultiHeadAttention, join_heads, split_heads
from attention_src.masks import causal_blocked, combine, padding_blocked
from attention_src.models.classifier import masked_mean
from attention_src.positions import sinusoidal_positions

LAYER = MultiHeadAttention(4, 2).requires_grad_(False)


def ids_of(x: Tensor) -> Tensor:
    """Make token ids of numbers."""
    return (x[..., 0] * 3).long().abs()


CASES = {
    "attention": lambda x: attention(x, x, x)[0],
    "attention, float16": lambda x: attention(*[x.half()] * 3)[0].float(),
    "broadcast": lambda x: attention(x, x[:1], x[:1])[0],
    "causal": lambda x: attention(x, x, x, causal_blocked(x.shape[-2])[None])[0],
    "cached": lambda x: attention(x[:, :2], x, x, causal_blocked(2, x.shape[-2], align="bottom-right")[None])[0],
    "padding": lambda x: attention(x, x, x, padding_blocked(ids_of(x)))[0],
    "both": lambda x: combine(padding_blocked(ids_of(x)), causal_blocked(x.shape[1])[None]),
    "scores": lambda x: scores(x, x),
    "weights": lambda x: weights(x),
    "split": lambda x: split_heads(x, 2),
    "joined": lambda x: join_heads(split_heads(x, 2)),
    "layer": lambda x: LAYER(x, x, x)[0],
    "positions": lambda x: x + sinusoidal_positions(x.shape[-2], x.shape[-1], offset=x.shape[0]),
    "mean": lambda x: masked_mean(x, ids_of(x)),
}
each_case = pytest.mark.parametrize("function", CASES.values(), ids=CASES.keys())


@pytest.fixture
def small(randn) -> Tensor:
    """Return (2, 3, 4), float32, with which a graph is recorded."""
    return randn(2, 3, 4).float()


@pytest.fixture
def large(randn) -> Tensor:
    """Return (5, 7, 4), float32, on which it runs."""
    return randn(5, 7, 4).float()


@each_case
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_trace_gives_the_same_at_another_size(function, small, large):
    """transformers #28610: sizes are tensors while torch.jit.trace looks on, and it warns of none of them."""
    traced = torch.jit.trace(function, small)
    assert_close(traced(small), function(small))
    assert_close(traced(large), function(large))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_trace_scales_by_the_width_it_is_called_with(randn, dtype):
    """A root that had become a constant would be that of the width it was made with."""
    traced = torch.jit.trace(lambda x: attention(x, x, x)[0], randn(2, 3, 4).to(dtype))
    x = randn(2, 5, 17).to(dtype)
    assert_close(traced(x), attention(x, x, x)[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_trace_refuses_what_does_not_fit(small):
    """The checks run while a trace is made, and name numbers."""
    with pytest.raises(ValueError, match=r"same width D, got q \(2, 3, 4\), k \(2, 3, 3\)$"):
        torch.jit.trace(lambda x: scores(x, x[..., :3]), small)
    with pytest.raises(ValueError, match="2 queries and 3 keys can be aligned in two ways"):
        torch.jit.trace(lambda x: causal_blocked(x.shape[0], x.shape[1]), small)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_trace_of_blockwise_says_that_it_is_not_supported(small):
    """The loop over blocks would be unrolled for one length."""
    with pytest.raises(RuntimeError, match=r"torch\.jit\.trace cannot trace blockwise_attention"):
        torch.jit.trace(lambda x: blockwise_attention(x, x, x), small)


class Module(nn.Module):
    """A function as a module, which is what can be exported."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


@each_case
@pytest.mark.slow
def test_export_with_dynamic_axes_gives_the_same_at_another_size(function, small, large):
    """Sizes are symbols there, which can be compared and not hashed."""
    axes = {0: Dim.AUTO, 1: Dim.AUTO}
    exported = export(Module(function), (small,), dynamic_shapes=(axes,)).module()
    assert_close(exported(small), function(small))
    assert_close(exported(large), function(large))


def test_export_of_blockwise_holds_its_callers_to_the_lengths(small, large):
    """The number of blocks is part of the program, which says so when it does not fit."""
    exported = export(Module(lambda x: blockwise_attention(x, x, x, block=2)), (small,)).module()
    assert_close(exported(small), blockwise_attention(small, small, small))
    with pytest.raises(AssertionError, match="Guard failed"):
        exported(large)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attention", "causal", "both", "layer", "mean"])
def test_compiled_gives_the_same_at_another_size(name, small, large):
    """One graph without a break, for a fixed size and then for any."""
    function = CASES[name]
    compiled = torch.compile(function, backend="eager", fullgraph=True)
    assert_close(compiled(small), function(small))
    assert_close(compiled(large), function(large))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own doing
def test_compiled_blockwise_gives_the_same_at_another_size(small, large):
    """The loop is unrolled again for another length."""
    compiled = torch.compile(lambda x: blockwise_attention(x, x, x, block=2), backend="eager")
    assert_close(compiled(small), blockwise_attention(small, small, small))
    assert_close(compiled(large), blockwise_attention(large, large, large))


@each_case
def test_functions_run_under_transforms_and_without_data(function, small):
    """functionalize gives the same, vmap the same for each, and a fake tensor the same shape."""
    assert_close(functionalize(function)(small), function(small))
    assert_close(vmap(function)(small[None]), function(small)[None])
    shape = function(small).shape
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert function(mode.from_tensor(small)).shape == shape


@pytest.mark.parametrize("name", ["attention", "broadcast", "scores", "weights", "split", "mean"])
def test_functions_run_on_the_meta_device(name, small):
    """Shapes come out as ever."""
    assert CASES[name](small.to("meta")).shape == CASES[name](small).shape
