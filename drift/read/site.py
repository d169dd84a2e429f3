"""Everything that the checker reads from disk, read once: snippets, records and pages, with who shows what."""

from __future__ import annotations

from dataclasses import dataclass, field

from drift.config import Config
from drift.problem import Place
from drift.read import page as pages
from drift.read import pins, published
from drift.read import snippet as snippets
from drift.read.page import Page
from drift.read.published import Published
from drift.read.snippet import Snippet
from drift.records import record as records
from drift.records.record import Record

Ref = tuple[str, str]


@dataclass
class Site:
    """One reading of the project.

    Attributes:
        snippets, records: by snippet id.
        pages: in the order of their paths, then the notebooks in the order of their ids.
        code_shown, output_shown: where a (snippet, section) is shown, as code and as output.
        quoted: where a (snippet, fact) is quoted.
        asset_shown: where a figure or data file is shown, by absolute path.
        pins: the versions that the code ran with, by the names that prose may use.
        published: what reaches readers beside the pages.
        waiting: what no record holds yet, by snippet and section or fact: one finding says so, and its includes and
            quotes follow from that.
    """

    config: Config
    snippets: dict[str, Snippet]
    records: dict[str, Record]
    pages: list[Page]
    code_shown: dict[Ref, list[Place]] = field(default_factory=dict)
    output_shown: dict[Ref, list[Place]] = field(default_factory=dict)
    quoted: dict[Ref, list[Place]] = field(default_factory=dict)
    asset_shown: dict[str, list[Place]] = field(default_factory=dict)
    pins: dict[str, str] = field(default_factory=dict)
    published: Published = field(default_factory=Published)
    waiting: set[Ref] = field(default_factory=set)


def read(config: Config) -> Site:
    """Read the project that `config` describes."""
    found = {snippet.id: snippet for snippet in snippets.discover(config)}
    loaded = {name: records.load(config, name) for name in found}
    notebooks = [pages.read_notebook(config, name, item.path) for name, item in found.items() if item.is_notebook]
    everything = [*pages.discover(config), *notebooks]
    site = Site(config, found, loaded, everything, pins=pins.read(config), published=published.read(config))
    for page in site.pages:
        for fence, include in page.shown():
            stem, _, kind = include.path.rpartition(".")
            table = site.code_shown if kind == "py" else site.output_shown
            if fence.notest is None or kind == "out":
                table.setdefault((stem, include.section), []).append(page.place(include.line))
                if page.notebook:
                    site.output_shown.setdefault((stem, include.section), []).append(page.place(include.line))
        for quote in page.quotes:
            site.quoted.setdefault(split_target(quote.target), []).append(page.place(quote.line))
        for path, line in page.assets:
            site.asset_shown.setdefault(str(path), []).append(page.place(line))
    return site


def split_target(target: str) -> Ref:
    """`scaling/saturation.raw_512.top` as snippet id and fact name; a snippet's path has no dot."""
    snippet, _, fact = target.partition(".")
    return snippet, fact
