"""Tests of `attention_src.core.checks`: what is refused, in which words, and what is let through."""

import re

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.masks import causal_blocked, combine, padding_blocked

EMPTY_ADVICE = "so what its first axis stands for is open: write "


def zeros(*shape: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> Tensor:
    """Return a tensor whose values do not matter."""
    return torch.zeros(shape, dtype=dtype, device=device)


def shut(*shape: int) -> Tensor:
    """Return a mask whose values do not matter."""
    return zeros(*shape, dtype=torch.bool)


def refuses(error: type[Exception], message: str):
    """Expect an error with exactly this message."""
    return pytest.raises(error, match=f"^{re.escape(message)}$")


Q, K, V = zeros(2, 3, 5, 11), zeros(2, 3, 7, 11), zeros(2, 3, 7, 13)


@pytest.mark.parametrize(
    ("replaced", "error", "message"),
    [
        ({"q": [[1.0]]}, TypeError, "q must be a torch.Tensor, got list"),
        ({"k": None}, TypeError, "k must be a torch.Tensor, got NoneType"),
        ({"v": 1.0}, TypeError, "v must be a torch.Tensor, got float"),
        ({"q": Q.long()}, TypeError, "q must be floating, got torch.int64"),
        ({"k": K.bool()}, TypeError, "k must be floating, got torch.bool"),
        ({"v": V.to(torch.complex64)}, TypeError, "v must be floating, got torch.complex64"),
        ({"q": zeros(11)}, ValueError, "q must have at least the last two axes of (..., N, D), got (11,)"),
        ({"k": zeros(11)}, ValueError, "k must have at least the last two axes of (..., M, D), got (11,)"),
        ({"v": zeros()}, ValueError, "v must have at least the last two axes of (..., M, V), got ()"),
        (
            {"k": K.double()},
            TypeError,
            "q, k and v must have the same dtype, got q torch.float32, k torch.float64, v torch.float32",
        ),
        (
            {"v": zeros(2, 3, 7, 13, device="meta")},
            ValueError,
            "q, k and v must have the same device, got q cpu, k cpu, v meta",
        ),
        (
            {"k": zeros(2, 3, 7, 17)},
            ValueError,
            "q and k must have the same width D, got q (2, 3, 5, 11), k (2, 3, 7, 17)",
        ),
        (
            {"q": zeros(2, 3, 5, 0), "k": zeros(2, 3, 7, 0)},
            ValueError,
            "q and k must have a width D of at least 1, got q (2, 3, 5, 0), k (2, 3, 7, 0)",
        ),
        (
            {"v": zeros(2, 3, 19, 13)},
            ValueError,
            "k and v must have the same number of keys M, got k (2, 3, 7, 11), v (2, 3, 19, 13)",
        ),
        (
            {"k": zeros(2, 2, 7, 11), "v": zeros(2, 2, 7, 13)},
            ValueError,
            "the leading axes of q, k and v must broadcast, got q (2, 3, 5, 11), k (2, 2, 7, 11), v (2, 2, 7, 13)",
        ),
        (
            {"v": zeros(3, 2, 7, 13)},
            ValueError,
            "the leading axes of q, k and v must broadcast, got q (2, 3, 5, 11), k (2, 3, 7, 11), v (3, 2, 7, 13)",
        ),
    ],
)
def test_attention_refuses_inputs_that_do_not_fit(replaced, error, message):
    """A wrong type, dtype, device or shape is named, with what was expected."""
    with refuses(error, message):
        attention(**{"q": Q, "k": K, "v": V} | replaced)


def test_scores_refuse_inputs_that_do_not_fit():
    """Scores check their two inputs in the same way."""
    with refuses(ValueError, "q and k must have the same width D, got q (5, 11), k (7, 13)"):
        scores(zeros(5, 11), zeros(7, 13))
    with refuses(ValueError, "the leading axes of q and k must broadcast, got q (2, 5, 11), k (3, 7, 11)"):
        scores(zeros(2, 5, 11), zeros(3, 7, 11))
    with refuses(TypeError, "q and k must have the same dtype, got q torch.float32, k torch.float16"):
        scores(zeros(5, 11), zeros(7, 11, dtype=torch.float16))


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        ("auto", TypeError, "scale must be a number, got str"),
        (True, TypeError, "scale must be a number, got bool"),
        (torch.tensor(0.5), TypeError, "scale must be a number, got Tensor"),
        (float("inf"), ValueError, "scale must be finite, got inf"),
        (float("nan"), ValueError, "scale must be finite, got nan"),
    ],
)
def test_scale_refuses_what_is_no_finite_number(scale, error, message):
    """The scale is a number, and a finite one."""
    with refuses(error, message):
        attention(Q, K, V, scale=scale)


