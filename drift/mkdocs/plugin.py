"""The MkDocs plugin: shows the committed records. It runs no snippet and compares no number.

The live preview (`mkdocs serve`) is the exception: it runs what an edit touched and shows what came out.

On each page quotes become links, fences get captions, and figures are put in.
Each snippet gets a page with its facts, its source and its outputs.
What cannot be shown is collected, and stops the build once all pages were read.
"""

from __future__ import annotations

import html as html_module
import logging
import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.config import base, config_options
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File
from mkdocs.utils import CountHandler, get_relative_url
from rich.console import Console

from drift import config as project_config
from drift.mkdocs import audit, boxes, captions, code_page, downloads, index_page, preview
from drift.mkdocs.figures import FigureError, FigureExtension, inline_svg
from drift.mkdocs.quotes import QuoteExtension, Target
from drift.notebook import build
from drift.problem import Place, Problem
from drift.read import page as pages
from drift.read import site, snippet
from drift.records import record

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

log = get_plugin_logger("drift")


class DriftPluginConfig(base.Config):  # type: ignore[no-untyped-call]
    """What `mkdocs.yml` may set below `drift:`."""

    # The folder of the generated pages, below the docs folder.
    code = config_options.Type(str, default="code")
    # A page that lists every snippet, and its title; empty: none.
    index = config_options.Type(str, default="")
    index_title = config_options.Type(str, default="Experiments")
    # What replaces each `#rrggbb` in a figure: a CSS colour, usually a variable of the site's style sheet.
    colors = config_options.DictOfItems(config_options.Type(str), default={})
    # The folder of the notebooks that readers download, below the root of the site; empty: none are offered.
    notebooks = config_options.Type(str, default="")
    # Pages that run code and are no notebooks all the same, as patterns of their paths.
    notebooks_skip = config_options.ListOfItems(config_options.Type(str), default=[])
    # The module that a notebook looks for, and what it asks pip for where the module is missing.
    package = config_options.Type(str, default="")
    install = config_options.Type(str, default="")
    # An address that opens a notebook elsewhere; `{path}` stands for its path below the folder of the notebooks.
    open_in = config_options.Type(str, default="")
    # Packages whose versions a notebook compares with those that its outputs were recorded with.
    recorded = config_options.ListOfItems(config_options.Type(str), default=[])


