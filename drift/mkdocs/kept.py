"""Pages that were rendered before: one whose inputs are all the same is not rendered again.

What a page is made from is found in its text: whatever it could include or show is counted by its bare name, so a
name that only happens to stand there is a reason too many to render, never one too few.
What holds for all pages (settings, packages, the code that renders) is part of the shelf's own key.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from markdown.extensions import Extension
from mkdocs.exceptions import ConfigurationError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.toc import get_toc

from drift.config import Config
from drift.mkdocs.shelf import Shelf, of_files, packages
from drift.mkdocs.view import Shown, View
from drift.read.site import split_target

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page
    from mkdocs.structure.toc import AnchorLink

HOME = Path(__file__).resolve().parents[1]
T = TypeVar("T")
Render = Callable[["MkDocsConfig", "Files"], None]

# A line that asks mkdocstrings for documentation, which is made from other code than the checker reads.
_DOCUMENTED = re.compile(r"^\s*:::", re.MULTILINE)
_NAME = re.compile(r"[\w.-]+")
_QUOTED = re.compile(r"(?:fact|claim):!?([^\s()]+)")


def common(config: MkDocsConfig, files: Files, project: Config) -> str:
    """What every page is made from: the settings, the packages, the code that renders, and where pages lie.

    The folders that `mkdocs.yml` says to watch are what a build depends on beside its pages.
    """
    modules: Mapping[str, ModuleType] = config.hooks  # type: ignore[assignment]
    hooks = [Path(hook.__file__) for hook in modules.values() if hook.__file__]
    plugins = {name: dict(plugin.config) for name, plugin in config.plugins.items() if isinstance(plugin, BasePlugin)}
    # Where the site is written changes nothing on it; a preview writes to another folder each time.
    settings = {name: value for name, value in config.items() if name not in ("hooks", "plugins", "site_dir")}
    places = sorted((file.src_uri, file.url, file.inclusion.name) for file in files)
    code = of_files([HOME, *map(Path, config.watch), *hooks])
    parts = [settings, plugins, repr(project), places, code, packages()]
    return _hash(json.dumps(parts, default=_plain, sort_keys=True))


def _plain(value: object) -> object:
    """A setting as JSON; an extension and a function, whose code counts by itself, stand for their names."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        try:
            return os.fspath(value)
        except ConfigurationError:
            # `!relative`: the folder of whichever page is rendered.
            return type(value).__qualname__
    if isinstance(value, Extension):
        return type(value).__qualname__
    return value.__qualname__ if isinstance(value, FunctionType) else repr(value)


class Sources:
    """What a page can name: the files that includes find, figures, and snippets with their records."""

    def __init__(self, shown: Shown, folders: Iterable[Path]) -> None:
        self.shown = shown
        self.files: dict[str, list[Path]] = {}
        for folder in folders:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                self._add(self.files, path.name, path)
        self.figures: dict[str, list[str]] = {}
        for path, text in shown.drawings.items():
            self._add(self.figures, path.name, text)
        self._texts: dict[Path, str] = {}

    @staticmethod
    def _add(table: dict[str, list[T]], name: str, value: T) -> None:
        """Note a value under the name in which a text has it; one that could not be told there counts for all."""
        table.setdefault(name.casefold() if _NAME.fullmatch(name) else "", []).append(value)

    def named(self, text: str) -> list[object]:
        """Hashes of all that a text names, and of what the files among that name."""
        found: dict[Path, str] = {}
        names, quoted, waiting = {""}, set[str](), [text]
        while waiting:
            said = waiting.pop()
            names |= set(_NAME.findall(said.casefold()))
            quoted |= {split_target(ref)[0] for ref in _QUOTED.findall(said)}
            for path in [path for name in names & self.files.keys() for path in self.files[name] if path not in found]:
                waiting.append(self._text(path))
                found[path] = _hash(waiting[-1])
        figures = {name: [_hash(text) for text in self.figures[name]] for name in names & self.figures.keys()}
        records = {name: self.shown.digests.get(name) for name in quoted}
        return [{str(path): digest for path, digest in found.items()}, figures, records]

    def _text(self, path: Path) -> str:
        if path not in self._texts:
            self._texts[path] = path.read_bytes().decode("utf-8", "replace")
        return self._texts[path]


