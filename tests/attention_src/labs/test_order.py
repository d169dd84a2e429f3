"""Tests of `attention_src.labs.order`: right answers in several styles, and wrong ones that are called by name."""

import math
import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention
from attention_src.labs.order import check_forward, check_masked_mean, check_reverse_real
from attention_src.masks import causal_blocked, combine, padding_blocked
from attention_src.models.classifier import KINDS, Classifier, masked_mean, reverse_real

# --- the mean over real tokens ---


def by_multiplication(x, ids):
    real = (ids != 0).unsqueeze(-1)
    return (x * real).sum(dim=1) / real.sum(dim=1)


def by_loop(x, ids):
    return [row[tokens != 0].mean(dim=0).tolist() for row, tokens in zip(x, ids, strict=True)]


def by_product(x, ids):
    share = (ids != 0).double()
    return ((share / share.sum(dim=1, keepdim=True))[:, None] @ x.double()).squeeze(1)


def by_lengths(x, ids):
    lengths = (ids != 0).sum(dim=1)
    return torch.stack([row[:length].mean(dim=0) for row, length in zip(x, lengths, strict=True)])


@pytest.mark.parametrize("answer", [masked_mean, by_multiplication, by_loop, by_product, by_lengths])
def test_check_masked_mean_accepts_a_right_answer_in_any_style(answer):
    """Functions, loops over lists and matrix products are right alike."""
    assert check_masked_mean(answer), str(check_masked_mean(answer))


def real(ids):
    return (ids != 0).unsqueeze(-1)


WRONG_MEANS = {
    "Padding is counted: this is the mean over all slots": lambda x, _: x.mean(dim=1),
    "divided by all slots": lambda x, ids: (x * real(ids)).mean(dim=1),
    "the sum of the real tokens: divide it": lambda x, ids: (x * real(ids)).sum(dim=1),
    "the tokens of the whole batch": lambda x, ids: (x * real(ids)).sum(dim=1) / real(ids).sum(),
    "the mean length of the batch": lambda x, ids: (x * real(ids)).sum(dim=1) / real(ids).sum(dim=1).float().mean(),
    "The mask is inverted": lambda x, ids: by_multiplication(x, (ids == 0).long()),
    "left out of the count only": lambda x, ids: x.sum(dim=1) / real(ids).sum(dim=1),
    "the largest number": lambda x, ids: x.masked_fill(~real(ids), -math.inf).amax(dim=1),
    "The shape is not one vector a query, (B, V): expected (3, 5), got (3, 7)": lambda x, _: x.mean(dim=2),
    "expected (3, 5), got (5,)": lambda x, ids: x[ids != 0].mean(dim=0),
    "no `return`": lambda *_: None,
    "by no mistake that this check knows": lambda x, ids: by_multiplication(x, ids) + 0.01,
    "The shape is not": lambda x, ids: by_multiplication(x, ids)[:, None],
}


@pytest.mark.parametrize(("words", "answer"), WRONG_MEANS.items())
def test_check_masked_mean_names_a_wrong_answer(words, answer):
    """The message says what broke, what was expected and what came."""
    verdict = check_masked_mean(answer)
    assert not verdict
    assert words in verdict.message


def test_check_masked_mean_says_where_the_worst_number_stands():
    """One number off in one query is found, with its place, and what was expected and got."""

    def answer(x, ids):
        mean = masked_mean(x, ids)
        mean[1, 3] += 0.5
        return mean

    message = check_masked_mean(answer).message
    assert "In query 1, number 3: expected " in message
    expected, got = map(float, re.search(r"expected (\S+), got (\S+)\.$", message).groups())
    assert got - expected == pytest.approx(0.5, abs=2e-4)


# --- the reversal ---


def by_where(ids):
    places = torch.arange(ids.shape[1])
    lengths = (ids != 0).sum(dim=1)[:, None]
    return ids.gather(1, torch.where(places < lengths, lengths - 1 - places, places))


