"""Which facts a typed number could quote."""

from __future__ import annotations

import re

from drift.facts import Fact
from drift.judge import precision, styles
from drift.read.page import Page
from drift.read.site import Site, split_target

# More than a few candidates say nothing: small whole numbers are everywhere.
MOST = 3
# With so many digits a number that reads the same is hardly another one, whatever page it stands on.
TELLING = 3


def facts_for(site: Site, page: Page, text: str) -> tuple[str, ...]:
    """The facts whose quote would read `text`, as targets; none where there are more than `MOST`.

    Those of the page's own snippets come first, and only a number with many digits is looked for elsewhere.
    """
    own = _snippets(page)
    digits = len(re.sub(r"\D", "", text).strip("0"))
    for names in (own, site.snippets.keys() - own) if digits >= TELLING else (own,):
        found = [f"{name}.{key}" for name in sorted(names) for key, fact in _facts(site, name) if fits(text, fact)]
        if found:
            return tuple(found) if len(found) <= MOST else ()
    return ()


def fits(text: str, fact: Fact) -> bool:
    """Whether a number reads like a fact, and the fact holds all its digits."""
    if isinstance(fact.value, (bool, str)):
        return False
    if isinstance(fact.value, float) and not re.search(r"\d[.\d]+|%|percent", text):
        return False  # one digit is a measurement to nobody
    try:
        return styles.rewrite(text, fact.value, fact.tol) == text and not precision.coarser(text, fact, roughly=False)
    except styles.NotANumberError:
        return False


def _facts(site: Site, name: str) -> list[tuple[str, Fact]]:
    return list(site.records[name].facts.items()) if name in site.records else []


def _snippets(page: Page) -> set[str]:
    """The snippets that a page shows or quotes."""
    shown = {include.path.rpartition(".")[0] for _, include in page.shown()}
    return shown | {split_target(quote.target)[0] for quote in page.quotes}
