"""Tests of `attention_src.blockwise.benchmark`, and with it the bounds that blockwise attention has to keep."""

import re
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from attention_src.blockwise.benchmark import LIBRARY, WAYS, Cost, main, measure, report


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Measure on one thread, whose processor time other programs hardly change."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def inputs(heads: int, length: int, width: int) -> list[Tensor]:
    """Return q, k and v, each (1, heads, length, width), float32."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, heads, length, width, generator=generator) for _ in range(3)]


def test_ways_give_the_same_output():
    """What is compared computes the same."""
    tensors = inputs(3, 301, 17)
    outputs = [way(*tensors) for way in WAYS.values()]
    assert_close(outputs[1:], outputs[:1] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("backward", [False, True])
def test_memory_is_at_most_a_tenth_of_the_plain_way(backward):
    """At a quarter of the full length the peak is below a tenth of the plain way's."""
    costs = measure(inputs(8, 2048, 64), backward, rounds=1)
    assert costs["blockwise"].peak <= costs["plain"].peak / 10
    assert costs["plain"].peak >= 2 * 8 * 2048 * 2048 * 4


@pytest.mark.slow
def test_bounds_hold_at_full_size():
    """On 1 × 8 × 8,192 × 64: memory a tenth of plain and 1.5 times SDPA's at most, time 3 times SDPA's at most."""
    costs = measure(inputs(8, 8192, 64), rounds=3)
    ours = costs["blockwise"]
    assert ours.peak <= costs["plain"].peak / 10
    assert ours.peak <= 1.5 * costs[LIBRARY].peak
    assert ours.time <= 3


def test_measure_compares_within_each_round(monkeypatch):
    """The time is the median over rounds of the ratio within a round; the plain way joins the first only."""
    seconds = iter([8.0, 3.0, 1.0, 40.0, 20.0, 5.0, 1.0])
    monkeypatch.setattr("attention_src.blockwise.benchmark._seconds", lambda _: next(seconds))
    costs = measure(inputs(1, 3, 2), rounds=3)
    assert {name: cost.time for name, cost in costs.items()} == {"plain": 8.0, "blockwise": 3.0, LIBRARY: 1.0}


def test_measure_with_backward_holds_the_gradients():
    """Gradients of all inputs count, so the peak is at least three inputs and an output."""
    tensors = inputs(2, 301, 16)
    costs = measure(tensors, backward=True, rounds=1)
    assert all(cost.peak >= 4 * tensors[0].nbytes for cost in costs.values())
    assert all(not tensor.requires_grad for tensor in tensors)


def test_measure_refuses_no_rounds():
    """A median needs a round."""
    with pytest.raises(ValueError, match="rounds must be at least 1, got 0"):
        measure(inputs(1, 3, 2), rounds=0)


def test_report_gives_each_ratio():
    """Megabytes are decimal; each ratio stands in the line of its way."""
    costs = {"plain": Cost(40_000_000, 2.5), "blockwise": Cost(3_000_000, 1.25), LIBRARY: Cost(2_000_000, 1.0)}
    lines = [line.split() for line in report(costs).splitlines()[1:]]
    assert lines == [
        ["plain", "40.0", "1.0000", "20.00", "2.50"],
        ["blockwise", "3.0", "0.0750", "1.50", "1.25"],
        [LIBRARY, "2.0", "0.0500", "1.00", "1.00"],
    ]


@pytest.mark.parametrize(("options", "parts"), [([], 2), (["--forward-only"], 1)])
def test_benchmark_prints_a_table_for_each_pass(capsys, options, parts):
    """It says what was measured, then prints three lines for the forward pass and three with the backward pass."""
    main(["--heads", "2", "--length", "31", "--width", "5", "--rounds", "1", *options])
    printed = capsys.readouterr().out
    assert "1 thread(s), 1 × 2 × 31 × 5 float32" in printed
    assert len(re.findall(r"^(?:plain|blockwise|SDPA) ", printed, re.MULTILINE)) == 3 * parts
    assert ("forward and backward" in printed) == (parts == 2)
