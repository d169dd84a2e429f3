"""Judge the claims of a page: words that are bound to a fact which says whether they are true.

A fact that is True or False decides by itself; a number has to lie in the band that the words name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from drift.facts import Fact
from drift.judge import senses, styles
from drift.problem import Place, Problem
from drift.read import stated
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text.prose import Quote, numerals_in

_MARKS = re.compile(r"<[^<>]*>|[*`~]+|\b_+|_+\b|\\(?=\W)")
FORMS = "nearly twice, more than half, at least 3 times, about a third, linearly"


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a claim: in words, what would hold, and what its words are held to."""

    message: str
    expected: str | None = None


def check(site: Site, page: Page, quote: Quote) -> Problem | None:
    """What is wrong with a claim whose fact is recorded."""
    stem, name = split_target(quote.target)
    fact = site.records[stem].facts[name]
    wrong = judged(quote.text, fact, negated=quote.negated)
    if wrong is None:
        return None
    expected = wrong.expected
    if isinstance(fact.value, bool) and (said := stated.expression(site.snippets[stem], fact.line)):
        expected = f"{said} is {expected}" if expected else None
    source = Place(site.snippets[stem].file, fact.line)
    message = f"{wrong.message}: {quote.target} is {styles.full(fact.value)}{_around(fact)}"
    return Problem(page.place(quote.line), message, expected, " ".join(quote.text.split()) or None, source)


def judged(text: str, fact: Fact, *, negated: bool = False) -> Verdict | None:
    """What is wrong with the words of a claim that a fact holds, or does not hold; None where they are true."""
    words = _plain(text)
    if not words:
        return Verdict("a claim without words")
    if isinstance(fact.value, str):
        return Verdict("a claim whose fact is a text", "a fact that is True, or a number")
    if isinstance(fact.value, bool):
        return None if fact.value is not negated else Verdict("a claim that does not hold", str(not fact.value))
    if negated:
        return Verdict("a claim that a number is not so", "words that say how it compares, without '!'")
    try:
        band = senses.band(words)
    except senses.UnclearError as error:
        return Verdict(f"a claim about a number that cannot be checked, with {error}", f"words such as {FORMS}")
    if left := numerals_in(words.replace(band.words, " ")):
        expected = f"a quote of its own beside the claim {band.words!r}"
        return Verdict(f"a claim with a number that it does not check, {left[0]}", expected)
    spread = fact.tol or 0.0
    if all(band.holds(value) for value in (fact.value - spread, fact.value, fact.value + spread)):
        return None
    return Verdict("a claim that does not hold", f"{band.words}: {band}")


def _plain(text: str) -> str:
    """The words of a claim as a reader sees them: without marks of emphasis, tags and entities."""
    return " ".join(unescape(_MARKS.sub("", text)).split())


def _around(fact: Fact) -> str:
    return f" ± {fact.tol:g}" if fact.tol is not None else ""


def holds_numbers(site: Site, page: Page, line: int, start: int) -> bool:
    """Whether a numeral stands in a claim about a number, which is judged as a whole."""
    for quote in page.quotes:
        if quote.claim and quote.line <= line and quote.start <= start < quote.end:
            stem, name = split_target(quote.target)
            fact = site.records[stem].facts.get(name) if stem in site.records else None
            return fact is not None and not isinstance(fact.value, (bool, str))
    return False
