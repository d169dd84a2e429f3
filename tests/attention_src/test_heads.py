"""Tests of `attention_src.heads`, against `nn.MultiheadAttention` and the oracle."""

import pytest
import reference
import torch
from torch import nn
from torch.testing import assert_close

from attention_src.heads import MultiHeadAttention, join_heads, split_heads
from attention_src.masks import causal_blocked, padding_blocked

B, H, N, M, WIDTH = 2, 3, 5, 11, 7
D = H * WIDTH


@pytest.fixture
def layer():
    """PyTorch's layer in float64, with biases that are not zero as it starts them."""
    torch.manual_seed(17)
    layer = nn.MultiheadAttention(D, H, batch_first=True, dtype=torch.float64)
    nn.init.normal_(layer.in_proj_bias)
    nn.init.normal_(layer.out_proj.bias)
    return layer


@pytest.fixture
def qkv(randn):
    """Return q (2, 5, 21), k and v (2, 11, 21)."""
    return randn(B, N, D), randn(B, M, D), randn(B, M, D)


def test_split_heads_gives_each_head_its_columns(randn):
    """Head `i` is the `i`-th run of columns of every token."""
    x = randn(B, N, D)
    heads = split_heads(x, H)
    assert heads.shape == (B, H, N, WIDTH)
    for i in range(H):
        assert torch.equal(heads[:, i], x[..., i * WIDTH : (i + 1) * WIDTH])


def test_split_heads_is_no_view_of_the_sequence():
    """Two tokens of width four in two heads: each head has half of both tokens."""
    assert split_heads(torch.arange(8).view(1, 2, 4), 2)[0, 0].tolist() == [[0, 1], [4, 5]]


@pytest.mark.parametrize("shape", [(N, D), (B, N, D), (B, 13, N, D), (B, 0, D)])
def test_join_heads_undoes_split_heads(randn, shape):
    """With any leading axes and with no tokens, the round trip changes nothing."""
    x = randn(*shape)
    assert torch.equal(join_heads(split_heads(x, H)), x)


def test_layer_matches_torch_in_output_and_weights(layer, qkv):
    """Cross-attention with its own lengths: output and the weights of each head agree."""
    output, weights = MultiHeadAttention.from_torch(layer)(*qkv)
    expected, expected_weights = layer(*qkv, average_attn_weights=False)
    assert weights.shape == (B, H, N, M)
    assert_close(output, expected)
    assert_close(weights, expected_weights)


def test_layer_matches_the_oracle_head_by_head(layer, qkv):
    """Each head's output is the definition's, and the last projection mixes them side by side."""
    ours = MultiHeadAttention.from_torch(layer)
    q, k, v = ours.query(qkv[0]), ours.key(qkv[1]), ours.value(qkv[2])
    runs = [slice(i * WIDTH, (i + 1) * WIDTH) for i in range(H)]
    heads = [reference.attention(q[..., run], k[..., run], v[..., run])[0] for run in runs]
    assert_close(ours(*qkv)[0], ours.output(torch.cat(heads, dim=-1)))


def test_layer_matches_torch_in_gradients(layer, qkv):
    """Inputs and all four projections receive the gradients that PyTorch's layer gives them."""
    ours = MultiHeadAttention.from_torch(layer)
    torch_inputs = [x.clone().requires_grad_() for x in qkv]
    our_inputs = [x.clone().requires_grad_() for x in qkv]
    (layer(*torch_inputs)[0] ** 2).sum().backward()
    (ours(*our_inputs)[0] ** 2).sum().backward()
    for mine, theirs in zip(our_inputs, torch_inputs, strict=True):
        assert_close(mine.grad, theirs.grad)
    projections = (ours.query, ours.key, ours.value)
    assert_close(torch.cat([p.weight.grad for p in projections]), layer.in_proj_weight.grad)
    assert_close(torch.cat([p.bias.grad for p in projections]), layer.in_proj_bias.grad)
    assert_close(ours.output.weight.grad, layer.out_proj.weight.grad)
    assert_close(ours.output.bias.grad, layer.out_proj.bias.grad)


