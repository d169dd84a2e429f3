"""The check of lab 5 that judges a whole layer: first its weights, then what it makes of them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_src.labs.heads import NAMES, close
from attention_src.labs.verdict import WrongAnswer, check

Parameters = dict[str, Tensor]
LayerAnswer = Callable[[Tensor, Tensor, Tensor, Parameters, int, Tensor | None], tuple[Tensor, Tensor]]

_TOLERANCE = 1e-4


@dataclass(frozen=True)
class _Case:
    """One input of the layer."""

    q: Tensor
    k: Tensor
    v: Tensor
    parameters: Parameters
    heads: int
    blocked: Tensor | None

    def projected(self, x: Tensor, role: str, bias: bool = True, transpose: bool = True) -> Tensor:
        """Tokens through one of the four projections."""
        weight = self.parameters[f"{role}.weight"]
        y = x @ (weight.mT if transpose else weight)
        return y + self.parameters[f"{role}.bias"] if bias else y

    def cut(self, x: Tensor, by_view: bool = False) -> Tensor:
        """Tokens (B, N, d) as heads (B, H, N, d/H)."""
        batch, tokens, width = x.shape
        if by_view:
            return x.reshape(batch, self.heads, tokens, width // self.heads)
        return torch.stack(x.chunk(self.heads, dim=-1), dim=1)


@check("multi_head")
def check_multi_head(multi_head: LayerAnswer) -> str:
    """Judge multi-head attention as a function of its parameters.

    Args:
        multi_head: The answer: from queries (B, N, d), keys and values (B, M, d), a dict of parameters as `unpack`
            returns it, the number of heads H and a boolean mask that broadcasts to (B, H, N, M), `True` where a key
            is blocked, or None, to the output (B, N, d) and the weights of each head, (B, H, N, M).

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    for case in _cases():
        output, weights = _answer(multi_head, case)
        right = _weights(case)
        if not close(weights, right, _TOLERANCE):
            raise WrongAnswer(_wrong_weights(case, weights, right))
        mixed = right @ case.cut(case.projected(case.v, "value"))
        expected = case.projected(_joined(mixed), "output")
        if not close(output, expected, _TOLERANCE):
            raise WrongAnswer(_wrong_output(case, output, mixed, expected))
    _judge_gradients(multi_head, next(_cases()))
    return "Weights and output are right with and without a mask, and gradients reach all projections."


def _cases() -> Iterator[_Case]:
    """Inputs with distinct prime sizes, without a mask and with masks of two kinds."""
    generator = torch.Generator().manual_seed(10)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    for batch, heads, n, m, width, mask in ((2, 3, 5, 7, 11, ""), (3, 2, 7, 5, 3, "each"), (2, 1, 3, 5, 2, "padding")):
        d = heads * width
        sizes = {name: (d, d) if name.endswith("weight") else (d,) for name in NAMES}
        # Spread so that the rows are uneven, and no two mistakes give the same table.
        parameters = {name: 1.5 * draw(*size) / d ** (len(size) / 2 - 0.5) for name, size in sizes.items()}
        q, k, v = draw(batch, n, d), draw(batch, m, d), draw(batch, m, d)
        blocked = None
        if mask:
            blocked = draw(batch, 1, n if mask == "each" else 1, m) > 0.3
            blocked[..., 1] = False  # every query has a key left
            blocked[..., 2] = True
        yield _Case(q, k, v, parameters, heads, blocked)


def _answer(multi_head: LayerAnswer, case: _Case) -> tuple[Tensor, Tensor]:
    """The output and the weights; the weights in the shape asked for."""
    copies = {name: tensor.clone() for name, tensor in case.parameters.items()}
    blocked = None if case.blocked is None else case.blocked.clone()
    result = multi_head(case.q.clone(), case.k.clone(), case.v.clone(), copies, case.heads, blocked)
    if not isinstance(result, tuple | list) or len(result) != 2:
        found = f"{len(result)} of them" if isinstance(result, tuple | list) else type(result).__name__
        raise WrongAnswer(f"multi_head returns the output and the weights: expected a pair, got {found}.")
    output, weights = result
    if not isinstance(output, Tensor) or not isinstance(weights, Tensor):
        raise WrongAnswer(f"Expected two tensors, got {type(output).__name__} and {type(weights).__name__}.")
    want = (len(case.q), case.heads, case.q.shape[1], case.k.shape[1])
    got = tuple(weights.shape)
    if got != want and tuple(output.shape) == want:
        raise WrongAnswer("The weights come first and the output second: return the output, then the weights.")
    if got == (want[0], *want[2:]):
        raise WrongAnswer(f"The heads of the weights are averaged away, {got}: expected those of each head, {want}.")
    if got != want:
        told = ": do the keys come from k, and the queries from q?" if got[-2:] != want[-2:] else ""
        raise WrongAnswer(f"The weights must have the shape (B, H, N, M) = {want}, got {got}{told}")
    return output, weights


