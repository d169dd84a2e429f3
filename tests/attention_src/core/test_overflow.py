"""Tests of sums and scores that the dtype of the inputs cannot hold, where the result is one that it can.

| what | in float16 | in float32 |
| --- | --- | --- |
| scores inside `attention`, blockwise, heads, a decoder's look | in float32 | as long as float32 holds them |
| `scores` themselves | infinite beyond 65504 | infinite beyond 3.4e38 |
| weights of finite scores | finite | finite |
| means over tokens | summed in float32 | |
"""

import pytest
import reference
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.testing import assert_close

from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention
from attention_src.core.precision import wide, widened
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.heads import MultiHeadAttention
from attention_src.masks import causal_blocked
from attention_src.models.classifier import masked_mean
from attention_src.models.encoder_decoder import attend, average

each_short = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
each_way = pytest.mark.parametrize(
    "way", [lambda *x: attention(*x)[0], lambda *x: blockwise_attention(*x, block=2)], ids=["attention", "blockwise"]
)


def loud(randn, size: float, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """Return q (5, 64), k (7, 64) and v (7, 13) of a size whose scores go far beyond the values."""
    return (size * randn(5, 64)).to(dtype), (size * randn(7, 64)).to(dtype), randn(7, 13).to(dtype)


@each_short
@each_way
@pytest.mark.parametrize("blocked", [None, causal_blocked(2)[None]], ids=["no mask", "causal"])
def test_scores_of_two_million_give_the_mean_of_equal_values(way, dtype, blocked):
    """Beyond pytorch #60939: 512 times 512, 64 times, over 8; float16 ends at 65504, and gave NaN."""
    q, v = torch.full((1, 2, 64), 512.0, dtype=dtype), torch.full((1, 2, 64), 64.0, dtype=dtype)
    result = way(q, q, v, blocked)
    assert_close(result, v, rtol=0, atol=0)
    allowed = None if blocked is None else ~blocked
    assert_close(result, F.scaled_dot_product_attention(q, q, v, attn_mask=allowed), rtol=0, atol=0)


@each_short
@each_way
@pytest.mark.parametrize("size", [1.0, 30.0, 1000.0])
def test_loud_inputs_give_what_float64_gives(randn, way, dtype, size):
    """Against the oracle, on the inputs as they were rounded, and with finite gradients."""
    tensors = [tensor.requires_grad_() for tensor in loud(randn, size, dtype)]
    output = way(*tensors)
    exact, _ = reference.attention(*(tensor.detach().double() for tensor in tensors))
    eps = torch.finfo(dtype).eps
    assert output.dtype == dtype
    assert_close(output.double(), exact, rtol=eps, atol=2 * eps)
    gradients = torch.autograd.grad(output.sum(), tensors)
    assert all(gradient.dtype == dtype and gradient.isfinite().all() for gradient in gradients)


@each_short
@each_way
def test_sum_of_many_large_values_does_not_overflow(way, dtype):
    """4,096 values of 60,000 have a mean of 60,000."""
    q, v = torch.zeros(2, 3, dtype=dtype), torch.full((4096, 1), 60000.0, dtype=dtype)
    assert_close(way(q, torch.zeros(4096, 3, dtype=dtype), v), v[:2], rtol=0, atol=0)


@each_short
def test_returned_weights_are_those_of_float32_rounded_once(randn, dtype):
    """They are shares, which every dtype can hold."""
    q, k, v = loud(randn, 30.0, dtype)
    _, w = attention(q, k, v)
    assert w.dtype == dtype
    assert_close(w, weights(scores(q.float(), k.float())).to(dtype), rtol=0, atol=0)


@each_short
def test_scores_are_summed_in_float32_and_rounded_once(randn, dtype):
    """One rounding, where a sum in the short dtype has one for each product."""
    q, k, _ = loud(randn, 3.0, dtype)
    assert_close(scores(q, k), scores(q.float(), k.float()).to(dtype), rtol=0, atol=0)


def test_score_beyond_the_dtype_is_infinite_and_its_weights_are_nan():
    """A result in float16 cannot hold 2,097,152; `attention` never makes one."""
    q = torch.full((2, 64), 512.0, dtype=torch.float16)
    assert scores(q, q).eq(torch.inf).all()
    assert weights(scores(q, q)).isnan().all()


@each_way
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_is_kept_out_of_scores(way, dtype):
    """It would take the short dtype for the product, and overflow there; the results are those of float32."""
    q, v = torch.full((2, 64), 512.0), torch.full((2, 64), 64.0)
    with torch.autocast("cpu", dtype):
        assert_close(way(q, q, v), v, rtol=0, atol=0)
        assert_close(scores(q, q), torch.full((2, 2), 2097152.0), rtol=0, atol=0)


@each_short
def test_layer_does_not_overflow_between_its_projections(dtype):
    """With the identity for every projection it hands the values through."""
    layer = MultiHeadAttention(64, 2, bias=False).to(dtype).requires_grad_(False)
    for projection in (layer.query, layer.key, layer.value, layer.output):
        projection.weight.copy_(torch.eye(64))
    x = torch.full((1, 3, 64), 512.0, dtype=dtype)
    assert_close(layer(x, x, x)[0], x, rtol=0, atol=0)


@each_short
def test_mean_over_tokens_is_summed_in_float32(dtype):
    """48 vectors of 2,000 sum to 96,000, which float16 cannot hold, and average to 2,000."""
    x, ids = torch.full((2, 48, 3), 2000.0, dtype=dtype), torch.ones(2, 48, dtype=torch.int64)
    ids[1, 40:] = 0
    assert_close(masked_mean(x, ids), x[:, 0], rtol=0, atol=0)
    assert_close(average(x)(x[:, 0])[0], x[:, 0], rtol=0, atol=0)


def test_mean_over_tokens_refuses_integers():
    """Their mean would have another dtype."""
    with pytest.raises(TypeError, match=r"x must be floating, got torch\.int64"):
        masked_mean(torch.ones(2, 3, 5, dtype=torch.int64), torch.ones(2, 3, dtype=torch.int64))


@each_short
def test_decoders_look_scores_in_float32(randn, dtype):
    """Its scores are 2,097,152 where all states are 512; elsewhere it is attention with one query."""
    memory = torch.full((2, 5, 64), 512.0, dtype=dtype)
    context, shares = attend(memory)(memory[:, 0])
    assert_close((context, shares), (memory[:, 0], torch.full((2, 5), 0.2, dtype=dtype)), rtol=0, atol=0)
    memory, state = (30 * randn(2, 5, 64)).to(dtype), randn(2, 64).to(dtype)
    output, w = attention(state[:, None], memory, memory)
    assert_close(attend(memory)(state), (output[:, 0], w[:, 0]), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("size", [1e3, 1e30, 1e60, 1e150, 8e307])
@each_way
def test_large_finite_scores_give_finite_results_in_float64(way, size):
    """The largest score of a row is subtracted before anything is raised: equal ones share, the rest get 0."""
    k = torch.tensor([[size], [-size], [size], [0.0]], dtype=torch.float64)
    q, v = (
        torch.tensor([[1.0], [-1.0], [0.0]], dtype=torch.float64),
        torch.tensor([[2.0], [4.0], [6.0], [8.0]]).double(),
    )
    tensors = [tensor.requires_grad_() for tensor in (q, k, v)]
    output = way(*tensors)
    assert_close(output, torch.tensor([[4.0], [4.0], [5.0]]).double())
    gradients = torch.autograd.grad(output[:2].sum(), tensors)
    assert all(gradient.isfinite().all() for gradient in gradients)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("blocked", [None, torch.tensor([[False, False, False, True]])], ids=["no mask", "mask"])
def test_weights_of_the_largest_finite_scores_are_finite(dtype, blocked):
    """Even the difference of two may be infinite, and its power is 0."""
    most = torch.finfo(dtype).max
    given = torch.tensor([[most, -most, most, 0.0], [-most] * 4, [0.0, 1.0, -most, most]], dtype=dtype)
    last = [0.0, 0.0, 0.0, 1.0] if blocked is None else [*torch.softmax(torch.tensor([0.0, 1.0]), 0).tolist(), 0, 0]
    equal = [0.25] * 4 if blocked is None else [1 / 3] * 3 + [0]
    expected = torch.tensor([[0.5, 0.0, 0.5, 0.0], equal, last], dtype=dtype)
    assert_close(weights(given, blocked), expected)


@each_way
def test_scores_beyond_float32_are_nan_as_in_pytorch(way):
    """Inputs of 1e30 have scores of 1e60, which are infinite in float32; the same inputs in float64 are fine."""
    q, v = torch.full((2, 4), 1e30), torch.arange(2.0)[:, None]
    assert way(q, q, v).isnan().all()
    assert F.scaled_dot_product_attention(q, q, v).isnan().all()
    assert_close(way(q.double(), q.double(), v.double()), torch.full((2, 1), 0.5).double())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_wide_dtypes_are_computed_as_they_are(randn, dtype):
    """Nothing is copied, so recorded numbers stay what they were to the last bit."""
    x = randn(2, 3).to(dtype)
    assert wide(dtype) == dtype
    assert widened(x)[0] is x


def test_eight_bits_are_enough_for_inputs_and_results():
    """A dtype in which PyTorch adds nothing up is widened like the others."""
    x = torch.ones(2, 4).to(torch.float8_e4m3fn)
    output, w = attention(x, x, x)
    assert (output.dtype, w.dtype) == (torch.float8_e4m3fn, torch.float8_e4m3fn)
    assert_close((output.float(), w.float()), (torch.ones(2, 4), torch.full((2, 2), 0.5)))
    assert_close(blockwise_attention(x, x, x).float(), torch.ones(2, 4))
