"""Tests of `attention_src.positions`."""

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked
from attention_src.positions import sinusoidal_positions


def oracle(n: int, d: int) -> Tensor:
    """Section 3.5 of the paper, entry by entry with Python's own floats."""
    rows = []
    for position in range(n):
        row = []
        for column in range(d):
            angle = position / 10000 ** (2 * (column // 2) / d)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float64).reshape(n, d)


@pytest.mark.parametrize(("n", "d"), [(7, 2), (13, 6), (5, 22), (101, 26)])
def test_sinusoidal_positions_match_the_oracle(n, d):
    """Every entry is the paper's, sines in even columns and their cosines beside them."""
    assert_close(sinusoidal_positions(n, d, dtype=torch.float64), oracle(n, d), rtol=0, atol=1e-12)


def test_sinusoidal_positions_begin_with_zeros_and_ones():
    """Position 0 has the sine and the cosine of 0."""
    assert sinusoidal_positions(1, 6).tolist() == [[0, 1, 0, 1, 0, 1]]


def test_sinusoidal_positions_have_a_sine_and_cosine_of_one_angle():
    """Squares of a pair sum to 1, so every row is `√(d/2)` long; another exponent in odd columns breaks it."""
    positions = sinusoidal_positions(103, 22, dtype=torch.float64)
    assert_close(positions[:, 0::2] ** 2 + positions[:, 1::2] ** 2, torch.ones(103, 11, dtype=torch.float64))


def test_sinusoidal_positions_shift_is_a_rotation():
    """Turning each pair by its own angle moves every position by the same number of places."""
    step, d = 7, 10
    positions = sinusoidal_positions(53, d, dtype=torch.float64)
    moved = positions.clone()
    for j in range(d // 2):
        angle = step / 10000 ** (2 * j / d)
        sine, cosine = positions[:, 2 * j], positions[:, 2 * j + 1]
        moved[:, 2 * j] = sine * math.cos(angle) + cosine * math.sin(angle)
        moved[:, 2 * j + 1] = cosine * math.cos(angle) - sine * math.sin(angle)
    assert_close(moved[:-step], positions[step:])


def test_sinusoidal_positions_products_depend_on_the_distance_only():
    """Two positions as far apart as two others have the same dot product."""
    positions = sinusoidal_positions(47, 14, dtype=torch.float64)
    products = positions @ positions.mT
    for offset in (0, 1, 11, 29):
        line = products.diagonal(offset)
        assert_close(line, line[:1].expand_as(line))


def test_sinusoidal_positions_far_out_keep_float32_precision():
    """At position 100,003 an angle of float32 would be off by more than a thousandth."""
    far = sinusoidal_positions(100_004, 14)[-1]
    angles = [100_003 / 10000 ** (2 * (column // 2) / 14) for column in range(14)]
    right = [math.cos(angle) if column % 2 else math.sin(angle) for column, angle in enumerate(angles)]
    assert_close(far, torch.tensor(right), rtol=0, atol=1e-7)


def test_sinusoidal_positions_in_bfloat16_are_rounded_once():
    """Low precision rounds the entries and not the positions, which stay different past 256."""
    low = sinusoidal_positions(331, 14, dtype=torch.bfloat16)
    assert_close(low, oracle(331, 14).bfloat16(), rtol=0, atol=0)
    assert not torch.equal(low[256], low[257])


def test_sinusoidal_positions_of_fewer_are_the_first_rows():
    """A longer table begins with the shorter one."""
    assert torch.equal(sinusoidal_positions(11, 6), sinusoidal_positions(17, 6)[:11])


@pytest.mark.parametrize("offset", [0, 1, 7, 100])
def test_sinusoidal_positions_with_an_offset_are_later_rows(offset):
    """They are the rows of a longer table, to the last bit."""
    whole = sinusoidal_positions(offset + 5, 6, dtype=torch.float64)
    assert torch.equal(sinusoidal_positions(5, 6, offset=offset, dtype=torch.float64), whole[offset:])


def test_sinusoidal_positions_serve_decoding_with_a_cache(randn):
    """mlx-lm PR 93, OpenNMT-tf PR 498: each new token at position 0 misses the whole pass; counted on, it does not."""
    tokens, causal = randn(7, 6), causal_blocked(7)

    def step(t: int, offset: int) -> Tensor:
        positions = torch.cat([sinusoidal_positions(1, 6, offset=offset * s, dtype=tokens.dtype) for s in range(t + 1)])
        cached = tokens[: t + 1] + positions
        return attention(cached[-1:], cached, cached)[0]

    text = tokens + sinusoidal_positions(7, 6, dtype=tokens.dtype)
    whole, _ = attention(text, text, text, causal)
    assert_close(torch.cat([step(t, 1) for t in range(7)]), whole)
    assert (torch.cat([step(t, 0) for t in range(7)]) - whole).abs().max() > 0.5


def test_sinusoidal_positions_far_offset_keeps_float32_precision():
    """The angle is in float64, so the millionth position is as exact as the first, in every dtype."""
    far = sinusoidal_positions(2, 14, offset=1_000_003)
    angles = [1_000_004 / 10000 ** (2 * (column // 2) / 14) for column in range(14)]
    right = [math.cos(angle) if column % 2 else math.sin(angle) for column, angle in enumerate(angles)]
    assert_close(far[1], torch.tensor(right), rtol=0, atol=1e-7)
    low = sinusoidal_positions(2, 14, offset=1_000_003, dtype=torch.bfloat16)
    assert_close(low, far.bfloat16(), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("offset", "error", "message"),
    [
        (-1, ValueError, "offset must be at least 0, got -1"),
        (2.0, TypeError, "offset must be an int, got float"),
        (True, TypeError, "offset must be an int, got bool"),
        (torch.tensor(3), TypeError, "offset must be an int, got Tensor"),
        (None, TypeError, "offset must be an int, got NoneType"),
    ],
)
def test_sinusoidal_positions_refuse_an_offset_that_is_no_position(offset, error, message):
    """Positions are counted from 0 in whole numbers."""
    with pytest.raises(error, match=message):
        sinusoidal_positions(3, 6, offset=offset)


def test_sinusoidal_positions_of_none_are_empty():
    """An empty sequence has no positions and keeps its width."""
    assert sinusoidal_positions(0, 6).shape == (0, 6)


def test_sinusoidal_positions_dtype_and_device_are_followed():
    """Both are passed on, and torch's defaults hold where they are not given."""
    assert sinusoidal_positions(3, 2).dtype == torch.float32
    assert sinusoidal_positions(3, 2, dtype=torch.float16).dtype == torch.float16
    assert sinusoidal_positions(3, 2, device="meta").device.type == "meta"
    with torch.device("meta"):
        assert sinusoidal_positions(3, 2).device.type == "meta"


def test_sinusoidal_positions_take_no_gradient():
    """They are constants."""
    assert not sinusoidal_positions(3, 2).requires_grad


@pytest.mark.parametrize("d", [7, 1, 0, -2])
def test_sinusoidal_positions_refuse_a_width_without_pairs(d):
    """An odd width would leave a sine without its cosine."""
    with pytest.raises(ValueError, match=f"d must be even and at least 2, since each sine has its cosine, got {d}"):
        sinusoidal_positions(3, d)


def test_sinusoidal_positions_refuse_a_negative_number():
    """There are no fewer than no positions."""
    with pytest.raises(ValueError, match="n must be at least 0, got -1"):
        sinusoidal_positions(-1, 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3.0, 6), "n must be an int, got float"),
        ((True, 6), "n must be an int, got bool"),
        ((3, 6.0), "d must be an int, got float"),
        ((torch.zeros(2, 3), 6), "n must be an int, got Tensor"),
    ],
)
def test_sinusoidal_positions_refuse_sizes_that_are_no_ints(arguments, message):
    """A tensor handed over in place of its length is caught by name."""
    with pytest.raises(TypeError, match=message):
        sinusoidal_positions(*arguments)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.complex64])
def test_sinusoidal_positions_refuse_a_dtype_that_is_not_floating(dtype):
    """Integers would round every entry to -1, 0 or 1."""
    with pytest.raises(TypeError, match=f"dtype must be a floating torch.dtype, got {dtype}"):
        sinusoidal_positions(3, 6, dtype=dtype)
