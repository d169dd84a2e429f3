"""Mistakes that people reported in public: what went wrong, and what the core does about it.

Each test names where it was reported, shows the wrong result with PyTorch alone, and the right one.
The tests at the end hold what PyTorch does today where it surprises; the core has no part in them.

Kinds of mistake whose members are many have a file of tests of their own:

| kind | what happens now | tests |
| --- | --- | --- |
| second derivative of an operation that has one only | RuntimeError, on every way | `blockwise/test_gradients.py` |
| one mode for a tree of modules | each module as it was | `models/test_modes.py` |
| a state dict with other entries | right, or ValueError with the reason | `test_torch_layer.py` |
| sizes that are no ints, in a recorded graph | right at another size, or said | `core/test_sizes.py` |
| sums that a short dtype cannot hold | right, in the dtype of the inputs | `core/test_overflow.py` |
| positions that start again with a cache | right with `offset` | `test_positions.py` |
| parameters of other libraries | TypeError that translates | `core/test_foreign.py` |
| a mask in place of ids | refused with what to write | `core/test_ids.py` |
"""

import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.testing import assert_close

from attention_src.blockwise.memory import peak_bytes
from attention_src.core.attention import attention
from attention_src.core.weights import weights
from attention_src.masks import causal_blocked, combine, padding_blocked

NAN = float("nan")


def column(*values: float) -> Tensor:
    """Return one number a row, (len(values), 1)."""
    return torch.tensor(values, dtype=torch.float32)[:, None]


def mean_of_allowed(values: Tensor, blocked: Tensor) -> Tensor:
    """Attend with all scores 0, so that every query averages the values it may look at."""
    return attention(torch.zeros(blocked.shape[0], 1), torch.zeros(len(values), 1), values, blocked)[0]


def test_case_1_upper_triangle_blocks_the_future():
    """rasbt/LLMs-from-scratch #1061, pytorch #170415: as attn_mask the triangle attends to the future."""
    upper, v = torch.ones(3, 3, dtype=torch.bool).triu(1), column(0, 1, 2)
    zeros = torch.zeros(3, 1)
    assert_close(F.scaled_dot_product_attention(zeros, zeros, v, attn_mask=upper), column(1.5, 2, 0))
    assert_close(F.scaled_dot_product_attention(zeros, zeros, v, attn_mask=~upper), column(0, 0.5, 1))
    assert_close(mean_of_allowed(v, upper), column(0, 0.5, 1))
    assert_close(causal_blocked(3), upper)


def test_case_2_mask_in_which_one_keeps_is_refused():
    """mlwithme/BertWithPretrained #17: as key_padding_mask a tokenizer's mask hides the tokens and shows the pads."""
    keep, x, v = torch.tensor([[1, 0]]), torch.zeros(1, 2, 1), column(0, 1)
    layer = torch.nn.MultiheadAttention(1, 1, batch_first=True)
    hidden, shown = (layer(x, x, x, key_padding_mask=mask)[1][0, 0] for mask in (keep.bool(), keep == 0))
    assert_close((hidden, shown), (torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])))
    with pytest.raises(TypeError, match="write mask == 0 if its 1 keeps a key"):
        mean_of_allowed(v, keep)
    assert_close(mean_of_allowed(v, keep == 0), column(0))


def test_case_3_float_mask_of_zeros_and_ones_is_refused():
    """pytorch #21518: a float mask is added, so 0s and 1s let row 0 see 0.2689 of the future."""
    lower, v, zeros = torch.ones(2, 2).tril(), column(0, 1), torch.zeros(2, 1)
    leaked = F.scaled_dot_product_attention(zeros, zeros, v, attn_mask=lower)
    assert_close(leaked[0], torch.tensor([0.2689]), atol=5e-5, rtol=0)
    with pytest.raises(TypeError, match=r"blocked must be torch\.bool"):
        mean_of_allowed(v, lower)
    assert_close(mean_of_allowed(v, lower == 0)[0], torch.tensor([0.0]))


def test_case_4_fully_blocked_row_is_zero_with_finite_gradients():
    """pytorch #103963: such a row was NaN in old versions, and a softmax written by hand still makes it NaN."""
    blocked = torch.tensor([[True, True], [False, False]])
    byhand = torch.softmax(torch.zeros(2, 2).masked_fill(blocked, -torch.inf), -1)
    assert byhand[0].isnan().all()
    q, k, v = (column(1, 2).requires_grad_() for _ in range(3))
    output, w = attention(q, k, v, blocked)
    output.sum().backward()
    assert_close((output[0], w[0]), (torch.zeros(1), torch.zeros(2)))
    assert all(tensor.grad.isfinite().all() for tensor in (q, k, v))
    assert q.grad[0].item() == 0