def by_flips(ids):
    lengths = (ids != 0).sum(dim=1).tolist()
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(ids, lengths, strict=True)])


def by_lists(ids):
    return [[t for t in reversed(row) if t] + [0] * row.count(0) for row in ids.tolist()]


def by_rolling(ids):
    flipped = ids.flip(1)
    order = (flipped == 0).int().argsort(dim=1, stable=True)
    return flipped.gather(1, order)


@pytest.mark.parametrize("answer", [reverse_real, by_where, by_flips, by_lists, by_rolling])
def test_check_reverse_real_accepts_a_right_answer_in_any_style(answer):
    """Indices, slices, lists and sorting are right alike."""
    assert check_reverse_real(answer), str(check_reverse_real(answer))


def index(ids, shift=1, elsewhere=None):
    places = torch.arange(ids.shape[1])
    lengths = (ids != 0).sum(dim=1)[:, None]
    kept = places if elsewhere is None else torch.tensor(elsewhere)
    return torch.where(places < lengths, lengths - shift - places, kept).clamp(max=ids.shape[1] - 1)


def with_one_length(length):
    def answer(ids):
        turned = ids.clone()
        n = int(length((ids != 0).sum(dim=1)))
        turned[:, :n] = ids[:, :n].flip(1)
        return turned

    return answer


def in_place(ids):
    ids.copy_(reverse_real(ids))
    return ids


WRONG_REVERSALS = {
    "The whole row was flipped: the padding moved to the front. For [2, 5, 8, 11, 14, 0,": lambda ids: ids.flip(1),
    "Nothing was reversed": lambda ids: ids,
    "The batch was reversed": lambda ids: ids.flip(0),
    "This is the index": index,
    "off by one": lambda ids: ids.gather(1, index(ids, shift=0)),
    "The padding is gone": lambda ids: ids.gather(1, index(ids, elsewhere=0)),
    "the length of the longest": with_one_length(max),
    "the length of the first": with_one_length(lambda lengths: lengths[0]),
    "were changed": in_place,
    "not whole numbers any more: expected torch.int64, got torch.float32": lambda ids: reverse_real(ids).float(),
    "The shape is not that of the ids, (B, N): expected (3, 11), got (11, 3)": lambda ids: reverse_real(ids).T,
    "not reversed in place": lambda ids: ids.sort(dim=1, descending=True).values,
    "It raised": lambda ids: ids.gather(1, index(ids, shift=2)),
}


@pytest.mark.parametrize(("words", "answer"), WRONG_REVERSALS.items())
def test_check_reverse_real_names_a_wrong_answer(words, answer):
    """The message says what broke, for which ids, and what was expected."""
    verdict = check_reverse_real(answer)
    assert not verdict
    assert words in verdict.message


# --- the forward pass ---


def by_hand(q, k, v, blocked):
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    return scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ v


def by_library(q, k, v, blocked):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)


def by_this_site(q, k, v, blocked):
    return attention(q, k, v, blocked)[0]


def right_mask(kind, ids):
    padding = padding_blocked(ids)
    return combine(padding, causal_blocked(ids.shape[1])[None]) if kind == "causal" else padding


def classifier(attend=by_this_site, mask=right_mask, mean=masked_mean, mix=None):
    """A class that differs from the right one in the parts that are given."""

    class Mine(Classifier):
        def forward(self, ids):
            x = self.embedding(ids)
            if self.kind == "bag":
                return self.head(masked_mean(x, ids))
            blocked = mask(self.kind, ids)
            if mix is not None:
                return self.head(mean(mix(self, x, blocked), ids))
            return self.head(mean(attend(self.to_q(x), self.to_k(x), self.to_v(x), blocked), ids))

    return Mine


@pytest.mark.parametrize("mean", [masked_mean, by_multiplication, by_lengths])
@pytest.mark.parametrize("attend", [by_this_site, by_hand, by_library])
def test_check_forward_accepts_a_right_answer_in_any_style(attend, mean):
    """The formula by hand, PyTorch's function and this site's are right alike, with any right mean."""
    verdict = check_forward(classifier(attend, mean=mean))
    assert verdict, str(verdict)


