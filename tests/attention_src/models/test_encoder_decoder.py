"""Tests of `attention_src.models.encoder_decoder`."""

import pytest
import reference
import torch
from torch import nn
from torch.testing import assert_close

from attention_src.models.encoder_decoder import LookingEncoderDecoder, PlainEncoderDecoder, attend, average

SYMBOLS, WIDTH, START = 13, 11, 12
BATCH, LENGTH, STEPS = 3, 5, 7


@pytest.fixture
def ids():
    """Sources (3, 5) and decoder inputs (3, 7)."""
    generator = torch.Generator().manual_seed(2)
    return (
        torch.randint(0, SYMBOLS, (BATCH, LENGTH), generator=generator),
        torch.randint(0, SYMBOLS, (BATCH, STEPS), generator=generator),
    )


def models():
    """One of each kind, in float64, with weights that a seed fixes."""
    torch.manual_seed(5)
    return {
        "plain": PlainEncoderDecoder(SYMBOLS, WIDTH).double(),
        "attention": LookingEncoderDecoder(SYMBOLS, WIDTH).double(),
        "mean": LookingEncoderDecoder(SYMBOLS, WIDTH, pool=average).double(),
    }


def test_attend_is_scaled_dot_product_attention_with_one_query(randn):
    """The memory is keys and values, and the state is the query."""
    memory, state = randn(BATCH, LENGTH, WIDTH), 3 * randn(BATCH, WIDTH)
    context, weights = attend(memory)(state)
    expected = reference.attention(state[:, None], memory, memory)
    assert_close(context, expected[0].squeeze(1))
    assert_close(weights, expected[1].squeeze(1))


def test_average_gives_each_state_the_same_weight_whatever_the_query(randn):
    """The context is the plain mean over positions, for any state."""
    memory = randn(BATCH, LENGTH, WIDTH)
    look = average(memory)
    for state in (randn(BATCH, WIDTH), 9 * randn(BATCH, WIDTH)):
        context, weights = look(state)
        assert_close(context, sum(memory[:, position] for position in range(LENGTH)) / LENGTH)
        assert_close(weights, torch.full((BATCH, LENGTH), 1 / LENGTH, dtype=torch.float64))


def test_looking_model_attends_twice_a_step(ids):
    """Looking anew with the old state and with the new one gives what the model computes with one look a step."""
    source, inputs = ids
    model = models()["attention"]
    memory, last = model.encoder(model.embedding(source))
    state, expected = last[0], []
    for step in range(STEPS):
        before, _ = reference.attention(state[:, None], memory, memory)
        joined = torch.cat([model.embedding(inputs[:, step]), before.squeeze(1)], dim=-1)
        state = model.cell(joined, state)
        after, _ = reference.attention(state[:, None], memory, memory)
        expected.append(model.output(torch.cat([state, after.squeeze(1)], dim=-1)))
    assert_close(model(source, inputs), torch.stack(expected, dim=1))


def test_looks_begin_with_the_last_state_of_the_encoder(ids):
    """There is one row more than steps, each sums to 1, and the first belongs to the encoder's last state."""
    source, inputs = ids
    model = models()["attention"]
    looks = model.looks(source, inputs)
    assert looks.shape == (BATCH, STEPS + 1, LENGTH)
    assert_close(looks.sum(dim=-1), torch.ones(BATCH, STEPS + 1, dtype=torch.float64))
    memory, last = model.encoder(model.embedding(source))
    _, expected = reference.attention(last[0][:, None], memory, memory)
    assert_close(looks[:, :1], expected)
    assert not torch.allclose(looks[:, 1], looks[:, 0], atol=1e-4)


def test_looks_of_the_mean_are_even(ids):
    """The ablation looks everywhere alike."""
    looks = models()["mean"].looks(*ids)
    assert_close(looks, torch.full((BATCH, STEPS + 1, LENGTH), 1 / LENGTH, dtype=torch.float64))


def test_mean_differs_from_attention_in_the_pooling_alone(ids):
    """With the same weights and the pool exchanged, the one model becomes the other."""
    made = models()
    made["mean"].load_state_dict(made["attention"].state_dict())
    assert not torch.allclose(made["mean"](*ids), made["attention"](*ids), atol=1e-4)
    made["mean"].pool = attend
    assert_close(made["mean"](*ids), made["attention"](*ids))


@pytest.mark.parametrize("name", ["plain", "attention", "mean"])
def test_generated_symbols_are_those_that_forcing_them_predicts(ids, name):
    """Fed with its own output as the right one, the teacher-forced pass predicts that output again."""
    source, _ = ids
    model = models()[name]
    written = model.generate(source, START)
    assert written.shape == source.shape
    inputs = torch.cat([torch.full((BATCH, 1), START), written[:, :-1]], dim=1)
    assert torch.equal(model(source, inputs).argmax(dim=-1), written)
    assert len(written.unique()) > 1


@pytest.mark.parametrize("name", ["plain", "attention", "mean"])
def test_output_does_not_depend_on_later_inputs(ids, name):
    """The decoder reads from left to right: an input changes no output before its own."""
    source, inputs = ids
    model = models()[name]
    other = inputs.clone()
    other[:, 4] = (other[:, 4] + 1) % SYMBOLS
    before, after = model(source, inputs), model(source, other)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:], atol=1e-6)


def test_sizes_at_width_32():
    """The models of the copy task hold 13,452 and 16,908 weights."""
    assert count(PlainEncoderDecoder(12, 32)) == 13_452
    assert count(LookingEncoderDecoder(12, 32)) == count(LookingEncoderDecoder(12, 32, pool=average)) == 16_908


def count(model: nn.Module) -> int:
    """Return how many numbers training adjusts."""
    return sum(parameter.numel() for parameter in model.parameters())


def test_layers_draw_their_weights_in_a_fixed_order():
    """Embedding, encoder, decoder, output: another order would give other first weights."""
    torch.manual_seed(3)
    expected = [nn.Embedding(13, 5), nn.GRU(5, 5), nn.GRU(5, 5), nn.Linear(5, 13)]
    torch.manual_seed(3)
    plain = PlainEncoderDecoder(13, 5)
    assert_same_weights([plain.embedding, plain.encoder, plain.decoder, plain.output], expected)
    torch.manual_seed(3)
    expected = [nn.Embedding(13, 5), nn.GRU(5, 5), nn.GRUCell(10, 5), nn.Linear(10, 13)]
    torch.manual_seed(3)
    looking = LookingEncoderDecoder(13, 5)
    assert_same_weights([looking.embedding, looking.encoder, looking.cell, looking.output], expected)


def assert_same_weights(found: list[nn.Module], expected: list[nn.Module]) -> None:
    """Fail unless the layers hold the same parameters, one layer after the other."""
    for one, other in zip(found, expected, strict=True):
        for left, right in zip(one.parameters(), other.parameters(), strict=True):
            assert torch.equal(left, right)
