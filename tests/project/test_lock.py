"""The lock file: how it is made, and that the one in the repository is fit to install from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tools import lock

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LINES = [line for line in LOCK.splitlines() if not line.startswith("#")]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = ("docs", "tests", "lint")


def _report(*packages: tuple[str, str]) -> dict[str, Any]:
    """What pip reports for packages given as (name, version)."""
    return {"install": [{"metadata": {"name": name, "version": version}} for name, version in packages]}


def test_pins_are_sorted_under_one_spelling() -> None:
    """Names are compared in their canonical spelling, whatever a package calls itself."""
    report = _report(("PyYAML", "6.0.4"), ("mypy_extensions", "1.2.0"), ("ast_serialize", "0.13.1"))
    assert lock.pins(report) == ["ast-serialize==0.13.1", "mypy-extensions==1.2.0", "pyyaml==6.0.4"]


def test_pins_drop_local_versions() -> None:
    """A CPU build on the machine that made the lock does not bind another machine to it."""
    assert lock.pins(_report(("torch", "2.13.0+cpu"))) == ["torch==2.13.0"]


def test_pins_drop_cuda_packages() -> None:
    """What torch's CUDA build brings along is left to the machines that want it."""
    names = ("nvidia-cublas-cu12", "nvidia", "triton", "pytorch_triton", "cuda-bindings", "tritonclient-x")
    report = _report(*((name, "1.0") for name in names))
    assert lock.pins(report) == ["tritonclient-x==1.0"]


def test_pins_refuse_a_path() -> None:
    """A package from a folder exists on one machine only."""
    report = _report(("example", "1.0"))
    report["install"][0] |= {"is_direct": True, "download_info": {"url": "file:///home/me/example"}}
    with pytest.raises(ValueError, match="expected example from an index, got file:///home/me/example"):
        lock.pins(report)


def test_render_gives_comments_and_lines() -> None:
    """The file says how it was made and for which Python, then holds one package a line."""
    text = lock.render(["numpy==2.4.6", "torch==2.13.0"], "3.11")
    comments, lines = text.split("\nnumpy", 1)
    assert all(line.startswith("# ") for line in comments.splitlines())
    assert "Python 3.11" in comments
    assert "numpy" + lines == "numpy==2.4.6\ntorch==2.13.0\n"


def test_pin_finds_the_whole_name() -> None:
    """A package whose name begins like another's is not taken for it."""
    assert lock.pin("torchvision==0.29.0\ntorch==2.13.0\n", "torch") == "torch==2.13.0"


def test_pin_missing() -> None:
    """A lock file without the package is an error that names it."""
    with pytest.raises(ValueError, match="expected a pin of torch, got none"):
        lock.pin("numpy==2.4.6\n", "torch")


def test_lock_lines_are_exact() -> None:
    """Every line names one public version: no range, marker, path, address, option or local build."""
    assert LINES
    assert [line for line in LINES if not re.fullmatch(r"[a-z0-9-]+==\d[0-9a-z.]*", line)] == []


def test_lock_lists_each_package_once_in_order() -> None:
    """A difference between two locks shows what changed and nothing else."""
    names = [line.split("==")[0] for line in LINES]
    assert names == sorted(set(names))


def test_lock_has_no_cuda_package() -> None:
    """The lock installs torch's CPU build without gigabytes that the pages do not need."""
    assert [line for line in LINES if lock.CUDA.match(line.split("==")[0])] == []


def _asked() -> list[str]:
    groups = [item for group in GROUPS for item in PYPROJECT["dependency-groups"][group]]
    extras = [item for extra in PYPROJECT["project"]["optional-dependencies"].values() for item in extra]
    return [*PYPROJECT["build-system"]["requires"], *PYPROJECT["project"]["dependencies"], *groups, *extras]


@pytest.mark.parametrize("asked", sorted(set(_asked())))
def test_lock_satisfies_the_project(asked: str) -> None:
    """Everything that pyproject.toml asks for is locked at a version that it accepts."""
    requirement = Requirement(asked)
    version = lock.pin(LOCK, lock.canonical(requirement.name)).partition("==")[2]
    assert requirement.specifier.contains(version, prereleases=True)


def test_torch_is_pinned_by_the_project() -> None:
    """The pages hold numbers of one torch, so the project asks for exactly the one in the lock."""
    assert lock.pin(LOCK, "torch") in PYPROJECT["project"]["dependencies"]
