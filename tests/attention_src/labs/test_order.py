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
    return torch.stack([row[tokens != 0].mean(dim=0) for row, tokens in zip(x, ids, strict=True)])


def by_product(x, ids):
    share = (ids != 0).double()
    return ((share / share.sum(dim=1, keepdim=True))[:, None] @ x.double()).squeeze(1).float()


def by_where(x, ids):
    kept = torch.where(ids[..., None].bool(), x, torch.zeros(()))
    return kept.sum(1) / ids.count_nonzero(dim=1)[:, None].clamp(min=1)


def by_lengths(x, ids):
    lengths = (ids != 0).sum(dim=1)
    return torch.stack([row[:length].mean(dim=0) for row, length in zip(x, lengths, strict=True)])


RIGHT_MEANS = [by_multiplication, by_loop, by_product, by_where, by_lengths]


@pytest.mark.parametrize("answer", RIGHT_MEANS)
def test_check_masked_mean_accepts_a_right_answer_in_any_style(answer):
    """Functions, loops and matrix products are right alike, whatever they make of a query without tokens."""
    assert check_masked_mean(answer), str(check_masked_mean(answer))


def real(ids):
    return (ids != 0).unsqueeze(-1)


@torch.no_grad()
def no_grad(x, ids):
    return by_loop(x, ids)


def zeroes_padding(x, ids):
    x[ids == 0] = 0.0
    return x.sum(dim=1) / real(ids).sum(dim=1)


WRONG_MEANS = {
    "Padding is counted: this is the mean over all slots": lambda x, _: x.mean(dim=1),
    "divided by all slots": lambda x, ids: (x * real(ids)).mean(dim=1),
    "the sum of the real tokens: divide it": lambda x, ids: (x * real(ids)).sum(dim=1),
    "the tokens of the whole batch": lambda x, ids: (x * real(ids)).sum(dim=1) / real(ids).sum(),
    "the mean length of the batch": lambda x, ids: (x * real(ids)).sum(dim=1) / real(ids).sum(dim=1).float().mean(),
    "The mask is inverted": lambda x, ids: by_multiplication(x, (ids == 0).long()),
    "left out of the count only": lambda x, ids: x.sum(dim=1) / real(ids).sum(dim=1),
    "the largest number": lambda x, ids: x.masked_fill(~real(ids), -math.inf).amax(dim=1),
    "Expected the shape (3, 5), got (3, 11): one vector a query, (B, V). Seen": lambda x, _: x.mean(dim=2),
    "Expected the shape (3, 5), got (5,)": lambda x, ids: x[ids != 0].mean(dim=0),
    "token 1 as well": lambda x, ids: by_multiplication(x, ids * (ids > 1)),
    "is left out of the count only": lambda x, ids: (x * real(ids)).sum(dim=1) / (ids > 1).sum(dim=1)[:, None],
    "Expected a tensor (3, 5), got a list": lambda x, ids: by_loop(x, ids).tolist(),
    "got ndarray": lambda x, ids: by_loop(x, ids).numpy(),
    "got torch.float64": lambda x, ids: by_loop(x.double(), ids),
    "no gradient reaches x": lambda x, ids: by_loop(x, ids).detach(),
    "no gradient reaches x, so it": lambda x, ids: by_loop(x.data, ids),
    "no gradient reaches x, so it could": no_grad,
    "it raised RuntimeError: Can't call numpy": lambda x, ids: torch.from_numpy(by_loop(x, ids).numpy()),
    "changed its argument `x`": zeroes_padding,
    "It calls attention_src.models.classifier.masked_mean": lambda x, ids: masked_mean(x, ids),
    "an axis of size one is gone; squeeze() without": lambda x, ids: by_multiplication(x, ids).squeeze(),
    "no `return`": lambda *_: None,
    "x = [[[2.0]]], ids = [[5]], query 0, number 0: expected 2.0000, got 2.0100": lambda x, ids: (
        by_multiplication(x, ids) + 0.01
    ),
    "expected 2.0000, got 2.0002": lambda x, ids: by_multiplication(x, ids) * 1.0001,
    "an axis of size one is left over": lambda x, ids: by_multiplication(x, ids)[:, None],
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
        mean = by_loop(x, ids)
        if mean.shape == (3, 5):
            mean[1, 3] += 0.5
        return mean

    message = check_masked_mean(answer).message
    assert "With 3 queries of up to 7 tokens, query 1, number 3: expected " in message
    expected, got = map(float, re.search(r"expected (\S+), got (\S+)\.$", message).groups())
    assert got - expected == pytest.approx(0.5, abs=2e-4)


# --- the reversal ---


def by_index(ids):
    places = torch.arange(ids.shape[1])
    lengths = (ids != 0).sum(dim=1)[:, None]
    return ids.gather(1, torch.where(places < lengths, lengths - 1 - places, places))


def by_flips(ids):
    lengths = (ids != 0).sum(dim=1).tolist()
    return torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(ids, lengths, strict=True)])


