"""Whether a quote names the fact that its words are about: another fact of the same snippet may read the same.

"8 heads" bound to the size of a batch of eight is right in its digits and wrong in its source.
The words around a quote decide as far as they can: those behind it in its sentence, against the names of the facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from drift.judge.suggest import fits
from drift.problem import Place, Problem
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text.prose import Quote

# How many words behind a number may say what it counts: "8 attention heads".
WORDS = 3

_WORD = re.compile(r"[^\W\d_]+")
_END = re.compile(r"[.!?;:|]\s|\n\s*\n|\[")
# What follows such a word is no longer what the number counts.
_STOPS = frozenset(
    (
        *("and", "or", "nor", "but", "with", "without", "of", "in", "into", "on", "onto", "to", "for", "from", "by"),
        *("at", "as", "than", "that", "which", "who", "is", "are", "was", "were", "be", "has", "have", "had", "do"),
        *("does", "did", "not", "the", "a", "an", "this", "these", "its", "their", "if", "when", "where", "while"),
        *("so", "then", "instead"),
    )
)
_PLURAL = re.compile(r"(?:(?<=[sxz])es|(?<=[cs]h)es|(?<!s)s)\Z")


@dataclass(frozen=True)
class Ambiguous:
    """A quote that other facts of its snippet could stand behind."""

    place: Place
    text: str
    target: str
    others: tuple[str, ...]


def check(site: Site, page: Page, quote: Quote) -> Problem | None:
    """A quote whose words name another fact than its own."""
    stem, name = split_target(quote.target)
    behind = set(_behind(page.text, quote))
    if not behind or behind & _parts(name):
        return None
    named = [other for other in rivals(site, quote) if behind & _last(other)]
    if not named:
        return None
    said = " ".join([quote.text, *_behind(page.text, quote)])
    message = f"a quote whose words name another fact: {said!r} is bound to {name!r}"
    return Problem(page.place(quote.line), message, f"{stem}.{named[0]}", quote.target)


def find(site: Site) -> Iterator[Ambiguous]:
    """Every quote that could mean another fact as well, and whose words do not tell."""
    for page in site.pages:
        for quote in page.quotes:
            others = [] if quote.claim else rivals(site, quote)
            stem, name = split_target(quote.target)
            if others and not set(_behind(page.text, quote)) & _parts(name):
                yield Ambiguous(page.place(quote.line), quote.text, quote.target, tuple(f"{stem}.{n}" for n in others))


def rivals(site: Site, quote: Quote) -> list[str]:
    """The other facts of the snippet that would read the same."""
    stem, name = split_target(quote.target)
    facts = site.records[stem].facts if stem in site.records else {}
    return [other for other, fact in facts.items() if other != name and fits(quote.text, fact)]


def _behind(text: str, quote: Quote) -> list[str]:
    """The words that follow a quote in its sentence, in lower case and in the singular."""
    start = quote.marks()[-1][1]
    after = text[start : start + 60]
    end = _END.search(after)
    words = (word.lower() for word in _WORD.findall(after[: end.start()] if end else after)[:WORDS])
    return [_singular(word) for word in takewhile(lambda word: word not in _STOPS, words)]


def _parts(name: str) -> set[str]:
    """The words of a fact's name."""
    return {_singular(part.lower()) for part in re.split(r"[._\d-]+", name) if part}


def _last(name: str) -> set[str]:
    """What a fact's name calls it, without what tells it from its like: `heads` of `small.heads`."""
    return {_singular(name.rpartition(".")[2].lower())}


def _singular(word: str) -> str:
    return _PLURAL.sub("", word) if len(word) > 3 else word
