"""Show notebooks as pages of this site.

mkdocs-jupyter reads a notebook and walks through its cells; its own templates bring a style sheet of half a megabyte
and scripts from other hosts.
The templates in `theme/notebook` give Markdown instead, which is rendered as on every other page: one look, one
check of links, nothing fetched.
Written against mkdocs-jupyter 0.26.3; `tests/site/test_notebooks.py` holds the seam.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs_jupyter.config import settings
from nbconvert.exporters.templateexporter import default_filters

TEMPLATES = Path(__file__).resolve().parents[1] / "notebook"


class _Renderer:
    """Renders the Markdown of the notebook that is a page right now."""

    page: Page
    config: MkDocsConfig
    files: Files

    def __call__(self, markdown: str) -> str:
        self.page.markdown = markdown
        Page.render(self.page, self.config, self.files)
        self.toc = self.page.toc
        return self.page.content or ""


_renderer = _Renderer()


def _refuse(what: str) -> NoReturn:
    raise PluginError(f"{_renderer.page.file.src_uri}: {what}; only what a cell prints is recorded")


def on_config(config: MkDocsConfig) -> None:  # noqa: ARG001
    """Put our templates in the place of mkdocs-jupyter's own."""
    settings.templates_dir = str(TEMPLATES)
    # mkdocs-jupyter changes this table for its own purposes in the same way.
    default_filters["site_markdown"] = _renderer
    default_filters["refuse_output"] = _refuse


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:  # noqa: ARG001
    """Have mkdocs-jupyter render the page with ours, and drop what it puts around it."""
    if page.file.src_uri.endswith(".ipynb"):
        if page.edit_url:
            # The notebook is made from a file among the snippets.
            source = page.file.src_uri.removesuffix(".ipynb") + ".py"
            page.edit_url = f"{config.repo_url}/edit/main/snippets/{source}"
        page.render = _render(page, page.render)  # type: ignore[method-assign,assignment]
    return page


def _render(page: Page, whole: Callable[[MkDocsConfig, Files], None]) -> Callable[[MkDocsConfig, Files], None]:
    """What mkdocs-jupyter makes of `page`, without another table of contents and a style sheet."""

    def rendered(config: MkDocsConfig, files: Files) -> None:
        # The templates do not know the page.
        _renderer.page, _renderer.config, _renderer.files = page, config, files
        whole(config, files)
        page.toc = _renderer.toc
        body, mark, _ = (page.content or "").rpartition("<style>")
        if not mark:
            raise PluginError(f"{page.file.src_uri}: mkdocs-jupyter has changed, expected a style sheet after the page")
        page.content = body

    return rendered
