"""Sentences that compare, count or generalise and bind nothing: each may state something that code could hold.

Words decide, so this is no finding of its own.
What can be held is how many there are: a project says so in its settings, and the number only falls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drift.problem import Place, Problem
from drift.read.site import Site
from drift.read.text import number_words

# What a sentence says with such words can often be measured; the weight is about how often.
KINDS: dict[str, tuple[int, str]] = {
    "ratio": (3, r"twice|half|double[sd]?|thrice|triples?|halve[sd]?|\w+-?fold|times (?:as|more|less)|percent"),
    "growth": (3, r"linear(?:ly)?|quadratic(?:ally)?|exponential(?:ly)?|proportional|grows?|shrinks?|rises?|falls?"),
    "superlative": (3, r"largest|smallest|highest|lowest|longest|shortest|fastest|slowest|cheapest|best|worst"),
    "equality": (2, r"same|equals?|equally|identical|differs?|differ|agrees?|unchanged|exactly"),
    "comparison": (
        2,
        r"more|less|fewer|larger|smaller|higher|lower|longer|shorter|faster|slower|cheaper|better|worse|greater|most"
        r"|least|than|beats?|exceeds?|outperforms?|nearly|almost|roughly",
    ),
    "generality": (1, r"always|never|every|each|all|none|no|any|only|nothing|everything|nobody|both|neither"),
}
# A sentence counts from here on: below are single words of counting, which most sentences have.
LEAST = 3

_WORDS = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, (_, words) in KINDS.items()}
_QUESTION = re.compile(r"\?[\"'”’)]*\Z")


@dataclass(frozen=True)
class Unbound:
    """A sentence, the words in it that compare, and how much they weigh together."""

    place: Place
    text: str
    words: tuple[str, ...]
    weight: int


def comparing(words: str) -> tuple[tuple[str, ...], int]:
    """The words of a sentence that compare, count or generalise, in its order, and their weight."""
    found = [
        (m.start(), m.group(), KINDS[kind][0]) for kind, pattern in _WORDS.items() for m in pattern.finditer(words)
    ]
    found += [(at, said, 2) for at, said, _ in number_words.find(words)]
    return tuple(said.lower() for _, said, _ in sorted(found)), sum(weight for *_, weight in found)


def find(site: Site) -> list[Unbound]:
    """All such sentences of the site, those that most likely state something measurable first."""
    return sorted(_found(site), key=lambda one: (-one.weight, one.place.file, one.place.line))


def count(site: Site) -> int:
    """How many sentences the site has in all."""
    return sum(len(page.sentences) for page in site.pages)


def check(site: Site) -> list[Problem]:
    """Whether there are as many as the settings say, which is a number that falls and never rises."""
    allowed = site.config.unbound
    if allowed is None:
        return []
    there = len(find(site))
    if there == allowed:
        return []
    place, expected = Place("pyproject.toml"), f"unbound = {there} in [tool.drift]"
    if there < allowed:
        return [Problem(place, "fewer sentences that compare and bind nothing than the settings say", expected)]
    message = "more sentences that compare and bind nothing than before"
    fix = "bind what they say: [the words](claim:chapter/snippet.name); `drift unbound` lists them"
    return [Problem(place, message, f"at most {allowed}", str(there), fix=fix)]


def _found(site: Site) -> Iterator[Unbound]:
    for page in site.pages:
        for sentence in page.sentences:
            if sentence.bound or _QUESTION.search(sentence.text):
                continue
            words, weight = comparing(sentence.words)
            if weight >= LEAST:
                yield Unbound(page.place(sentence.line), sentence.text, words, weight)