def test_case_6_nan_in_a_blocked_value_leaks_until_it_is_cleared():
    """pytorch #101967: 0 · NaN is NaN; the core leaks as PyTorch does, and clearing the padding mends both."""
    q, k, v = torch.zeros(1, 1), torch.zeros(2, 1), column(1, NAN)
    blocked = torch.tensor([[False, True]])
    assert F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked).isnan().all()
    output, w = attention(q, k, v, blocked)
    assert output.isnan().all()
    assert_close(w, torch.tensor([[1.0, 0.0]]))
    padding = blocked[0]
    assert_close(attention(q, k, v.masked_fill(padding[..., None], 0), blocked)[0], column(1))


def test_case_6_nan_in_a_blocked_key_reaches_the_gradient_only():
    """A NaN key is blocked in the forward pass, and multiplied by 0 in the backward pass, which makes NaN."""
    q, k, v = torch.ones(1, 1, requires_grad=True), column(1, NAN), column(1, 2)
    blocked = torch.tensor([[False, True]])
    output, _ = attention(q, k, v, blocked)
    output.sum().backward()
    assert_close(output, column(1))
    assert q.grad.isnan().all()
    q.grad = None
    attention(q, k.masked_fill(blocked[0, :, None], 0), v, blocked)[0].sum().backward()
    assert_close(q.grad, column(0))


def test_case_7_alignment_is_stated():
    """pytorch #103082, #108108, flash-attention #951: is_causal with 2 queries and 5 keys is top-left."""
    v, q, k = column(0, 1, 2, 3, 4), torch.zeros(2, 1), torch.zeros(5, 1)
    with pytest.raises(ValueError, match="2 queries and 5 keys can be aligned in two ways"):
        causal_blocked(2, 5)
    top = mean_of_allowed(v, causal_blocked(2, 5, align="top-left"))
    bottom = mean_of_allowed(v, causal_blocked(2, 5, align="bottom-right"))
    assert_close((top, bottom), (column(0, 0.5), column(1.5, 2)))
    assert_close(top, F.scaled_dot_product_attention(q, k, v, is_causal=True))
    from torch.nn.attention.bias import causal_lower_right  # loads the compiler, which takes a second

    lower_right = causal_lower_right(2, 5)
    assert_close(bottom, F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], lower_right)[0, 0])


def test_case_8_cached_decoding_sees_every_key():
    """pytorch #144858, #115111: one query with is_causal sees key 0 only; bottom-right sees them all."""
    v = column(0, 1, 2, 3, 4)
    wrong = F.scaled_dot_product_attention(torch.zeros(1, 1), torch.zeros(5, 1), v, is_causal=True)
    assert_close(wrong, column(0))
    assert_close(mean_of_allowed(v, causal_blocked(1, 5, align="bottom-right")), column(2))


def test_case_9_masks_are_merged():
    """nari-labs/dia PR 170, pytorch #100709: a mask beside is_causal is applied on four axes and refused on three."""
    q, v, keep = torch.zeros(1, 1, 3, 1), column(0, 1, 2), torch.tensor([True, True, False]).expand(3, 3)
    four = F.scaled_dot_product_attention(q, q, v[None, None], attn_mask=keep[None, None], is_causal=True)
    with pytest.raises(RuntimeError, match="should not be set when is_causal=True"):
        F.scaled_dot_product_attention(q[0], q[0], v[None], attn_mask=keep[None], is_causal=True)
    assert_close(four[0, 0], column(0, 0.5, 0.5))
    assert_close(mean_of_allowed(v, combine(~keep, causal_blocked(3))), column(0, 0.5, 0.5))


