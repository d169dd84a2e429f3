"""Numbers written as words: `five`, `ninety-nine`, `three hundred`, `a dozen`, `fourfold`.

Zero, one and two are left out, and so are halves, `once` and `twice`: they are words of the language more often than
counts, in every sentence that compares two things.
"""

from __future__ import annotations

import re

_UNITS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: number for number, word in enumerate(_UNITS, 1)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_SMALLEST = 3

_ONE = rf"(?:{'|'.join(_TENS)})(?:[-‑–](?:{'|'.join(_UNITS[:9])}))?|{'|'.join(sorted(_UNITS, key=len, reverse=True))}"
_PATTERN = re.compile(
    rf"\b(?:(?:(?P<many>{_ONE})|an?)[\s-]+)?(?P<scale>{'|'.join(_SCALES)})(?:\s+and\s+(?P<more>{_ONE})|-?fold)?\b"
    rf"|\b(?P<alone>{_ONE})(?:-?fold)?\b",
    re.IGNORECASE,
)


_DIGITS = re.compile(r"\d[\s-]*\Z")


def find(text: str) -> list[tuple[int, str, int]]:
    """Offset, words and value of every number of three or more that is written in words."""
    found = []
    for match in _PATTERN.finditer(text):
        if match["scale"] and not match["many"] and _DIGITS.search(text, max(0, match.start() - 4), match.start()):
            continue  # the unit of a number in digits
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
        number = match["many"] or match["alone"]
        value = scale * (_value(number) if number else 1) + (_value(match["more"]) if match["more"] else 0)
        if value >= _SMALLEST:
            found.append((match.start(), " ".join(match.group().split()), value))
    return found


def value(text: str) -> int | None:
    """The number that a text consists of, in words; None when it is something else."""
    match = _PATTERN.fullmatch(text.strip())
    return next((number for _, _, number in find(text)), None) if match else None


def _value(words: str) -> int:
    return sum(_VALUES[word] for word in re.split("[-‑–]", words.lower()))
