"""What words claim about a number: `nearly twice`, `more than half`, `at least three times`, `linearly`.

A claim about a number names a quantity, and may say in front of it on which side of it the number lies, and how near.
Each such word has one meaning here, a band, so that *nearly twice* fails on the day the ratio leaves it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from drift.read.text import number_words

# How near a number has to come to what words without any qualification say: twice is between 1.95 and 2.05.
PLAIN = 0.025
# How far `about` and `nearly` reach, as a share of the quantity.
REACH = 0.1

_FRACTIONS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10, "hundredth": 100}
_MULTIPLES = {"twice": 2, "double": 2, "doubles": 2, "doubled": 2, "thrice": 3, "triple": 3, "triples": 3, "tripled": 3}
# Said of an exponent: how something grows with something else.
_GROWTH = {
    "constant": 0,
    "linear": 1,
    "linearly": 1,
    "proportional": 1,
    "proportionally": 1,
    "quadratic": 2,
    "quadratically": 2,
    "cubic": 3,
}
_QUALIFIERS = {
    "about": ("about", "roughly", "around", "some", "close to", "approximately"),
    "nearly": ("nearly", "almost", "just under", "not quite", "just below"),
    "slightly": ("slightly more than", "slightly over", "just over", "just above", "a little more than"),
    "above": ("more than", "over", "above", "greater than", "larger than", "higher than"),
    "below": ("less than", "under", "below", "fewer than", "smaller than", "lower than"),
    "least": ("at least", "no less than", "no fewer than"),
    "most": ("at most", "no more than", "up to"),
    "exactly": ("exactly", "precisely", "just"),
}
_SENSES = {word: sense for sense, words in _QUALIFIERS.items() for word in words}

_QUALIFIER = "|".join(sorted((re.escape(word).replace(r"\ ", r"\s+") for word in _SENSES), key=len, reverse=True))
_COUNT = r"(?P<count>\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)"
_QUANTITY = (
    rf"(?:(?P<part>one|two|three|four|an?|\d+)[\s-]+)?(?P<fraction>{'|'.join(_FRACTIONS)})s?"
    rf"|(?P<multiple>{'|'.join(_MULTIPLES)})"
    rf"|(?P<growth>{'|'.join(_GROWTH)})"
    rf"|{_COUNT}(?:\s+times|[\s-]?fold)"
    r"|(?P<percent>\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)\s*(?:%|percent)"
    r"|(?:the\s+)?(?P<square>square|cube)\s+of"
)
_PHRASE = re.compile(rf"\b(?:(?P<qualifier>{_QUALIFIER})\s+)?(?:the\s+|a\s+)?(?:{_QUANTITY})(?!\w)", re.IGNORECASE)
# Words that turn what stands beside them round, scale it, or move it to one side.
_TURNING = re.compile(
    r"\b(?:no|not|never|nor|neither|hardly|barely|scarcely|without|percent|points?|more|less|fewer|than|nearly|almost"
    r"|about|roughly|around|over|under|above|below|beyond|least|most|exactly|slightly|between)\b|n[’']t\b|%",
    re.IGNORECASE,
)


class UnclearError(ValueError):
    """Words that name no quantity, more than one, or something beside it that changes it."""


@dataclass(frozen=True)
class Band:
    """The numbers that words allow: from `low` to `high`; an open end does not belong to it.

    Attributes:
        words: the part of the claim that says so.
        open_low, open_high: whether the end itself is left out.
    """

    words: str
    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def holds(self, value: float) -> bool:
        """Whether a number lies in the band."""
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{'more than' if self.open_low else 'at least'} {self.low:g}"
        if math.isinf(self.low):
            return f"{'less than' if self.open_high else 'at most'} {self.high:g}"
        if self.low == self.high:
            return f"{self.low:g}"
        low, high = ("more than " if self.open_low else ""), ("less than " if self.open_high else "")
        return f"from {low}{self.low:g} to {high}{self.high:g}"


def band(text: str) -> Band:
    """What the words of a claim allow.

    Raises:
        UnclearError: they name no quantity that is known here, several, or one that a word beside it changes.
    """
    found = [match for match in _PHRASE.finditer(text) if _quantity(match) is not None]
    if len(found) != 1:
        raise UnclearError("no quantity" if not found else "more than one quantity")
    match = found[0]
    quantity = _quantity(match)
    assert quantity is not None
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    changing = [words for _, words, _ in number_words.find(rest)] + _TURNING.findall(rest)
    if changing:
        raise UnclearError(f"a word beside the quantity that changes it ({changing[0]})")
    words = " ".join(match.group().split())
    sense = _SENSES[" ".join(match["qualifier"].lower().split())] if match["qualifier"] else "plain"
    return _band(words, sense, quantity, PLAIN if match["growth"] is None and match["square"] is None else 0.0)


def _band(words: str, sense: str, quantity: float, plain: float) -> Band:
    near = plain * quantity if plain else 0.05  # an exponent is known to a twentieth, also where it is zero
    reach = max(REACH * quantity, near)
    bands = {
        "plain": Band(words, quantity - near, quantity + near),
        "about": Band(words, quantity - reach, quantity + reach),
        "nearly": Band(words, quantity - reach, quantity, open_high=True),
        "slightly": Band(words, quantity, quantity + reach, open_low=True),
        "above": Band(words, quantity, math.inf, open_low=True),
        "below": Band(words, -math.inf, quantity, open_high=True),
        "least": Band(words, quantity, math.inf),
        "most": Band(words, -math.inf, quantity),
        "exactly": Band(words, quantity * (1 - 1e-6), quantity * (1 + 1e-6)),
    }
    return bands[sense]


def _quantity(match: re.Match[str]) -> float | None:
    if match["fraction"]:
        part = match["part"]
        return (_number(part) if part else 1) / _FRACTIONS[match["fraction"].lower()]
    if match["multiple"]:
        return _MULTIPLES[match["multiple"].lower()]
    if match["growth"]:
        return _GROWTH[match["growth"].lower()]
    if match["percent"]:
        return _number(match["percent"]) / 100
    if match["square"]:
        return {"square": 2, "cube": 3}[match["square"].lower()]
    try:
        return _number(match["count"])
    except ValueError:
        return None


def _number(words: str) -> float:
    """A number in digits or words.

    Raises:
        ValueError: it is none.
    """
    small = {"a": 1, "an": 1, "one": 1, "two": 2}.get(words.lower())
    if small is not None:
        return small
    found = number_words.value(words)
    return float(words.replace(",", "")) if found is None else found