def _weights(
    case: _Case,
    *,
    roles: tuple[str, str] = ("query", "key"),
    bias: bool = True,
    transpose: bool = True,
    by_view: bool = False,
    divisor: float | None = None,
    axis: int = -1,
    mask: str = "before",
) -> Tensor:
    """The right weights of each head, (B, H, N, M), or those that the mistakes named give."""
    q = case.cut(case.projected(case.q, roles[0], bias, transpose), by_view)
    k = case.cut(case.projected(case.k, roles[1], bias, transpose), by_view)
    scores = q @ k.mT / (math.sqrt(q.shape[-1]) if divisor is None else divisor)
    if case.blocked is not None and mask in ("before", "inverted"):
        scores = scores.masked_fill(~case.blocked if mask == "inverted" else case.blocked, -math.inf)
    if case.blocked is not None and mask == "zero":
        scores = scores.masked_fill(case.blocked, 0.0)
    weights = scores.softmax(dim=axis)
    return weights.masked_fill(case.blocked, 0.0) if case.blocked is not None and mask == "after" else weights


def _wrong_weights(case: _Case, got: Tensor, right: Tensor) -> str:
    """Name what the weights look like, the special causes first."""
    for wrong, told in _weights_by_mistake(case):
        # An inverted mask can leave a query without a key, and its row is NaN in both.
        if close(got.nan_to_num(-1.0), wrong.nan_to_num(-1.0), _TOLERANCE):
            return told
    if bool(got.isnan().any()):
        return "There is a NaN among the weights, though every query has a key left."
    if case.blocked is not None and bool((got.masked_select(case.blocked) > 1e-6).any()):
        return "A blocked key has a weight: fill the scores with -inf where blocked is True, before the softmax."
    totals = got.detach().sum(dim=-1)
    if not torch.allclose(totals, torch.ones_like(totals), atol=1e-4):
        return f"The weights of the first query sum to {float(totals[0, 0, 0]):.4f} over the keys: expected 1.0000."
    expected, found = (f"{float(table.detach()[0, 0, 0, 0]):.4f}" for table in (right, got))
    return (
        f"The rows sum to one and are not the right ones: the first weight of head 0 is {found}, expected {expected}."
    )


def _weights_by_mistake(case: _Case) -> list[tuple[Tensor, str]]:
    """Tables that a known mistake gives, and what to say about each."""
    d = case.q.shape[-1]
    width, heads = d // case.heads, case.heads
    root, factor = math.sqrt(width), math.sqrt(heads)
    by_axis = {axis: _weights(case, axis=axis) for axis in (-2, 1)}
    total = f"{float(by_axis[-2][0, 0, 0].nan_to_num(0.0).sum()):.4f}"
    known = [
        (
            _weights(case, divisor=math.sqrt(d)),
            f"The scores are √H = {factor:.2f} times too small, divided by the root of the model's width d = {d}: "
            f"the products run over a head, so use the root of d/H = {width}.",
        ),
        (_weights(case, divisor=1.0), f"The scores are √(d/H) = {root:.2f} times too large: no division by the root."),
        (
            _weights(case, divisor=float(width)),
            f"The scores are divided by d/H = {width}: expected its root, {root:.2f}.",
        ),
        (
            by_axis[-2],
            f"The weights of the first query sum to {total} over the keys, and each column sums to one: "
            "the softmax ran over the queries, use dim=-1.",
        ),
        (by_axis[1], "The weights sum to one over the heads: the softmax ran over dim=1, use dim=-1."),
        (
            _weights(case, by_view=True),
            "The heads were made by a view without a transpose: it cuts the sequence, not the width. See split_heads.",
        ),
        (_weights(case, roles=("key", "query")), "query and key are exchanged: q goes through query, k through key."),
        (_weights(case, transpose=False), "The projections are transposed: a weight is (out, in), so x @ weight.mT."),
        (_weights(case, bias=False), "The biases are missing: x @ weight.mT + bias."),
        (_weights(case, roles=("query", "query")), "k went through the query's projection: it has one of its own."),
    ]
    if case.blocked is None:
        return known
    return [
        (
            _weights(case, mask="inverted"),
            "The mask is inverted: the blocked keys get all the weight. True blocks, so fill where it is True.",
        ),
        (_weights(case, mask="none"), "The mask is ignored: blocked keys keep their weights."),
        (_weights(case, mask="after"), "The mask came after the softmax, so the rows no longer sum to one."),
        (_weights(case, mask="zero"), "Blocked scores are 0, which is a score like any other: expected -inf."),
        *known,
    ]


