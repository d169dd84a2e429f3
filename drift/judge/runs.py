"""Compare a fresh run with the record: outputs, facts, tolerances and figures."""

from __future__ import annotations

import os
from collections.abc import Iterator

from drift.facts import Fact
from drift.judge.styles import full
from drift.judge.values import agree, first_difference, same_artifact, same_text
from drift.problem import Place, Problem
from drift.read.site import Site
from drift.read.snippet import Snippet
from drift.records import record
from drift.run.outcome import Outcome


def check(site: Site, outcome: Outcome) -> list[Problem]:
    """Everything in which a run differs from what was accepted; a run that failed reports only its failure.

    Where a snippet could not run, its record stands, and only what is wrong with the record itself is reported.
    """
    if outcome.problems:
        return list(outcome.problems)
    found = site.snippets[outcome.snippet]
    loaded = site.records[outcome.snippet]
    if outcome.unmet is not None or unaccepted(site, found, outcome):
        return list(loaded.problems)
    problems = [
        *loaded.problems,
        *_outputs(site, found, outcome),
        *_facts(site, found, outcome),
        *_artifacts(site, found, outcome),
        *_tolerances(site, found, outcome),
    ]
    return problems or list(_lines(site, found, outcome))


def unaccepted(site: Site, found: Snippet, outcome: Outcome | None) -> bool:
    """Whether a snippet has no record although it gives something, or pages show or quote what nobody ran."""
    if site.records[found.id].exists:
        return False
    if outcome is not None and outcome.counts:
        return bool(outcome.facts or outcome.artifacts or any(outcome.outputs.values()))
    return bool(followers(site, found))


def followers(site: Site, found: Snippet) -> list[Place]:
    """Where pages show the outputs of a snippet and quote its facts."""
    shown = (places for (stem, _), places in site.output_shown.items() if stem == found.id)
    quoted = (places for (stem, _), places in site.quoted.items() if stem == found.id)
    return [place for places in (*shown, *quoted) for place in places]


def missing_record(site: Site, found: Snippet) -> Problem:
    """The one finding for a snippet that was never accepted, with a count of what waits for it."""
    waiting = followers(site, found)
    pages = len({place.file for place in waiting})
    waits = f"{len(waiting)} includes and quotes on {pages} page{'' if pages == 1 else 's'} wait for it"
    fix = record.ACCEPT.format(id=found.id)
    return Problem(
        Place(found.file), "a snippet whose output was never accepted", got=waits if waiting else None, fix=fix
    )


def _outputs(site: Site, found: Snippet, outcome: Outcome) -> Iterator[Problem]:
    recorded = site.records[found.id].outputs
    fix = record.ACCEPT.format(id=found.id)
    for name in dict.fromkeys((*outcome.outputs, *recorded)):
        old = recorded.get(name, "")
        new = outcome.outputs.get(name, "").removesuffix("\n")
        tol = outcome.tolerances.get(name)
        if same_text(old, new, tol):
            continue
        number, left, right = first_difference(old, new)
        section = found.section(name)
        source = Place(found.file, section.first if section else 0)
        out = Place(
            site.config.relative(record.out_path(site.config, found.id)),
            site.records[found.id].lines.get(name, 1) + number - 1,
        )
        place = _first(site.output_shown.get((found.id, name)), out)
        message = f"the output of {found.id}:{name} drifted; recorded in {out}"
        yield Problem(place, message, left, right, source, fix)


def _facts(site: Site, found: Snippet, outcome: Outcome) -> Iterator[Problem]:
    recorded = site.records[found.id].facts
    fix = record.ACCEPT.format(id=found.id)
    for name in dict.fromkeys((*outcome.facts, *recorded)):
        old, new = recorded.get(name), outcome.facts.get(name)
        if old is not None and new is not None and same_fact(old, new):
            continue
        source = Place(found.file, (new or old or Fact(0)).line)
        places = site.quoted.get((found.id, name))
        place = _first(places, source)
        also = f"; also quoted in {', '.join(map(str, places[1:]))}" if places and len(places) > 1 else ""
        message = f"fact {found.id}.{name} drifted{also}"
        yield Problem(place, message, _show(old), _show(new), source, fix)


def _artifacts(site: Site, found: Snippet, outcome: Outcome) -> Iterator[Problem]:
    recorded = site.records[found.id].artifacts
    fix = record.ACCEPT.format(id=found.id)
    for filename in dict.fromkeys((*outcome.artifacts, *recorded)):
        old, new = recorded.get(filename), outcome.artifacts.get(filename)
        path = record.artifact_path(site.config, found.id, filename)
        if old is None and any(
            problem.place.file == site.config.relative(path) for problem in site.records[found.id].problems
        ):
            continue
        if old is not None and new is not None and same_artifact(filename, old, new, outcome.tolerances.get(filename)):
            continue
        number, left, right = first_difference(old or "", new or "")
        place = _first(site.asset_shown.get(os.path.normpath(path)), Place(site.config.relative(path), number))
        message = f"the figure {site.config.relative(path)} drifted at its line {number}"
        yield Problem(place, message, _clip(left), _clip(right), Place(found.file), fix)


def _tolerances(site: Site, found: Snippet, outcome: Outcome) -> Iterator[Problem]:
    """A tolerance belongs to something that exists, and widening one shows in the record's diff."""
    place = Place(found.file)
    for name, tol in outcome.tolerances.items():
        if name not in outcome.outputs and name not in outcome.artifacts:
            yield Problem(place, f"a tolerance of {tol:g} for {name!r}, which is neither a section nor a figure")
    recorded = site.records[found.id].tolerances
    if recorded != outcome.tolerances:
        fix = record.ACCEPT.format(id=found.id)
        yield Problem(place, "output tolerances drifted", str(recorded), str(outcome.tolerances), fix=fix)


def _lines(site: Site, found: Snippet, outcome: Outcome) -> Iterator[Problem]:
    """Facts that are stated on other lines than the site says, where they are the same otherwise."""
    recorded = site.records[found.id].facts
    moved = [name for name, fact in outcome.facts.items() if fact.line and recorded[name].line != fact.line]
    if moved:
        old, new = (", ".join(f"{name}: {facts[name].line}" for name in moved) for facts in (recorded, outcome.facts))
        place = Place(found.file, outcome.facts[moved[0]].line)
        message = "facts are stated on other lines than their record says"
        yield Problem(place, message, _clip(old), _clip(new), fix=record.ACCEPT.format(id=found.id))


def same_fact(old: Fact, new: Fact) -> bool:
    """Whether a fresh fact agrees with the recorded one, within the tolerance that the snippet states now."""
    return old.tol == new.tol and agree(old.value, new.value, new.tol)


def _show(fact: Fact | None) -> str:
    if fact is None:
        return "(not stated)"
    return full(fact.value) if fact.tol is None else f"{full(fact.value)} ± {fact.tol:g}"


def _first(places: list[Place] | None, otherwise: Place) -> Place:
    return places[0] if places else otherwise


def _clip(line: str) -> str:
    return line.strip() if len(line.strip()) <= 120 else line.strip()[:117] + "..."
