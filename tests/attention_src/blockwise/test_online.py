"""Tests of `attention_src.blockwise.online`, against the oracle, against `attention` and against PyTorch."""

import itertools

import pytest
import reference
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from attention_src.blockwise.memory import peak_bytes
from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention
from attention_src.masks import causal_blocked, combine, padding_blocked

IDS = torch.tensor([[3, 1, 4, 1, 5, 0, 0], [9, 2, 0, 0, 0, 0, 0]])  # (2, 7)
PADDING = padding_blocked(IDS)[:, None]  # (2, 1, 1, 7)
LEFT = PADDING.flip(-1)
EMPTY_ROWS = torch.zeros(2, 1, 5, 7, dtype=torch.bool)
EMPTY_ROWS[0, 0, 3] = EMPTY_ROWS[1, 0, 0] = True
FIRST_KEYS = torch.zeros(1, 1, 1, 7, dtype=torch.bool)
FIRST_KEYS[..., :4] = True

MASKS = {
    "no mask": None,
    "padding": PADDING,
    "left padding": LEFT,
    "first keys": FIRST_KEYS,
    "per head": torch.arange(3 * 5 * 7).reshape(1, 3, 5, 7) % 4 == 1,
    "per query": (torch.arange(5) % 2 == 1)[None, None, :, None],
    "empty rows": EMPTY_ROWS,
    "all blocked": torch.ones(1, 1, 1, 1, dtype=torch.bool),
}
each_mask = pytest.mark.parametrize("blocked", MASKS.values(), ids=MASKS.keys())
each_causal = pytest.mark.parametrize("causal", [None, "top-left", "bottom-right"])
each_block = pytest.mark.parametrize("block", [1, 2, 3, 5, 256])


def whole_mask(blocked: Tensor | None, n: int, m: int, causal: str | None) -> Tensor | None:
    """Return the mask that `blocked` and `causal` stand for together, written out, (1, 1, N, M) or wider."""
    if causal is None:
        return blocked
    late = causal_blocked(n, m, align=causal)[None, None]
    return late if blocked is None else combine(blocked, late)


def leaves(*tensors: Tensor) -> list[Tensor]:
    """Return copies whose gradients can be asked for."""
    return [tensor.clone().requires_grad_() for tensor in tensors]


@each_mask
@each_causal
@each_block
def test_blockwise_matches_the_oracle(qkv, blocked, causal, block):
    """The output is that of plain loops in float64, whatever the size of a block."""
    expected, _ = reference.attention(*qkv, whole_mask(blocked, 5, 7, causal))
    assert_close(blockwise_attention(*qkv, blocked, causal=causal, block=block), expected)