def render(page: Page, original: Render, view: View, shelf: Shelf, sources: Sources) -> Render:
    """A way to render `page` that gives what was kept, or else what `original` makes of it."""

    def rendered(config: MkDocsConfig, files: Files) -> None:
        markdown = page.markdown or ""
        if _DOCUMENTED.search(markdown):
            return original(config, files)
        autorefs: Any = config.plugins.get("autorefs")
        # Settings can name files too, that every page includes.
        named = sources.named("\n".join([markdown, view.source, str(config.mdx_configs)]))
        key = [view.uri, view.shown.marks, markdown, view.source, _content(page), named]
        entry = shelf.get("pages", *key)
        if entry is not None:
            _restore(page, files, entry)
            for arguments in entry["anchors"]:
                autorefs.register_anchor(page, **arguments)
            return None
        with _warnings() as warned, _anchors(autorefs) as anchors:
            original(config, files)
        if warned == [] and not view.problems:
            shelf.put("pages", {**_state(page), "anchors": anchors}, *key)
        return None

    return rendered


def _content(page: Page) -> str:
    """A hash of the file that the page is read from: of a notebook, the one with its outputs."""
    path = page.file.abs_src_path
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""


def _state(page: Page) -> dict[str, Any]:
    """What rendering leaves in a page."""
    links = page.links_to_anchors
    return {
        "content": page.content,
        "markdown": page.markdown,
        "toc": [_token(item) for item in page.toc],
        "title": page.__dict__.get("title"),
        "title_from_render": page._title_from_render,
        "ids": None if page.present_anchor_ids is None else sorted(page.present_anchor_ids),
        "links": None if links is None else {file.src_uri: found for file, found in links.items()},
    }


def _restore(page: Page, files: Files, entry: dict[str, Any]) -> None:
    page.content, page.markdown, page.toc = entry["content"], entry["markdown"], get_toc(entry["toc"])
    if entry["title"] is not None:
        page.title = entry["title"]
    page._title_from_render = entry["title_from_render"]
    page.present_anchor_ids = None if entry["ids"] is None else set(entry["ids"])
    if entry["links"] is not None:
        found = {files.get_file_from_path(uri): links for uri, links in entry["links"].items()}
        page.links_to_anchors = {file: links for file, links in found.items() if file is not None}


def _token(item: AnchorLink) -> dict[str, Any]:
    children = [_token(child) for child in item.children]
    return {"name": item.title, "id": item.id, "level": item.level, "children": children}


@contextmanager
def _warnings() -> Iterator[list[str] | None]:
    """What MkDocs and its plugins warn of meanwhile, since such a page has to warn again; None where none is heard."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    listener = Listener(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(listener)
    try:
        # `mkdocs build -q` warns of nothing.
        yield said if logger.isEnabledFor(logging.WARNING) else None
    finally:
        logger.removeHandler(listener)


@contextmanager
def _anchors(autorefs: Any) -> Iterator[list[dict[str, Any]]]:
    """The anchors that the plugin autorefs, if there is one, is told of meanwhile; it has to be told again."""
    told: list[dict[str, Any]] = []
    if autorefs is None:
        yield told
        return
    register = autorefs.register_anchor

    def listen(of: Page, identifier: str, anchor: str | None = None, **options: Any) -> None:
        told.append({"identifier": identifier, "anchor": anchor, **options})
        register(of, identifier, anchor, **options)

    autorefs.register_anchor = listen
    try:
        yield told
    finally:
        del autorefs.register_anchor


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
