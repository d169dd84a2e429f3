"""Memory and time of three ways to compute attention, as ratios measured in one run.

`python -m attention_src.blockwise.benchmark` prints them; `--help` lists the sizes that can be changed.
At its own size the plain way takes 4.3 GB for the forward pass and 6.5 GB with the backward pass.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_src.blockwise.memory import peak_bytes
from attention_src.blockwise.online import blockwise_attention
from attention_src.core.attention import attention


def plain_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return the output of `attention` and let go of the weights."""
    return attention(q, k, v)[0]


LIBRARY = "SDPA"
WAYS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "plain": plain_attention,
    "blockwise": blockwise_attention,
    LIBRARY: F.scaled_dot_product_attention,
}


class Cost(NamedTuple):
    """What one way costs.

    Attributes:
        peak: Bytes held at the worst moment beyond the inputs.
        time: How many times as long as `F.scaled_dot_product_attention` it took: the median over the rounds.
    """

    peak: int
    time: float


def measure(inputs: Sequence[Tensor], backward: bool = False, rounds: int = 3) -> dict[str, Cost]:
    """Measure each way on the same inputs.

    Each round runs the ways one after the other and compares them within the round, so that a machine that is slow
    for a while is slow for all. The plain way, much the slowest, is timed in the first round only.

    Args:
        inputs: Queries, keys and values.
        backward: Whether to take the gradients of the inputs as well.
        rounds: How many rounds are timed.

    Returns:
        The cost of each way by its name.

    Raises:
        ValueError: `rounds` is less than 1.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    leaves = [tensor.detach().requires_grad_(backward) for tensor in inputs]
    calls = {name: _call(way, leaves, backward) for name, way in WAYS.items()}
    peaks = {name: peak_bytes(call) for name, call in calls.items()}
    ratios: dict[str, list[float]] = {name: [] for name in WAYS}
    for number in range(rounds):
        spent = {name: _seconds(call) for name, call in calls.items() if number == 0 or name != "plain"}
        for name, seconds in spent.items():
            ratios[name].append(seconds / spent[LIBRARY])
    return {name: Cost(peaks[name], statistics.median(ratios[name])) for name in WAYS}


def _call(
    way: Callable[[Tensor, Tensor, Tensor], Tensor], leaves: Sequence[Tensor], backward: bool
) -> Callable[[], object]:
    def forward() -> object:
        return way(*leaves)

    def both() -> object:
        output = way(*leaves)
        return output, torch.autograd.grad(output, leaves, torch.ones_like(output))

    return both if backward else forward


def _seconds(call: Callable[[], object]) -> float:
    # On one thread the processor's time is the wall's, less what other programs took.
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    start = clock()
    call()
    return clock() - start


def report(costs: dict[str, Cost]) -> str:
    """Return a table of costs, a line for each way."""
    plain, library = costs["plain"], costs[LIBRARY]
    lines = [f"{'':12}{'peak, MB':>10}{'of plain':>12}{f'of {LIBRARY}':>12}{f'time of {LIBRARY}':>16}"]
    for name, cost in costs.items():
        shares = f"{cost.peak / plain.peak:12.4f}{cost.peak / library.peak:12.2f}"
        lines.append(f"{name:12}{cost.peak / 1e6:10.1f}{shares}{cost.time:16.2f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ratios for the sizes given on the command line."""
    parser = argparse.ArgumentParser(prog="python -m attention_src.blockwise.benchmark", description=__doc__)
    parser.add_argument("--heads", type=int, default=8, help="default: %(default)s")
    parser.add_argument("--length", type=int, default=8192, help="queries, and as many keys; default: %(default)s")
    parser.add_argument("--width", type=int, default=64, help="of one head; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed; default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="default: %(default)s, the steadiest")
    parser.add_argument("--forward-only", action="store_true", help="leave the backward pass out")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(chosen.threads)
    generator = torch.Generator().manual_seed(0)
    shape = (1, chosen.heads, chosen.length, chosen.width)
    inputs = [torch.randn(shape, generator=generator) for _ in range(3)]
    print(f"torch {torch.__version__}, {chosen.threads} thread(s), {' × '.join(map(str, shape))} float32")
    for backward in (False,) if chosen.forward_only else (False, True):
        print("\nforward and backward" if backward else "\nforward", flush=True)
        print(report(measure(inputs, backward, chosen.rounds)), flush=True)


if __name__ == "__main__":
    main()
