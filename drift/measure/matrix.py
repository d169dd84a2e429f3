"""Run every snippet under several thread counts and instruction sets, and measure how far the results spread.

A tolerance is written down only after it was measured here.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from drift.config import Config
from drift.facts import Value
from drift.judge.styles import full
from drift.measure.spread import Spread, spread
from drift.read.snippet import Snippet
from drift.run import engine
from drift.run.engine import Progress
from drift.run.environment import Environment, capabilities, cpu, versions
from drift.tell import report
from drift.tell.progress import Progress as Shown

THREADS = (1, 2)

# Without vector instructions a training takes several times as long.
PATIENCE = 5


@dataclass(frozen=True)
class Matrix:
    """What was measured: a description of each environment by its name, and the spreads over all of them.

    `unmet` holds why a snippet could not be measured, by its id.
    """

    environments: dict[str, dict[str, Any]]
    spreads: tuple[Spread, ...]
    unmet: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether a check in any environment would accept a record made in any other."""
        return all(found.ok for found in self.spreads)


def environments() -> list[Environment]:
    """Every thread count with every instruction set that this machine has, each with another hash seed.

    The first is the one that `check` runs in, so its results are in the cache already.
    """
    *narrower, _ = capabilities()
    found = [(threads, capability) for threads, capability in product(THREADS, (None, *reversed(narrower)))]
    return [Environment(threads, capability, seed) for seed, (threads, capability) in enumerate(found)]


def run_matrix(config: Config, snippets: Sequence[Snippet], progress: Progress | None = None) -> Matrix:
    """Run the snippets in every environment, one environment after the other.

    Args:
        progress: as for `engine.run`, with the environment's name before the snippet's id.
    """
    patient = replace(config, timeout=config.timeout * PATIENCE)
    outcomes = {}
    for environment in environments():
        name = environment.name

        def tell(snippet: str, state: str, seconds: float, name: str = name) -> None:
            if progress is not None:
                progress(f"{name}: {snippet}", state, seconds)

        outcomes[name] = engine.run(patient, snippets, progress=tell, environment=environment)
    unmet = {name: reason for found in outcomes.values() for name, reason in report.unmet(found).items()}
    described_all = {environment.name: described(config, environment) for environment in environments()}
    return Matrix(described_all, tuple(spread(outcomes)), unmet)


def described(config: Config, environment: Environment) -> dict[str, Any]:
    """An environment as plain JSON values, with versions, so that those of other versions can be set beside it."""
    return {
        **asdict(environment),
        "capability": environment.capability or capabilities()[-1],
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "cpu": list(cpu()),
        "packages": versions(config.preload),
    }


def main(config: Config, snippets: Sequence[Snippet], console: Console, *, as_json: bool = False) -> int:
    """Measure, print, and give the exit code: 1 when a result spreads further than a check allows."""
    with Shown(Console(stderr=True, highlight=False), len(snippets) * len(environments())) as progress:
        measured = run_matrix(config, snippets, progress)
    if as_json:
        print(json.dumps(to_json(measured), ensure_ascii=False, indent=2))
    else:
        show(console, measured)
    return 0 if measured.ok else 1


def to_json(measured: Matrix) -> dict[str, Any]:
    """Everything measured as plain JSON values."""
    spreads = [{**asdict(found), "spread": found.spread} for found in measured.spreads]
    return {"ok": measured.ok, "environments": measured.environments, "spreads": spreads, "unmet": measured.unmet}


def show(console: Console, measured: Matrix) -> None:
    """Print the environments, a row for each fact and for each text that needs one, and what disagrees."""
    console.print(f"{len(measured.environments)} environments:", *measured.environments, sep="\n  ", markup=False)
    console.print(table(measured))
    for found in measured.spreads:
        if not found.ok:
            console.print(f"{_name(found)}: {found.detail}\n  in {'  and in  '.join(found.environments)}", markup=False)
    report.show_unmet(console, measured.unmet)
    bad = sum(not found.ok for found in measured.spreads)
    texts = [found for found in measured.spreads if found.kind in ("output", "artifact")]
    facts = sum(found.kind == "fact" for found in measured.spreads)
    alike = sum(found.ok for found in texts)
    console.print(f"{facts} facts; {alike} of {len(texts)} outputs and figures agree; {bad or 'no'} disagreements")


def table(measured: Matrix) -> Table:
    """A row for each fact, and for each output, figure and run that has something to say."""
    rows = Table(box=None, pad_edge=False)
    for heading in ("what", "value", "spread", "tol", "verdict"):
        rows.add_column(heading, no_wrap=True, overflow="ignore")
    rows.add_column("advice")
    for found in measured.spreads:
        if found.kind == "fact" or not found.ok or found.advice:
            rows.add_row(
                _name(found),
                _value(found.value),
                _number(found.spread),
                _number(found.tol),
                "[green]agrees[/]" if found.ok else "[bold red]differs[/]",
                found.advice,
            )
    return rows


def _name(found: Spread) -> str:
    if found.kind == "fact":
        return f"{found.snippet}.{found.name}"
    return f"{found.snippet}:{found.name}" if found.kind == "output" else f"{found.snippet} {found.name}"


def _value(value: Value | None) -> str:
    return "" if value is None else escape(full(value))


def _number(value: float | None) -> str:
    return "" if value is None else "0" if value == 0 else f"{value:.2g}"
