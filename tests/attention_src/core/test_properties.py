"""Properties of attention that hold for all inputs, on drawn shapes, tensors and masks."""

from typing import NamedTuple

import reference
import torch
import torch.nn.functional as F
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from attention_src.core.attention import attention
from attention_src.core.scores import scores
from attention_src.core.weights import weights
from attention_src.masks import causal_blocked, combine, padding_blocked

# The same examples on every run, and no clock: a slow machine is not a failure.
steady = settings(deadline=None, derandomize=True, database=None, max_examples=40)

SIZES = st.permutations([1, 2, 3, 5, 7, 11])
SEEDS = st.integers(0, 2**32 - 1)


class Problem(NamedTuple):
    """Inputs of attention in float64, and a generator for whatever else a test draws."""

    q: Tensor
    k: Tensor
    v: Tensor
    blocked: Tensor
    generator: torch.Generator

    def randn(self, *shape: int) -> Tensor:
        """Return normal numbers."""
        return torch.randn(shape, generator=self.generator, dtype=torch.float64)

    def some(self, *shape: int) -> Tensor:
        """Return a mask that is True here and there."""
        return torch.rand(shape, generator=self.generator) < 0.3


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw inputs with none to two leading axes, distinct sizes, and a mask that blocks up to everything."""
    b, h, n, m, d, width = draw(SIZES)
    lead = draw(st.sampled_from([(), (b,), (b, h)]))
    generator = torch.Generator().manual_seed(draw(SEEDS))
    density = draw(st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0]))
    spread = draw(st.sampled_from([0.1, 1.0, 10.0]))
    q, k, v = (
        torch.randn(*lead, *last, generator=generator, dtype=torch.float64) for last in ((n, d), (m, d), (m, width))
    )
    blocked = torch.rand(*lead, n, m, generator=generator) < density
    return Problem(spread * q, k, v, blocked, generator)


@given(problems())
@steady
def test_attention_matches_the_oracle(problem):
    """Output and weights are those of plain loops."""
    q, k, v, blocked, _ = problem
    assert_close(attention(q, k, v, blocked), reference.attention(q, k, v, blocked))


@given(problems())
@steady
def test_attention_matches_torch(problem):
    """Output and gradients are those of F.scaled_dot_product_attention under the negated mask."""
    blocked = problem.blocked
    ours = [tensor.clone().requires_grad_() for tensor in problem[:3]]
    theirs = [tensor.clone().requires_grad_() for tensor in problem[:3]]
    output, _ = attention(*ours, blocked)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=~blocked)
    probe = problem.randn(*output.shape)
    assert_close(output, expected)
    gradients = torch.autograd.grad((output * probe).sum(), ours)
    assert_close(gradients, torch.autograd.grad((expected * probe).sum(), theirs))


@given(problems())
@steady
def test_weights_are_shares(problem):
    """Weights are at least 0, exactly 0 where blocked, and sum to 1 over the keys, or to 0 without any."""
    q, k, v, blocked, _ = problem
    _, w = attention(q, k, v, blocked)
    assert w.ge(0).all()
    assert w[blocked].eq(0).all()
    assert_close(w.sum(-1), (~blocked.all(-1)).double())


@given(problems())
@steady
def test_output_lies_between_the_allowed_values(problem):
    """An average never leaves the range of what it averages."""
    q, k, v, blocked, _ = problem
    output, _ = attention(q, k, v, blocked)
    shut, pairs = blocked[..., None], v[..., None, :, :]  # (..., N, M, 1), (..., 1, M, V)
    low = torch.where(shut, torch.inf, pairs).amin(-2)
    high = torch.where(shut, -torch.inf, pairs).amax(-2)
    some = ~blocked.all(-1)
    assert (output >= low - 1e-12)[some].all()
    assert (output <= high + 1e-12)[some].all()
    assert output[~some].eq(0).all()


@given(problems())
@steady
def test_order_of_the_keys_does_not_matter(problem):
    """Shuffling keys, values and mask together shuffles the weights and leaves the output."""
    q, k, v, blocked, generator = problem
    order = torch.randperm(k.shape[-2], generator=generator)
    output, w = attention(q, k, v, blocked)
    shuffled, shuffled_w = attention(q, k[..., order, :], v[..., order, :], blocked[..., order])
    assert_close((shuffled, shuffled_w), (output, w[..., order]))


@given(problems())
@steady
def test_queries_do_not_see_one_another(problem):
    """Shuffling the queries with their mask shuffles output and weights."""
    q, k, v, blocked, generator = problem
    order = torch.randperm(q.shape[-2], generator=generator)
    output, w = attention(q, k, v, blocked)
    shuffled = attention(q[..., order, :], k, v, blocked[..., order, :])
    assert_close(shuffled, (output[..., order, :], w[..., order, :]))


@given(problems())
@steady
def test_sequences_do_not_see_one_another(problem):
    """Any one sequence and head, taken alone, gives its part of the result."""
    q, k, v, blocked, _ = problem
    assume(q.ndim > 2)
    output, w = attention(q, k, v, blocked)
    assert_close((output[-1], w[-1]), attention(q[-1], k[-1], v[-1], blocked[-1]))


@given(problems(), st.sampled_from([-1e6, -3.0, 0.5, 1e6]))
@steady
def test_softmax_ignores_a_shift_of_a_querys_scores(problem, shift):
    """Adding one number to all scores of a query changes no weight."""
    q, k, _, blocked, _ = problem
    given_scores = scores(q, k)
    shifts = shift * problem.randn(*q.shape[:-1], 1)
    assert_close(weights(given_scores + shifts, blocked), weights(given_scores, blocked), rtol=1e-6, atol=1e-8)


@given(problems())
@steady
def test_blocking_more_keys_never_lowers_the_others(problem):
    """What a newly blocked key loses goes to the keys that remain."""
    q, k, v, blocked, _ = problem
    more = blocked | problem.some(*blocked.shape)
    before, after = attention(q, k, v, blocked)[1], attention(q, k, v, more)[1]
    assert after[more].eq(0).all()
    assert (after >= before * (1 - 1e-12))[~more].all()


@given(problems())
@steady
def test_blocked_keys_have_no_influence(problem):
    """Other keys and values where a key is blocked for all queries change nothing, not even gradients."""
    q, k, v, blocked, _ = problem
    keys = blocked.all(-2, keepdim=True)[..., 0, :, None]  # (..., M, 1)
    swapped = torch.where(keys, problem.randn(*k.shape), k), torch.where(keys, problem.randn(*v.shape), v)
    results = []
    for tensors in ((q, k, v), (q, *swapped)):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        output, w = attention(*leaves, blocked)
        results.append((output, w, *torch.autograd.grad(output.square().sum(), leaves)))
    assert_close(results[0], results[1])
    _, _, _, k_gradient, v_gradient = results[0]
    assert k_gradient.masked_select(keys).eq(0).all()
    assert v_gradient.masked_select(keys).eq(0).all()


@given(problems())
@steady
def test_blocked_queries_get_zeros_and_finite_gradients(problem):
    """Wherever the empty rows stand, they are 0, and no gradient is NaN or infinite."""
    q, k, v, blocked, _ = problem
    empty = problem.some(*q.shape[:-1], 1)
    empty[..., 0, :] = True
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    output, w = attention(*leaves, blocked | empty)
    assert output.masked_select(empty).eq(0).all()
    assert w.masked_select(empty).eq(0).all()
    gradients = torch.autograd.grad(output.square().sum() + w.square().sum(), leaves)
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[0].masked_select(empty).eq(0).all()


@given(problems(), st.sampled_from([-1.5, 0.0, 0.01, 2.0]))
@steady
def test_scale_can_move_into_the_queries(problem, scale):
    """Scaling scores is scaling queries, and the default is one over the root of the width."""
    q, k, v, blocked, _ = problem
    assert_close(attention(q, k, v, blocked, scale), attention(q * scale, k, v, blocked, 1.0))
    assert_close(attention(q, k, v, blocked), attention(q, k, v, blocked, q.shape[-1] ** -0.5))


@given(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["top-left", "bottom-right"]))
@steady
def test_causal_masks_open_one_key_at_a_time(n, m, align):
    """Every query sees a run of keys from the first on, at most one longer than the query before it."""
    seen = ~causal_blocked(n, m, align=align)
    counts = seen.sum(-1)
    assert_close(seen, torch.arange(m) < counts[:, None])
    assert set(counts.diff().tolist()) <= {0, 1}
    if n and m:
        last = m if align == "bottom-right" else min(n, m)
        assert counts[-1].item() == last


@given(SIZES, SEEDS)
@steady
def test_padding_joins_a_causal_mask_like_loops(sizes, seed):
    """A pair is blocked when the key is padding or lies ahead, entry by entry."""
    b, m = sizes[0], sizes[1]
    ids = torch.randint(0, 3, (b, m), generator=torch.Generator().manual_seed(seed))
    joined = combine(padding_blocked(ids), causal_blocked(m)[None])
    late = reference.causal(m, m, "top-left")
    expected = [[[late[i][j] or ids[s, j].item() == 0 for j in range(m)] for i in range(m)] for s in range(b)]
    assert joined.tolist() == expected
