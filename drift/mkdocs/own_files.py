"""The style sheet and the scripts for what the checker writes into pages; a site needs none of its own for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

HERE = Path(__file__).parent / "assets"
# Where they lie on the site.
FOLDER = "assets/drift"
STYLES = ("drift.css",)
# In the order in which they need each other.
SCRIPTS = ("tips.js", "facts.js", "scroll-boxes.js")


def link(config: MkDocsConfig) -> None:
    """Have every page load them, before the site's own, which may change what they say."""
    config.extra_css[:0] = [f"{FOLDER}/{name}" for name in STYLES]
    config.extra_javascript[:0] = [f"{FOLDER}/{name}" for name in SCRIPTS]


def add(files: Files, config: MkDocsConfig) -> None:
    """Copy them to the site."""
    for name in (*STYLES, *SCRIPTS):
        files.append(File.generated(config, f"{FOLDER}/{name}", abs_src_path=str(HERE / name)))