def test_weights_refuse_scores_that_do_not_fit():
    """Scores are floating and have both axes."""
    with refuses(TypeError, "scores must be floating, got torch.int64"):
        weights(zeros(5, 7, dtype=torch.long))
    with refuses(ValueError, "scores must have at least the last two axes of (..., N, M), got (7,)"):
        weights(zeros(7))
    with refuses(TypeError, "scores must be a torch.Tensor, got tuple"):
        weights((0.0, 1.0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_blocked_refuses_a_float_mask(dtype):
    """A mask made to be added would not block here, nor would 0s and 1s there."""
    message = (
        f"blocked must be torch.bool, True where a key is blocked, got {dtype}: other APIs add a float mask to the "
        "scores, where 0s and 1s block nothing; write mask == float('-inf') for a mask made to be added"
    )
    with refuses(TypeError, message):
        attention(Q, K, V, zeros(5, 7, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64])
def test_blocked_refuses_an_integer_mask(dtype):
    """What a 1 means is not for us to guess."""
    message = (
        f"blocked must be torch.bool, True where a key is blocked, got {dtype}: write mask == 0 if its 1 keeps a "
        "key, as a tokenizer's does, or mask == 1 if its 1 blocks one"
    )
    with refuses(TypeError, message):
        weights(zeros(5, 7), zeros(5, 7, dtype=dtype))


def test_blocked_refuses_what_is_no_tensor_or_elsewhere():
    """A mask is a tensor on the device of the scores."""
    with refuses(TypeError, "blocked must be a torch.Tensor, got list"):
        weights(zeros(1, 2), [[True, False]])
    with refuses(ValueError, "blocked and scores must have the same device, got blocked meta, scores cpu"):
        weights(zeros(5, 7), zeros(5, 7, dtype=torch.bool, device="meta"))


@pytest.mark.parametrize(
    ("mask", "target"),
    [
        ((7, 5), (5, 7)),
        ((5, 6), (5, 7)),
        ((2, 5, 7), (5, 7)),
        ((1, 5, 7), (5, 7)),
        ((5, 7), (1, 7)),
        ((5, 7), (5, 1)),
        ((2, 5, 7), (1, 5, 7)),
        ((3, 2, 5, 7), (2, 3, 5, 7)),
        ((2, 7, 1, 5), (2, 3, 5, 7)),
        ((1, 7), (5, 0)),
    ],
)
def test_blocked_refuses_shapes_that_do_not_fit_or_enlarge(mask, target):
    """A mask never makes the weights larger than the scores."""
    message = f"blocked must broadcast to the scores (..., N, M) = {target} without enlarging them, got {mask}"
    with refuses(ValueError, message):
        weights(zeros(*target), shut(*mask))


@pytest.mark.parametrize(
    ("mask", "target", "advice"),
    [
        ((7,), (5, 7), "blocked[None, :] if the same keys are blocked for every query"),
        ((1,), (5, 7), "blocked[None, :] if the same keys are blocked for every query"),
        ((), (5, 7), "blocked[None, :] if the same keys are blocked for every query"),
        ((2, 7), (2, 5, 7), "blocked[None] if it is (N, M) and shared, blocked[:, None] if it is (B, M) padding"),
        ((5, 7), (2, 5, 7), "blocked[None] if it is (N, M) and shared, blocked[:, None] if it is (B, M) padding"),
        ((5, 7), (5, 5, 7), "blocked[None] if it is (N, M) and shared, blocked[:, None] if it is (B, M) padding"),
        (
            (2, 7),
            (2, 3, 5, 7),
            "blocked[None] if it is (N, M) and shared, blocked[:, None, None] if it is (B, M) padding",
        ),
        ((2, 1, 7), (2, 3, 5, 7), "blocked[:, None] if it is the batch, blocked[None] if it is the heads"),
        ((3, 5, 7), (3, 3, 5, 7), "blocked[:, None] if it is the batch, blocked[None] if it is the heads"),
        ((3, 5, 7), (2, 3, 5, 7), "blocked[:, None] if it is the batch, blocked[None] if it is the heads"),
    ],
)
def test_blocked_refuses_fewer_axes_without_a_leading_one(mask, target, advice):
    """Whether or not the sizes happen to agree, a mask with missing axes has to say which."""
    message = f"blocked {mask} has fewer axes than the scores {target}, {EMPTY_ADVICE}{advice}"
    with refuses(ValueError, message):
        weights(zeros(*target), shut(*mask))


@pytest.mark.parametrize(
    ("mask", "target"),
    [
        ((5, 7), (5, 7)),
        ((1, 7), (5, 7)),
        ((5, 1), (5, 7)),
        ((1, 1), (5, 7)),
        ((1, 7), (2, 5, 7)),
        ((1, 5, 7), (2, 5, 7)),
        ((2, 1, 7), (2, 5, 7)),
        ((1, 5, 7), (2, 3, 5, 7)),
        ((1, 1, 7), (2, 3, 5, 7)),
        ((1, 3, 5, 7), (2, 3, 5, 7)),
        ((2, 1, 1, 7), (2, 3, 5, 7)),
        ((1, 3, 1, 7), (2, 2, 3, 5, 7)),
        ((5, 1), (5, 0)),
    ],
)
def test_blocked_accepts_shapes_that_say_what_they_mean(mask, target):
    """Accepted masks mean what their expansion means."""
    generator = torch.Generator().manual_seed(7)
    blocked = torch.rand(mask, generator=generator) < 0.5
    given = torch.randn(target, generator=generator)
    assert_close(weights(given, blocked), weights(given, blocked.expand(target)))


@pytest.mark.parametrize("size", [48, 5])
def test_blocked_padding_of_a_square_batch_is_refused_until_it_is_spelt_out(size):
    """Sequences as many as they are long: (B, M) equals (N, M), and the two readings differ."""
    ids = torch.arange(size) < torch.arange(1, size + 1)[:, None]  # sequence b has b + 1 tokens
    padding = padding_blocked(ids.long())[:, 0]
    given = zeros(size, size, size)
    with pytest.raises(ValueError, match=re.escape("blocked[:, None] if it is (B, M) padding")):
        weights(given, padding)
    per_sequence, shared = weights(given, padding[:, None]), weights(given, padding[None])
    assert_close(per_sequence[0, :, 0], torch.ones(size))
    assert_close(shared[:, 0, 0], torch.ones(size))
    assert_close(shared[0, :, 0], 1 / torch.arange(1, size + 1))


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([[1, 2], [3]], TypeError, "ids must be a tensor of sequences padded to one length, got list"),
        (
            zeros(7, dtype=torch.long),
            ValueError,
            "ids must have the two axes (B, M), got (7,); write ids[None] for one sequence",
        ),
        (zeros(2, 7, 11, dtype=torch.long), ValueError, "ids must have the two axes (B, M), got (2, 7, 11)"),
    ],
)
def test_padding_blocked_refuses_what_is_no_batch_of_ids(ids, error, message):
    """Token ids are integers of shape (B, M)."""
    with refuses(error, message):
        padding_blocked(ids)


