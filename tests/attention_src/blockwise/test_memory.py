"""Tests of `attention_src.blockwise.memory`, with tensors whose bytes are known and against the operating system."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

from attention_src.blockwise.memory import peak_bytes
from attention_src.core.attention import attention

KILO = 250  # float32 numbers that make a thousand bytes


def test_peak_counts_what_is_held_at_the_worst_moment():
    """Two tensors at a time, then one of another size: the larger sum counts, not the total of all."""

    def call() -> None:
        first = torch.empty(3 * KILO)
        second = torch.empty(4 * KILO)
        del first, second
        torch.empty(5 * KILO)

    assert peak_bytes(call) == 7000


def test_peak_counts_what_is_returned():
    """The result is held when the call ends."""
    assert peak_bytes(lambda: [torch.empty(2 * KILO), torch.empty(KILO)]) == 3000


def test_peak_leaves_out_what_was_held_before():
    """Inputs are there already."""
    held = torch.zeros(9 * KILO)
    assert peak_bytes(lambda: held[: 2 * KILO].neg()) == 2000


def test_peak_of_nothing_is_zero():
    """A call that makes no tensor needs none."""
    assert peak_bytes(lambda: None) == 0


def test_peak_sees_inside_a_fused_kernel():
    """SDPA holds its output, a number for each query, and work space that no operation on the outside shows."""
    q, k, v = (torch.zeros(1, 2, 512, 16) for _ in range(3))
    output, rows = q.nbytes, 2 * 512 * 4
    assert peak_bytes(lambda: F.scaled_dot_product_attention(q, k, v)) > output + rows


def test_peak_is_the_same_on_every_run():
    """It is a count: what the first call loads does not show in it."""
    q, k, v = (torch.zeros(2, 61, 16) for _ in range(3))
    assert len({peak_bytes(lambda: attention(q, k, v)) for _ in range(3)}) == 1


def test_peak_passes_an_error_on():
    """An error in the call is the caller's, and the next measurement works."""
    with pytest.raises(ZeroDivisionError):
        peak_bytes(lambda: 1 // 0)
    assert peak_bytes(lambda: torch.empty(KILO)) == 1000


def test_peak_does_not_nest():
    """Torch would end the outer measurement without a word and give 0 for it."""
    with pytest.raises(RuntimeError, match="expected no profiler to be running, got one"):
        peak_bytes(lambda: peak_bytes(lambda: torch.empty(KILO)))
    assert peak_bytes(lambda: torch.empty(KILO)) == 1000


# `VmHWM` belongs to the program; `ru_maxrss` would begin at the most that the test's own process ever had.
RESIDENT = """
import pathlib, re, torch
from attention_src import attention, peak_bytes
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
q, k, v = (torch.zeros(1, 8, n, 64) for n in (2048, 2048, 2048))
attention(q[..., :64, :], k[..., :64, :], v[..., :64, :])
peak_bytes(lambda: attention(q[..., :64, :], k, v))
before = most()
kept = attention(q, k, v)
after = most()
del kept
print((after - before) * 1024, peak_bytes(lambda: attention(q, k, v)))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count resident memory in other units")
def test_peak_agrees_with_the_resident_memory_of_a_process():
    """In a process of its own, the most memory that the system gave out grew by what was counted, within 5 %."""
    run = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=True, timeout=120)
    resident, counted = map(int, run.stdout.split())
    assert counted >= 2 * 8 * 2048 * 2048 * 4
    assert resident == pytest.approx(counted, rel=0.05)
    assert run.stderr == ""