def test_check_forward_accepts_a_class_of_the_readers_own():
    """The class need not inherit from the project's."""

    class Own(nn.Module):
        def __init__(self, symbols, intents, kind, width=64):
            super().__init__()
            self.embedding = nn.Embedding(symbols, width, padding_idx=0)
            self.kind = kind
            if kind != "bag":
                self.to_q, self.to_k, self.to_v = (nn.Linear(width, width) for _ in range(3))
            self.head = nn.Linear(width, intents)

        forward = Classifier.forward
        _blocked = Classifier._blocked

    assert check_forward(Own)


def inverted(kind, ids):
    return ~right_mask(kind, ids)


def tuned(scale=None, dim=-1, fill=-math.inf, late=False):
    """Attention by hand, with one of its parts changed."""

    def attend(q, k, v, blocked):
        scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
        if late:
            return scores.softmax(dim=dim).masked_fill(blocked, 0.0) @ v
        return scores.masked_fill(blocked, fill).softmax(dim=dim) @ v

    return attend


def only_in(kind, mask):
    """A mask for one kind, and the right one for the others."""
    return lambda each, ids: mask(ids) if each == kind else right_mask(each, ids)


def triangle(ids):
    return torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool)[None]


INVERTED = "attention: The mask is inverted"
WRONG_FORWARDS = {
    "mask inverted, this site's attention": (INVERTED, {"mask": inverted}),
    "mask inverted, by hand": (INVERTED, {"mask": inverted, "attend": by_hand}),
    "mask inverted, library": (INVERTED, {"mask": inverted, "attend": by_library}),
    "scale missing": ("attention: The scores are √D = 3.32 times too large", {"attend": tuned(scale=1.0)}),
    "wrong softmax": ("attention: The softmax ran over the queries: use dim=-1", {"attend": tuned(dim=-2)}),
    "zero in place of minus infinity": ("Blocked scores became 0", {"attend": tuned(fill=0.0)}),
    "mask after the softmax": ("attention: The mask came after the softmax", {"attend": tuned(late=True)}),
    "no mask": ("attention: The mask does not reach the padding", {"mask": lambda _, ids: triangle(ids) & False}),
    "always causal": (
        "attention: The future is blocked too",
        {"mask": lambda _, ids: right_mask("causal", ids)},
    ),
    "never causal": ("causal: The causal mask has no effect", {"mask": lambda _, ids: padding_blocked(ids)}),
    "causal without padding": (
        "causal: The padding mask is missing",
        {"mask": only_in("causal", lambda ids: causal_blocked(ids.shape[1])[None])},
    ),
    "causal without padding, mean by lengths": (
        "causal: The padding mask is missing",
        {"mask": only_in("causal", lambda ids: triangle(ids).triu(1)), "mean": by_lengths, "attend": by_hand},
    ),
    "past blocked": (
        "causal: The causal mask is turned round",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) | triangle(ids).tril(-1))},
    ),
    "joined with and": (
        "by `or` and not by `and`",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) & triangle(ids).triu(1))},
    ),
    "one too many": (
        "causal: The causal mask is off by one: a token sees the next",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) | triangle(ids).triu(2))},
    ),
    "diagonal blocked": (
        "causal: The causal mask is off by one: no token sees itself",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) | triangle(ids).triu(0))},
    ),
    "diagonal blocked, by hand": (
        "causal: A softmax over keys that are all blocked gives NaN",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) | triangle(ids).triu(0)), "attend": by_hand},
    ),
    "two axes": (
        "It raised ValueError: blocked",
        {"mask": lambda _, ids: ids == 0},
    ),
    "padding in the mean": ("attention: Padding is counted in the mean", {"mean": lambda x, _: x.mean(dim=1)}),
    "no attention": ("attention: There is no attention: this is the bag", {"mix": lambda _, x, __: x}),
    "exchanged": ("Queries and keys are exchanged", {"attend": lambda q, k, v, b: attention(k, q, v, b)[0]}),
    "raw values": (
        "The values are the embeddings",
        {"mix": lambda m, x, b: attention(m.to_q(x), m.to_k(x), x, b)[0]},
    ),
    "raw everything": ("send them through the layers", {"mix": lambda _, x, b: attention(x, x, x, b)[0]}),
    "added": (
        "The embeddings are added",
        {"mix": lambda m, x, b: x + attention(m.to_q(x), m.to_k(x), m.to_v(x), b)[0]},
    ),
    "detached": (
        "attention: No gradient reaches embedding.weight, to_q.weight",
        {"attend": lambda q, k, v, b: attention(q, k, v, b)[0].detach()},
    ),
    "something else": ("by no mistake that this check knows", {"mean": lambda x, ids: masked_mean(x, ids) + 0.01}),
}


