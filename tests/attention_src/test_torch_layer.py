"""Tests of `attention_src.torch_layer`: every layer of PyTorch's is taken over right, or refused with the reason."""

import re

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, prune
from torch.testing import assert_close

from attention_src.heads import MultiHeadAttention

D, H = 6, 2


@pytest.fixture
def layer(randn) -> nn.MultiheadAttention:
    """Return PyTorch's layer, float64, with biases that are not 0."""
    layer = nn.MultiheadAttention(D, H, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(randn(*parameter.shape))
    return layer


def scaled_after(layer: nn.MultiheadAttention) -> None:
    """Normalise a weight, and let an optimizer move its length."""
    parametrizations.weight_norm(layer.out_proj)
    with torch.no_grad():
        layer.out_proj.parametrizations.weight.original0.mul_(3)


def removed(layer: nn.MultiheadAttention) -> None:
    """Prune, and make it permanent."""
    prune.l1_unstructured(layer, "in_proj_weight", 0.5)
    prune.remove(layer, "in_proj_weight")


CHANGES = {
    "training": lambda layer: layer.train(),
    "weight norm": lambda layer: parametrizations.weight_norm(layer.out_proj),
    "weight norm, trained": scaled_after,
    "weight norm of the packed weight": lambda layer: parametrizations.weight_norm(layer, "in_proj_weight"),
    "orthogonal": lambda layer: parametrizations.orthogonal(layer.out_proj),
    "spectral norm": lambda layer: parametrizations.spectral_norm(layer.out_proj).eval(),
    "pruned output": lambda layer: prune.l1_unstructured(layer.out_proj, "weight", 0.5),
    "pruned bias": lambda layer: prune.l1_unstructured(layer.out_proj, "bias", 0.5),
    "pruned for good": removed,
    "evaluation": lambda layer: layer.eval(),
    "frozen": lambda layer: layer.requires_grad_(False),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_layer_with_computed_weights_is_taken_over(layer, randn, change):
    """LoRA-Torch #3, peft PR 1324: the state dict has no `out_proj.weight` then, and the attribute has it."""
    change(layer)
    x = randn(2, 5, D)
    with torch.no_grad():
        assert_close(MultiHeadAttention.from_torch(layer)(x, x, x)[0], layer(x, x, x)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("batch_first", [True, False])
def test_layer_of_any_dtype_and_order_is_taken_over(randn, dtype, batch_first):
    """The dtype stays, and our batch always comes first."""
    layer = nn.MultiheadAttention(D, H, batch_first=batch_first, dtype=dtype)
    x = randn(2, 5, D).to(dtype)
    ours, _ = MultiHeadAttention.from_torch(layer)(x, x, x)
    theirs, _ = layer(x, x, x) if batch_first else layer(*[x.transpose(0, 1)] * 3)
    tolerance = 8 * torch.finfo(dtype).eps
    assert_close(ours, theirs if batch_first else theirs.transpose(0, 1), rtol=tolerance, atol=tolerance)


def test_layer_without_data_is_taken_over():
    """On the meta device there is nothing to copy, and all shapes are there."""
    ours = MultiHeadAttention.from_torch(nn.MultiheadAttention(D, H, device="meta"))
    assert ours.output.weight.device.type == "meta"
    x = torch.empty(2, 5, D, device="meta")
    assert ours(x, x, x)[0].shape == (2, 5, D)


class Plain(nn.MultiheadAttention):
    """A subclass that computes the same."""


class Own(nn.MultiheadAttention):
    """A subclass that computes something else."""

    def forward(self, *inputs, **options):
        return super().forward(*inputs, **options)[0] * 2, None


def test_subclass_without_a_forward_of_its_own_is_taken_over(randn):
    """What is computed counts, not the name."""
    layer, x = Plain(D, H, batch_first=True, dtype=torch.float64), randn(2, 5, D)
    assert_close(MultiHeadAttention.from_torch(layer)(x, x, x)[0], layer(x, x, x)[0])


def replaced(name: str, value: object):
    """Return a change that puts something else into a layer's place."""

    def change(layer: nn.MultiheadAttention) -> None:
        owner, _, last = name.rpartition(".")
        target = layer.get_submodule(owner)
        if last in target._parameters or last in target._modules:
            delattr(target, last)
        setattr(target, last, value)

    return change


def quantised() -> nn.Module:
    """Return a linear layer whose `weight` is a method, as PyTorch's quantised ones have it."""

    class Quantised(nn.Module):
        def weight(self):
            raise NotImplementedError

    return Quantised()


REFUSED = {
    "hook that prunes": (
        lambda layer: prune.l1_unstructured(layer, "in_proj_weight", 0.5),
        "got one with a hook of L1Unstructured: make it permanent first",
    ),
    "quantised output": (
        replaced("out_proj", quantised()), "layer.out_proj.weight must be a tensor (6, 6), got method",
    ),
    "integers": (
        replaced("out_proj.weight", torch.zeros(D, D, dtype=torch.int8)),
        "layer.out_proj.weight must be floating, got torch.int8",
    ),
    "two dtypes": (
        lambda layer: layer.out_proj.float(),
        "must have the same dtype, got layer.in_proj_weight torch.float64, layer.in_proj_bias torch.float64, "
        "layer.out_proj.weight torch.float32, layer.out_proj.bias torch.float32",
    ),
    "two devices": (lambda layer: layer.out_proj.to("meta"), "must have the same device"),
    "another module": (
        replaced("out_proj", nn.Sequential(nn.Linear(D, D))),
        "layer.out_proj.weight must be a tensor (6, 6), got NoneType",
    ),
    "a wider output": (
        replaced("out_proj", nn.Linear(D, 7, dtype=torch.float64)),
        "layer.out_proj.weight must have the shape (6, 6), got (7, 6)",
    ),
    "one bias": (replaced("in_proj_bias", None), "layer.in_proj_bias must be a tensor (18,), got NoneType"),
    "a missing weight": (replaced("in_proj_weight", None), "layer.in_proj_weight must be a tensor (18, 6)"),
    "a forward put in its place": (replaced("forward", None), "with a forward of its own"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_layer_that_is_not_supported_is_refused_with_the_reason(layer, change, message):
    """Never a bare KeyError, and never a copy in part."""
    change(layer)
    with pytest.raises(ValueError, match=re.escape(message)):
        MultiHeadAttention.from_torch(layer)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_old_weight_norm_is_refused_where_it_would_be_computed_anew(layer, randn):
    """On the layer its hook runs at each call; on `out_proj`, which is never called, it does not."""
    nn.utils.weight_norm(layer.out_proj)
    x = randn(2, 5, D)
    assert_close(MultiHeadAttention.from_torch(layer)(x, x, x)[0], layer(x, x, x)[0])
    nn.utils.weight_norm(layer, "in_proj_weight")
    with pytest.raises(ValueError, match="a hook of WeightNorm"):
        MultiHeadAttention.from_torch(layer)


def test_subclass_with_a_forward_of_its_own_is_refused():
    """PyTorch's quantisable layer is one of them."""
    with pytest.raises(ValueError, match=r"got a \S*Own with a forward of its own"):
        MultiHeadAttention.from_torch(Own(D, H))


def test_what_is_read_is_a_copy_without_a_graph(layer):
    """A computed weight has a graph, which the copy does not keep."""
    parametrizations.weight_norm(layer.out_proj)
    ours = MultiHeadAttention.from_torch(layer)
    assert all(parameter.is_leaf for parameter in ours.parameters())
    with torch.no_grad():
        ours.output.weight.zero_()
    assert layer.out_proj.weight.abs().sum() > 0