def test_case_13_boolean_masks_do_not_overflow():
    """transformers PR 17306, PR 27114: two masks of finfo.min, added, are -inf everywhere and the softmax is NaN."""
    lowest = torch.full((1, 2), torch.finfo(torch.float16).min, dtype=torch.float16)
    assert torch.softmax(lowest + lowest, -1).isnan().all()
    first, second = torch.tensor([[True, False]]), torch.tensor([[True, True]])
    scores = torch.tensor([[1.0, 2.0]], dtype=torch.float16)
    assert_close(weights(scores, combine(first, first)), torch.tensor([[0.0, 1.0]], dtype=torch.float16))
    assert_close(weights(scores, combine(first, second)), torch.zeros_like(scores))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_case_14_mask_needs_no_large_number(dtype):
    """apex #1052, pytorch-seq2seq #191: −1e9 does not fit float16; a boolean mask works in every dtype."""
    scores = torch.tensor([[1.0, 2.0, 3.0]], dtype=dtype)
    part, whole = torch.tensor([[False, False, True]]), torch.ones(1, 3, dtype=torch.bool)
    tolerance = 4 * torch.finfo(dtype).eps
    assert_close(weights(scores, part).double()[0, :2], torch.softmax(torch.tensor([1.0, 2.0]).double(), -1),
                 rtol=tolerance, atol=0)  # fmt: skip
    assert weights(scores, part)[0, 2].item() == 0
    assert_close(weights(scores, whole), torch.zeros_like(scores))


def test_case_14_large_number_raises_or_turns_uniform():
    """What happens instead: float16 refuses −1e9, and a whole row of it comes out uniform."""
    scores, whole = torch.tensor([[1.0, 2.0, 3.0]]), torch.ones(1, 3, dtype=torch.bool)
    with pytest.raises(RuntimeError, match="without overflow"):
        scores.half().masked_fill(whole, -1e9)
    uniform = torch.softmax(scores.masked_fill(whole, -1e9), -1)
    assert_close(uniform, torch.full((1, 3), 1 / 3))


def test_case_20_weights_sum_over_keys():
    """labml #146, PyTorch-NLP #2: softmax over the queries leaves rows that sum to 0.238 and 1.762."""
    scores = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    assert_close(torch.softmax(scores, 0).sum(-1), torch.tensor([0.238, 1.762]), atol=5e-4, rtol=0)
    assert_close(weights(scores).sum(-1), torch.ones(2))


def test_case_24_mask_of_a_batch_is_not_taken_for_heads():
    """pytorch #64706, line/lighthouse PR 77: with B = H a (B, N, M) mask means per head in PyTorch."""
    q, k, v = torch.zeros(2, 2, 1, 1), torch.zeros(2, 2, 2, 1), column(0, 1).expand(2, 2, 2, 1)
    blocked = torch.tensor([[[False, True]], [[True, False]]])  # sequence 0 sees key 0, sequence 1 sees key 1
    silent = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)
    assert silent.flatten().tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"write blocked\[:, None\] if it is the batch"):
        attention(q, k, v, blocked)
    assert attention(q, k, v, blocked[:, None])[0].flatten().tolist() == [0, 0, 1, 1]


def test_case_26_padding_is_blocked_whatever_its_embedding_holds():
    """pytorch #6411: padding_idx zeroes a row and masks nothing; a key of 0 beside a score of 1 keeps 0.269."""
    embedding = torch.nn.Embedding(3, 2, padding_idx=0)
    torch.nn.init.ones_(embedding.weight)
    assert embedding.weight[0].tolist() == [1.0, 1.0]  # overwritten, and stays so
    assert_close(weights(torch.tensor([[1.0, 0.0]]))[0, 1], torch.tensor(0.2689), atol=5e-5, rtol=0)
    ids = torch.tensor([[2, 1, 0]])
    x = embedding(ids).detach()
    _, w = attention(x, x, x, padding_blocked(ids))
    assert_close(w[0, :, 2], torch.zeros(3))


def seeded(make, *shape: int) -> Tensor:
    """Draw a shape after the same seed."""
    torch.manual_seed(0)
    return make(torch.ones(shape))


def test_trap_one_seed_gives_another_draw_for_another_size():
    """The first of 15 normal numbers is not the first of 16, and a longer row moves the dropout of the rows below."""
    assert not torch.isclose(seeded(torch.randn_like, 15)[:3], seeded(torch.randn_like, 16)[:3]).any()
    short, long = (seeded(F.dropout, 2, length) for length in (50, 51))
    assert not torch.equal(short[1], long[1, :50])
    assert torch.equal(short, seeded(F.dropout, 2, 50))


def test_trap_tokens_before_heads_attend_over_the_heads():
    """(B, L, H, D) has the right shape in F.scaled_dot_product_attention, and no token sees another one."""
    x = torch.randn(2, 5, 3, 4, generator=torch.Generator().manual_seed(0))
    right = F.scaled_dot_product_attention(*[x.transpose(1, 2)] * 3).transpose(1, 2)
    wrong = F.scaled_dot_product_attention(x, x, x)
    assert right.shape == wrong.shape
    assert (right - wrong).abs().max() > 1
    changed = x.clone()
    changed[:, 4] = 9
    assert_close(F.scaled_dot_product_attention(changed, changed, changed)[:, :4], wrong[:, :4], rtol=0, atol=0)
    assert_close(attention(*[x.transpose(1, 2)] * 3)[0].transpose(1, 2), right)