class DriftPlugin(BasePlugin[DriftPluginConfig]):  # type: ignore[no-untyped-call]
    """Binds a site's pages to the records of its snippets."""

    preview = False

    def on_startup(self, *, command: str, **_: object) -> None:
        """Remember whether this is a preview for an author or a build for readers."""
        self.live = command == "serve"

    def on_config(self, config: MkDocsConfig) -> None:
        """Read the project and add the Markdown extensions."""
        try:
            self.project = project_config.load(Path(config.config_file_path).parent)
        except project_config.ConfigError as error:
            raise PluginError(str(error)) from error
        self.site = site.read(self.project)
        self.output_folders = [self.project.snippets]
        if self.live:
            self._preview(config)
        self.drawings = {
            record.artifact_path(self.project, name, filename): text
            for name, loaded in self.site.records.items()
            for filename, text in loaded.artifacts.items()
        }
        self.colors = {name.lower(): value for name, value in self.config.colors.items()}
        self.problems: set[Problem] = set()
        extensions: list[object] = config.markdown_extensions  # type: ignore[assignment]
        extensions += [QuoteExtension(self._target), FigureExtension(self._figure, self._stray)]

    def _preview(self, config: MkDocsConfig) -> None:
        """Run what changed, and show that instead of what was accepted; a problem is told and stops nothing."""
        config.strict = False
        # MkDocs began to count warnings before it asked any plugin, and would stop at the first one.
        counted = logging.getLogger("mkdocs")
        for handler in [found for found in counted.handlers if isinstance(found, CountHandler)]:
            counted.removeHandler(handler)
        self.site.records = preview.refresh(self.project, Console(stderr=True, highlight=False))
        folder = preview.write_outputs(self.project, self.site.records)
        self.output_folders.insert(0, folder)
        config.mdx_configs["pymdownx.snippets"]["base_path"].insert(0, str(folder))

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the page of every snippet, after all others, so that those are titled first."""
        self.files = files
        self.code_pages = {self._code_uri(name): name for name in self.site.snippets}
        for uri, name in self.code_pages.items():
            content = code_page.skeleton(self.site.snippets[name], self.site.records[name])
            files.append(File.generated(config, uri, content=content))
        if self.config.index:
            content = index_page.skeleton(self.config.index_title)
            files.append(File.generated(config, self.config.index, content=content))
        self._check_includes()
        folder = self.project.cache / "notebooks"
        for uri in downloads.written(self.site, folder):
            # A file on the disk, since the plugin that renders it reads one.
            files.append(File(uri, str(folder), config.site_dir, config.use_directory_urls))
        self.pages = {page.home.relative_to(self.project.docs).as_posix(): page for page in self.site.pages}
        offered = downloads.offered(self.site, self.config.notebooks_skip) if self.config.notebooks else []
        self.offered = {page.home: page for page in offered}
        return files

    def on_nav(self, nav: Navigation, **_: object) -> None:
        """Keep the order of the pages, which is that of the list of snippets."""
        self.order = [page.file.src_uri for page in nav.pages]

    def on_page_markdown(self, markdown: str, *, page: Page, **_: object) -> str:
        """Give the page's fences captions."""
        self.uri, self.figures = page.file.src_uri, 0
        found = self.pages.get(self.uri)
        self.source = found.text if found else markdown
        generated = self.uri in self.code_pages or self.uri.endswith(pages.NOTEBOOK)
        return markdown if generated else captions.rewrite(markdown)

    # Late, so that the audit reads what other plugins made of the page.
    @event_priority(-50)
    def on_page_content(self, html: str, *, page: Page, **_: object) -> str:
        """Finish the HTML: captions, scroll boxes, the body of a snippet's page; then audit it."""
        if self.uri in self.code_pages:
            content = self._code_page(self.code_pages[self.uri])
            page.present_anchor_ids = (page.present_anchor_ids or set()) | code_page.anchors(content)
            html = code_page.fill(html, content)
        elif self.uri == self.config.index:
            html = index_page.fill(html, self._index())
        else:
            html = captions.link_captions(html, self._caption)
            self._audit(html)
            html = self._with_notebook(html)
        return boxes.scroll_boxes(html)

    def on_env(self, env: object, *, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG002
        """Stop the build when something could not be shown; a preview tells it and goes on."""
        if self.live:
            self._tell()
        else:
            self._stop_if_any()
        options = downloads.options(self.config, config, files)
        made = downloads.downloads(self.site, self.offered.values(), self.config.notebooks, options)
        for uri, content in made.items():
            files.append(File.generated(config, uri, content=content))

    def on_serve(self, server: LiveReloadServer, **_: object) -> None:
        """Rebuild the preview when a record changes."""
        server.watch(str(self.project.snippets))

    def _check_includes(self) -> None:
        """Stop early, and with every place, where an include would stop the build with a traceback of its own."""
        for page in self.site.pages:
            for _, include in page.shown():
                if not any((folder / include.path).is_file() for folder in self.output_folders):
                    message = f"includes {include.path}, which is not there"
                    fix = "python -m drift update writes it" if include.path.endswith(".out") else None
                    self.problems.add(Problem(page.place(include.line), message, fix=fix))
        self._stop_if_any()

    def _stop_if_any(self) -> None:
        if self.problems:
            self._tell()
            raise PluginError(f"drift: {len(self.problems)} finding(s), see above")

    def _tell(self) -> None:
        for problem in sorted(self.problems, key=lambda problem: (problem.place, problem.message)):
            log.error(f"{problem.place}: {problem.message}" + (f" ({problem.fix})" if problem.fix else ""))

    def _audit(self, html: str) -> None:
        """Find what the checker of the Markdown cannot have seen."""
        for text in audit.leftovers(html):
            self._problem(0, f"an include or a quote that was not understood reaches the reader: {text}")
        if self.uri in self.pages:
            for text in audit.unseen(html, self.pages[self.uri]):
                self._problem(0, text)

    def _with_notebook(self, html: str) -> str:
        """The page with links to its notebook, if it has one."""
        page = self.offered.get(self.project.docs / self.uri)
        here = self.files.get_file_from_path(self.uri)
        if page is None or here is None:
            return html
        folder = self.config.notebooks
        uri = build.uri(page, self.project.docs, folder)
        elsewhere = self.config.open_in.format(path=uri.removeprefix(f"{folder}/"))
        return downloads.with_links(html, get_relative_url(uri, here.url), elsewhere)

    def _target(self, ref: str) -> Target | None:
        """Where a quote on the current page leads; None, and a finding, when its fact is not recorded."""
        name, fact_name = site.split_target(ref)
        loaded = self.site.records.get(name)
        fact = loaded.facts.get(fact_name) if loaded else None
        if fact is None:
            missing = f"the fact {fact_name!r}" if loaded else f"the snippet {name!r}"
            self._problem(self._line(f"(fact:{ref})"), f"quotes fact:{ref}, but {missing} is not recorded")
            return None
        here = posixpath.dirname(self.uri)
        href = f"{posixpath.relpath(self._code_uri(name), here)}#{code_page.fact_anchor(fact_name)}"
        item = self.site.snippets[name]
        return Target(href, fact, ref, item.file, snippet.fact_line(item, fact_name))

    def _figure(self, src: str, alt: str) -> str | None:
        """The SVG for an image on the current page, when it is a figure made by a snippet."""
        path = self._figure_path(src)
        if path is None:
            return None
        self.figures += 1
        try:
            text = self.drawings.get(path) or path.read_text(encoding="utf-8")
            return inline_svg(text, f"figure-{self.figures}-", alt, self.colors)
        except (OSError, FigureError) as error:
            self._problem(self._line(src), f"the figure {src} cannot be put into the page: {error}")
            return None

    def _stray(self, src: str) -> None:
        if self._figure_path(src) is not None:
            self._problem(self._line(src), f"the figure {src} has to stand in a paragraph of its own")

    def _figure_path(self, src: str) -> Path | None:
        uri = posixpath.normpath(posixpath.join(posixpath.dirname(self.uri), src))
        path = self.project.docs / uri
        return path if path.suffix == ".svg" and path.is_relative_to(self.project.figures) else None

    def _caption(self, path: str, section_name: str) -> str:
        """The link from a shown section to its lines on the snippet's page."""
        item = self.site.snippets.get(path.removesuffix(".py"))
        section = item.section(section_name) if item else None
        if item is None or section is None:
            return html_module.escape(path)
        url = f"{self._url(self._code_uri(item.id))}#{code_page.section_anchor(section.name)}"
        lines = f"line {section.first}" if section.first == section.last else f"lines {section.first}–{section.last}"
        return f'<a href="{url}">{path}, {lines}</a>'

    def _code_page(self, name: str) -> code_page.CodePage:
        shown = (place for (owner, _), places in self.site.code_shown.items() if owner == name for place in places)
        quoted = {fact: places for (owner, fact), places in self.site.quoted.items() if owner == name}
        return code_page.CodePage(
            snippet=self.site.snippets[name],
            record=self.site.records[name],
            shown=self._links(shown),
            quoted={fact: self._links(places) for fact, places in quoted.items()},
        )

    def _index(self) -> list[index_page.Group]:
        """Every snippet, under the first page in the navigation that shows it, or else quotes it."""
        groups: dict[str, list[index_page.Entry]] = {uri: [] for uri in self.order}
        for name, item in self.site.snippets.items():
            try:
                index_page.purpose(item)
            except ValueError as error:
                self.problems.add(Problem(Place(item.file, 1), str(error)))
                continue
            shown = [place for (owner, _), found in self.site.code_shown.items() if owner == name for place in found]
            quoted = [place for (owner, _), found in self.site.quoted.items() if owner == name for place in found]
            first = self._first_page(shown) or self._first_page(quoted)
            places = [*shown, *quoted]
            if first is not None:
                entry = index_page.Entry(
                    item, self.site.records[name], self._url(self._code_uri(name)), self._links(sorted(places))
                )
                groups[first].append(entry)
        titles = {uri: file.page for uri in groups if (file := self.files.get_file_from_path(uri)) and file.page}
        return [
            index_page.Group(str(titles[uri].title), self._url(uri), entries)
            for uri, entries in groups.items()
            if entries and uri in titles
        ]

    def _first_page(self, places: Iterable[Place]) -> str | None:
        """The page of one of `places` that comes first in the navigation."""
        uris = {self._uri_of(place) for place in places}
        return next((uri for uri in self.order if uri in uris), None)

    def _links(self, places: Iterable[Place]) -> list[code_page.Link]:
        """Title and address of the pages in which `places` lie, each once."""
        uris = dict.fromkeys(self._uri_of(place) for place in places)
        files = (self.files.get_file_from_path(uri) for uri in uris)
        return [(str(file.page.title), self._url(file.src_uri)) for file in files if file and file.page]

    def _uri_of(self, place: Place) -> str:
        """The path below the docs folder of the page in which `place` lies."""
        page = next(page for page in self.site.pages if page.file == place.file)
        return page.home.relative_to(self.project.docs).as_posix()

    def _url(self, uri: str) -> str:
        """The address of a page, relative to the current one."""
        here, there = self.files.get_file_from_path(self.uri), self.files.get_file_from_path(uri)
        assert here is not None, self.uri
        assert there is not None, uri
        return get_relative_url(there.url, here.url)

    def _code_uri(self, name: str) -> str:
        return f"{self.config.code}/{name}.md"

    def _line(self, text: str) -> int:
        return next((n for n, line in enumerate(self.source.split("\n"), 1) if text in line), 0)

    def _problem(self, line: int, message: str, fix: str | None = None) -> None:
        found = self.pages.get(self.uri)
        file = found.file if found else self.project.relative(self.project.docs / self.uri)
        self.problems.add(Problem(Place(file, line), message, fix=fix))
