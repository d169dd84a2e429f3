"""The parameters of PyTorch's `nn.MultiheadAttention`, checked, under the names that our layer has for them."""

from typing import cast

from torch import Tensor, nn

from attention_src.core.checks import check_same
from attention_src.core.sizes import shape_of


def parameters_of(layer: nn.MultiheadAttention) -> dict[str, Tensor]:
    """Return what the layer multiplies and adds, as the state dict of `MultiHeadAttention`.

    The layer's attributes are read, and not its own state dict: that one has other entries where a weight is
    computed from others, `out_proj.parametrizations.weight.original0` for example.

    Args:
        layer: As `MultiHeadAttention.from_torch` takes it.

    Raises:
        TypeError, ValueError: As `MultiHeadAttention.from_torch` says.
    """
    _check_kind(layer)
    _check_options(layer)
    _check_hooks(layer)
    found = _read(layer)
    ours = {}
    for kind in ("weight", "bias"):
        if f"in_proj_{kind}" in found:
            thirds = found[f"in_proj_{kind}"].chunk(3)
            for name, third in zip(("query", "key", "value"), thirds, strict=True):
                ours[f"{name}.{kind}"] = third
            ours[f"output.{kind}"] = found[f"out_proj.{kind}"]
    return ours


def _check_kind(layer: nn.MultiheadAttention) -> None:
    if not isinstance(layer, nn.MultiheadAttention):
        raise TypeError(f"layer must be an nn.MultiheadAttention, got {type(layer).__name__}")
    if type(layer).forward is not nn.MultiheadAttention.forward or "forward" in vars(layer):
        kind = f"{type(layer).__module__}.{type(layer).__qualname__}"
        raise ValueError(f"layer must compute as nn.MultiheadAttention does, got a {kind} with a forward of its own")


def _check_options(layer: nn.MultiheadAttention) -> None:
    if not (layer.embed_dim == layer.kdim == layer.vdim):
        widths = f"embed_dim {layer.embed_dim}, kdim {layer.kdim}, vdim {layer.vdim}"
        raise ValueError(f"layer must have one width for queries, keys and values, got {widths}")
    if layer.bias_k is not None or layer.add_zero_attn:
        found = "add_zero_attn" if layer.bias_k is None else "add_bias_kv"
        raise ValueError(f"layer must have neither add_bias_kv nor add_zero_attn, got one with {found}")


def _check_hooks(layer: nn.MultiheadAttention) -> None:
    """Refuse what computes a parameter anew at each call: what it is now need not be what the next call takes.

    On `out_proj` such a hook does no harm. PyTorch takes its weight and never calls it, so the hook never runs.
    """
    for hook in layer._forward_pre_hooks.values():
        if type(hook).__module__.startswith("torch.nn.utils"):
            raise ValueError(
                f"layer must keep its parameters from call to call, got one with a hook of {type(hook).__name__}: "
                "make it permanent first, with torch.nn.utils.prune.remove or what undoes the hook"
            )


def _read(layer: nn.MultiheadAttention) -> dict[str, Tensor]:
    width = layer.embed_dim
    shapes = {
        "in_proj_weight": (3 * width, width),
        "in_proj_bias": (3 * width,),
        "out_proj.weight": (width, width),
        "out_proj.bias": (width,),
    }
    values = {name: _attribute(layer, name) for name in shapes}
    if values["in_proj_bias"] is None and values["out_proj.bias"] is None:
        del values["in_proj_bias"], values["out_proj.bias"]
    for name, value in values.items():
        _check_parameter(name, value, shapes[name])
    found = {name: cast(Tensor, value) for name, value in values.items()}
    for what in ("dtype", "device"):
        check_same(what, ValueError, {f"layer.{name}": tensor for name, tensor in found.items()})
    return found


def _attribute(layer: nn.MultiheadAttention, path: str) -> object:
    value: object = layer
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _check_parameter(name: str, value: object, shape: tuple[int, ...]) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"layer.{name} must be a tensor {shape}, got {type(value).__name__}")
    if not value.is_floating_point():
        raise ValueError(f"layer.{name} must be floating, got {value.dtype}")
    if shape_of(value) != shape:
        raise ValueError(f"layer.{name} must have the shape {shape}, got {shape_of(value)}")