def test_layer_matches_torch_under_a_padding_mask(layer, qkv):
    """`True` blocks in both; ours wants the axis of the heads written out."""
    ids = torch.ones(B, M, dtype=torch.int64)
    ids[0, 7:], ids[1, 3:] = 0, 0
    output, weights = MultiHeadAttention.from_torch(layer)(*qkv, padding_blocked(ids)[:, None])
    expected, _ = layer(*qkv, key_padding_mask=ids == 0)
    assert_close(output, expected)
    assert weights[0, ..., 7:].abs().max() == 0


def test_layer_matches_torch_under_a_causal_mask(layer, randn):
    """A mask shared by sequences and heads."""
    x = randn(B, N, D)
    blocked = causal_blocked(N)
    assert_close(MultiHeadAttention.from_torch(layer)(x, x, x, blocked[None])[0], layer(x, x, x, attn_mask=blocked)[0])


def test_layer_matches_torch_under_a_mask_for_each_head(layer, qkv):
    """PyTorch folds batch and heads into one axis, batch first."""
    blocked = torch.rand(B, H, N, M, generator=torch.Generator().manual_seed(3)) < 0.4
    blocked[..., 0] = False
    expected, _ = layer(*qkv, attn_mask=blocked.flatten(0, 1))
    assert_close(MultiHeadAttention.from_torch(layer)(*qkv, blocked)[0], expected)


def test_layer_gives_a_blocked_query_the_output_bias(layer, qkv):
    """Nothing to look at gives zeros, mixed, and finite gradients, where PyTorch's layer gives NaN."""
    ours = MultiHeadAttention.from_torch(layer)
    blocked = torch.zeros(B, 1, N, M, dtype=torch.bool)
    blocked[1, :, 2] = True
    output, _ = ours(*qkv, blocked)
    assert_close(output[1, 2], ours.output.bias)
    output.sum().backward()
    assert all(p.grad.isfinite().all() for p in ours.parameters())
    assert layer(*qkv, attn_mask=blocked.expand(B, H, N, M).flatten(0, 1))[0][1, 2].isnan().all()


def test_layer_takes_tokens_without_a_batch(layer, qkv):
    """One sequence alone gives what it gives in a batch."""
    ours = MultiHeadAttention.from_torch(layer)
    output, weights = ours(*(x[1] for x in qkv))
    assert_close(output, ours(*qkv)[0][1])
    assert weights.shape == (H, N, M)


def test_layer_of_no_queries_is_empty(layer, qkv):
    """An empty sequence asks nothing."""
    output, weights = MultiHeadAttention.from_torch(layer)(qkv[0][:, :0], *qkv[1:])
    assert output.shape == (B, 0, D)
    assert weights.shape == (B, H, 0, M)


def test_layer_of_no_keys_gives_the_output_bias(layer, qkv):
    """With nothing to look at, every query gets zeros, mixed."""
    ours = MultiHeadAttention.from_torch(layer)
    assert_close(ours(qkv[0], qkv[1][:, :0], qkv[2][:, :0])[0], ours.output.bias.expand(B, N, D))


def test_layer_lets_a_nan_reach_its_own_sequence_only(layer, qkv):
    """NaN in one query spoils the output of that query and of no other."""
    q, k, v = qkv
    q = q.clone()
    q[0, 3, 0] = float("nan")
    spoilt = MultiHeadAttention.from_torch(layer)(q, k, v)[0].isnan()
    assert spoilt[0, 3].all()
    assert spoilt.sum() == D


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
@pytest.mark.parametrize("bias", [True, False])
def test_layer_has_as_many_parameters_as_torch(heads, bias):
    """`4d²`, and `4d` more with biases, for any number of heads."""
    d = 64
    mine = sum(p.numel() for p in MultiHeadAttention(d, heads, bias).parameters())
    theirs = sum(p.numel() for p in nn.MultiheadAttention(d, heads, bias=bias).parameters())
    assert mine == theirs == 4 * d * d + 4 * d * bias


def test_from_torch_copies_without_biases(randn):
    """A layer without biases gives one without biases."""
    layer = nn.MultiheadAttention(D, H, bias=False, batch_first=True, dtype=torch.float64)
    x = randn(B, N, D)
    ours = MultiHeadAttention.from_torch(layer)
    assert ours.query.bias is None
    assert_close(ours(x, x, x)[0], layer(x, x, x)[0])


def test_from_torch_takes_over_dtype_and_mode(layer):
    """A float64 layer in evaluation stays both."""
    ours = MultiHeadAttention.from_torch(layer.eval())
    assert ours.query.weight.dtype == torch.float64
    assert not ours.training
    assert MultiHeadAttention.from_torch(layer.train()).training