@each_mask
@each_causal
@pytest.mark.parametrize("scale", [None, 0.37, -2.0, 0.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_blockwise_matches_torch_in_values_and_gradients(qkv, randn, blocked, causal, scale, dtype):
    """Output and gradients are those of F.scaled_dot_product_attention under the negated mask."""
    probe = randn(2, 3, 5, 13).to(dtype)
    ours, theirs = (leaves(*(tensor.to(dtype) for tensor in qkv)) for _ in range(2))
    both = whole_mask(blocked, 5, 7, causal)
    output = blockwise_attention(*ours, blocked, scale, causal=causal, block=3)
    allowed = None if both is None else ~both
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=allowed, scale=scale)
    assert_close(output, expected)
    gradients = torch.autograd.grad((output * probe).sum(), ours)
    assert_close(gradients, torch.autograd.grad((expected * probe).sum(), theirs), rtol=1e-4, atol=1e-5)
    assert all(gradient.isfinite().all() for gradient in gradients)


@each_causal
@pytest.mark.parametrize(("n", "m"), [(7, 3), (1, 7), (7, 1), (11, 13), (13, 11)])
def test_blockwise_causal_agrees_when_lengths_differ(randn, causal, n, m):
    """With more queries than keys, bottom-right leaves the first queries empty: zeros and gradients of 0."""
    tensors = randn(2, n, 5), randn(2, m, 5), randn(2, m, 3)
    ours, theirs = leaves(*tensors), leaves(*tensors)
    mask = None if causal is None else causal_blocked(n, m, align=causal)[None]
    output, expected = blockwise_attention(*ours, causal=causal, block=2), attention(*theirs, mask)[0]
    assert_close(output, expected)
    assert_close(torch.autograd.grad(output.square().sum(), ours), torch.autograd.grad(expected.square().sum(), theirs))


def test_blockwise_matches_torch_over_many_blocks(randn):
    """A length of several blocks of the usual size that they do not divide, in float32."""
    q, k, v = (randn(1, 2, 1031, 17).float() for _ in range(3))
    ours, theirs = leaves(q, k, v), leaves(q, k, v)
    output = blockwise_attention(*ours, causal="top-left")
    expected = F.scaled_dot_product_attention(*theirs, is_causal=True)
    assert_close(output, expected)
    probe = randn(*output.shape).float()
    gradients = torch.autograd.grad((output * probe).sum(), ours)
    assert_close(gradients, torch.autograd.grad((expected * probe).sum(), theirs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "lead",
    [((), (), ()), ((2,), (), ()), ((), (2,), ()), ((), (), (2,)), ((3,), (2, 1), ()), ((2, 1), (3,), (1, 3)),
     ((2, 1, 3), (1, 2, 1), (3,)), ((0,), (0,), (0,))],
    ids=str,
)  # fmt: skip
def test_blockwise_leading_axes_broadcast_as_in_attention(randn, lead):
    """Any number of leading axes broadcasts, in the output and in the gradients."""
    tensors = randn(*lead[0], 5, 11), randn(*lead[1], 7, 11), randn(*lead[2], 7, 13)
    ours, theirs = leaves(*tensors), leaves(*tensors)
    output, (expected, _) = blockwise_attention(*ours, block=3), attention(*theirs)
    assert_close(output, expected)
    assert_close(torch.autograd.grad(output.square().sum(), ours), torch.autograd.grad(expected.square().sum(), theirs))


def test_blockwise_padding_of_three_axes_goes_to_its_sequences(randn):
    """The (B, 1, M) mask that `padding_blocked` makes fits sequences without a head axis."""
    q, k, v = randn(2, 5, 11), randn(2, 7, 11), randn(2, 7, 13)
    blocked = padding_blocked(IDS)
    output = blockwise_attention(q, k, v, blocked, block=2)
    assert_close(output, reference.attention(q, k, v, blocked)[0])
    for b, real in enumerate((5, 2)):
        assert_close(output[b], blockwise_attention(q[b], k[b, :real], v[b, :real]))


@pytest.mark.parametrize("order", ["rising", "falling"])
@pytest.mark.parametrize("size", [1.0, 1e3, 1e6])
def test_blockwise_maximum_may_come_first_or_last(randn, order, size):
    """The running maximum moves in every block or in the first only, with scores beyond what exp can take."""
    ramp = torch.arange(37, dtype=torch.float64).sub(18)[:, None] * size
    q, k, v = torch.ones(5, 1).double(), ramp if order == "rising" else ramp.flip(0), randn(37, 13)
    assert_close(blockwise_attention(q, k, v, block=3), reference.attention(q, k, v)[0])


def test_blockwise_without_keys_gives_zeros(randn):
    """With M = 0 every query has all of its keys blocked, and its gradient is 0."""
    q = randn(5, 11).requires_grad_()
    output = blockwise_attention(q, randn(0, 11), randn(0, 13))
    assert_close(output, torch.zeros(5, 13).double())
    assert torch.autograd.grad(output.sum(), q)[0].eq(0).all()


@pytest.mark.parametrize(("n", "width"), [(0, 13), (5, 0)])
def test_blockwise_without_queries_or_value_width_is_empty(randn, n, width):
    """With N = 0 or V = 0 there is nothing to return."""
    tensors = leaves(randn(n, 11), randn(7, 11), randn(7, width))
    output = blockwise_attention(*tensors)
    assert output.shape == (n, width)
    assert all(gradient.eq(0).all() for gradient in torch.autograd.grad(output.sum(), tensors))


def test_blockwise_fully_blocked_query_gets_zeros_and_gradient_zero(qkv):
    """An empty row is 0, so is the gradient of its query, and no gradient is NaN."""
    tensors = leaves(*qkv)
    output = blockwise_attention(*tensors, EMPTY_ROWS, block=2)
    output.square().sum().backward()
    q, k, v = (tensor.grad for tensor in tensors)
    assert output[0, :, 3].eq(0).all()
    assert output[1, :, 0].eq(0).all()
    assert q[0, :, 3].eq(0).all()
    assert q[1, :, 0].eq(0).all()
    assert all(gradient.isfinite().all() for gradient in (q, k, v))


@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_blockwise_nan_and_infinity_pass_as_in_attention(randn, bad, block):
    """A query of NaN or infinity, and a row whose scores are all -inf, give what `attention` gives."""
    q, k, v = randn(5, 2), randn(7, 2).abs(), randn(7, 13)
    q[2] = bad
    output = blockwise_attention(q, k, v, block=block)
    assert_close(output, attention(q, k, v)[0], equal_nan=True)
    assert output.isnan().all(-1).tolist() == [False, False, True, False, False]


def test_blockwise_blocked_scores_may_hold_anything(randn):
    """Keys of NaN and infinity that are blocked for all queries change neither output nor the other gradients."""
    q, k, v = randn(5, 11), randn(7, 11), randn(7, 13)
    worse = k.clone()
    worse[1], worse[4] = float("nan"), float("inf")
    blocked = torch.tensor([[False, True, False, False, True, False, False]])
    tensors = leaves(worse, v)
    output = blockwise_attention(q, *tensors, blocked, block=2)
    assert_close(output, attention(q, k, v, blocked)[0])
    gradients = torch.autograd.grad(output.square().sum(), tensors)
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[0][[1, 4]].eq(0).all()


@each_mask
@each_causal
@pytest.mark.parametrize("block", [2, 256])
def test_blockwise_gradcheck(randn, blocked, causal, block):
    """Gradients are those of finite differences, empty rows included."""
    inputs = [randn(2, 3, *last).requires_grad_() for last in ((5, 2), (7, 2), (7, 3))]
    if blocked is None:
        inputs = [tensor[:1].detach().requires_grad_() for tensor in inputs]
    assert torch.autograd.gradcheck(
        lambda *tensors: blockwise_attention(*tensors, blocked, causal=causal, block=block), inputs, fast_mode=True
    )


@pytest.mark.parametrize("wanted", [0, 1, 2])
def test_blockwise_gradient_of_one_input_alone(qkv, wanted):
    """Inputs that need no gradient are no obstacle to the one that does."""
    tensors = [tensor.clone().requires_grad_(i == wanted) for i, tensor in enumerate(qkv)]
    expected = torch.autograd.grad(attention(*tensors)[0].square().sum(), tensors[wanted])
    assert_close(torch.autograd.grad(blockwise_attention(*tensors).square().sum(), tensors[wanted]), expected)


@pytest.mark.parametrize("layout", ["heads last", "shared by heads", "width first"])
def test_blockwise_layout_of_the_inputs_does_not_matter(randn, layout):
    """Transposed and expanded tensors give what contiguous ones give."""
    lengths = (5, 7, 7)
    tensors = {
        "heads last": [randn(2, length, 3, 11).transpose(1, 2) for length in lengths],
        "shared by heads": [randn(2, 1, length, 11).expand(2, 3, length, 11) for length in lengths],
        "width first": [randn(2, 3, 11, length).mT for length in lengths],
    }[layout]
    assert not any(tensor.is_contiguous() for tensor in tensors)
    ours = [tensor.detach().requires_grad_() for tensor in tensors]
    theirs = leaves(*(tensor.contiguous() for tensor in tensors))
    output, expected = blockwise_attention(*ours, block=2), attention(*theirs)[0]
    assert_close(output, expected)
    probe = randn(2, 3, 11, 5).mT
    assert_close(
        torch.autograd.grad((output * probe).sum(), ours), torch.autograd.grad((expected * probe).sum(), theirs)
    )


def test_blockwise_leaves_its_inputs_alone(qkv):
    """No input is written to, forward or backward."""
    kept = [tensor.clone() for tensor in (*qkv, PADDING)]
    tensors = [tensor.requires_grad_() for tensor in qkv]
    blockwise_attention(*tensors, PADDING, causal="top-left", block=2).sum().backward()
    assert_close([*(tensor.detach() for tensor in qkv), PADDING], kept, rtol=0, atol=0)


def test_blockwise_autocast_does_not_reach_inside(qkv):
    """Inputs of float32 are computed in float32, forward and backward, where autocast would take bfloat16."""
    outcomes = []
    for enabled in (False, True):
        tensors = leaves(*(tensor.float() for tensor in qkv))
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            output = blockwise_attention(*tensors, block=3)
            outcomes.append((output, *torch.autograd.grad(output.square().sum(), tensors)))
    assert_close(outcomes[1], outcomes[0], rtol=0, atol=0)
    assert outcomes[1][0].dtype == torch.float32


def test_blockwise_runs_on_tensors_without_data():
    """On the meta device, where operations are counted at sizes that do not fit, shapes come out as ever."""
    q, k, v = (torch.empty(2, 3, *last, device="meta") for last in ((5, 11), (7, 11), (7, 13)))
    output = blockwise_attention(q, k, v, causal="top-left", block=2)
    assert (output.shape, output.device.type) == ((2, 3, 5, 13), "meta")


BAD_INPUTS = {
    "width": lambda q, k, v: (q[..., :-1], k, v),
    "key count": lambda q, k, v: (q, k[..., :-1, :], v),
    "leading axes": lambda q, k, v: (q[:, :2], k, v),
    "integer": lambda q, k, v: (q.int(), k, v),
    "dtypes": lambda q, k, v: (q, k.float(), v),
    "no width": lambda q, k, v: (q[..., :0], k[..., :0], v),
    "mask dtype": lambda q, k, v: (q, k, v, PADDING.float()),
    "mask rank": lambda q, k, v: (q, k, v, PADDING[:, 0, 0]),
    "mask axes": lambda q, k, v: (q, k, v, padding_blocked(IDS)),
    "mask size": lambda q, k, v: (q, k, v, PADDING[..., :-1]),
    "mask enlarges": lambda q, k, v: (q[:1], k[:1], v[:1], PADDING),
    "mask of the values' batch": lambda q, k, v: (q[0, 0], k[0, 0], v[:, 0], PADDING[:, 0]),
    "scale": lambda q, k, v: (q, k, v, None, float("nan")),
    "scale type": lambda q, k, v: (q, k, v, None, "1"),
}


@pytest.mark.parametrize("change", BAD_INPUTS.values(), ids=BAD_INPUTS.keys())
def test_blockwise_refuses_what_attention_refuses(qkv, change):
    """The same error with the same words."""
    arguments = change(*qkv)
    with pytest.raises((TypeError, ValueError)) as plain:
        attention(*arguments)
    with pytest.raises(plain.type) as ours:
        blockwise_attention(*arguments)
    assert str(ours.value) == str(plain.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"block": 0}, ValueError, "block must be at least 1, got 0"),
        ({"block": 2.0}, TypeError, "block must be an int, got float"),
        ({"block": True}, TypeError, "block must be an int, got bool"),
        ({"causal": True}, ValueError, 'causal must be "top-left", "bottom-right" or None, got True'),
        ({"causal": "left"}, ValueError, "got 'left'"),
    ],
    ids=str,
)
def test_blockwise_refuses_bad_options(qkv, options, error, message):
    """The error names what was expected and what came."""
    with pytest.raises(error, match=message):
        blockwise_attention(*qkv, **options)


