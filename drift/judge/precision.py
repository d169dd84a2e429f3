"""Whether a quote shows more than is checked: digits finer than the tolerance that its fact states.

A fresh run may move a fact by its tolerance without a drift.
So the last digit shown has to be coarser than that: half a unit of it is at least the tolerance, or one unit where
the sentence itself says "about".
Finer digits are honest where the tolerance stands with them: `0.93 ± 0.02`.
"""

from __future__ import annotations

import re
from decimal import Decimal

from drift.facts import Fact
from drift.judge import styles

# The words and signs that stand directly before a number which is meant roughly.
_ROUGHLY = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|circa|some)|[≈~∼]|\\(?:approx|sim)\s*\$)[\s#>*_(]*\Z", re.IGNORECASE
)
_REACH = 60


def says_roughly(text: str, start: int) -> bool:
    """Whether the words before offset `start` of a page say that the number there is meant roughly."""
    return bool(_ROUGHLY.search(text, max(0, start - _REACH), start))


def coarser(text: str, fact: Fact, *, roughly: bool) -> str | None:
    """What a quote `text` could say in place of digits that its fact does not hold; None when it holds them."""
    if fact.tol is None or isinstance(fact.value, (bool, str)) or "±" in text:
        return None
    try:
        step = styles.step(text, fact.value)
    except styles.NotANumberError:
        step = Decimal(1)  # a number word counts in ones
    tolerance = Decimal(repr(fact.tol))
    if tolerance <= (step if roughly else step / 2):
        return None
    plain, about = (_shortened(text, fact, tolerance * factor) for factor in (2, 1))
    ways = [plain, f"about {about}" if about != plain else None, _beside(text, fact)]
    return ", or ".join(way for way in ways if way) or f"a fact whose tolerance is below {fact.tol:g}"


def _beside(text: str, fact: Fact) -> str | None:
    """`text` with the tolerance behind it."""
    bare = text.strip("*_`")
    try:
        return styles.rewrite(f"{bare} ± {bare}", fact.value, fact.tol)
    except styles.NotANumberError:
        return None


def _shortened(text: str, fact: Fact, step: Decimal) -> str | None:
    """`text` with so few decimals that its last digit is worth `step` or more; None when decimals do not suffice."""
    assert not isinstance(fact.value, str)
    while match := re.search(r"\.(\d+)", text):
        kept = match[1][:-1]
        text = text[: match.start()] + (f".{kept}" if kept else "") + text[match.end() :]
        if styles.step(text, fact.value) >= step:
            return styles.rewrite(text, fact.value)
    return None