def test_from_torch_shares_no_memory(layer):
    """Training one of the two leaves the other alone."""
    ours = MultiHeadAttention.from_torch(layer)
    before = layer.in_proj_weight.clone()
    with torch.no_grad():
        ours.query.weight.zero_()
    assert torch.equal(layer.in_proj_weight, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kdim": 13}, "one width for queries, keys and values, got embed_dim 21, kdim 13, vdim 21"),
        ({"vdim": 13}, "one width for queries, keys and values, got embed_dim 21, kdim 21, vdim 13"),
        ({"add_bias_kv": True}, "got one with add_bias_kv"),
        ({"add_zero_attn": True}, "got one with add_zero_attn"),
    ],
)
def test_from_torch_refuses_what_it_cannot_do(options, message):
    """A layer that computes something else is not taken over in part."""
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(D, H, **options))


def test_from_torch_refuses_another_module():
    """A linear layer is caught by name."""
    with pytest.raises(TypeError, match=r"must be an nn\.MultiheadAttention, got Linear"):
        MultiHeadAttention.from_torch(nn.Linear(2, 2))


@pytest.mark.parametrize(
    ("d", "heads", "message"),
    [
        (10, 3, "heads must divide the width, got 3 heads for a width of 10"),
        (10, 0, "heads must be at least 1, got 0"),
        (10, -2, "heads must be at least 1, got -2"),
        (0, 1, "d must be at least 1, got 0"),
    ],
)
def test_layer_refuses_sizes_that_do_not_fit(d, heads, message):
    """Heads have equal whole widths."""
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(d, heads)


@pytest.mark.parametrize(
    ("d", "heads", "message"),
    [(8.0, 2, "d must be an int, got float"), (8, 2.0, "heads must be an int, got float"), (8, True, "got bool")],
)
def test_layer_refuses_sizes_that_are_no_ints(d, heads, message):
    """`d / heads` handed over as a float is caught by name."""
    with pytest.raises(TypeError, match=message):
        MultiHeadAttention(d, heads)


def test_split_heads_refuses_a_width_that_does_not_divide():
    """The message has both numbers."""
    with pytest.raises(ValueError, match="got 2 heads for a width of 7"):
        split_heads(torch.zeros(3, 7), 2)


def test_split_heads_refuses_too_few_axes():
    """A vector has no axis of tokens."""
    with pytest.raises(ValueError, match=r"at least the last 2 axes of \(\.\.\., N, D\), got \(6,\)"):
        split_heads(torch.zeros(6), 2)


def test_join_heads_refuses_too_few_axes():
    """Tokens that were never split have no axis of heads."""
    with pytest.raises(ValueError, match=r"at least the last 3 axes of \(\.\.\., H, N, D/H\), got \(5, 6\)"):
        join_heads(torch.zeros(5, 6))


@pytest.mark.parametrize("function", [lambda x: split_heads(x, 1), join_heads])
def test_heads_refuse_what_is_no_tensor(function):
    """A list is caught by name."""
    with pytest.raises(TypeError, match=r"x must be a torch\.Tensor, got list"):
        function([[1.0]])


def test_layer_refuses_another_width(randn):
    """The message has the layer's width and the shape that came."""
    layer = MultiHeadAttention(6, 2).double()
    with pytest.raises(ValueError, match=r"q must have the layer's width d = 6, got \(5, 7\)"):
        layer(randn(5, 7), randn(5, 7), randn(5, 6))
    with pytest.raises(ValueError, match=r"v must have the layer's width d = 6, got \(5, 7\)"):
        layer(randn(5, 6), randn(5, 6), randn(5, 7))


def test_layer_refuses_integers():
    """Token ids are not token vectors."""
    ids = torch.zeros(5, 6, dtype=torch.int64)
    with pytest.raises(TypeError, match=r"q must be floating, got torch\.int64"):
        MultiHeadAttention(6, 2)(ids, ids, ids)


def test_layer_refuses_a_mask_without_the_axis_of_heads(layer, qkv):
    """A (B, 1, M) mask would pair sequences with heads."""
    blocked = torch.zeros(B, 1, M, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"write blocked\[:, None\]"):
        MultiHeadAttention.from_torch(layer)(*qkv, blocked)