def by_lists(ids):
    return torch.tensor([[t for t in reversed(row) if t] + [0] * row.count(0) for row in ids.tolist()])


def by_rolling(ids):
    flipped = ids.flip(1)
    order = (flipped == 0).int().argsort(dim=1, stable=True)
    return flipped.gather(1, order)


RIGHT_REVERSALS = [by_index, by_flips, by_lists, by_rolling]


@pytest.mark.parametrize("answer", RIGHT_REVERSALS)
def test_check_reverse_real_accepts_a_right_answer_in_any_style(answer):
    """Indices, slices, lists and sorting are right alike."""
    assert check_reverse_real(answer), str(check_reverse_real(answer))


def index(ids, shift=1, elsewhere=None):
    places = torch.arange(ids.shape[1])
    lengths = (ids != 0).sum(dim=1)[:, None]
    kept = places if elsewhere is None else torch.tensor(elsewhere)
    return torch.where(places < lengths, lengths - shift - places, kept).clamp(max=ids.shape[1] - 1)


def by_count(ids, real):
    places, lengths = torch.arange(ids.shape[1]), real.sum(dim=1)[:, None]
    return ids.gather(1, torch.where(places < lengths, lengths - 1 - places, places))


def with_one_length(length):
    def answer(ids):
        turned = ids.clone()
        n = int(length((ids != 0).sum(dim=1)))
        turned[:, :n] = ids[:, :n].flip(1)
        return turned

    return answer


def in_place(ids):
    ids.copy_(by_index(ids))
    return ids


WRONG_REVERSALS = {
    "The whole row was flipped: the padding moved to the front. With 3 queries of up to 7 tokens: for [": lambda ids: (
        ids.flip(1)
    ),
    "Nothing was reversed": lambda ids: ids,
    "The batch was reversed": lambda ids: ids.flip(0),
    "This is the index": index,
    "off by one": lambda ids: ids.gather(1, index(ids, shift=0)),
    "The padding is gone": lambda ids: ids.gather(1, index(ids, elsewhere=0)),
    "the length of the longest": with_one_length(max),
    "the length of the first": with_one_length(lambda lengths: lengths[0]),
    "changed its argument `ids`": in_place,
    "the type torch.int64, got torch.float32": lambda ids: by_index(ids).float(),
    "the type torch.int64, got torch.int32": lambda ids: by_index(ids).int(),
    "got torch.int8": lambda ids: by_index(ids).to(torch.int8),
    "Expected a tensor (3, 11), got a list": lambda ids: by_index(ids).tolist(),
    "got ndarray": lambda ids: by_index(ids).numpy(),
    "Expected the shape (3, 11), got (11, 3): that of the ids, (B, N)": lambda ids: by_index(ids).T,
    "Token 1, which stands for an unknown token": lambda ids: by_count(ids, ids > 1),
    "With ids of 256 and 65,536: for [256, 512, 65536, 0, 0] expected": lambda ids: by_index(
        ids.to(torch.int16)
    ).long(),
    "The real tokens are not reversed in place. With ids = [[5, 0]]: for [5, 0] expected [5, 0], got": lambda ids: (
        ids.roll(1, 1)
    ),
    "It calls attention_src.models.classifier.reverse_real": reverse_real,
    "With ids = [[5, 6]]: for [5, 6] expected [6, 5], got [5, 6]": lambda ids: by_index(ids) if len(ids) > 1 else ids,
    "The tokens are sorted": lambda ids: ids.sort(dim=1, descending=True).values,
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

        def forward(self, ids):
            x = self.embedding(ids)
            if self.kind != "bag":
                x = by_hand(self.to_q(x), self.to_k(x), self.to_v(x), right_mask(self.kind, ids))
            return self.head(masked_mean(x, ids))

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
    "scale missing": (
        "attention: The scores are √D times too large: divide by it. With 3 queries",
        {"attend": tuned(scale=1.0)},
    ),
    "wrong softmax": (
        "attention: The softmax ran over the queries, and columns that are blocked give NaN",
        {"attend": tuned(dim=-2)},
    ),
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
        "causal: The causal mask is off by one: no token sees itself",
        {"mask": only_in("causal", lambda ids: padding_blocked(ids) | triangle(ids).triu(0)), "attend": by_hand},
    ),
    "two axes": (
        "it raised ValueError: blocked",
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
        "attention: The numbers are right, but no gradient reaches embedding.weight, to_q.weight",
        {"attend": lambda q, k, v, b: attention(q, k, v, b)[0].detach()},
    ),
    "something else": (
        "attention: The logits are others. With weights = ones, biases = zeros and an embedding of id / 10, ",
        {"mean": lambda x, ids: masked_mean(x, ids) + 0.01},
    ),
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
            return self.head(self.embedding(ids).mean(dim=1))

    assert "bag: Padding is counted in the mean" in check_forward(Mine).message


