"""Chapters' fences as pytest items: collected wherever they stand, run once, failures at the Markdown line."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from authoring import Book

ROOT = Path(__file__).resolve().parents[2]

EVERYWHERE = """# A page

```python
--8<-- "a/one.py:count"
```

```text
--8<-- "a/one.out:count"
```

- In a list:

    ```{.python title="list"}
    --8<-- "b/list.py:x"
    ```

=== "Tab"

    ```python
    --8<-- "b/tab.py:x"
    ```

!!! note

    ~~~python
    --8<-- "b/box.py:x"
    ~~~

> ```py
> --8<-- "b/quote.py:x"
> ```

```{.python notest="why"}
1 / 0
```

```bash
false
```

````markdown
```python
1 / 0
```
````
"""


def run_pytest(book: Book, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`pytest docs --markdown-docs -p drift.pytest_plugin` in a project, by a process of its own."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        *(arguments or ("docs",)),
        "--markdown-docs",
        "-p",
        "drift.pytest_plugin",
    ]
    variables = {"PYTHONPATH": str(ROOT), "PATH": "", "COLUMNS": "120"}
    options = ["-p", "no:cacheprovider", "--rootdir", str(book.root)]
    return subprocess.run(
        command + options, cwd=book.root, env=variables, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(scope="module")
def everywhere(written: Book, tmp_path_factory: pytest.TempPathFactory):
    """A run over a page with a fence in every place, with Python files beside it that must not be imported."""
    book = written.copy(tmp_path_factory.mktemp("everywhere") / "book")
    book.write("docs/a.md", EVERYWHERE)
    for name in ("list", "tab", "box", "quote"):
        book.write(
            f"snippets/b/{name}.py",
            f"import pathlib\npathlib.Path({str(book.root / 'ran')!r}).open('a').write('{name} ')\n"
            "# --8<-- [start:x]\nx = 1\n# --8<-- [end:x]\n",
        )
    for folder in ("docs", "snippets/b"):
        book.write(f"{folder}/_evil.py", f'"""```python\n1 / 0\n```"""\nopen({str(book.root / "imported")!r}, "w")\n')
    ran = run_pytest(book, "docs", "snippets", "-vv")
    return book, ran.stdout + ran.stderr


def items(report: str) -> dict[int, str]:
    """Outcome by line of every item."""
    found = re.findall(r"^docs/a\.md::\[CodeFence#\d+\]\[line:(\d+)\] (\w+)", report, re.MULTILINE)
    return {int(line): outcome for line, outcome in found}


@pytest.mark.slow
def test_fences_are_collected_at_any_depth(everywhere: tuple[Book, str]) -> None:
    """Top level, list, tab, box and quote give one item each; `notest`, other languages and examples give none."""
    _, report = everywhere
    lines = EVERYWHERE.split("\n")
    expected = [n for n, line in enumerate(lines, 1) if re.search(r"(```|~~~)\{?\.?py", line) and "notest" not in line]
    expected = [n for n in expected if not lines[n - 2].startswith("````")]
    assert len(expected) == 5
    assert sorted(items(report)) == expected, report


@pytest.mark.slow
def test_python_files_in_the_paths_are_not_imported(everywhere: tuple[Book, str]) -> None:
    """Collecting executes no file for the sake of its docstrings."""
    book, report = everywhere
    assert not (book.root / "imported").exists(), report
    assert "_evil" not in report


@pytest.mark.slow
def test_snippets_run_once_however_many_fences_ask(everywhere: tuple[Book, str]) -> None:
    """One check serves all items."""
    book, _ = everywhere
    assert sorted((book.root / "ran").read_text().split()) == ["box", "list", "quote", "tab"]


@pytest.fixture(scope="module")
def broken(written: Book, tmp_path_factory: pytest.TempPathFactory):
    """A run over a project in which an output drifted, a snippet raises, and a fence gives no reason."""
    book = written.copy(tmp_path_factory.mktemp("broken") / "book")
    book.edit("snippets/a/one.out", "9,216", "9,217")
    count = book.root / "count"
    book.write(
        "snippets/b/first.py",
        f"import pathlib\nplace = pathlib.Path({str(count)!r})\nplace.open('a').write('x')\n"
        f"# --8<-- [start:x]\nlen(1 if open({str(count)!r}).read() == 'x' else 'ab')\n# --8<-- [end:x]\n",
    )
    book.add('```python\n--8<-- "b/first.py:x"\n```')
    book.add("```{.python .notest}\n1 / 0\n```")
    book.add("```python\nx = 1\n```")
    ran = run_pytest(book)
    return book, ran


@pytest.mark.slow
def test_failure_names_page_line_expected_and_got(broken) -> None:
    """A drifted output fails the fence whose code printed it, at the Markdown line."""
    book, ran = broken
    assert ran.returncode == 1
    assert "docs/a.md:14  the output of a/one:count drifted; recorded in snippets/a/one.out:4" in ran.stdout
    assert "expected total 9,217" in ran.stdout
    assert "got      total 9,216" in ran.stdout
    assert "accept   python -m drift update --only a/one" in ran.stdout
    assert f"{book.root}/drift" not in ran.stdout


def test_failing_snippet_names_its_own_line(broken) -> None:
    """An exception is reported in the snippet's file, not at a line of the page's text."""
    _, ran = broken
    assert "snippets/b/first.py:5  TypeError: object of type 'int' has no len()" in ran.stdout


def test_type_error_on_the_first_run_fails_and_runs_once(broken) -> None:
    """The plugin's silent second try never happens."""
    book, ran = broken
    assert (book.root / "count").read_text() == "x"
    line = book.read("docs/a.md").split('--8<-- "b/first')[0].count("\n")
    assert re.search(rf"^FAILED docs/a\.md::.*\[line:{line}\]", ran.stdout, re.MULTILINE), ran.stdout


def test_fence_without_a_reason_or_a_snippet_fails(broken) -> None:
    """A fence that is neither run nor excused is collected, and fails."""
    book, ran = broken
    text = book.read("docs/a.md")
    for head, message in (("```{.python .notest}", "has to say why"), ("```python\nx = 1", "nobody collects it")):
        line = text.split(head)[0].count("\n") + 1
        assert re.search(rf"^FAILED docs/a\.md::.*\[line:{line}\]", ran.stdout, re.MULTILINE)
        assert message in ran.stdout
    assert ran.stdout.count("FAILED docs") == 4
    assert "1 passed" in ran.stdout


@pytest.mark.slow
def test_page_outside_of_the_docs_fails(book: Book) -> None:
    """A fence in a page that the checker does not read is an error, not a pass."""
    book.write("README.md", "```python\nx = 1\n```\n")
    ran = run_pytest(book, "README.md")
    assert ran.returncode == 1
    assert "the checker knows no fence here; is the page below" in ran.stdout


def test_project_without_settings_fails(book: Book) -> None:
    """Without `[tool.drift]` nothing can be checked, so nothing passes."""
    book.write("pyproject.toml", "")
    ran = run_pytest(book)
    assert ran.returncode == 1
    assert "expected a pyproject.toml with a [tool.drift] table" in ran.stdout


def test_private_module_is_the_version_we_know() -> None:
    """Runners are registered in a private module, so the version is pinned exactly."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    pinned = f"pytest-markdown-docs=={version('pytest-markdown-docs')}"
    assert pinned in groups["tests"]
    assert pinned in (ROOT / "requirements.lock").read_text(encoding="utf-8")