@pytest.mark.parametrize(("words", "parts"), WRONG_FORWARDS.values(), ids=WRONG_FORWARDS)
def test_check_forward_names_a_wrong_answer(words, parts):
    """The message says in which configuration what broke."""
    verdict = check_forward(classifier(**parts))
    assert not verdict
    assert words in verdict.message


def test_check_forward_names_a_bag_that_counts_padding():
    """The first configuration is judged too."""

    class Mine(Classifier):
        def forward(self, ids):
            return self.head(self.embedding(ids).mean(dim=1)) if self.kind == "bag" else super().forward(ids)

    assert "bag: Padding is counted in the mean" in check_forward(Mine).message


def test_check_forward_names_what_the_shape_should_be():
    """Vectors before the last layer are no logits."""

    class Mine(Classifier):
        def forward(self, ids):
            return masked_mean(self.embedding(ids), ids)

    assert "one number an intent, (B, C): expected (3, 5), got (3, 11)" in check_forward(Mine).message


def test_check_forward_names_changed_layers():
    """A layer under another name cannot be filled, and the message says which."""

    class Mine(Classifier):
        def __init__(self, *args):
            super().__init__(*args)
            self.last = self.head
            del self.head

    assert "the layers are not those of the lab" in check_forward(Mine).message
    assert "head.weight" in check_forward(Mine).message


# --- all three ---


@pytest.mark.parametrize("check", [check_masked_mean, check_reverse_real])
def test_checks_recognise_a_stub_and_an_error(check):
    """A stub is not written, and an error of the answer's own is told."""

    def stub(*_):
        raise NotImplementedError("return something")

    def broken(*_):
        return [] + 1

    assert check(stub).message == "It is not written: return something"
    assert "It raised TypeError" in check(broken).message


def test_check_forward_recognises_a_stub():
    """The stub is reached in the bag already."""

    class Mine(Classifier):
        def forward(self, ids):
            raise NotImplementedError("return logits")

    assert check_forward(Mine).message == "It is not written: return logits"


def test_checks_leave_the_global_generator_alone():
    """A reader's training does not depend on whether a check ran before it."""
    torch.manual_seed(3)
    before = torch.get_rng_state()
    check_masked_mean(masked_mean)
    check_reverse_real(reverse_real)
    check_forward(Classifier)
    assert torch.equal(before, torch.get_rng_state())


def test_checks_do_not_depend_on_the_global_generator():
    """The same answer gets the same message after any seed."""
    answer = classifier(mask=inverted)
    torch.manual_seed(1)
    first = check_forward(answer).message
    torch.manual_seed(2)
    assert check_forward(answer).message == first


def test_kinds_are_all_checked():
    """A class that is right in all kinds but one is not right."""
    for kind in KINDS:

        class Mine(Classifier):
            wrong = kind

            def forward(self, ids):
                logits = super().forward(ids)
                return logits + 1 if self.kind == self.wrong else logits

        assert check_forward(Mine).message.startswith(f"{kind}: ")
