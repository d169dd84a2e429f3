"""Tests of what a notebook with PyTorch does before it trains."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from drift.notebook import training

# In a process of its own, since a hook on all optimizers stays.
SHELL = """
import os, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell = InteractiveShell.instance()
shell.run_cell(sys.argv[1]).raise_error()
shell.run_cell(sys.argv[1]).raise_error()
with capture_output() as seen:
    shell.run_cell(sys.argv[2]).raise_error()
    shell.run_cell("x = 1").raise_error()
print(shell.user_ns["torch"].get_num_threads(), seen.stdout.strip())
for output in seen.outputs:
    print(output.data["text/plain"])
"""
TRAINS = """
weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight])
for _ in range(3):
    optimizer.step()
    time.sleep(0.6)
print("trained")
"""


def run(**environment: str) -> list[str]:
    """What a cell that trains prints, behind the number of threads, and what it shows beside it."""
    done = subprocess.run(
        [sys.executable, "-c", SHELL, training.SETUP, TRAINS],
        env={"PATH": "", "IPYTHONDIR": "/nonexistent", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_training_unseen_shows_nothing() -> None:
    """Where nobody looks on, one thread is set and nothing is added to what the cell prints."""
    assert run() == ["1 trained"]


@pytest.mark.slow
def test_training_in_jupyter_shows_its_steps() -> None:
    """Below the cell stands how many steps were made, and what the cell prints stays the same."""
    printed, *shown = run(JPY_SESSION_NAME="a.ipynb")
    assert printed == "1 trained"
    assert len(shown) >= 2
    assert all(re.fullmatch(r"[123] steps of training so far, \d+ seconds", line) for line in shown[:-1])
    assert re.fullmatch(r"3 steps of training in all, \d+ seconds", shown[-1])
