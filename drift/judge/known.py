"""What was judged before: a site that a check found in order, and in which no file has changed since.

A build comes right after a check as a rule, and would judge the same again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from drift.read.site import Site
from drift.run.cache import read_entry, write_entry

HOME = Path(__file__).resolve().parents[1]
NAME = "in-order.json"


def remember(site: Site) -> None:
    """Note that the site, as it is on the disk, has been judged as a whole and is in order."""
    write_entry(site.config.cache / NAME, {"state": state(site)})


def is_in_order(site: Site) -> bool:
    """Whether exactly this site was found to be in order by exactly this checker."""
    entry = read_entry(site.config.cache / NAME)
    return entry is not None and entry.get("state") == state(site)


def state(site: Site) -> str:
    """A hash of all that judging looks at: pages, snippets, records, figures, what else is published, and settings.

    The checker's own code is part of it.
    """
    found = hashlib.sha256(repr((site.config, sorted(site.pins.items()), site.published)).encode())
    for path in sorted(set(_files(site))):
        found.update(f"{path}\0{path.stat().st_size}\0".encode("utf-8", "surrogatepass") + path.read_bytes())
    return found.hexdigest()


def _files(site: Site) -> Iterator[Path]:
    config = site.config
    yield from (
        path for name in ("pyproject.toml", "mkdocs.yml", "mkdocs.yaml") if (path := config.root / name).is_file()
    )
    for folder in {config.docs, config.snippets, config.figures, HOME}:
        yield from (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
