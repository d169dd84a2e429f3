"""The rule for overviews: what stands below a heading of the navigation is linked where a reader begins."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from drift.problem import Place, Problem
from drift.read.page import Page
from drift.read.site import Site
from theme.rules import headings, navigation

HOME = "index.md"
SOLUTION = "-solution.ipynb"

_LINK = re.compile(r"\]\((?P<target>[^)\s#?:]+)(?:#[^)\s]*)?\)")


def problems(site: Site) -> Iterator[Problem]:
    """The pages below a heading that neither the home page nor the heading's own first page links.

    A solution is linked from its task, and nowhere earlier.
    """
    links = {(home := _home(site, page)): _links(home, page) for page in site.pages}
    entries = [entry for entry in navigation.read(site.config.root) if entry.sections]
    for entry in entries:
        beside = [other.path for other in entries if other.sections == entry.sections]
        begins = [HOME, *(path for path in beside if posixpath.basename(path) == HOME and path != entry.path)]
        if entry.path.endswith(SOLUTION):
            begins.append(entry.path.removesuffix(SOLUTION) + ".ipynb")
        if not any(entry.path in links.get(path, ()) for path in begins):
            place = Place(navigation.FILE, entry.line)
            message = f"{entry.path} is in the navigation, and no page with which a reader begins links it"
            files = (site.config.relative(site.config.docs / path) for path in begins)
            yield Problem(place, message, f"a link in {' or '.join(files)}")


def _home(site: Site, page: Page) -> str:
    return page.home.relative_to(site.config.docs).as_posix()


def _links(home: str, page: Page) -> set[str]:
    """The pages that a page links, by their paths below the docs folder."""
    targets = (match["target"] for match in _LINK.finditer(headings.prose(page).text))
    return {posixpath.normpath(posixpath.join(posixpath.dirname(home), target)) for target in targets}
