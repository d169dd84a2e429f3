"""Tests of `attention_src.blockwise.tiles`."""

import pytest
import reference
import torch

from attention_src.blockwise.tiles import Tiles

CPU = torch.device("cpu")
each_causal = pytest.mark.parametrize("causal", [None, "top-left", "bottom-right"])
each_size = pytest.mark.parametrize(("n", "m"), [(5, 7), (7, 5), (11, 11), (1, 13), (0, 3), (3, 0)])
each_block = pytest.mark.parametrize("block", [1, 2, 3, 100])


def whole(n: int, m: int, causal: str | None) -> torch.Tensor:
    """Return the causal mask of the oracle, (n, m), all False without one."""
    rows = [[False] * m] * n if causal is None else reference.causal(n, m, causal)
    return torch.tensor(rows, dtype=torch.bool).reshape(n, m)


@each_causal
@each_size
@each_block
def test_tiles_put_together_are_the_whole_mask(n, m, causal, block):
    """Blocks cover each allowed pair once, what they leave out is blocked, and each holds its part of the mask."""
    tiles = Tiles(n, m, causal, block)
    seen = torch.zeros(n, m, dtype=torch.int)
    expected = whole(n, m, causal)
    for rows in tiles.rows():
        for keys in tiles.keys(rows):
            seen[rows, keys] += 1
            shut = tiles.shut(None, rows, keys, CPU)
            part = expected[rows, keys]
            assert torch.equal(torch.zeros_like(part) if shut is None else shut, part)
    assert (seen == 1).logical_or((seen == 0) & expected).all()


@each_causal
@each_size
@each_block
def test_tiles_skip_every_block_of_the_future(n, m, causal, block):
    """No block is blocked whole."""
    tiles = Tiles(n, m, causal, block)
    expected = whole(n, m, causal)
    for rows in tiles.rows():
        assert all(not expected[rows, keys].all() for keys in tiles.keys(rows))


@pytest.mark.parametrize("block", [2, 3, 100])
@pytest.mark.parametrize("shape", [(2, 1, 5, 7), (2, 1, 1, 7), (1, 3, 5, 1), (1, 1, 1, 1)], ids=str)
def test_tiles_join_a_given_mask_with_the_causal_one(shape, block):
    """A block is blocked where either says so, and axes of size 1 stay what they are."""
    tiles = Tiles(5, 7, "bottom-right", block)
    blocked = torch.arange(torch.Size(shape).numel()).reshape(shape) % 3 == 0
    joined = blocked | whole(5, 7, "bottom-right")
    for rows in tiles.rows():
        for keys in tiles.keys(rows):
            shut = tiles.shut(blocked, rows, keys, CPU)
            n, m = rows.stop - rows.start, keys.stop - keys.start
            assert torch.equal(shut.expand(*joined.shape[:2], n, m), joined[..., rows, keys])


def test_tiles_give_a_view_of_a_mask_without_the_future():
    """Nothing is copied for a block that lies wholly in the past."""
    blocked = torch.zeros(2, 1, 1, 7, dtype=torch.bool)
    shut = Tiles(7, 7, "top-left", 2).shut(blocked, slice(4, 6), slice(2, 4), CPU)
    assert shut.untyped_storage().data_ptr() == blocked.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    ("causal", "block", "error", "message"),
    [
        ("middle", 2, ValueError, 'causal must be "top-left", "bottom-right" or None, got \'middle\''),
        (None, 0, ValueError, "block must be at least 1, got 0"),
        (None, "2", TypeError, "block must be an int, got str"),
        (None, True, TypeError, "block must be an int, got bool"),
    ],
)
def test_tiles_refuse_bad_options(causal, block, error, message):
    """The error names what was expected and what came."""
    with pytest.raises(error, match=message):
        Tiles(5, 7, causal, block)
