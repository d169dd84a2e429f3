"""Which part of the project may import which; `pyproject.toml` lists the layers under `[tool.importlinter]`."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "snippets"
SNIPPETS = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.py"))
OURS = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}

# It writes a project of its own into an empty folder.
NAMES_DOCS = ("checking/demo",)

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"


def test_packages_import_in_one_direction() -> None:
    """The rooms of the checker import what comes before them; nothing imports in a circle; the core stands alone."""
    ran = subprocess.run([sys.executable, "-c", LINT], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def parsed(name: str) -> ast.Module:
    """A snippet's source as a tree."""
    return ast.parse((FOLDER / f"{name}.py").read_bytes())


def imported(tree: ast.AST) -> Iterator[str]:
    """The top-level names of all modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet_imports_the_core_and_the_checker_only(name: str) -> None:
    """Of the project, a snippet imports `attention_src` and `drift`, and no other snippet, test or tool."""
    assert set(imported(parsed(name))) & OURS <= {"attention_src", "drift"}


@pytest.mark.parametrize("name", [name for name in SNIPPETS if name not in NAMES_DOCS])
def test_snippet_reads_no_page(name: str) -> None:
    """Pages include snippets, so what a snippet says may not depend on a page."""
    texts = [node.value for node in ast.walk(parsed(name)) if isinstance(node, ast.Constant)]
    assert [text for text in texts if isinstance(text, str) and text.partition("/")[0] == "docs"] == []
