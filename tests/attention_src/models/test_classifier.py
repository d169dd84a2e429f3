"""Tests of `attention_src.models.classifier`."""

import math

import pytest
import reference
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from attention_src.data.banking77 import HOW, load_banking77
from attention_src.data.vocabulary import build_vocabulary, encode
from attention_src.models.classifier import (
    KINDS,
    Classifier,
    accuracy,
    batches,
    masked_mean,
    predict,
    reverse_real,
    share,
    train_epoch,
)

present = pytest.mark.skipif("not __import__('attention_src').has_banking77()", reason=HOW)

IDS = torch.tensor([[4, 2, 9, 0, 0, 0, 0], [7, 3, 8, 2, 6, 5, 4], [5, 0, 0, 0, 0, 0, 0]])


def made(kind, symbols=13, intents=5, width=3):
    """Return a classifier whose weights are the same on each call."""
    torch.manual_seed(1)
    return Classifier(symbols, intents, kind, width)


# --- the mean over real tokens ---


def test_masked_mean_by_hand():
    """Each row is divided by its own number of real tokens."""
    x = torch.tensor([[[2.0, 1.0], [4.0, 5.0], [90.0, 90.0]], [[1.0, 0.0], [90.0, 90.0], [90.0, 90.0]]])
    ids = torch.tensor([[3, 2, 0], [5, 0, 0]])
    assert masked_mean(x, ids).tolist() == [[3.0, 3.0], [1.0, 0.0]]


def test_masked_mean_leaves_out_padding_whatever_it_holds(randn):
    """NaN and infinity at padding reach neither the mean nor the gradient."""
    x = randn(3, 7, 2).requires_grad_()
    padding = (IDS == 0)[..., None]
    mean = masked_mean(x.masked_fill(padding, math.nan), IDS)
    assert_close(mean, masked_mean(x.masked_fill(padding, math.inf), IDS))
    assert_close(mean[0], x[0, :3].mean(dim=0))
    mean.sum().backward()
    assert x.grad.isfinite().all()


def test_masked_mean_of_padding_alone_is_zero(randn):
    """A row without tokens has no mean; it gets zeros and no NaN."""
    assert masked_mean(randn(1, 3, 2), torch.zeros(1, 3, dtype=torch.int64)).tolist() == [[0.0, 0.0]]


def test_masked_mean_refuses_other_shapes(randn):
    """The error names both shapes."""
    with pytest.raises(ValueError, match=r"got \(2, 3, 5\) and \(2, 5\)"):
        masked_mean(randn(2, 3, 5), torch.ones(2, 5, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"got \(3, 5\) and \(3, 5\)"):
        masked_mean(randn(3, 5), torch.ones(3, 5, dtype=torch.int64))


# --- the reversal ---


def test_reverse_real_by_hand():
    """Real tokens turn around, padding stays, and the ids that came in are as they were."""
    before = IDS.clone()
    assert reverse_real(IDS).tolist() == [[9, 2, 4, 0, 0, 0, 0], [4, 5, 6, 2, 8, 3, 7], [5, 0, 0, 0, 0, 0, 0]]
    assert torch.equal(IDS, before)
    assert reverse_real(IDS.int()).dtype == torch.int32


def test_reverse_real_twice_gives_the_ids_back():
    """The reversal is its own inverse."""
    assert torch.equal(reverse_real(reverse_real(IDS)), IDS)


def test_reverse_real_without_tokens_changes_nothing():
    """Rows of padding, and no rows at all, come back as they are."""
    for ids in (torch.zeros(2, 3, dtype=torch.int64), torch.zeros(0, 3, dtype=torch.int64)):
        assert torch.equal(reverse_real(ids), ids)


def test_reverse_real_refuses_what_it_would_scramble():
    """Padding on the left or in between, and other axes, are errors."""
    for row in ([0, 3, 4], [3, 0, 4]):
        with pytest.raises(ValueError, match="got padding before a token"):
            reverse_real(torch.tensor([row]))
    with pytest.raises(ValueError, match=r"expected a shape \(B, N\), got \(3,\)"):
        reverse_real(torch.tensor([3, 4, 0]))


# --- the model ---


@pytest.mark.parametrize("kind", KINDS)
def test_classifier_draws_its_layers_in_order(kind):
    """Embedding, query, key, value, head; the bag skips the three in the middle."""
    model = made(kind)
    torch.manual_seed(1)
    layers = [nn.Embedding(13, 3, padding_idx=0)]
    layers += [] if kind == "bag" else [nn.Linear(3, 3) for _ in range(3)]
    layers += [nn.Linear(3, 5)]
    expected = [parameter for layer in layers for parameter in layer.parameters()]
    for found, drawn in zip(model.parameters(), expected, strict=True):
        assert torch.equal(found, drawn)


@pytest.mark.parametrize(("kind", "count"), [("bag", 145_933), ("attention", 158_413), ("causal", 158_413)])
def test_classifier_has_the_size_of_the_lesson(kind, count):
    """Parameters for 2,202 symbols, 77 intents and the usual width."""
    assert sum(parameter.numel() for parameter in Classifier(2202, 77, kind).parameters()) == count


@pytest.mark.parametrize("kind", KINDS)
def test_classifier_agrees_with_loops(kind):
    """Row by row without padding, by an implementation that shares nothing with ours."""
    model = made(kind).double()
    logits = model(IDS)
    for row, found in zip(IDS, logits, strict=True):
        x = model.embedding(row[row != 0])
        if kind != "bag":
            n = len(x)
            future = torch.tensor(reference.causal(n, n, "top-left")) & (kind == "causal")
            x, _ = reference.attention(model.to_q(x), model.to_k(x), model.to_v(x), future)
        assert_close(found, model.head(x.mean(dim=0)))


@pytest.mark.parametrize("kind", KINDS)
def test_classifier_does_not_see_the_amount_of_padding(kind):
    """Four more pads change nothing."""
    model = made(kind).double()
    assert_close(model(F.pad(IDS, (0, 4))), model(IDS))


@pytest.mark.parametrize("kind", KINDS)
def test_classifier_sees_order_only_by_the_causal_mask(kind):
    """Reversed tokens give the same logits without it, and others with it."""
    model = made(kind).double()
    same = torch.isclose(model(reverse_real(IDS)), model(IDS), rtol=1e-9, atol=1e-9).all(dim=1)
    assert same.tolist() == ([False, False, True] if kind == "causal" else [True] * 3)


def test_classifier_blocks_padding_beside_the_causal_mask():
    """A pad between two tokens does not count, though it lies in the past of the second."""
    model = made("causal").double()
    assert_close(model(torch.tensor([[4, 0, 9]])), model(torch.tensor([[4, 9, 0]])))


def test_classifier_refuses_another_kind():
    """The error names the kinds there are."""
    with pytest.raises(ValueError, match="expected one of bag, attention, causal, got 'casual'"):
        Classifier(13, 5, "casual")


# --- training and measuring ---


def test_batches_give_every_row_once_in_an_order_of_the_generator():
    """The order differs from one time to the next, and a generator set back repeats it."""
    ids, labels = torch.arange(1, 71)[:, None], torch.arange(70)
    generator = torch.Generator().manual_seed(3)
    loader = batches(ids, labels, generator)
    first, second = ([label for _, part in loader for label in part.tolist()] for _ in range(2))
    assert [len(part) for _, part in loader] == [32, 32, 6]
    assert all(torch.equal(rows[:, 0], part + 1) for rows, part in loader)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(70))
    generator.manual_seed(3)
    assert [label for _, part in loader for label in part.tolist()] == first


