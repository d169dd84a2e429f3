"""What holds for every test: the hooks that choose, group and order them, and what the workers of a run share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from selection import (  # noqa: F401 (hooks)
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
    pytest_xdist_make_scheduler,
)

# Before torch is imported. Workers share the cores, and threads that wait for another of their worker's spin meanwhile,
# which took a fifth of the processor's time. The processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """`once(name, make)` gives a path that `make` filled, by the worker that asked first; the others wait for it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name: str, make: Callable[[Path], object]) -> Path:
        target, done = shared / name, shared / f"{name}.done"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                make(target)
                done.touch()
        return target

    return once
