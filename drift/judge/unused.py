"""What nobody looks at: snippets, sections, outputs, facts, figures and record files that no page uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from drift.problem import Place, Problem
from drift.read.site import Site
from drift.read.snippet import Snippet
from drift.records import record


def check(site: Site) -> list[Problem]:
    """Every snippet, section and fact is used by some page; every record belongs to a snippet."""
    return [
        *(problem for found in site.snippets.values() for problem in _snippet(site, found)),
        *_orphans(site),
    ]


def _snippet(site: Site, found: Snippet) -> Iterator[Problem]:
    loaded = site.records[found.id]
    shown = [s for s in found.sections if (found.id, s.name) in site.code_shown]
    if not shown and not any(stem == found.id for stem, _ in site.quoted):
        yield Problem(Place(found.file), "a snippet that no page shows or quotes", fix="show it, or delete it")
        return
    for section in found.sections:
        place = Place(found.file, section.first - 1)
        if (found.id, section.name) not in site.code_shown:
            yield Problem(place, f"section {section.name!r} is shown by no page")
        elif loaded.outputs.get(section.name) and (found.id, section.name) not in site.output_shown:
            yield Problem(place, f"section {section.name!r} prints, and no page shows its output")
    for name, fact in loaded.facts.items():
        if (found.id, name) not in site.quoted:
            place = Place(found.file, fact.line)
            yield Problem(place, f"fact {name!r} is quoted by no page", fix="quote it, or delete it")
    for filename in loaded.artifacts:
        path = record.artifact_path(site.config, found.id, filename)
        if os.path.normpath(path) not in site.asset_shown:
            yield Problem(Place(site.config.relative(path)), "a figure that no page shows", source=Place(found.file))


def _orphans(site: Site) -> Iterator[Problem]:
    config = site.config
    for ending in (".out", ".facts.json"):
        for path in sorted(config.snippets.rglob(f"*{ending}")):
            name = path.relative_to(config.snippets).as_posix().removesuffix(ending)
            if name not in site.snippets:
                yield Problem(Place(config.relative(path)), f"a record without its snippet {name}.py", fix="delete it")
    makers: dict[Path, str] = {}
    for name, loaded in site.records.items():
        for filename in loaded.artifacts:
            path = record.artifact_path(config, name, filename)
            if path in makers:
                message = f"a figure made by two snippets, {makers[path]} and {name}"
                yield Problem(Place(config.relative(path)), message)
            makers[path] = name
    waiting = {record.artifact_path(config, *ref) for ref in site.waiting}
    if config.figures.is_dir():
        strays = (p for p in config.figures.rglob("*") if p.is_file() and p not in makers and p not in waiting)
        for path in sorted(strays):
            yield Problem(Place(config.relative(path)), "a figure that no snippet made", fix="delete it")
