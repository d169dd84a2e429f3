"""The MkDocs plugin: shows the committed records. It runs no snippet, and refuses what the records alone refute.

The live preview (`mkdocs serve`) is the exception: it runs what an edit touched and shows what came out.

Each method is one event of MkDocs and hands it on: a page's state is its `View`, the generated pages are made by
`contents`, the finished HTML is read by `audit`.
What cannot be shown is collected, and stops the build once all pages were read.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

from drift import config as project_config
from drift.judge import check, known
from drift.mkdocs import audit, boxes, code_page, contents, downloads, index_page, kept, own_files, preview
from drift.mkdocs.captions import CaptionExtension
from drift.mkdocs.figures import FigureExtension
from drift.mkdocs.quotes import QuoteExtension
from drift.mkdocs.settings import Settings
from drift.mkdocs.shelf import Shelf
from drift.mkdocs.view import Shown, View
from drift.problem import Problem
from drift.read import site
from drift.tell import report

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

log = get_plugin_logger("drift")


class DriftPlugin(BasePlugin[Settings]):  # type: ignore[no-untyped-call]
    """Binds a site's pages to the records of its snippets."""

    view: View

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether this is a preview for an author or a build for readers."""
        if dirty:
            raise PluginError("drift: --dirty leaves out pages that others lead to; a build without it renders no more")
        # A build makes many small objects that live to its end; looking for rubbish among them took a twelfth of it.
        gc.set_threshold(100_000, 50, 50)
        self.live = command == "serve"
        self.search = preview.Search()

    def on_config(self, config: MkDocsConfig) -> None:
        """Read the project, and add the Markdown extensions and the styles of what they write."""
        try:
            project = project_config.load(Path(config.config_file_path).parent)
        except project_config.ConfigError as error:
            raise PluginError(str(error)) from error
        whole = site.read(project)
        self.outputs = [project.snippets]
        if self.live:
            self.outputs.insert(0, preview.start(config, whole))
        colors = {name.lower(): value for name, value in self.config.colors.items()}
        self.shown = Shown(whole, self.config.code, colors, marks=self.live)
        self.problems: set[Problem] = set()
        extensions: list[object] = config.markdown_extensions  # type: ignore[assignment]
        # MkDocs asks for its extensions once, for all pages; they ask for the page that it reads just then.
        extensions += [
            QuoteExtension(lambda match: self.view.target(match)),
            FigureExtension(lambda src, alt: self.view.figure(src, alt), lambda src: self.view.stray(src)),
            CaptionExtension(lambda path, section: self.view.caption(path, section)),
        ]
        own_files.link(config)

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the page of every snippet, after all others, so that those are titled first."""
        self.files = files
        whole = self.shown.site
        self.code_pages = {self.shown.code_uri(name): name for name in whole.snippets}
        for uri, name in self.code_pages.items():
            content = code_page.skeleton(whole.snippets[name], whole.records[name])
            files.append(File.generated(config, uri, content=content))
        if self.config.index:
            content = index_page.skeleton(self.config.index_title)
            files.append(File.generated(config, self.config.index, content=content))
        # Early, since an include of nothing would stop the build with a traceback of its own.
        self.problems.update(contents.missing_includes(whole, self.outputs))
        if not self.live and not known.is_in_order(whole):
            # Comparing pages with records needs no run; a preview has done it, with runs.
            self.problems.update(check.standing(whole))
        self._stop_if_any()
        folder = whole.config.cache / "notebooks"
        for uri in downloads.written(whole, folder):
            # A file on the disk, since the plugin that renders it reads one.
            files.append(File(uri, str(folder), config.site_dir, config.use_directory_urls))
        offered = downloads.offered(whole, self.config.notebooks_skip) if self.config.notebooks else []
        self.offered = {page.home: page for page in offered}
        own_files.add(files, config)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Keep the order of the pages, which is that of the list of snippets; open the shelf of earlier pages."""
        self.order = [page.file.src_uri for page in nav.pages]
        project = self.shown.site.config
        self.shelf = Shelf(project.cache / "shown", kept.common(config, files, project))
        self.sources = kept.Sources(self.shown, [*self.outputs, project.figures])
        if self.live:
            self.search.rest(config)

    # Late, so that another plugin's way to render a page is known.
    @event_priority(-50)
    def on_page_markdown(self, markdown: str, *, page: Page, **_: object) -> None:
        """Begin a page, which is not rendered if it was before."""
        self.view = View(self.shown, page.file.src_uri, markdown, self._seen(page).url)
        again = kept.render(page, page.render, self.view, self.shelf, self.sources)
        page.render = again  # type: ignore[method-assign,assignment]

    # Late, so that the audit reads what other plugins made of the page.
    @event_priority(-50)
    def on_page_content(self, html: str, *, page: Page, **_: object) -> str:
        """Finish the HTML: the body of a generated page, or an audit of a written one; then scroll boxes."""
        view, seen = self.view, self._seen(page)
        if view.uri in self.code_pages:
            content = contents.code(self.shown, self.code_pages[view.uri], seen)
            page.present_anchor_ids = (page.present_anchor_ids or set()) | code_page.anchors(content)
            item = content.snippet
            source = self.shelf.once("listings", lambda: code_page.listing(item), item.text)
            html = code_page.fill(html, content, source)
        elif view.uri == self.config.index:
            groups, wrong = contents.index(self.shown, self.order, seen)
            self.problems.update(wrong)
            html = index_page.fill(html, groups)
        else:
            if view.page is None:
                view.report(0, "a page that the checker never read: a hook or another plugin made it")
            read = view.page.text if view.page else None
            for text in self.shelf.once("audits", lambda: audit.findings(html, view.page), view.uri, html, read):
                view.report(0, text)
            if view.page and view.page.home in self.offered:
                html = downloads.linked(html, view.page, self.shown.site.config.docs, page.file.url, self.config)
        self.problems.update(view.problems)
        return boxes.scroll_boxes(html)

    def on_env(self, env: object, *, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG002
        """Stop the build when something could not be shown; a preview tells it and goes on."""
        if self.live:
            self._tell()
        else:
            self._stop_if_any()
        self.shelf.prune()
        options = downloads.options(self.config, config, files)
        made = downloads.downloads(self.shown.site, self.offered.values(), self.config.notebooks, options, self.shelf)
        for uri, content in made.items():
            files.append(File.generated(config, uri, content=content))

    # After Material's plugin for sites on a disk, which reads the index too.
    @event_priority(-150)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Let a preview go on with the index of its first build."""
        if self.live:
            self.search.keep(Path(config.site_dir))

    def on_serve(self, server: LiveReloadServer, **_: object) -> None:
        """Rebuild the preview when a record changes."""
        server.watch(str(self.shown.site.config.snippets))

    def _seen(self, page: Page) -> contents.Seen:
        """The site as seen from `page`."""

        def url(uri: str) -> str:
            file = self.files.get_file_from_path(uri)
            assert file is not None, uri
            return get_relative_url(file.url, page.file.url)

        def title(uri: str) -> str | None:
            file = self.files.get_file_from_path(uri)
            return str(file.page.title) if file and file.page else None

        return contents.Seen(url, title)

    def _stop_if_any(self) -> None:
        if self.problems:
            self._tell()
            raise PluginError(f"drift: {len(self.problems)} finding(s), see above")

    def _tell(self) -> None:
        update = self.shown.site.config.update
        for problem in sorted(self.problems, key=lambda problem: (problem.place, problem.message)):
            log.error(report.line(problem, update))
