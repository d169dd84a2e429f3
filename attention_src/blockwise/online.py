"""Attention block by block: the same result, in memory that grows with the length and not with its square.

A softmax needs the largest score of its row and the sum of the powers, and seems to need the whole row for that.
Both can be kept up while the row passes by in blocks (Milakov and Gimelshein, 2018). So no more of the (N, M)
scores exists at a time than one block, and the backward pass computes each block again instead of keeping it
(Rabe and Staats, 2021; Dao et al., 2022).
"""

import math
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from attention_src.blockwise.tiles import Tiles
from attention_src.core.checks import check_blocked, check_inputs, check_scale
from attention_src.masks import Align


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

    The gradient can be taken once: a second derivative raises a RuntimeError.

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
            number, or `block` not an int.
        ValueError: Shapes or devices do not fit, `D` is 0, `scale` is infinite or NaN, `causal` is unknown, or
            `block` is less than 1.
    """
    check_inputs(q=q, k=k, v=v)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    check_scale(scale)
    if blocked is not None:
        # One number, expanded, has the shape of the scores and none of their memory.
        check_blocked(blocked, q.new_empty(()).expand(*_leading(q, k), q.shape[-2], k.shape[-2]))
    tiles = Tiles(q.shape[-2], k.shape[-2], causal, block)
    lead = _leading(q, k, v)
    expanded = (tensor.expand(*lead, *tensor.shape[-2:]) for tensor in (q, k, v))
    output: Tensor = _Blockwise.apply(*expanded, blocked, scale, tiles)  # type: ignore[no-untyped-call]
    return output


def _leading(*tensors: Tensor) -> torch.Size:
    """Return what the axes before the last two broadcast to."""
    shape: torch.Size = torch.broadcast_shapes(*(tensor.shape[:-2] for tensor in tensors))  # type: ignore[no-untyped-call]
    return shape


class _Blockwise(torch.autograd.Function):
    """The operation, on tensors with the same leading axes."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, blocked: Tensor | None, scale: float, tiles: Tiles
    ) -> Tensor:
        """Fill the output, and keep two numbers for each query, from which its weights can be computed again."""
        dtype = torch.promote_types(q.dtype, torch.float32)
        output = q.new_empty(*q.shape[:-1], v.shape[-1])
        top, total = (q.new_empty(*q.shape[:-1], 1, dtype=dtype) for _ in range(2))
        with _own_precision(q.device):
            for rows in tiles.rows():
                query = q[..., rows, :].to(dtype) * scale
                parts = _attend(query, k, v, blocked, tiles, rows)
                for whole, part in zip((output, top, total), parts, strict=True):
                    whole[..., rows, :] = part
        ctx.save_for_backward(q, k, v, blocked, output, top, total)
        ctx.scale, ctx.tiles = scale, tiles
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """Compute each block of weights again, and add up what it passes on."""
        q, k, v, blocked, output, top, total = ctx.saved_tensors
        scale, tiles, dtype = ctx.scale, ctx.tiles, top.dtype
        dq, dk, dv = (torch.zeros_like(x, dtype=dtype) for x in (q, k, v))
        with _own_precision(q.device):
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
        return dq.mul_(scale).to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), None, None, None


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


def _own_precision(device: torch.device) -> AbstractContextManager[None]:
    """Keep autocast away from sums that are in float32 for a reason; devices without it, such as meta, have none."""
    if not torch.amp.is_autocast_available(device.type):
        return nullcontext()
    return torch.autocast(device.type, enabled=False)