def test_batches_leave_the_global_generator_alone():
    """The weights of the next model do not depend on how often the last loader was gone through."""
    before = torch.get_rng_state()
    list(batches(IDS, torch.arange(3), torch.Generator()))
    assert torch.equal(before, torch.get_rng_state())


def test_train_epoch_keeps_the_protocol():
    """Two batches written out give the same weights, and the loss is the mean over rows."""
    labels = torch.tensor([1, 4, 0])
    loader = [(IDS[:2], labels[:2]), (IDS[2:], labels[2:])]
    model, other = made("causal"), made("causal")
    found = train_epoch(model.eval(), loader, torch.optim.Adam(model.parameters(), lr=0.01))
    adam, losses = torch.optim.Adam(other.parameters(), lr=0.01), []
    for ids, right in loader:
        losses.append(F.cross_entropy(other(ids), right))
        adam.zero_grad()
        losses[-1].backward()
        adam.step()
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert found == pytest.approx((2 * losses[0].item() + losses[1].item()) / 3)


def test_train_epoch_learns():
    """A loss falls when the same rows come again and again."""
    model = made("attention")
    loader = batches(IDS, torch.tensor([1, 4, 0]), torch.Generator().manual_seed(1))
    adam = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = [train_epoch(model, loader, adam) for _ in range(60)]
    assert losses[0] > 1
    assert losses[-1] < 0.1
    assert accuracy(model, IDS, torch.tensor([1, 4, 0])) == 1.0


def test_train_epoch_refuses_an_empty_loader():
    """A mean over no rows does not exist."""
    model = made("bag")
    with pytest.raises(ValueError, match="at least one batch"):
        train_epoch(model, [], torch.optim.Adam(model.parameters()))


class Moody(nn.Module):
    """Answers 2 in evaluation mode and 1 in training mode."""

    def forward(self, ids):
        answer = torch.full((len(ids),), 1 if self.training else 2)
        return F.one_hot(answer, 4).float()


@pytest.mark.parametrize("mode", [True, False])
def test_predict_evaluates_and_puts_the_mode_back(mode):
    """Dropout, if a model had some, would be off while it is measured and on again after."""
    model = Moody().train(mode)
    assert predict(model, IDS).tolist() == [2, 2, 2]
    assert model.training is mode


def test_predict_builds_no_graph():
    """Measuring two thousand queries keeps no gradients."""

    class Seen(Classifier):
        def forward(self, ids):
            self.graph = super().forward(ids).requires_grad
            return super().forward(ids)

    model = Seen(13, 5, "bag", 3)
    predict(model, IDS)
    assert model.graph is False


def test_accuracy_by_hand():
    """Two of three right."""
    assert accuracy(Moody(), IDS, torch.tensor([2, 0, 2])) == 2 / 3


def test_share_is_counted():
    """A tenth is the float nearest to a tenth."""
    assert share(torch.arange(10) == 3) == 0.1


@present
@pytest.mark.slow
def test_first_epoch_of_the_bag_is_that_of_the_lesson():
    """On Banking77 with both seeds at 42; the bag ends at the same digits on all machines measured."""
    data = load_banking77()
    vocabulary = build_vocabulary(data.training.texts)
    ids, validation = (encode(rows.texts, vocabulary, length=48) for rows in (data.training, data.validation))
    torch.manual_seed(42)
    model = Classifier(len(vocabulary), len(data.intents), "bag")
    loader = batches(ids, data.labels(data.training), torch.Generator().manual_seed(42))
    loss = train_epoch(model, loader, torch.optim.Adam(model.parameters(), lr=0.01))
    assert round(loss, 4) == 2.3178
    assert accuracy(model, validation, data.labels(data.validation)) == 0.7565
