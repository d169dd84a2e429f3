"""Tests of `attention_src.core.foreign`: the parameters of other libraries are translated."""

import inspect
import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention
from attention_src.core.foreign import MASKS, translated
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.heads import MultiHeadAttention
from attention_src.masks import causal_blocked, padding_blocked
from attention_src.positions import sinusoidal_positions

X = torch.zeros(2, 5, 6)
KEEP = torch.ones(5, 5, dtype=torch.bool).tril()

CALLS = {
    "attention": lambda **options: attention(X, X, X, **options),
    "blockwise_attention": lambda **options: blockwise_attention(X, X, X, **options),
    "weights": lambda **options: weights(X, **options),
    "MultiHeadAttention.forward": lambda **options: MultiHeadAttention(6, 2)(X, X, X, **options),
}


@pytest.mark.parametrize("name", ["attn_mask", "mask", "attention_mask", "key_padding_mask"])
@pytest.mark.parametrize(("function", "call"), CALLS.items(), ids=CALLS.keys())
def test_mask_under_another_name_is_translated(function, call, name):
    """The message has the parameter, what its True means, and what to write."""
    with pytest.raises(TypeError, match=f"^{re.escape(function)}\\(\\) has no {name}: ") as raised:
        call(**{name: KEEP})
    assert "the mask is called blocked here, and its True blocks" in str(raised.value)
    assert f"blocked={name}" in str(raised.value).replace("(", "").replace("~", "")


@pytest.mark.parametrize("name", ["is_causal", "dropout_p", "enable_gqa", "need_weights", "query", "softmax_scale"])
@pytest.mark.parametrize(("function", "call"), CALLS.items(), ids=CALLS.keys())
def test_other_parameters_of_pytorch_are_translated(function, call, name):
    """Where PyTorch's function has a parameter, the message says what stands for it."""
    with pytest.raises(TypeError, match=f"^{re.escape(function)}\\(\\) has no {name}: ") as raised:
        call(**{name: True})
    assert "unexpected keyword" not in str(raised.value)


@pytest.mark.parametrize("theirs", [F.scaled_dot_product_attention, nn.MultiheadAttention.forward])
def test_every_parameter_of_pytorch_has_a_translation(theirs):
    """None of them ends in Python's bare message."""
    documented = "attn_mask dropout_p is_causal scale enable_gqa query key value"
    names = (
        set(documented.split())
        if theirs is F.scaled_dot_product_attention
        else set(inspect.signature(theirs).parameters) - {"self"}
    )
    assert names <= {*MASKS, "scale"}


def test_translation_for_sdpa_gives_its_result(randn):
    """`attn_mask` of F.scaled_dot_product_attention, converted as the message says."""
    q, k, v = randn(5, 6), randn(5, 6), randn(5, 3)
    assert_close(attention(q, k, v, blocked=~KEEP)[0], F.scaled_dot_product_attention(q, k, v, attn_mask=KEEP))
    added = torch.zeros(5, 5).masked_fill(~KEEP, float("-inf")).double()
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
    assert_close(attention(q, k, v, blocked=added == float("-inf"))[0], expected)
    causal = F.scaled_dot_product_attention(q, k[:3], v[:3], is_causal=True)
    assert_close(attention(q, k[:3], v[:3], causal_blocked(5, 3, align="top-left"))[0], causal)
    assert_close(blockwise_attention(q, k[:3], v[:3], causal="top-left"), causal)


def test_translation_for_the_module_gives_its_result(randn):
    """`key_padding_mask` and `attn_mask` of nn.MultiheadAttention, converted as the message says."""
    layer = nn.MultiheadAttention(6, 2, batch_first=True, dtype=torch.float64)
    ours, x = MultiHeadAttention.from_torch(layer), randn(2, 5, 6)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    assert_close(ours(x, x, x, padding[:, None, None])[0], layer(x, x, x, key_padding_mask=padding)[0])
    assert_close(ours(x, x, x, (~KEEP)[None])[0], layer(x, x, x, attn_mask=~KEEP)[0])


OTHERS = [
    (lambda: scores(X, X, attn_mask=KEEP), "scores() has no attn_mask: scores are made without a mask"),
    (lambda: scores(X, X, blocked=KEEP), "give it to weights(scores, blocked), where True blocks"),
    (lambda: padding_blocked(attention_mask=X), "write (attention_mask == 0)[:, None]"),
    (lambda: padding_blocked(X.long(), padding_idx=0), "the id of the padding is called pad here"),
    (lambda: blockwise_attention(X, X, X, is_causal=True), "write causal='top-left', or causal='bottom-right'"),
    (lambda: attention(X, X, X, causal=True), "Write blocked=causal_blocked(N, M, align=...)"),
    (lambda: MultiHeadAttention(embed_dim=6, num_heads=2), "MultiHeadAttention.__init__() has no embed_dim"),
    (lambda: MultiHeadAttention(6, 2, batch_first=True), "the batch always comes first here"),
    (lambda: MultiHeadAttention(6, 2, dropout=0.1), "there is no dropout in it"),
    (lambda: sinusoidal_positions(max_len=5, d_model=6), "the number of positions is called n here"),
    (lambda: sinusoidal_positions(5, 6, start=2), "the first position is called offset here"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), OTHERS, ids=[message for _, message in OTHERS])
def test_parameters_of_the_others_are_translated(call, message):
    """Masks of ids, positions and the layer have names of their own, too."""
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_unknown_parameter_gets_pythons_own_error():
    """A misspelt name is nobody's."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'blockd'"):
        attention(X, X, X, blockd=None)


def test_own_parameter_is_never_translated():
    """A function that has the name keeps it, whatever the table says."""

    @translated({"mask": "no", "scale": "no"}, mask="never")
    def function(mask: int, scale: int = 1) -> int:
        return mask + scale

    assert function(mask=2, scale=3) == 5


def test_translated_function_keeps_its_signature():
    """Documentation and editors see the function itself."""
    assert list(inspect.signature(attention).parameters) == ["q", "k", "v", "blocked", "scale"]
    assert (attention.__name__, attention.__module__) == ("attention", "attention_src.core.attention")
