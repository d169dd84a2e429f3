"""Tests of the gradients of `attention_src.blockwise.online`: right once, under every transform, and refused twice."""

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.autograd import functional as whole
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.testing import assert_close
from torch.utils.checkpoint import checkpoint

from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention

BLOCKED = (torch.arange(5 * 7) % 3 == 1).reshape(1, 5, 7)
BLOCKED[0, 2] = True
ONCE = "blockwise_attention can be differentiated once"
FORWARD = "blockwise_attention has no derivative in forward mode"
SHAPES = ((2, 5, 3), (2, 7, 3), (2, 7, 11))


@pytest.fixture
def small(randn) -> list[Tensor]:
    """Return q (2, 5, 3), k (2, 7, 3) and v (2, 7, 11), which ask for gradients."""
    return [randn(*shape).requires_grad_() for shape in SHAPES]


def ours(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend in blocks of 2, so that there are several of each kind."""
    return blockwise_attention(q, k, v, BLOCKED, block=2)


def theirs(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend to the whole table."""
    return attention(q, k, v, BLOCKED)[0]


def loss(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return a number whose second derivatives are not 0."""
    return ours(q, k, v).square().sum()


@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (0, 1, 2)], ids=["q", "k", "v", "all"])
@pytest.mark.parametrize("options", [{}, {"blocked": BLOCKED}, {"causal": "bottom-right"}, {"scale": 0.3}], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_penalty_on_gradients_is_refused(small, wanted, options, dtype):
    """pytorch #116350: the penalty was dropped without a word where the incoming gradient was a constant."""
    tensors = [tensor.detach().to(dtype).requires_grad_() for tensor in small]
    output = blockwise_attention(*tensors, block=2, **options)
    gradients = torch.autograd.grad(output.sum(), [tensors[i] for i in wanted], create_graph=True)
    penalty = sum(gradient.square().sum() for gradient in gradients)
    with pytest.raises(RuntimeError, match=ONCE):
        (output.square().sum() + penalty).backward()


def test_gradient_whose_graph_is_not_used_is_right(small):
    """To ask for a graph and not to differentiate it is no fault."""
    gradients = torch.autograd.grad(ours(*small).sum(), small, create_graph=True)
    assert all(gradient.requires_grad for gradient in gradients)
    assert_close(gradients, torch.autograd.grad(theirs(*small).sum(), small))


TWICE = {
    "grad of grad": lambda *x: grad(lambda q: grad(loss)(q, *x[1:]).sum())(x[0]),
    "jacrev of jacrev": lambda *x: jacrev(jacrev(loss))(*x),
    "vjp of grad": lambda *x: vjp(grad(loss), *x)[1](x[0]),
    "hessian of autograd": lambda *x: whole.hessian(loss, x),
    "product with it": lambda *x: whole.hvp(loss, x, x),
    "product, values alone": lambda *x: whole.hvp(lambda v: loss(*x[:2], v), x[2], x[2]),
    "gradgradcheck": lambda *x: torch.autograd.gradgradcheck(ours, [y.requires_grad_() for y in x]),
}


@pytest.mark.parametrize("take", TWICE.values(), ids=TWICE.keys())
def test_second_derivative_is_refused_on_every_way(small, take):
    """No way to take it gives a wrong number."""
    with pytest.raises(RuntimeError, match=ONCE):
        take(*(tensor.detach() for tensor in small))


def dual(*tensors: Tensor) -> Tensor:
    """Take a derivative in forward mode without `torch.func`."""
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(ours(forward_ad.make_dual(tensors[0], tensors[0]), *tensors[1:])).tangent


FORWARDS = {
    "jvp": lambda *x: jvp(loss, x, x),
    "jacfwd": lambda *x: jacfwd(loss)(*x),
    "hessian": lambda *x: hessian(loss)(*x),
    "dual": dual,
}


@pytest.mark.parametrize("take", FORWARDS.values(), ids=FORWARDS.keys())
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forward_mode_is_refused(small, take):
    """It says what to take in its place."""
    with pytest.raises(RuntimeError, match=FORWARD):
        take(*(tensor.detach() for tensor in small))


FIRST = {
    "grad": lambda f, *x: grad(lambda *y: f(*y).square().sum(), argnums=(0, 1, 2))(*x),
    "jacrev": lambda f, *x: jacrev(f, argnums=(0, 1, 2))(*x),
    "vjp": lambda f, *x: vjp(f, *x)[1](f(*x)),
    "jacobian of autograd": lambda f, *x: whole.jacobian(f, x),
    "vectorised": lambda f, *x: whole.jacobian(f, x, vectorize=True),
    "vmap": lambda f, *x: vmap(f)(*(torch.stack((y, 2 * y)) for y in x)),
    "vmap of some": lambda f, q, k, v: vmap(f, in_dims=(None, 0, None))(q, torch.stack((k, 2 * k)), v),
    "vmap of the last axis": lambda f, q, k, v: vmap(f, in_dims=(-1, None, None))(torch.stack((q, 2 * q), -1), k, v),
    "vmap of vmap": lambda f, *x: vmap(vmap(f))(*(y.expand(2, 3, *y.shape) for y in x)),
    "vmap of grad": lambda f, *x: vmap(grad(lambda *y: f(*y).square().sum()))(*(torch.stack((y, 2 * y)) for y in x)),
    "grad of vmap": lambda f, q, k, v: grad(
        lambda y: vmap(f, in_dims=(0, None, None))(torch.stack((q, 2 * q)), y, v).square().sum()
    )(k),
}


@pytest.mark.parametrize("take", FIRST.values(), ids=FIRST.keys())
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_first_derivative_under_a_transform_is_that_of_attention(small, take):
    """The transforms of `torch.func` compose with it."""
    tensors = [tensor.detach() for tensor in small]
    assert_close(take(ours, *tensors), take(theirs, *tensors))


@pytest.mark.parametrize("shape", [(1, 5, 7), (1, 7), (1, 1), (2, 1, 1, 7), (2, 3, 5, 1)])
def test_mask_may_be_mapped_or_shared(randn, shape):
    """A mask with fewer axes than the tensors keeps them on the right, whether or not it has the mapped axis."""
    q, k, v = randn(2, 3, 5, 11), randn(2, 3, 7, 11), randn(2, 3, 7, 13)
    several, blocked = randn(5, 2, 3, 5, 11), randn(5, *shape) > 0
    mapped = vmap(lambda mask: blockwise_attention(q, k, v, mask, block=2))(blocked)
    assert_close(mapped, torch.stack([attention(q, k, v, mask)[0] for mask in blocked]))
    shared = vmap(lambda x: blockwise_attention(x, k, v, blocked[0], block=2))(several)
    assert_close(shared, torch.stack([attention(x, k, v, blocked[0])[0] for x in several]))


def test_gradients_for_several_outputs_at_once(small, randn):
    """`is_grads_batched` is a loop over the incoming gradients."""
    incoming = randn(3, 2, 5, 11)
    together = torch.autograd.grad(ours(*small), small, incoming, is_grads_batched=True)
    for i in range(3):
        assert_close([t[i] for t in together], list(torch.autograd.grad(theirs(*small), small, incoming[i])))


def test_checkpoint_computes_the_forward_pass_again(small):
    """Two ways to save memory go together."""
    checkpoint(lambda q: loss(q, *small[1:]), small[0], use_reentrant=False).backward()
    assert_close(small[0].grad, torch.autograd.grad(theirs(*small).square().sum(), small[0])[0])