def test_trap_the_batch_comes_second_by_default():
    """nn.MultiheadAttention reads (B, N, d) as (N, B, d): a change in one sequence reaches the other one."""
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(4, 2), torch.randn(2, 5, 4)
    changed = x.clone()
    changed[0, 4] = 9
    moved = (layer(changed, changed, changed)[0] - layer(x, x, x)[0]).abs().amax(-1) > 1e-6
    assert moved.tolist() == [[False] * 4 + [True]] * 2
    layer.batch_first = True
    moved = (layer(changed, changed, changed)[0] - layer(x, x, x)[0]).abs().amax(-1) > 1e-6
    assert moved.tolist() == [[True] * 5, [False] * 5]


def test_trap_the_encoders_fast_path_puts_zeros_at_padding():
    """In evaluation mode and without gradients; a mean over all tokens then differs from that in training mode."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    encoder, x = nn.TransformerEncoder(layer, 1), torch.randn(2, 5, 4)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    slow = encoder.eval()(x, src_key_padding_mask=padding).detach()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors", UserWarning)
        fast = encoder(x, src_key_padding_mask=padding)
    assert_close(fast[~padding], slow[~padding])
    assert fast[padding].eq(0).all()
    assert slow[padding].abs().max() > 1


TABLE = 8 * 512 * 512 * 4
"""Bytes of all scores of eight heads of 512 tokens in float32."""


def scores_are_held(*lead: int, gradient: bool = False, **options: object) -> bool:
    """Say whether F.scaled_dot_product_attention holds the whole table of scores, as its math backend does."""
    q = torch.randn(*lead, 512, 64, generator=torch.Generator().manual_seed(0)).requires_grad_(gradient)
    return peak_bytes(lambda: F.scaled_dot_product_attention(q, q, q, **options)) >= TABLE


def test_trap_what_makes_sdpa_hold_all_scores_on_the_processor():
    """A mask alone does not any more; three axes, dropout and a mask that is trained do."""
    keep = torch.ones(512, 512, dtype=torch.bool).tril()
    assert not scores_are_held(1, 8)
    assert not scores_are_held(1, 8, is_causal=True)
    assert not scores_are_held(1, 8, attn_mask=keep)
    assert not scores_are_held(1, 8, attn_mask=torch.zeros(512, 512))
    assert not scores_are_held(1, 8, attn_mask=keep, gradient=True)
    assert scores_are_held(8)
    assert scores_are_held(1, 8, dropout_p=0.1)
    assert scores_are_held(1, 8, attn_mask=torch.zeros(512, 512, requires_grad=True), gradient=True)


def test_trap_a_hint_that_contradicts_the_mask_decides_by_what_else_is_asked_for():
    """With is_causal=True nn.MultiheadAttention follows the mask when it returns weights, and else the hint."""
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(4, 2, batch_first=True), torch.randn(2, 5, 4)
    first_key = torch.ones(5, 5, dtype=torch.bool)
    first_key[:, 0] = False

    def run(mask: Tensor, **options: object) -> Tensor:
        return layer(x, x, x, attn_mask=mask, **options)[0]

    as_mask, as_hint = run(first_key), run(causal_blocked(5))
    assert (as_mask - as_hint).abs().max() > 0.1
    assert_close(run(first_key, is_causal=True), as_mask)
    assert_close(run(first_key, is_causal=True, need_weights=False), as_hint)
    padded = {"key_padding_mask": torch.zeros(2, 5, dtype=torch.bool), "need_weights": False}
    assert_close(run(first_key, is_causal=True, **padded), as_mask)


def test_trap_the_encoder_follows_the_hint_while_it_trains_and_the_mask_on_its_fast_path():
    """One model and one call, with two answers."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    encoder, x = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False), torch.randn(2, 5, 4)
    first_key = torch.ones(5, 5, dtype=torch.bool)
    first_key[:, 0] = False
    as_mask, as_hint = encoder(x, mask=first_key), encoder(x, mask=causal_blocked(5))
    assert_close(encoder(x, mask=first_key, is_causal=True), as_hint)
    with torch.no_grad():
        assert_close(encoder.eval()(x, mask=first_key, is_causal=True), as_mask)