def _joined(mixed: Tensor) -> Tensor:
    """Heads side by side, (B, N, d)."""
    return torch.cat(list(mixed.unbind(dim=1)), dim=-1)


def _wrong_output(case: _Case, got: Tensor, mixed: Tensor, right: Tensor) -> str:
    """Name what the output is, given that the weights are right."""
    for wrong, told in _outputs_by_mistake(case, mixed):
        if close(got, wrong, _TOLERANCE):
            return told
    if got.shape != right.shape:
        return f"The output must have the shape of q, {tuple(right.shape)}, got {tuple(got.shape)}."
    expected, found = (f"{float(table.detach()[0, 0, 0]):.4f}" for table in (right, got))
    return f"The weights are right, the output is not: its first number is {found}, expected {expected}."


def _outputs_by_mistake(case: _Case, mixed: Tensor) -> list[tuple[Tensor, str]]:
    """Outputs that a known mistake gives, and what to say about each."""
    joined, weights = _joined(mixed), _weights(case)
    averaged = mixed.mean(dim=1)

    def values(role: str = "value", bias: bool = True, by_view: bool = False) -> Tensor:
        heads = weights @ case.cut(case.projected(case.v, role, bias), by_view)
        return case.projected(_joined(heads), "output")

    return [
        (joined, "The output projection is missing: the heads are joined, but not mixed."),
        (averaged, "The heads are averaged: expected them side by side, then the output projection."),
        (
            case.projected(averaged.repeat(1, 1, case.heads), "output"),
            "The heads are averaged and their mean repeated: expected each head in columns of its own.",
        ),
        (
            case.projected(mixed.reshape(joined.shape), "output"),
            "The heads were joined by a view without a transpose, which mixes tokens. See join_heads.",
        ),
        (case.projected(joined, "output", bias=False), "The bias of the output projection is missing."),
        (case.projected(joined, "output", transpose=False), "The output projection is transposed: x @ weight.mT."),
        (values(bias=False), "The bias of the value projection is missing."),
        (values(by_view=True), "The values were cut by a view without a transpose. See split_heads."),
        (values(role="key"), "v went through the key's projection: it has one of its own."),
    ]


def _judge_gradients(multi_head: LayerAnswer, case: _Case) -> None:
    """Raise unless a gradient reaches every weight of the layer."""
    leaves = {name: tensor.clone().requires_grad_() for name, tensor in case.parameters.items()}
    with torch.enable_grad():
        output, _ = multi_head(case.q, case.k, case.v, leaves, case.heads, None)
    names = [name for name in NAMES if name != "key.bias"]  # the same for all keys, so softmax takes it away
    found: tuple[Tensor | None, ...] = (None,) * len(names)
    if output.requires_grad:
        slope = torch.linspace(-1, 1, output.numel()).view_as(output)
        with torch.enable_grad():
            total = (output * slope).sum()
        found = torch.autograd.grad(total, [leaves[name] for name in names], allow_unused=True)
    cut = [name for name, gradient in zip(names, found, strict=True) if gradient is None]
    if cut:
        raise WrongAnswer(
            f"The numbers are right, but no gradient reaches {', '.join(cut)}, so it could not be trained."
        )
