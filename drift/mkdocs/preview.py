"""A preview of what an author is editing: runs what the edit touched and shows it, without accepting it.

Fresh outputs go into a folder of their own below the cache, in the layout of the snippets folder, so that includes can
look there first.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.utils import CountHandler
from rich.console import Console

from drift.accept import update
from drift.config import Config
from drift.judge import check
from drift.read.site import Site
from drift.records import record
from drift.records.record import Record
from drift.tell import report
from drift.tell.progress import Progress

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


def start(config: MkDocsConfig, whole: Site) -> Path:
    """Put what the snippets give now into `whole`, and give the folder where includes find it first.

    A problem is told and stops nothing.
    """
    config.strict = False
    # MkDocs began to count warnings before it asked any plugin, and would stop at the first one.
    counted = logging.getLogger("mkdocs")
    for handler in [found for found in counted.handlers if isinstance(found, CountHandler)]:
        counted.removeHandler(handler)
    whole.records = refresh(whole, Console(stderr=True, highlight=False))
    folder = write_outputs(whole.config, whole.records)
    config.mdx_configs["pymdownx.snippets"]["base_path"].insert(0, str(folder))
    return folder


class Search:
    """The search index of a preview's first build.

    Material's plugin reads every page for it, which takes longer than all else that a changed sentence asks for.
    """

    def __init__(self) -> None:
        self.files: dict[Path, bytes] = {}

    def rest(self, config: MkDocsConfig) -> None:
        """Once there is an index, have no page read for another; the search box stays, as the theme asks for it."""
        search: Any = config.plugins.get("material/search")
        if self.files and search is not None:
            search.search_index.add_entry_from_context = lambda _page: None

    def keep(self, folder: Path) -> None:
        """Keep the index that was made below `folder`, or put the kept one there."""
        if not self.files:
            self.files = {p.relative_to(folder): p.read_bytes() for p in (folder / "search").glob("search_index.*")}
        for path, content in self.files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)


def refresh(whole: Site, console: Console) -> dict[str, Record]:
    """Run what changed, print what disagrees, and give the records as accepting the run would make them.

    A snippet whose run failed, or that lacks what it needs, keeps its record.
    """
    with Progress(console, len(whole.snippets)) as progress:
        outcomes = check.run(whole.config, list(whole.snippets.values()), progress=progress)
    report.show(console, check.judge(whole, outcomes))
    records = dict(whole.records)
    for name, outcome in outcomes.items():
        if outcome.counts:
            records[name] = update.accepted(whole.records[name], outcome)
    return records


def write_outputs(config: Config, records: dict[str, Record]) -> Path:
    """Write the outputs of `records` for includes to find; give the folder."""
    folder = config.cache / "preview"
    shutil.rmtree(folder, ignore_errors=True)
    for name, loaded in records.items():
        if loaded.outputs:
            path = folder / f"{name}.out"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(record.render_outputs(loaded.outputs), encoding="utf-8", newline="\n")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