def test_check_forward_names_what_the_shape_should_be():
    """Vectors before the last layer are no logits."""

    class Mine(Classifier):
        def forward(self, ids):
            return masked_mean(self.embedding(ids), ids)

    assert "Expected the shape (3, 5), got (3, 11): one number an intent, (B, C)." in check_forward(Mine).message


def test_check_forward_names_changed_layers():
    """A layer under another name cannot be filled, and the message says which."""

    class Mine(Classifier):
        def __init__(self, *args):
            super().__init__(*args)
            self.last = self.head
            del self.head

    assert "The layers are not those of the lab" in check_forward(Mine).message
    assert "head.weight" in check_forward(Mine).message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda model: model.head.double(), "head.weight has the dtype torch.float64"),
        (lambda model: model.embedding.to("meta"), "embedding.weight has the device meta"),
    ],
)
def test_check_forward_names_layers_of_another_type(change, told):
    """The check fills in weights of its own, which hides that the model's would not fit together."""

    class Mine(Classifier):
        def __init__(self, *args):
            super().__init__(*args)
            change(self)

    assert f"The layers are not those of the lab, which the check fills: {told}" in check_forward(Mine).message


def test_check_forward_wants_a_class_of_modules():
    """A function of the sizes that makes something else is told so."""
    assert "which makes a module, and it made a function" in check_forward(lambda *_: lambda ids: ids).message


class Recipe:
    """The right forward pass in steps, of which a test replaces one."""

    def forward(self, ids):
        x = self.embedded(ids)
        if self.kind != "bag":
            x = self.attended(x, right_mask(self.kind, ids))
        return self.head(self.pooled(x, ids))

    def embedded(self, ids):
        return self.embedding(ids)

    def attended(self, x, blocked):
        return by_hand(self.to_q(x), self.to_k(x), self.to_v(x), blocked)

    def pooled(self, x, ids):
        return by_multiplication(x, ids)


def recipe(base=Classifier, **steps):
    """A class with the recipe, some of whose steps are replaced."""
    return type("Mine", (Recipe, base), steps)


class LastFirst(nn.Module):
    """The layers of the lab, with the last one drawn first."""

    def __init__(self, symbols, intents, kind, width=64):
        super().__init__()
        self.kind = kind
        self.head = nn.Linear(width, intents)
        self.embedding = nn.Embedding(symbols, width, padding_idx=0)
        if kind != "bag":
            self.to_q, self.to_k, self.to_v = (nn.Linear(width, width) for _ in range(3))


def spoils_weights(self, ids):
    with torch.no_grad():
        self.head.bias.zero_()
    return Recipe.forward(self, ids)


def halves(self, x, blocked):
    return by_hand(self.to_q(x), self.to_k(x).detach(), self.to_v(x), blocked)