steady = settings(deadline=None, derandomize=True, database=None, max_examples=60)


@given(
    st.permutations([1, 2, 3, 5, 7, 11]),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0]),
    st.sampled_from([None, "top-left", "bottom-right"]),
    st.sampled_from([0.1, 1.0, 30.0]),
    st.integers(0, 2**32 - 1),
)
@steady
def test_blockwise_matches_attention_on_drawn_inputs(sizes, block, density, causal, spread, seed):
    """Output and gradients agree on drawn shapes, masks, alignments, block sizes and scores."""
    generator = torch.Generator().manual_seed(seed)
    b, h, n, m, d, width = sizes
    q, k, v, probe = (
        torch.randn(b, h, *last, generator=generator, dtype=torch.float64)
        for last in ((n, d), (m, d), (m, width), (n, width))
    )
    axes = torch.where(torch.rand(4, generator=generator) < 0.5, torch.tensor([b, h, n, m]), 1)
    blocked = torch.rand(*axes.tolist(), generator=generator) < density
    ours, theirs = leaves(spread * q, k, v), leaves(spread * q, k, v)
    output = blockwise_attention(*ours, blocked, causal=causal, block=block)
    expected, _ = attention(*theirs, whole_mask(blocked, n, m, causal))
    assert_close(output, expected)
    gradients = torch.autograd.grad((output * probe).sum(), ours)
    assert_close(gradients, torch.autograd.grad((expected * probe).sum(), theirs))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 9), st.integers(0, 2**32 - 1))
