"""Give a name to what the theme leaves without one, so that a screen reader can say what it is."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

# The search opens over the page, as a dialog.
DIALOG = 'data-md-component="search" role="dialog"'


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Name the search dialog."""
    if DIALOG not in output:
        raise PluginError(f"{page.file.src_uri}: the theme's search has changed, expected {DIALOG!r}")
    return output.replace(DIALOG, f'{DIALOG} aria-label="Search"')


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG001
    """The same on the page for a bad address, which is a template."""
    return output_content.replace(DIALOG, f'{DIALOG} aria-label="Search"')
