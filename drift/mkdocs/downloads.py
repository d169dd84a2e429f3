"""Notebooks on the site: the pages that are written as notebooks, and what every page with code offers to download."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from functools import partial
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.utils import get_relative_url

from drift.mkdocs.shelf import Shelf
from drift.notebook import build
from drift.notebook.setup import Options
from drift.read.page import NOTEBOOK, Page
from drift.read.site import Site

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from drift.mkdocs.settings import Settings

_TITLE = re.compile(r"<h1\b.*?</h1>", re.DOTALL)


def written(site: Site, folder: Path) -> list[str]:
    """Write the notebooks that are pages of the site below `folder`; give their paths below it.

    A file is written only when its content changed, so that a preview does not build for ever.
    """
    uris: list[str] = []
    for page in site.pages:
        if not page.notebook:
            continue
        uri = page.home.relative_to(site.config.docs).as_posix()
        path = folder / uri
        text = build.render(build.for_site(site, page))
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        uris.append(uri)
    for stray in [path for path in folder.rglob(f"*{NOTEBOOK}") if path.relative_to(folder).as_posix() not in uris]:
        stray.unlink()
    return uris


def offered(site: Site, skip: Iterable[str]) -> list[Page]:
    """The pages that can be downloaded as notebooks: all that run code, but for those whose path fits `skip`."""
    patterns = list(skip)
    return [
        page
        for page in site.pages
        if build.runs_code(page)
        and not any(fnmatchcase(page.home.relative_to(site.config.docs).as_posix(), pattern) for pattern in patterns)
    ]


def options(settings: Settings, config: MkDocsConfig, files: Files) -> Options:
    """What the notebooks say about the site, once the address of every page is known."""
    return Options(
        site_name=config.site_name,
        site_url=config.site_url or "",
        package=settings.package,
        install=settings.install,
        recorded={name: version(name).partition("+")[0] for name in settings.recorded},
        pages={file.src_uri: file.url for file in files.documentation_pages()},
    )


def downloads(site: Site, pages: Iterable[Page], folder: str, options: Options, shelf: Shelf) -> dict[str, str]:
    """The text of each notebook, by its path below the root of the site; what was made before is taken from `shelf`."""
    common = asdict(options)

    def text(page: Page) -> str:
        return build.render(build.for_reader(site, page, options))

    return {
        build.uri(page, site.config.docs, folder): shelf.once(
            "notebooks", partial(text, page), page.text, common, *_made_from(site, page)
        )
        for page in pages
    }


def _made_from(site: Site, page: Page) -> Iterator[object]:
    """What a page's notebook shows beside its own text: code, outputs and figures."""
    yield page.home.relative_to(site.config.docs).as_posix()
    for stem in sorted({include.path.rpartition(".")[0] for _, include in page.shown()} & site.snippets.keys()):
        yield stem, site.snippets[stem].text, site.records[stem].outputs
    for path in sorted({path for path, _ in page.assets if path.is_file()}):
        yield path.name, path.read_text(encoding="utf-8")


def linked(html: str, page: Page, docs: Path, url: str, settings: Settings) -> str:
    """The HTML of the page at `url` with the links to its notebook."""
    uri = build.uri(page, docs, settings.notebooks)
    elsewhere = settings.open_in.format(path=uri.removeprefix(f"{settings.notebooks}/"))
    return with_links(html, get_relative_url(uri, url), elsewhere)


def with_links(html: str, download: str, elsewhere: str) -> str:
    """A page with a line of links below its title; `elsewhere` opens the notebook without a download, if not ""."""
    name = download.rpartition("/")[2]
    links = [f'<a href="{escape(download)}" download="{escape(name)}">Download as notebook</a>']
    if elsewhere:
        links.append(f'<a href="{escape(elsewhere)}">Open in Colab</a>')
    line = f'<p class="drift-notebook">{" · ".join(links)}</p>'
    return _TITLE.sub(lambda match: f"{match[0]}\n{line}", html, count=1)