@steady
def test_blockwise_order_of_the_keys_does_not_matter(n, m, block, seed):
    """Whatever keys share a block, shuffling them leaves the output: forgotten rescaling does not survive this."""
    generator = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(length, 5, generator=generator, dtype=torch.float64) for length in (n, m, m))
    order = torch.randperm(m, generator=generator)
    shuffled = blockwise_attention(3 * q, k[order], v[order], block=block)
    assert_close(shuffled, blockwise_attention(3 * q, k, v, block=block))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("width", [2, 11, 64, 131])
@pytest.mark.parametrize("block", [5, 256])
def test_blockwise_error_is_at_most_twice_that_of_a_plain_run(randn, dtype, width, block):
    """In short dtypes, output and gradients err no more than twice as much as the formula run in that dtype."""
    tensors, probe = [randn(31, width).to(dtype), randn(37, width).to(dtype), randn(37, 13).to(dtype)], randn(31, 13)
    blocked = causal_blocked(31, 37, align="bottom-right")

    def run(function, inner: torch.dtype) -> list[Tensor]:
        inputs = leaves(*(tensor.to(inner) for tensor in tensors))
        output = function(*inputs)
        assert output.dtype == inner
        return [output, *torch.autograd.grad((output * probe.to(inner)).sum(), inputs)]

    def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.T / width**0.5).masked_fill(blocked, -torch.inf).softmax(-1) @ v

    exact = run(plain, torch.float64)
    ours = run(lambda *inputs: blockwise_attention(*inputs, causal="bottom-right", block=block), dtype)
    theirs = run(plain, dtype)
    for our, their, true in zip(ours, theirs, exact, strict=True):
        assert our.dtype == dtype
        assert (our.double() - true).abs().max() <= 2 * (their.double() - true).abs().max()


