"""Multi-head attention: split the width into heads, attend in each, join them, mix.

Source: Vaswani et al. (2017), section 3.2.2.
"""

from torch import Tensor, nn

from attention_src.core.attention import attention
from attention_src.core.checks import check_inputs
from attention_src.core.foreign import MASKS, translated
from attention_src.core.sizes import check_int, numbers, shape_of
from attention_src.torch_layer import parameters_of


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Cut the width into `heads` pieces, and move them to an axis of their own, before the tokens.

    Head `i` gets the columns `i * D / H` to `(i + 1) * D / H - 1` of every token.
    `x.view(B, H, N, D // H)` has the same shape and other contents: it cuts the *sequence* into pieces.

    Args:
        x: Tokens, (..., N, D).
        heads: Number of heads, `H`, a divisor of `D`.

    Returns:
        A view of `x`, (..., H, N, D/H).

    Raises:
        TypeError: `x` is not a tensor, or `heads` not an int.
        ValueError: `x` has fewer than two axes, `heads` is less than 1, or does not divide `D`.
    """
    _check_axes(x, 2, "(..., N, D)")
    width = x.shape[-1]
    _check_heads(width, heads)
    apart = x.reshape(*x.shape[:-1], heads, width // heads)  # (..., N, D) -> (..., N, H, D/H)
    return apart.transpose(-3, -2)  # -> (..., H, N, D/H)


def join_heads(x: Tensor) -> Tensor:
    """Put the heads side by side again; undoes `split_heads`.

    Args:
        x: Heads, (..., H, N, D/H).

    Returns:
        Tokens, (..., N, D): each token's heads in order, none averaged.

    Raises:
        TypeError: `x` is not a tensor.
        ValueError: `x` has fewer than three axes.
    """
    _check_axes(x, 3, "(..., H, N, D/H)")
    return x.transpose(-3, -2).flatten(-2)  # (..., N, H, D/H) -> (..., N, D)


class MultiHeadAttention(nn.Module):
    """Attention in `heads` slices of the width, mixed by a last projection.

    Its parameters are four `nn.Linear(d, d)`: `query`, `key`, `value` and `output`, `4d² + 4d` numbers with
    biases, whatever the number of heads. They start as `nn.Linear` starts them; `nn.MultiheadAttention` starts
    otherwise. There is no dropout.

    Args:
        d: Width of the tokens, in and out.
        heads: Number of heads, `H`, a divisor of `d`.
        bias: Whether the four projections add a bias.

    Raises:
        TypeError: `d` or `heads` is not an int.
        ValueError: One of them is less than 1, or `heads` does not divide `d`.
    """

    @translated(
        embed_dim="the width is called d here",
        num_heads="the number of heads is called heads here",
        dropout="there is no dropout in it",
        batch_first="the batch always comes first here",
        kdim="queries, keys and values have one width here, d",
        vdim="queries, keys and values have one width here, d",
        add_bias_kv="no key is added to the given ones here",
        add_zero_attn="no key is added to the given ones here",
    )
    def __init__(self, d: int, heads: int, bias: bool = True) -> None:
        super().__init__()
        check_int("d", d, 1)
        _check_heads(d, heads)
        self.d, self.heads = d, heads
        self.query = nn.Linear(d, d, bias=bias)
        self.key = nn.Linear(d, d, bias=bias)
        self.value = nn.Linear(d, d, bias=bias)
        self.output = nn.Linear(d, d, bias=bias)

    @classmethod
    def from_torch(cls, layer: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Make a layer that computes what PyTorch's computes, with a copy of its parameters.

        | here | in `nn.MultiheadAttention` |
        | --- | --- |
        | `query.weight`, `key.weight`, `value.weight` | first, second and third `d` rows of `in_proj_weight` |
        | `query.bias`, `key.bias`, `value.bias` | the same thirds of `in_proj_bias` |
        | `output.weight`, `output.bias` | `out_proj.weight`, `out_proj.bias` |

        The device, the dtype and the training mode are taken over; dropout, `batch_first` and hooks are not.
        Here the batch always comes first, and the returned weights are those of each head, not their mean.
        Of a parameter that is computed from others, such as a weight under `parametrizations.weight_norm` or one
        that was pruned, the copy holds what it is now.

        Args:
            layer: With one width for queries, keys and values, without `add_bias_kv` and `add_zero_attn`.

        Raises:
            TypeError: `layer` is not an `nn.MultiheadAttention`.
            ValueError: It has other widths for keys or values, or one of these two options; its class has a
                `forward` of its own; a hook of `torch.nn.utils` changes its parameters at each call; or one of
                the four is not a floating tensor of the layer's shape, dtype and device, as in a quantised layer.
        """
        parameters = parameters_of(layer)
        kept = parameters["query.weight"]
        ours = cls(layer.embed_dim, layer.num_heads, bias="query.bias" in parameters)
        ours.to(device=kept.device, dtype=kept.dtype).train(layer.training)
        ours.load_state_dict(parameters)
        return ours

    @translated(MASKS)
    def forward(self, q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Attend from `q` to `k` and `v`; hand over one tensor three times for self-attention.

        A query whose keys are all blocked gets the bias of `output`: zeros, mixed.

        Args:
            q: What asks, (..., N, d).
            k: What is matched, (..., M, d).
            v: What is handed over, (..., M, d).
            blocked: Boolean mask that broadcasts to (..., H, N, M); `True` blocks the key for the query.
                For the (B, 1, M) of `padding_blocked`, write `blocked[:, None]`.

        Returns:
            The output, (..., N, d), and the weights of each head, (..., H, N, M).

        Raises:
            TypeError: An input is not a floating tensor, dtypes differ, or `blocked` is not boolean. A parameter
                of another library, such as `key_padding_mask`, is translated in the message.
            ValueError: Shapes or devices do not fit.
        """
        check_inputs(q=q, k=k, v=v)
        for name, tensor in (("q", q), ("k", k), ("v", v)):
            if shape_of(tensor)[-1] != self.d:
                raise ValueError(f"{name} must have the layer's width d = {self.d}, got {shape_of(tensor)}")
        mixed, weights = attention(
            split_heads(self.query(q), self.heads),
            split_heads(self.key(k), self.heads),
            split_heads(self.value(v), self.heads),
            blocked,
        )
        return self.output(join_heads(mixed)), weights


def _check_axes(x: Tensor, least: int, axes: str) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"x must be a torch.Tensor, got {type(x).__name__}")
    if x.ndim < least:
        raise ValueError(f"x must have at least the last {least} axes of {axes}, got {shape_of(x)}")


def _check_heads(width: int, heads: int) -> None:
    check_int("heads", heads, 1)
    (size,) = numbers(width)
    if size % heads:
        raise ValueError(f"heads must divide the width, got {heads} heads for a width of {size}")
