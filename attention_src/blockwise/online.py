"""Attention block by block: the same result, in memory that grows with the length and not with its square.

A softmax needs the largest score of its row and the sum of the powers, and seems to need the whole row for that.
Both can be kept up while the row passes by in blocks (Milakov and Gimelshein, 2018). So no more of the (N, M)
scores exists at a time than one block, and the backward pass computes each block again instead of keeping it
(Rabe and Staats, 2021; Dao et al., 2022).
"""

import math
from typing import Any, NoReturn

import torch
from torch import Tensor

from attention_src.blockwise.tiles import Tiles
from attention_src.core.checks import check_blocked, check_inputs, check_scale
from attention_src.core.foreign import MASKS, translated
from attention_src.core.precision import own_precision, wide
from attention_src.core.scores import default_scale
from attention_src.core.sizes import is_traced
from attention_src.masks import Align

_ALIGNED = "write causal='top-left', or causal='bottom-right' with a cache of earlier keys"


@translated(MASKS, is_causal=_ALIGNED)
def blockwise_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    blocked: Tensor | None = None,
    scale: float | None = None,
    *,
    causal: Align | None = None,
    block: int = 128,
) -> Tensor:
    """Return the output of `attention` without ever holding the weights.

    Apart from rounding, the output is that of `attention(q, k, v, blocked, scale)[0]`, and so are the gradients.
    A query whose keys are all blocked gets zeros, and a gradient of 0.
    The work still grows with `N · M`; only the memory does not.

    Blocks of keys that `causal` blocks for all their queries are skipped.
    A NaN in a blocked value does not reach the output from there, and does from elsewhere: clear padding first, as
    `attention` says.

    The gradient can be taken once: a second derivative raises a RuntimeError, with respect to any input and in
    `torch.func` too. So do a derivative in forward mode and `torch.jit.trace`, since a trace fixes the number of
    blocks. What `torch.export` gives holds its callers to the lengths that it was made with.

    Sources: Milakov and Gimelshein (2018), "Online normalizer calculation for softmax", algorithm 3, for the forward
    pass; Dao et al. (2022), "FlashAttention", section 3 and appendix B, for the backward pass.

    Args:
        q: Queries, (..., N, D).
        k: Keys, (..., M, D).
        v: Values, (..., M, V). The leading axes of `q`, `k` and `v` broadcast.
        blocked: Boolean mask that broadcasts to (..., N, M); `True` blocks the key for the query.
            It takes no more memory than you give it: padding, (B, 1, 1, M), is not expanded.
        scale: What the dot products are multiplied by; `1 / √D` by default.
        causal: Block the future too, as `causal_blocked(N, M, align=causal)` does, without making that mask.
        block: How many queries and how many keys a block has. The scores of one block, with all leading axes, are
            what is held beside the result: (..., block, block).

    Returns:
        The output, (..., N, V), in the dtype of the inputs. Shorter dtypes are computed in float32.

    Raises:
        TypeError: An input is not a floating tensor, dtypes differ, `blocked` is not boolean, `scale` is not a
            number, or `block` not an int. A parameter of another library, such as `attn_mask`, is translated in
            the message.
        ValueError: Shapes or devices do not fit, `D` is 0, `scale` is infinite or NaN, `causal` is unknown, or
            `block` is less than 1.
        RuntimeError: It is being traced by `torch.jit.trace`, or, later, a second derivative is asked for.
    """
    if is_traced():
        raise RuntimeError(
            "torch.jit.trace cannot trace blockwise_attention, since it would fix the number of blocks: "
            "write attention(...)[0], or take torch.export"
        )
    check_inputs(q=q, k=k, v=v)
    check_scale(scale)
    factor = default_scale(q) if scale is None else scale
    if blocked is not None:
        # One number, expanded, has the shape of the scores and none of their memory.
        check_blocked(blocked, q.new_empty(()).expand(*_leading(q, k), q.shape[-2], k.shape[-2]))
    tiles = Tiles(q.shape[-2], k.shape[-2], causal, block)
    lead = _leading(q, k, v)
    expanded = (tensor.expand(*lead, *tensor.shape[-2:]) for tensor in (q, k, v))
    output: Tensor = _Blockwise.apply(*expanded, blocked, factor, tiles)[0]  # type: ignore[no-untyped-call]
    return output