def test_blockwise_float16_survives_scores_above_its_range():
    """Scores beyond 65504 are finite in float32."""
    q = k = torch.full((4, 256), 256.0, dtype=torch.float16)  # scores of 2²⁰, exact in float32
    v = torch.arange(4, dtype=torch.float16)[:, None]
    assert_close(blockwise_attention(q, k, v, block=2), torch.full((4, 1), 1.5, dtype=torch.float16))


@pytest.mark.slow
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("causal", [None, "top-left"])
def test_blockwise_memory_grows_with_the_length(backward, causal):
    """Four times the length takes at most four times the memory, and scores would take sixteen times."""
    peaks = {}
    for n in (512, 2048):
        tensors = [torch.zeros(2, n, 16).requires_grad_(backward) for _ in range(3)]

        def call(tensors: list[Tensor] = tensors) -> object:
            output = blockwise_attention(*tensors, causal=causal, block=64)
            return torch.autograd.grad(output.sum(), tensors) if backward else output

        peaks[n] = peak_bytes(call)
    assert peaks[2048] <= 4 * peaks[512]


@pytest.mark.parametrize(("backward", "blocks"), [(False, 1), (True, 2)])
def test_blockwise_holds_one_block_of_scores_at_a_time(backward, blocks):
    """Forward it is one block, backward the weights and their gradients, when all else is narrow."""
    tensors = [torch.zeros(3, 640, 2).requires_grad_(backward) for _ in range(3)]

    def call() -> object:
        output = blockwise_attention(*tensors, block=128)
        return torch.autograd.grad(output.sum(), tensors) if backward else output

    one = 3 * 128 * 128 * 4
    assert blocks * one < peak_bytes(call) < (blocks + 0.5) * one