@pytest.mark.parametrize(("pad", "kind"), [(None, "NoneType"), (0.0, "float"), (False, "bool")])
def test_padding_blocked_refuses_a_pad_that_is_no_id(pad, kind):
    """The padding's id is an int."""
    with refuses(TypeError, f"pad must be an int, got {kind}"):
        padding_blocked(zeros(2, 7, dtype=torch.long), pad=pad)


@pytest.mark.parametrize(
    ("lengths", "error", "message"),
    [
        ((5.0,), TypeError, "n must be an int, got float"),
        ((5, "7"), TypeError, "m must be an int, got str"),
        ((True,), TypeError, "n must be an int, got bool"),
        ((-1,), ValueError, "n must be at least 0, got -1"),
        ((5, -2), ValueError, "m must be at least 0, got -2"),
        (
            (2, 5),
            ValueError,
            '2 queries and 5 keys can be aligned in two ways, so align must be given: "top-left" (the first query '
            'sees the first key only) or "bottom-right" (the last query sees every key)',
        ),
    ],
)
def test_causal_blocked_refuses_lengths_that_leave_it_open(lengths, error, message):
    """Lengths are whole numbers, and unequal ones come with an alignment."""
    with refuses(error, message):
        causal_blocked(*lengths)


@pytest.mark.parametrize("lengths", [(5,), (5, 7)])
def test_causal_blocked_refuses_an_unknown_alignment(lengths):
    """A misspelt alignment is refused even where none is needed."""
    with refuses(ValueError, 'align must be "top-left" or "bottom-right", got \'lower-right\''):
        causal_blocked(*lengths, align="lower-right")


def test_combine_refuses_no_masks():
    """There is no shape to give back."""
    with refuses(TypeError, "combine needs at least one mask, got none"):
        combine()


def test_combine_refuses_masks_that_are_not_boolean():
    """The mask is named by its place."""
    with pytest.raises(TypeError, match=r"^mask 2 must be torch\.bool, True where a key is blocked, got torch\.int64"):
        combine(shut(5, 7), zeros(5, 7, dtype=torch.long))
    with refuses(TypeError, "mask 1 must be a torch.Tensor, got NoneType"):
        combine(None, shut(5, 7))
    with refuses(ValueError, "mask 1 and mask 2 must have the same device, got mask 1 cpu, mask 2 meta"):
        combine(shut(5, 7), shut(5, 7).to("meta"))


def test_combine_refuses_shapes_that_do_not_broadcast():
    """All shapes are named."""
    with refuses(ValueError, "the masks must broadcast, got mask 1 (5, 7), mask 2 (1, 7), mask 3 (7, 5)"):
        combine(shut(5, 7), shut(1, 7), shut(7, 5))


def test_combine_refuses_fewer_axes_without_a_leading_one():
    """Padding of a batch cannot be taken for a mask over queries here either."""
    advice = "blocked[None] if it is (N, M) and shared, blocked[:, None] if it is (B, M) padding"
    message = f"mask 2 (5, 5) has fewer axes than mask 1 (2, 1, 5), {EMPTY_ADVICE}{advice}"
    with refuses(ValueError, message):
        combine(shut(2, 1, 5), shut(5, 5))