def _leading(*tensors: Tensor) -> torch.Size:
    """Return what the axes before the last two broadcast to."""
    shape: torch.Size = torch.broadcast_shapes(*(tensor.shape[:-2] for tensor in tensors))  # type: ignore[no-untyped-call]
    return shape


class _Blockwise(torch.autograd.Function):
    """The operation, on tensors with the same leading axes."""

    @staticmethod
    def forward(
        q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None, scale: float, tiles: Tiles
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Fill the output, and keep two numbers for each query, from which its weights can be computed again."""
        dtype = wide(q.dtype)
        output = q.new_empty(*q.shape[:-1], v.shape[-1])
        top, total = (q.new_empty(*q.shape[:-1], 1, dtype=dtype) for _ in range(2))
        with own_precision(q.device):
            for rows in tiles.rows():
                query = q[..., rows, :].to(dtype) * scale
                parts = _attend(query, k, v, blocked, tiles, rows)
                for whole, part in zip((output, top, total), parts, strict=True):
                    whole[..., rows, :] = part
        return output, top, total

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        """Keep what the gradients are made from."""
        *tensors, ctx.scale, ctx.tiles = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)  # or zeros would be made for these two
        ctx.save_for_backward(*tensors, *output)

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, *_: Tensor | None) -> tuple[Tensor | None, ...]:
        """Leave it to an operation of its own, which sees q, k and v and so knows when it is differentiated."""
        if grad is None:  # nothing depends on the output
            return (None,) * 6
        return (*_Gradients.apply(grad, *ctx.saved_tensors, ctx.scale, ctx.tiles), None, None, None)  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Any, tuple[int, ...]]:
        """Take the axis that `torch.vmap` hides for one more leading axis."""
        *tensors, scale, tiles = inputs
        return _Blockwise.apply(*_shown(info.batch_size, in_dims, tensors), scale, tiles), (0, 0, 0)  # type: ignore[no-untyped-call]

    @staticmethod
    def jvp(ctx: Any, *_: Tensor | None) -> NoReturn:  # noqa: ARG004
        """Refuse: the forward pass has no derivative of its own beside it."""
        raise RuntimeError(
            "blockwise_attention has no derivative in forward mode (torch.func.jvp, jacfwd, hessian): "
            "take attention(q, k, v, blocked, scale)[0]"
        )


class _Gradients(torch.autograd.Function):
    """The gradients of q, k and v.

    An operation of its own, because PyTorch would otherwise take the gradients for constants wherever `grad` is
    one: then a second derivative would be missing from a sum without a word.
    """

    @staticmethod
    def forward(
        grad: Tensor,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        blocked: Tensor | None,
        output: Tensor,
        top: Tensor,
        total: Tensor,
        scale: float,
        tiles: Tiles,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute each block of weights again, and add up what it passes on."""
        dtype = top.dtype
        # Made from `grad` and not from `x`: of these only `grad` holds several under `is_grads_batched`.
        dq, dk, dv = (grad.new_zeros(x.shape, dtype=dtype) for x in (q, k, v))
        with own_precision(q.device):
            for rows in tiles.rows():
                query = q[..., rows, :].to(dtype) * scale
                # The weights are powers / total; to divide what they are multiplied by is less to divide.
                pull = grad[..., rows, :].to(dtype) / total[..., rows, :]
                # Softmax passes on w · (g − Σ w g), and by the chain rule for `w @ v` that sum is this product.
                mean = (pull * output[..., rows, :]).sum(-1, keepdim=True)
                for keys in tiles.keys(rows):
                    shut = tiles.shut(blocked, rows, keys, q.device)
                    powers = _scores(query, k[..., keys, :], shut).sub_(top[..., rows, :]).exp_()  # (..., n, m)
                    dv[..., keys, :] += powers.mT @ pull
                    ds = (pull @ v[..., keys, :].to(dtype).mT).sub_(mean).mul_(powers)
                    dq[..., rows, :] += ds @ k[..., keys, :].to(dtype)
                    dk[..., keys, :] += ds.mT @ query
                    del powers, ds  # or this block would still be held while the next one is made
        return dq.mul_(scale).to(q.dtype), dk.to(k.dtype), dv.to(v.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        """Keep nothing."""

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> NoReturn:  # noqa: ARG004
        """Refuse, rather than be silently wrong."""
        raise RuntimeError(
            "blockwise_attention can be differentiated once: for a second derivative, a penalty on gradients for "
            "example, take attention(q, k, v, blocked, scale)[0]"
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Any, tuple[int, ...]]:
        """Take the axis that `torch.vmap` hides for one more leading axis."""
        *tensors, scale, tiles = inputs
        return _Gradients.apply(*_shown(info.batch_size, in_dims, tensors), scale, tiles), (0, 0, 0)  # type: ignore[no-untyped-call]


def _shown(size: int, dims: tuple[int | None, ...], tensors: list[Tensor | None]) -> list[Tensor | None]:
    """Move the axis that `torch.vmap` hides to the front, in tensors that have it and in those that have not."""
    pairs = list(zip(tensors, dims, strict=False))  # `dims` goes on, with what is no tensor
    axes = 1 + max(tensor.ndim - (dim is not None) for tensor, dim in pairs if tensor is not None)
    shown: list[Tensor | None] = []
    for tensor, dim in pairs:
        if tensor is None:
            shown.append(None)
            continue
        front = tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
        # A mask may have fewer axes than the tensors; the new one must still come before all of theirs.
        shown.append(front[(slice(None), *[None] * (axes - front.ndim))])
    return shown


def _attend(
    query: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None, tiles: Tiles, rows: slice
) -> tuple[Tensor, Tensor, Tensor]:
    """Return for n queries the output, (..., n, V), the largest score and Σ exp(score − largest), (..., n, 1)."""
    # The lowest finite number and not -inf: a row that starts with blocked keys would subtract -inf from -inf.
    top = query.new_full((*query.shape[:-1], 1), torch.finfo(query.dtype).min)
    total, empty = torch.zeros_like(top), torch.ones_like(top, dtype=torch.bool)
    mixed = query.new_zeros(*query.shape[:-1], v.shape[-1])
    for keys in tiles.keys(rows):
        shut = tiles.shut(blocked, rows, keys, query.device)
        scores = _scores(query, k[..., keys, :], shut)
        higher = torch.maximum(top, scores.amax(-1, keepdim=True))
        # What was added up so far was divided by exp(top); from now on everything is by exp(higher).
        shrink = top.sub_(higher).exp_()
        powers = scores.sub_(higher).exp_()
        total.mul_(shrink).add_(powers.sum(-1, keepdim=True))
        mixed.mul_(shrink).add_(powers @ v[..., keys, :].to(query.dtype))
        top = higher
        if shut is None:
            empty.fill_(False)
        else:
            empty.logical_and_(shut.all(-1, keepdim=True))
        del scores, powers  # or this block would still be held while the next one is made
    # Not "where the total is 0": allowed scores that are all -inf give NaN, as they do in `attention`.
    return mixed.div_(total).masked_fill_(empty, 0.0), top, total.masked_fill_(empty, 1.0)


def _scores(query: Tensor, key: Tensor, shut: Tensor | None) -> Tensor:
    """Return one block of scores, (..., n, m), with -inf where blocked."""
    scores = query @ key.to(query.dtype).mT
    if shut is not None:
        scores.masked_fill_(shut, -math.inf)
    return scores