@pytest.mark.parametrize("blocked", [torch.zeros(5, 1, 1, 2048, dtype=torch.bool), None], ids=["padding", "none"])
def test_blockwise_mask_is_not_expanded(blocked):
    """A padding mask costs no more than a block of it: less than a byte for each query and key."""
    q, k, v = (torch.zeros(5, 3, n, 16) for n in (64, 2048, 2048))
    assert peak_bytes(lambda: blockwise_attention(q, k, v, blocked, block=64)) < 5 * 3 * 64 * 2048


def saved_bytes(function, tensors: list[Tensor]) -> int:
    """Return the bytes that autograd keeps for the backward pass beyond the inputs."""
    kept: dict[int, Tensor] = {}
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.setdefault(t.untyped_storage().data_ptr(), t), id):
        function(*tensors)
    inputs = {tensor.untyped_storage().data_ptr() for tensor in tensors}
    return sum(tensor.untyped_storage().nbytes() for place, tensor in kept.items() if place not in inputs)


def test_blockwise_keeps_the_output_and_two_numbers_per_query():
    """What training keeps is linear in the length, unlike the weights that `attention` keeps."""
    tensors = [torch.zeros(2, 211, 16).requires_grad_() for _ in range(3)]
    kept = saved_bytes(lambda *inputs: blockwise_attention(*inputs, block=64), tensors)
    assert kept == 2 * 211 * (16 + 2) * 4
    assert saved_bytes(lambda *inputs: attention(*inputs)[0], tensors) >= 2 * 211 * 211 * 4


def operations(function, *tensors: Tensor, backward: bool = False) -> int:
    """Return what torch counts, two for each multiplication with its addition."""
    with FlopCounterMode(display=False) as counter:
        output = function(*tensors)
        if backward:
            torch.autograd.grad(output.sum(), tensors)
    return counter.get_total_flops()


def test_blockwise_does_the_same_products_and_one_more_backward(randn):
    """Forward the count is that of `attention`; backward a fifth product computes the scores again."""
    tensors = leaves(*(randn(2, 3, 31, 11) for _ in range(3)))
    product = 2 * 2 * 3 * 31 * 31 * 11
    plain = lambda *inputs: attention(*inputs)[0]  # noqa: E731
    blocks = lambda *inputs: blockwise_attention(*inputs, block=7)  # noqa: E731
    assert operations(plain, *tensors) == operations(blocks, *tensors) == 2 * product
    assert operations(plain, *tensors, backward=True) == 6 * product
    assert operations(blocks, *tensors, backward=True) == 7 * product


def test_blockwise_causal_skips_what_no_query_of_a_block_may_see(randn):
    """Of 5 × 5 blocks, the 15 on and below the diagonal are computed."""
    q, k, v = (randn(35, 11) for _ in range(3))
    whole = operations(lambda *inputs: blockwise_attention(*inputs, block=7), q, k, v)
    causal = operations(lambda *inputs: blockwise_attention(*inputs, block=7, causal="top-left"), q, k, v)
    assert causal * 25 == whole * 15


def test_blockwise_causal_never_looks_ahead(randn):
    """Another future leaves every earlier output as it was, to the bit."""
    q, k, v = randn(2, 13, 11), randn(2, 13, 11), randn(2, 13, 5)
    for now, block in itertools.product((0, 4, 11), (3, 4, 256)):
        other = [torch.cat([tensor[:, : now + 1], randn(*tensor[:, now + 1 :].shape)], 1) for tensor in (k, v)]
        before = blockwise_attention(q, k, v, causal="top-left", block=block)
        after = blockwise_attention(q, *other, causal="top-left", block=block)
        assert torch.equal(before[:, : now + 1], after[:, : now + 1])
        assert not torch.equal(before[:, now + 1 :], after[:, now + 1 :])
