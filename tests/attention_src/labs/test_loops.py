"""Tests of `attention_src.labs.loops`: right answers pass however they are written, and wrong ones are named."""

import math

import pytest
import torch
from torch import nn

from attention_src.labs.loops import check_largest_weights, check_mix, check_row_weights


def products(query, keys):
    return [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def by_loops(query, keys):
    return softmax([product / math.sqrt(len(query)) for product in products(query, keys)])


def safely(query, keys):
    """Subtract the largest score first, as libraries do."""
    scores = [product / len(query) ** 0.5 for product in products(query, keys)]
    return tuple(softmax([score - max(scores) for score in scores]))


def one_by_one(query, keys):
    """Index by index, with one product at a time, and the shares by a second pass."""
    weights = []
    for j in range(len(keys)):
        score = 0
        for i in range(len(query)):
            score = score + query[i] * keys[j][i]
        weights += [math.e ** (score / len(query) ** 0.5)]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


RIGHT_WEIGHTS = [by_loops, safely, one_by_one]


@pytest.mark.parametrize("answer", RIGHT_WEIGHTS)
def test_right_row_weights_pass(answer):
    """A list or a tuple, shifted or not, by values or by indices."""
    verdict = check_row_weights(answer)
    assert verdict, verdict.message


def running(query, keys):
    total, shares = 0.0, []
    for product in products(query, keys):
        total += math.exp(product / math.sqrt(len(query)))
        shares.append(math.exp(product / math.sqrt(len(query))) / total)
    return shares


def overwritten(query, keys):
    powers = [math.exp(product / math.sqrt(len(query))) for product in products(query, keys)]
    for i in range(len(powers)):
        powers[i] = powers[i] / sum(powers)
    return powers


def clipped(query, keys):
    powers = [math.exp(min(product / math.sqrt(len(query)), 700)) for product in products(query, keys)]
    return [power / sum(powers) for power in powers]


def epsilon(query, keys):
    powers = [math.exp(product / math.sqrt(len(query))) for product in products(query, keys)]
    return [power / (sum(powers) + 1e-9) for power in powers]


def after(query, keys):
    powers = [math.exp(product) / math.sqrt(len(query)) for product in products(query, keys)]
    return [power / sum(powers) for power in powers]


def by_tensors(query, keys):
    q, k = torch.tensor(query), torch.tensor(keys)
    return (k @ q / math.sqrt(len(q))).softmax(dim=0).tolist()


TENSORS = {m: torch.full((m,), 1 / m) for m in range(1, 9)}
LISTS = {m: list(tensor) for m, tensor in TENSORS.items()}


def changes_keys(query, keys):
    answer = by_loops(query, keys)
    keys[0][0] = 0.0
    return answer


WRONG_WEIGHTS = {
    "no root": (lambda q, k: softmax(products(q, k)), "the division by √D is missing"),
    "the width": (lambda q, k: softmax([p / len(q) for p in products(q, k)]), "by D, and not by its root"),
    "times the root": (lambda q, k: softmax([p * len(q) ** 0.5 for p in products(q, k)]), "multiplies by √D"),
    "root of M": (lambda q, k: softmax([p / len(k) ** 0.5 for p in products(q, k)]), "root of the number of keys"),
    "root of 8": (lambda q, k: softmax([p / 8**0.5 for p in products(q, k)]), "√8 at every width"),
    "running sum": (running, "running sum"),
    "overwritten": (overwritten, "Compute the total once"),
    "root at last": (lambda q, k: [w / len(q) ** 0.5 for w in softmax(products(q, k))], "comes after the softmax"),
    "no total": (
        lambda q, k: [math.exp(p / len(q) ** 0.5) for p in products(q, k)],
        "exponentials without the division",
    ),
    "no exponential": (
        lambda q, k: [p / sum(products(q, k)) for p in products(q, k)],
        "The exponential is missing",
    ),
    "scaled scores": (lambda q, k: [p / len(q) ** 0.5 for p in products(q, k)], "the scaled scores"),
    "scores": (products, "the bare dot products"),
    "minus": (lambda q, k: softmax([-p / len(q) ** 0.5 for p in products(q, k)]), "upside down"),
    "hard": (
        lambda q, k: [float(p == max(products(q, k))) for p in products(q, k)],
        "One key gets everything",
    ),
    "rounded": (lambda q, k: [round(w, 1) for w in by_loops(q, k)], "expected 0.8808, 0.1192; got 0.9000, 0.1000"),
    "even": (lambda _, k: [1 / len(k)] * len(k), "All weights are equal, whatever the query"),
    "reversed": (lambda q, k: by_loops(q, k)[::-1], "the reverse order of the keys"),
    "clipped": (clipped, "With scores of up to 706"),
    "small dropped": (
        lambda q, k: [w if w > 1e-6 else 0.0 for w in by_loops(q, k)],
        "4.805e-281; got 9.442e-01, 5.580e-02, 0.000e+00, 0.000e+00",
    ),
    "an epsilon": (epsilon, "The weights sum to 0.999999999, and should sum to 1"),
    "tempered": (lambda q, k: softmax([1.5 * p / len(q) ** 0.5 for p in products(q, k)]), "query = [2.0], keys = [["),
    "root after the exponential": (after, "or it comes after the exponential, where it cancels"),
    "tensors": (by_tensors, "It computes with tensors"),
    "tensors made elsewhere": (lambda _, k: TENSORS[len(k)], "returned a tensor: expected a list of 5 numbers"),
    "list of tensors": (lambda _, k: LISTS[len(k)], "plain floats"),
    "generator": (lambda q, k: (w for w in by_loops(q, k)), "returned a generator: expected a list"),
    "negative": (
        lambda _, k: [len(k), *[-1.0] * (len(k) - 1)],
        "A weight is negative, which an exponential never is. With",
    ),
    "one a component": (
        lambda q, _: [1 / len(q)] * len(q),
        "returned 7 numbers: expected 5 numbers, one a key. Seen with 5 keys of width 7",
    ),
    "nothing": (lambda *_: None, "without `return`"),
    "a number": (lambda *_: 0.2, "one float"),
    "lists": (lambda _, k: k, "5 of list"),
    "not finite": (lambda _, k: [math.nan] * len(k), "must be finite"),
    "changes keys": (changes_keys, "changed its argument `keys`"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_wrong_row_weights_are_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_row_weights(answer)
    assert not verdict
    assert named in verdict.message


def test_message_shows_the_numbers():
    """Expected and got stand beside the sizes that were tried."""
    message = check_row_weights(WRONG_WEIGHTS["no root"][0]).message
    assert "With 5 keys of width 7: expected 0." in message
    assert "; got 0." in message


def by_components(weights, values):
    mixed = []
    for i in range(len(values[0])):
        mixed.append(sum(weight * value[i] for weight, value in zip(weights, values, strict=True)))
    return mixed


def by_adding(weights, values):
    mixed = [0.0] * len(values[0])
    for weight, value in zip(weights, values, strict=True):
        for i, number in enumerate(value):
            mixed[i] += weight * number
    return tuple(mixed)


def by_product(weights, values):
    return (torch.tensor(weights) @ torch.tensor(values)).tolist()


RIGHT_MIXES = [by_components, by_adding, by_product]


@pytest.mark.parametrize("answer", RIGHT_MIXES)
def test_right_mix_passes(answer):
    """Component after component, value after value, or as a product."""
    verdict = check_mix(answer)
    assert verdict, verdict.message


def products_only(weights, values):
    return [[weight * number for number in value] for weight, value in zip(weights, values, strict=True)]


WRONG_MIXES = {
    "unweighted sum": (lambda w, v: by_adding([1.0] * len(w), v), "this is the sum of the values"),
    "mean": (lambda w, v: by_adding([1 / len(w)] * len(w), v), "the plain mean of the values"),
    "divided again": (lambda w, v: [x / len(w) for x in by_adding(w, v)], "too small by the number of values"),
    "overwritten": (lambda w, v: [w[-1] * x for x in v[-1]], "Add with `+=`"),
    "winner": (lambda w, v: v[w.index(max(w))], "blends all of them"),
    "softmax twice": (lambda w, v: by_adding(softmax(w), v), "softmax is taken twice"),
    "not summed": (products_only, "multiplied, and not summed"),
    "a tensor": (lambda w, v: torch.tensor(by_components(w, v)), "returned a tensor: expected a list of 7 numbers"),
    "summed across": (
        lambda w, v: [a * sum(value) for a, value in zip(w, v, strict=True)],
        "should run over the values",
    ),
    "reversed": (lambda w, v: by_adding(w[::-1], v), "in reverse order"),
    "nothing": (lambda *_: None, "without `return`"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_MIXES.values(), ids=WRONG_MIXES)
def test_wrong_mix_is_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_mix(answer)
    assert not verdict
    assert named in verdict.message


def table(width, seed=42, *, key_first=False):
    """Dot products of the five tokens, (5, 5), as the lab asks for them."""
    torch.manual_seed(seed)
    embedding = nn.Embedding(2202, width, padding_idx=0)
    first, second = nn.Linear(width, width), nn.Linear(width, width)
    with torch.no_grad():
        x = embedding(torch.tensor([4, 9, 248, 274, 5]))
        q, k = (second(x), first(x)) if key_first else (first(x), second(x))
        return q @ k.T


def tops(scores, width):
    return scores.softmax(dim=-1).max(), (scores / math.sqrt(width)).softmax(dim=-1).max()


def with_a_value_layer(width):
    """Draw the value layer last, where it changes nothing, and answer with floats."""
    found = tops(table(width)[1], width)
    nn.Linear(width, width)
    return [top.item() for top in found]


def by_own_loops(width):
    """Compute the row in float64 with the functions of the first tasks."""
    torch.manual_seed(42)
    x = nn.Embedding(2202, width)(torch.tensor([4, 9, 248, 274, 5])).detach()
    query, key = nn.Linear(width, width), nn.Linear(width, width)
    q, k = query(x)[1].tolist(), key(x).tolist()
    return max(softmax(products(q, k))), max(by_loops(q, k))


RIGHT_LARGEST = [lambda width: tops(table(width)[1], width), with_a_value_layer, by_own_loops]


@pytest.mark.parametrize("answer", RIGHT_LARGEST, ids=range(3))
def test_right_largest_weights_pass(answer):
    """As tensors or floats, in float32 or float64, with a value layer or without."""
    verdict = check_largest_weights(answer)
    assert verdict, verdict.message


def unseeded(width):
    q, k = nn.Linear(width, width), nn.Linear(width, width)
    x = torch.randn(5, width)
    return [top.item() for top in tops((q(x) @ k(x).T)[1], width)]


def over_queries(width):
    return [(table(width) / divisor).softmax(dim=0)[1].max() for divisor in (1, math.sqrt(width))]


WRONG_WIDTHS = {
    "exchanged": (lambda d: tops(table(d)[1], d)[::-1], "are exchanged"),
    "never scaled": (lambda d: tops(table(d)[1], 1), "Both numbers are unscaled"),
    "always scaled": (lambda d: [tops(table(d)[1], d)[1]] * 2, "Both numbers are scaled"),
    "by D": (lambda d: tops(table(d)[1], d * d), "by D, and not by its root"),
    "root of 8": (lambda d: tops(table(d)[1], 8), "by √8 at every width"),
    "over the queries": (over_queries, "use dim=-1"),
    "whole table": (lambda d: tops(table(d), d), "of the whole table"),
    "scores": (lambda d: (table(d)[1].max(), table(d)[1].max() / d**0.5), "the softmax is missing"),
    "my": (lambda d: tops(table(d)[0], d), "the weights of my, in row 0"),
    "never": (lambda d: tops(table(d)[2], d), "the weights of never, in row 2"),
    "arrived": (lambda d: tops(table(d)[3], d), "the weights of arrived, in row 3"),
    "stop": (lambda d: tops(table(d)[4], d), "the weights of the full stop, in row 4"),
    "key first": (lambda d: tops(table(d, key_first=True)[1], d), "drawn in another order"),
    "unseeded": (unseeded, "set the seed inside the function"),
    "another seed": (
        lambda d: tops(table(d, seed=41)[1], d),
        "not the largest weights of card, drawn from seed 42. With width = 1: expected 0.2358",
    ),
    "one number": (lambda d: tops(table(d)[1], d)[0], "expected 2 numbers"),
    "keys times queries": (lambda d: tops(table(d).T[1], d), "in the product, by taking a column for a row"),
    "global layers": (lambda _: tops(table(8)[1], 8), "those of width 8 at every width"),
    "global layers, another root": (lambda d: tops(table(8)[1], d), "those of width 8 at every width"),
}


@pytest.mark.parametrize(("answer", "named"), WRONG_WIDTHS.values(), ids=WRONG_WIDTHS)
def test_wrong_largest_weights_are_named(answer, named):
    """Each mistake is refused, with the property that broke."""
    verdict = check_largest_weights(answer)
    assert not verdict
    assert named in verdict.message


def test_checks_leave_the_generator_alone():
    """What a reader draws after a check is what would have come without it."""
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    check_row_weights(by_loops)
    check_mix(by_adding)
    check_largest_weights(with_a_value_layer)
    assert torch.equal(torch.rand(3), expected)
