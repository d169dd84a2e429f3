"""Chapters' fences as pytest items, through pytest-markdown-docs: `pytest docs --markdown-docs -p drift.pytest_plugin`.

pytest-markdown-docs parses pages with CommonMark, which sees no fence in a tab or an admonition, and executes the text
of a fence, which is an include line here.
It therefore gets a parser that finds fences the way the checker does, and a runner that looks up what the snippet's own
run gave: every fence is an item, every item points at its Markdown line, and nothing runs twice.
Written against pytest-markdown-docs 0.9.2, whose runners are a private module; `tests/drift/test_pytest_plugin.py`
holds the seam.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pytest_markdown_docs._runners import _Runner, register_runner
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule
from rich.console import Console

from drift import config
from drift.judge import check
from drift.problem import Place, Problem
from drift.read import fences, site
from drift.read.fences import Fence
from drift.read.page import Page
from drift.tell import report

Everything = tuple[site.Site, tuple[Problem, ...], dict[str, str]]
"""A project, what is wrong with it, and which snippets could not run."""


class FenceError(Exception):
    """What is wrong with one fence of a page.

    Every failure of the runner is one of these: a `TypeError` would make pytest-markdown-docs run the fence again.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"{len(problems)} problem(s)")
        self.problems = problems


class FenceParser(MarkdownIt):
    """Gives the executed fences of a page as tokens, at any depth, with the lines they stand on."""

    def parse(self, src: str, env: Any = None) -> list[Token]:  # noqa: ARG002 (the name is markdown-it's)
        """The tokens of every Python fence; one that is not executed says so in its info, as the collector expects.

        One that gives no reason for not being executed is collected, to fail.
        """
        found, _, _ = fences.find("", src)
        return [
            Token(
                "fence",
                "code",
                0,
                info="python notest" if fence.notest else "python",
                content="\n".join(fence.body) + "\n",
                map=[fence.first - 1, fence.last],
            )
            for fence in found
            if fence.is_python
        ]


# First, or the plugin's own parser would win, which is registered later.
@pytest.hookimpl(tryfirst=True)
def pytest_markdown_docs_markdown_it() -> MarkdownIt:
    """Give pytest-markdown-docs a parser that misses no fence."""
    return FenceParser("commonmark")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Keep pytest-markdown-docs from importing every Python file it passes for the sake of its docstrings."""
    found = yield
    return [item for item in found if not isinstance(item, MarkdownDocstringCodeModule)]


@register_runner(default=True)
class DriftRunner(_Runner):
    """Fails a fence when its snippet's run failed, its output drifted, or its page shows it wrongly."""

    def runtest(self, test: Any, args: Mapping[str, Any], *, asyncio_runner: Any = None) -> None:
        """Look up what the checker found for this fence; skip it where its snippet lacks what it needs."""
        del args, asyncio_runner
        try:
            problems = problems_at(Path(test.source_path), test.start_line)
            reasons = unmet_at(Path(test.source_path), test.start_line)
        except Exception as error:
            raise FenceError([Problem(Place(str(test.source_path), test.start_line), repr(error))]) from error
        if problems:
            raise FenceError(problems)
        if reasons:
            pytest.skip("; ".join(reasons))

    def repr_failure(self, test: Any, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The problems as the checker prints them."""
        del test, style
        if not isinstance(excinfo.value, FenceError):
            return str(excinfo.getrepr(style="short"))
        stream = StringIO()
        report.show(Console(file=stream, width=120, highlight=False), excinfo.value.problems)
        return stream.getvalue()


def problems_at(path: Path, line: int) -> list[Problem]:
    """Every problem of the fence that begins on `line` of the page at `path`."""
    whole, problems, _ = _everything(path.resolve())
    page, fence = _fence_at(whole, path, line)
    snippets = _snippets(fence)
    sections = {(include.path.rpartition(".")[0], include.section) for include in fence.includes}
    outputs = {place for target in sections for place in whole.output_shown.get(target, []) if place.file == page.file}
    return [
        problem
        for problem in problems
        if (problem.place.file == page.file and fence.first <= problem.place.line <= fence.last)
        or problem.place in outputs
        or (problem.place.file in {whole.snippets[name].file for name in snippets if name in whole.snippets})
    ]


def unmet_at(path: Path, line: int) -> list[str]:
    """What the snippets of the fence that begins on `line` need and this machine lacks."""
    whole, _, unmet = _everything(path.resolve())
    _, fence = _fence_at(whole, path, line)
    return sorted({unmet[name] for name in _snippets(fence) & unmet.keys()})


def _fence_at(whole: site.Site, path: Path, line: int) -> tuple[Page, Fence]:
    page = next((page for page in whole.pages if page.path.resolve() == path.resolve()), None)
    fence = next((fence for fence in page.fences if fence.first == line), None) if page else None
    if page is None or fence is None:
        raise LookupError(f"{path}:{line}: the checker knows no fence here; is the page below {whole.config.docs}?")
    return page, fence


def _snippets(fence: Fence) -> set[str]:
    return {include.path.rpartition(".")[0] for include in fence.includes}


@lru_cache(maxsize=8)
def checked(root: Path) -> Everything:
    """The project at `root`, every problem of it, and what could not be run; one check a process."""
    whole = site.read(config.load(root))
    outcomes = check.run(whole.config, list(whole.snippets.values()))
    return whole, tuple(check.judge(whole, outcomes)), report.unmet(outcomes)


def _everything(path: Path) -> Everything:
    """One check for the project that holds `path`, however many fences ask."""
    return checked(config.load(path.parent).root)
