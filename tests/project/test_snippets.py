"""Snippets that read a file of the repository's own, run beside a file that is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SNIPPETS = Path(__file__).resolve().parents[2] / "snippets"
EXAM = SNIPPETS / "exam"
TASKS = [path for path in sorted((SNIPPETS / "labs").glob("*.py")) if not path.stem.endswith(("-solution", "-own"))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("likelihood: certain", "likelihood: often", "KeyError: 'often'"),
        ("tag: core, ", "", "KeyError: 'tag'"),
        ("groups:", "groups: [", "ParserError"),
    ],
)
def test_likelihood_refuses_a_broken_list_in_a_sentence(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A list that cannot be counted ends the run with one line; which line of the list it is, the check says."""
    text = (EXAM / "questions.yml").read_text(encoding="utf-8")
    assert old in text
    shutil.copy(EXAM / "likelihood.py", tmp_path)
    (tmp_path / "questions.yml").write_text(text.replace(old, new, 1), encoding="utf-8")
    run = subprocess.run([sys.executable, "likelihood.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(f"questions.yml cannot be counted: {message}")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.stem)
def test_code_of_a_lab_fits_its_column(path: Path) -> None:
    """Nothing that a reader has to complete runs off the side; texts too, which the formatter leaves as they are."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("#")] == []
