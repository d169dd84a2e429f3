"""Show notebooks as pages of this site.

mkdocs-jupyter reads a notebook and walks through its cells; its own templates bring a style sheet of half a megabyte
and scripts from other hosts.
The templates in `theme/notebook` give Markdown instead, which is rendered as on every other page: one look, one
check of links, nothing fetched.
Written against mkdocs-jupyter 0.26.3; `tests/site/test_notebooks.py` holds the seam.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
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


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    """Remember the page, which a template does not know."""
    _renderer.page, _renderer.config, _renderer.files = page, config, files
    return page


# First of all, so that others see the page as it is.
@event_priority(100)
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Drop what mkdocs-jupyter put around the page: another table of contents, and a style sheet."""
    if not page.file.src_uri.endswith(".ipynb"):
        return html
    page.toc = _renderer.toc
    if page.edit_url:
        # The notebook is made from a file among the snippets.
        source = page.file.src_uri.removesuffix(".ipynb") + ".py"
        page.edit_url = f"{config.repo_url}/edit/main/snippets/{source}"
    body, mark, _ = html.rpartition("<style>")
    if not mark:
        raise PluginError(f"{page.file.src_uri}: mkdocs-jupyter has changed, expected a style sheet after the page")
    return body
