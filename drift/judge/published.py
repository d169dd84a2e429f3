"""Judge what reaches readers beside the pages: settings, navigation, templates and other files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from drift.judge import numerals
from drift.problem import Place, Problem
from drift.read.site import Site


def check(site: Site) -> Iterator[Problem]:
    """Every number in the site's titles and templates that has no source, and every file that nobody accounts for."""
    yield from site.published.problems
    used: set[str] = set()
    for text in site.published.texts:
        yield from numerals.unbound(site, text, used)
    # Templates share the literals of the settings, which are the first text.
    for text in site.published.texts[:1]:
        yield from numerals.unused(text, used)
    yield from _titles(site)
    shown = {os.path.normpath(page.home.parent / source) for page in site.pages for source, _ in page.images}
    for path in site.published.pictures:
        if os.path.normpath(path) not in shown:
            name = path.relative_to(site.config.docs).as_posix()
            expected = f"a page that shows it, or {name!r} with a reason under extra: drift: files:"
            yield Problem(
                Place(site.config.relative(path)), "a picture that the site publishes and no page shows", expected
            )


def _titles(site: Site) -> Iterator[Problem]:
    """A number in the navigation is the one in the title of the page that it leads to."""
    titles = {page.home: page.title for page in site.pages}
    for title, target, place in site.published.titles:
        named = re.match(r"\w+ \d+(?![\w.])", title)
        own = titles.get(site.config.docs / target, "") if target else ""
        if named and own and not re.match(rf"{named.group()}(?![\w.])", own):
            yield Problem(place, "a title in the navigation with another number than its page", own, title)
