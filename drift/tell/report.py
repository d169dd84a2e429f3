"""Print problems: the place first, then expected and got, then the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.text import Text

from drift.problem import Problem
from drift.read.site import Site
from drift.run.outcome import Outcome

# The command that findings name; a project whose environment is elsewhere says how it is called there.
UPDATE = "python -m drift update"


def show(console: Console, problems: Iterable[Problem], update: str = UPDATE) -> int:
    """Print every problem, sorted by file and line, with the command `update`; give how many there were."""
    found = ordered(problems)
    for problem in found:
        console.print(render(problem, update), soft_wrap=True)
    return len(found)


def ordered(problems: Iterable[Problem]) -> list[Problem]:
    """Every problem once, by file and line."""
    return sorted(set(problems), key=_key)


def summary(site: Site, outcomes: Mapping[str, Outcome], count: int) -> str:
    """The last line of a check: how much was looked at, and what was not; `count` is the number of problems."""
    ran = _ran(outcomes)
    facts = [name for name, record in site.records.items() for _ in record.facts]
    quotes = [name for (name, _), places in site.quoted.items() for _ in places]
    looked_at = (
        _of(len(ran), len(site.snippets), "snippet"),
        _of(sum(name in ran for name in facts), len(facts), "fact"),
        _of(sum(name in ran for name in quotes), len(quotes), "quote"),
    )
    result = many(count, "problem") if count else agreement(site, outcomes)
    return f"{', '.join(looked_at)} on {many(len(site.pages), 'page')}: {result}"


def agreement(site: Site, outcomes: Mapping[str, Outcome]) -> str:
    """What may be said where no problem was found: that all agree, or how many records were not compared."""
    ran = _ran(outcomes)
    left = [name for name in site.snippets if name not in ran]
    if not left:
        return "all agree"
    facts = sum(len(site.records[name].facts) for name in left)
    quotes = sum(len(places) for (name, _), places in site.quoted.items() if name not in ran)
    missed = (many(len(left), "record"), many(facts, "fact"), many(quotes, "quote"))
    return f"no problem found; not compared: {', '.join(missed)}"


def _ran(outcomes: Mapping[str, Outcome]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome.unmet is None}


def _of(some: int, total: int, what: str) -> str:
    return many(total, what) if some == total else f"{some} of {total} {what}s"


def many(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def unmet(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Why snippets could not run, by their ids."""
    return {name: outcome.unmet for name, outcome in outcomes.items() if outcome.unmet is not None}


def show_unkept(console: Console, outcomes: Mapping[str, Outcome]) -> None:
    """Print which snippets run at every check, and why nobody can say whether an earlier result still holds."""
    for name, outcome in outcomes.items():
        if outcome.unkept:
            console.print(f"{name} runs at every check: it {', and it '.join(outcome.unkept)}", markup=False)


def show_unmet(console: Console, reasons: Mapping[str, str]) -> None:
    """Print which snippets did not run and why, so that a check never passes over them in silence."""
    waiting: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        waiting.setdefault(reason, []).append(name)
    for reason, names in waiting.items():
        many = "1 snippet" if len(names) == 1 else f"{len(names)} snippets"
        console.print(f"{many} not run ({', '.join(names)}): {reason}", markup=False, soft_wrap=True)


def command(fix: str, update: str) -> str:
    """The way out as it works here: `update` in place of the checker's own command, with its arguments."""
    if not fix.startswith(UPDATE):
        return fix
    arguments = fix.removeprefix(UPDATE).strip()
    return f"{update} {arguments}" if arguments else update.removesuffix(" --")


def line(problem: Problem, update: str = UPDATE) -> str:
    """One problem on one line, for a log that adds marks of its own."""
    values = [f"{name} {value}" for name, value in (("expected", problem.expected), ("got", problem.got)) if value]
    told = "; ".join((problem.message, *(value.replace("\n", " / ") for value in values)))
    return f"{problem.place}: {told}" + (f" ({command(problem.fix, update)})" if problem.fix else "")


def render(problem: Problem, update: str = UPDATE) -> Text:
    """One problem as styled text; without the styles it is what a log shows."""
    text = Text()
    is_command = (problem.fix or "").startswith("python")
    text.append(f"{problem.place}", "bold red")
    text.append(f"  {problem.message}\n")
    for label, value, style in (
        ("expected", problem.expected, "green"),
        ("got", problem.got, "yellow"),
        ("made in", str(problem.source) if problem.source else None, "cyan"),
        ("accept" if is_command else "mend", command(problem.fix, update) if problem.fix else None, "bold"),
    ):
        if value is not None:
            first, *rest = value.split("\n")
            text.append(f"    {label:<9}", "dim")
            text.append(first + "\n", style)
            for line in rest:
                text.append(" " * 13 + line + "\n", style)
    return text


def _key(problem: Problem) -> tuple[str, int, str, str, str]:
    return (problem.place.file, problem.place.line, problem.message, problem.expected or "", problem.got or "")
