"""The tests lie where the code lies: each module has a test module of its name, or says which one tests it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for package in ("attention_src", "drift")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__init__.py"
)
# Tested from outside, through what they are a step of; a test of their own would hold how they are cut.
ELSEWHERE = {
    "attention_src/labs/copy_loop.py": ("attention_src/labs/test_copy_task.py", "a check of lab 4"),
    "attention_src/labs/forward_mistakes.py": ("attention_src/labs/test_order.py", "the answers that lab 3 recognises"),
    "attention_src/labs/forward_task.py": ("attention_src/labs/test_order.py", "a task of lab 3"),
    "attention_src/labs/gap_task.py": ("attention_src/labs/test_masks.py", "a task of lab 2"),
    "attention_src/labs/gradients.py": ("attention_src/labs/test_judge.py", "a step of a verdict"),
    "attention_src/labs/heads_layer.py": ("attention_src/labs/test_heads.py", "a check of lab 5"),
    "attention_src/labs/heads_task.py": ("attention_src/labs/test_heads.py", "tasks of lab 5"),
    "attention_src/labs/layer_mistakes.py": ("attention_src/labs/test_heads.py", "the answers that lab 5 recognises"),
    "attention_src/labs/layer_task.py": ("attention_src/labs/test_heads.py", "a task of lab 5"),
    "attention_src/labs/look_task.py": ("attention_src/labs/test_copy_task.py", "a task of lab 4"),
    "attention_src/labs/loop_mistakes.py": ("attention_src/labs/test_loops.py", "the answers that lab 1 recognises"),
    "attention_src/labs/loop_programs.py": ("attention_src/labs/test_loops.py", "what is right in lab 1"),
    "attention_src/labs/mask_tasks.py": ("attention_src/labs/test_masks.py", "tasks of lab 2"),
    "attention_src/labs/order_tasks.py": ("attention_src/labs/test_order.py", "tasks of lab 3"),
    "attention_src/labs/shares_task.py": ("attention_src/labs/test_copy_task.py", "a task of lab 4"),
    "drift/judge/unmet.py": ("drift/run/test_needs.py", "snippets that lack what they need"),
    "drift/judge/check.py": ("drift/test_main.py", "the whole check, as the command runs it"),
    "drift/measure/spread.py": ("drift/measure/test_matrix.py", "what the matrix is made of"),
    "drift/mkdocs/boxes.py": ("drift/mkdocs/test_plugin.py", "one step of a page"),
    "drift/mkdocs/code_page.py": ("drift/mkdocs/test_plugin.py", "a page that a build makes"),
    "drift/mkdocs/contents.py": ("drift/mkdocs/test_plugin.py", "the pages that a build makes"),
    "drift/mkdocs/downloads.py": ("site/test_notebooks.py", "notebooks of the built site"),
    "drift/mkdocs/own_files.py": ("drift/mkdocs/test_plugin.py", "files that a build adds"),
    "drift/mkdocs/reading.py": ("drift/mkdocs/test_audit.py", "what the audit reads"),
    "drift/mkdocs/settings.py": ("drift/mkdocs/test_plugin.py", "names and kinds of settings, without code"),
    "drift/notebook/links.py": ("drift/notebook/test_cell_text.py", "the links in a cell's text"),
    "drift/notebook/setup.py": ("drift/notebook/test_build.py", "the first cell of a notebook"),
    "drift/problem.py": ("drift/tell/test_report.py", "two records, without code"),
    "drift/read/folder.py": ("drift/judge/test_published.py", "folders that are odd"),
    "drift/read/pins.py": ("drift/judge/test_numerals.py", "versions that prose may name"),
    "drift/read/published.py": ("drift/judge/test_published.py", "read to be judged"),
    "drift/run/at_start/sitecustomize.py": ("drift/run/test_stale.py", "how a program begins to be watched"),
    "drift/run/clock.py": ("drift/run/test_stale.py", "the date of a run"),
    "drift/run/events.py": ("drift/run/test_stale.py", "what is seen of a run"),
    "drift/run/inherit.py": ("drift/run/test_stale.py", "how a program is watched"),
    "drift/run/joined.py": ("drift/run/test_stale.py", "how a program begins to be watched"),
    "drift/run/surroundings.py": ("drift/run/test_stale.py", "what raises no event"),
    "drift/signals.py": ("drift/test_command.py", "what Ctrl-C does to a command"),
    "drift/run/capture.py": ("drift/run/test_child.py", "what a run's process prints"),
    "drift/run/environment.py": ("drift/run/test_cache.py", "what a result depends on"),
    "drift/run/failure.py": ("drift/run/test_child.py", "how a run ended"),
    "drift/run/job.py": ("drift/run/test_engine.py", "one of its jobs"),
    "drift/run/launcher.py": ("drift/run/test_engine.py", "how its processes start"),
    "drift/run/outcome.py": ("drift/run/test_engine.py", "what it gives"),
    "drift/run/own_code.py": ("drift/run/test_cache.py", "a part of the key"),
    "drift/run/scheduler.py": ("drift/run/test_engine.py", "how it keeps its processes busy"),
    "drift/run/server.py": ("drift/run/test_engine.py", "where its processes come from"),
    "drift/run/tracked.py": ("drift/run/test_watch.py", "which files count"),
    "drift/run/transcript.py": ("drift/run/test_child.py", "what a run's process reports"),
}


def mirrored(module: str) -> Path:
    """Where a module's tests lie."""
    path = Path(module)
    return ROOT / "tests" / path.parent / f"test_{path.stem.strip('_')}.py"


@pytest.mark.parametrize("module", MODULES)
def test_module_has_its_tests(module: str) -> None:
    """A module without a test module of its name is named above, with the one that tests it."""
    if module in ELSEWHERE:
        assert (ROOT / "tests" / ELSEWHERE[module][0]).is_file()
    else:
        assert mirrored(module).is_file(), f"expected {mirrored(module).relative_to(ROOT)}, or an entry in ELSEWHERE"


def test_no_exception_is_left_over() -> None:
    """What is named above exists, and has no test module of its own."""
    assert ELSEWHERE.keys() <= set(MODULES)
    assert [module for module in ELSEWHERE if mirrored(module).is_file()] == []


@pytest.mark.parametrize("package", ["attention_src", "drift"])
def test_folder_of_tests_is_a_folder_of_code(package: str) -> None:
    """Every test lies in a folder that the package has as well."""
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests" / package).rglob("test_*.py")}
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder).is_dir()] == []
