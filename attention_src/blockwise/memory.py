"""How much memory a computation needs on its way, counted and not sampled."""

import os
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile


def peak_bytes(call: Callable[[], object]) -> int:
    """Return the most bytes that were held at one time beyond what was held before the call.

    Every request that tensors and kernels make of torch's allocator counts, those inside fused kernels too.
    What the call returns counts, since it is held when the call ends.
    Tensors from before do not count; a call that lets go of some of them is not measured right.
    The number is exact and the same on every run, which the resident memory of a process is not: that moves with
    libraries loaded on first use, with pages that the allocator keeps, and in steps of a page.
    What it misses are the few hundred kilobytes of work space that a matrix library takes for itself.

    Source: `torch.profiler`, with `profile_memory`.

    Args:
        call: What to measure, on the CPU. Run it once before if it fills caches on first use.

    Returns:
        Bytes.

    Raises:
        RuntimeError: A profiler is running already, another `peak_bytes` for example; they do not nest.
    """
    if torch._C._autograd._profiler_enabled():
        raise RuntimeError("expected no profiler to be running, got one: peak_bytes does not nest")
    # Read when the profiler first starts: without it some builds of torch write a line to stderr each time.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        kept = call()
    changes = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = peak = 0
    for event in sorted(changes, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
    del kept
    return peak
