"""Judge the site by rules of its own: functions that `rules` in `[tool.drift]` names as `module:function`.

A rule takes the `Site` and gives `Problem`s, which are reported among the checker's own.
One that cannot be used is a finding too, so that neither it nor the rest of the check is lost in silence.
"""

from __future__ import annotations

import contextlib
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.site import Site

Rule = Callable[[Site], Iterable[Problem]]

SETTINGS = "pyproject.toml"
EXPECTED = '[tool.drift] rules: "module:function", a function that takes the site and gives problems'


def check(site: Site) -> list[Problem]:
    """Everything that the project's rules find, and what is wrong with the rules themselves."""
    with _importable(site.config.root):
        return [problem for name in site.config.rules for problem in _judged(site, name)]


def _judged(site: Site, name: str) -> Iterator[Problem]:
    """What one rule finds; what it found before an error counts."""
    place = Place(SETTINGS, _line(site.config, name))
    try:
        rule = _imported(name)
    except Exception as error:
        yield Problem(place, f"the rule {name!r} cannot be imported", EXPECTED, _told(error))
        return
    try:
        for problem in rule(site):
            if not isinstance(problem, Problem):
                raise TypeError(f"expected a rule to give drift.problem.Problem, got {problem!r}")
            yield problem
    except (Exception, SystemExit) as error:
        message = f"the rule {name!r} ended in an error, so what it holds is not checked"
        yield Problem(place, message, EXPECTED, _told(error), _raised_at(site.config, error))


def _imported(name: str) -> Rule:
    if ":" not in name:
        raise ValueError("no colon between module and function")
    rule = pkgutil.resolve_name(name)
    if not callable(rule):
        raise TypeError(f"not a function: {rule!r}")
    return rule  # type: ignore[no-any-return]


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _raised_at(config: Config, error: BaseException) -> Place | None:
    """The innermost line of the project that the error passed through."""
    frames = [
        Place(config.relative(Path(frame.filename)), frame.lineno or 0)
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(config.root) and frame.filename != __file__
    ]
    return frames[-1] if frames else None


def _line(config: Config, name: str) -> int:
    """The line of the settings that names the rule."""
    lines = (config.root / SETTINGS).read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if f'"{name}"' in line or f"'{name}'" in line), 0)


@contextlib.contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Let modules below the project's root be imported, wherever the command was started.

    Nothing compiled is left beside them: a check changes no file of a project.
    """
    sys.path.insert(0, str(root))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        with contextlib.suppress(ValueError):
            sys.path.remove(str(root))