WRONG_STEPS = {
    "softmax on the logits": (
        {"forward": lambda self, ids: Recipe.forward(self, ids).softmax(-1)},
        "bag: There is a softmax on the logits",
    ),
    "keys and values exchanged": (
        {"attended": lambda self, x, b: by_hand(self.to_q(x), self.to_v(x), self.to_k(x), b)},
        "attention: Keys and values are exchanged",
    ),
    "softmax over the batch": (
        {"attended": lambda self, x, b: tuned(dim=0)(self.to_q(x), self.to_k(x), self.to_v(x), b)},
        "attention: The softmax ran over the batch",
    ),
    "eight": (
        {"attended": lambda self, x, b: tuned(scale=8**-0.5)(self.to_q(x), self.to_k(x), self.to_v(x), b)},
        "attention: The scores are divided by √8 at every width",
    ),
    "mask added": (
        {"attended": lambda self, x, b: (scaled(self, x) + b).softmax(-1) @ self.to_v(x)},
        "attention: The mask was added to the scores as 0 and 1",
    ),
    "minus ten": (
        {"attended": lambda self, x, b: scaled(self, x).masked_fill(b, -10.0).softmax(-1) @ self.to_v(x)},
        "attention: Blocked scores became -10",
    ),
    "minus ten thousand": (
        {"attended": lambda self, x, b: scaled(self, x).masked_fill(b, -100.0).softmax(-1) @ self.to_v(x)},
        "attention: Blocked scores became a number such as -100",
    ),
    "no maximum": (
        {"attended": lambda self, x, b: bare(scaled(self, x).masked_fill(b, -math.inf)) @ self.to_v(x)},
        "With scores of several hundred, query",
    ),
    "squeeze": (
        {"pooled": lambda _, x, ids: by_multiplication(x, ids).squeeze()},
        "bag: Expected the shape (1, 5), got (5,): an axis of size one is gone; squeeze() without a number",
    ),
    "unknown is padding": ({"pooled": lambda _, x, ids: by_multiplication(x, (ids > 1).long())}, "bag: Token 1, "),
    "keys detached": ({"attended": halves}, "attention: The numbers are right, but no gradient reaches to_k.weight"),
    "data": (
        {"embedded": lambda self, ids: self.embedding(ids).data},
        "bag: The numbers are right, but no gradient reaches embedding.weight",
    ),
    "float64": ({"forward": lambda self, ids: Recipe.forward(self, ids).double()}, "bag: Expected numbers of the type"),
    "NumPy": ({"forward": lambda self, ids: Recipe.forward(self, ids).detach().numpy()}, "got ndarray"),
    "ids changed": (
        {"forward": lambda self, ids: Recipe.forward(self, ids.sub_(1).add_(2))},
        "changed its argument `ids`",
    ),
    "weights changed": ({"forward": spoils_weights}, "bag: A forward pass changed head.bias"),
    "another order": ({"base": LastFirst}, "bag: The forward pass is right, but from the same seed embedding.weight"),
    "the answer": ({"forward": Classifier.forward}, "It calls attention_src.models.classifier.Classifier.forward"),
    "the base's answer": (
        {"forward": lambda self, ids: Classifier.forward(self, ids)},
        "It calls attention_src.models.classifier.Classifier.forward",
    ),
}


def scaled(self, x):
    return self.to_q(x) @ self.to_k(x).mT / x.shape[-1] ** 0.5


def bare(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


RIGHT_CLASSES = [recipe(), *(classifier(each) for each in (by_this_site, by_hand, by_library))]
RIGHT_CLASSES += [classifier(by_library, mean=mean) for mean in (by_multiplication, by_lengths, by_product)]


def test_check_forward_accepts_the_recipe():
    """The steps that the tests below replace are right."""
    assert check_forward(recipe()), check_forward(recipe()).message


@pytest.mark.parametrize(("steps", "words"), WRONG_STEPS.values(), ids=WRONG_STEPS)
def test_check_forward_names_a_wrong_step(steps, words):
    """Each mistake is refused, in words of its own."""
    verdict = check_forward(recipe(**steps))
    assert not verdict
    assert words in verdict.message


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
    assert check_masked_mean(by_multiplication)
    assert check_reverse_real(by_index)
    assert check_forward(classifier())
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

        class Mine(classifier()):
            wrong = kind

            def forward(self, ids):
                logits = super().forward(ids)
                return logits + 1 if self.kind == self.wrong else logits

        assert check_forward(Mine).message.startswith(f"{kind}: ")
