"""Positions: vectors that say where a token stands, added to the vectors that say what it is."""

import torch
from torch import Tensor

from attention_src.core.foreign import translated
from attention_src.core.sizes import check_int, numbers

BASE = 10000.0


@translated(
    length="the number of positions is called n here",
    max_len="the number of positions is called n here",
    d_model="the width is called d here",
    width="the width is called d here",
    start="the first position is called offset here",
)
def sinusoidal_positions(
    n: int,
    d: int,
    *,
    offset: int = 0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """Return the fixed positions of the Transformer: sines and cosines, slower from each pair of columns to the next.

    Row `p` holds, for each pair `j` from 0 to `d/2 - 1`, the sine and the cosine of one angle:

    - column `2j` is `sin(p / 10000^(2j/d))`,
    - column `2j + 1` is `cos(p / 10000^(2j/d))`.

    For column `i` the exponent is therefore `2⌊i/2⌋ / d`, not `i / d` and not `2i / d`.
    Add the result to embeddings (..., N, d): it broadcasts over what stands before `N`.
    With a cache of earlier keys the newest token does not stand at position 0: its `offset` is the number of
    tokens before it.

    The angles are computed in float64, whatever the `dtype`, and only the result is rounded:
    a float32 angle has an error that grows with the position, and bfloat16 cannot even count past 256.

    Source: Vaswani et al. (2017), section 3.5. The order of columns is the paper's, a sine beside its cosine;
    some code has all sines first and all cosines after them.

    Args:
        n: Number of positions, `N`.
        d: Width of the model, even.
        offset: The first position, counted from 0; the last one is `offset + N - 1`.
        dtype: A floating dtype; torch's default by default.
        device: Where the result goes; torch's default by default.

    Returns:
        Positions, (N, d), entries from -1 to 1, each row of length `√(d/2)`.

    Raises:
        TypeError: `n`, `d` or `offset` is not an int, or `dtype` is not floating.
        ValueError: `n` or `offset` is negative, or `d` is not an even number of at least 2.
    """
    dtype = torch.get_default_dtype() if dtype is None else dtype
    _check(n, d, offset, dtype)
    # On the CPU, since some devices have no float64.
    position = torch.arange(offset, offset + n, dtype=torch.float64, device="cpu")[:, None]  # (N, 1)
    exponent = torch.arange(0, d, 2, dtype=torch.float64, device="cpu") / d  # (d/2,)
    angle = position / BASE**exponent  # (N, d/2)
    pairs = torch.stack((angle.sin(), angle.cos()), dim=-1)  # (N, d/2, 2)
    return pairs.flatten(-2).to(dtype=dtype, device=torch.get_default_device() if device is None else device)


def _check(n: int, d: int, offset: int, dtype: torch.dtype) -> None:
    check_int("n", n, 0)
    check_int("d", d)
    check_int("offset", offset, 0)
    (width,) = numbers(d)
    if width < 2 or width % 2:
        raise ValueError(f"d must be even and at least 2, since each sine has its cosine, got {width}")
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(f"dtype must be a floating torch.dtype, got {dtype}")
