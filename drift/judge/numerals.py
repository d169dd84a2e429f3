"""Judge the numbers that no quote binds: declared, shown by code, a version that ran, the number of a page."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from drift.judge import claims, suggest
from drift.judge.near import Near, value
from drift.problem import Problem
from drift.read import pins
from drift.read.page import Page
from drift.read.site import Site
from drift.read.text import number_words
from drift.read.text.prose import Numeral

# The word before a number, on the same line or the one above; a notebook's line begins with its comment mark.
_NAME_BEFORE = re.compile(r"(?P<name>[A-Za-z][\w.-]*)[\s#>*_]+(?:version\s+|v)?\Z")
_PART_BEFORE = re.compile(r"\b(?P<part>Chapter|Lab|Part)[ \t]+\Z")
_LINK_AROUND = re.compile(r"[^\[\]]*\]\((?P<to>[^)\s#]*)")
_REACH = 80

# What holds a number that its page declares.
LITERAL = "literal with a reason"


def check(site: Site, page: Page) -> Iterator[Problem]:
    """Every number without a source, and every literal that declares none."""
    used: set[str] = set()
    yield from unbound(site, page, used)
    yield from unused(page, used)


def unbound(site: Site, page: Page, used: set[str]) -> Iterator[Problem]:
    """Every number without a source; the literals that it takes are added to `used`."""
    near = Near(site, page)
    for numeral in page.numerals:
        declared = _declared(page, numeral)
        if declared is not None:
            used.add(declared)
        elif held_by(site, page, near, numeral) is None:
            yield _unheld(site, page, numeral)


def held_by(site: Site, page: Page, near: Near, numeral: Numeral) -> str | None:
    """What makes a number true that no quote binds; None where nothing does."""
    if _declared(page, numeral) is not None:
        return LITERAL
    if claims.holds_numbers(site, page, numeral.line, numeral.start):
        return "claim about a number"
    if numeral.where != "prose":
        return "shown by code nearby" if near.holds(numeral) else None
    if _is_part(site, page, numeral):
        return "number of a page"
    return "version that ran" if _is_version(site, page, numeral) else None


def _unheld(site: Site, page: Page, numeral: Numeral) -> Problem:
    if numeral.where == "prose":
        return _unbound(site, page, numeral)
    kind = "decimal" if value(numeral) is None else "whole number"
    what = {"code": f"a {kind} in inline code", "math": f"a {kind} in math", "word": "a number in words"}
    return _problem(site, page, numeral, f"{what[numeral.where]} that nothing near it shows")


def _declared(page: Page, numeral: Numeral) -> str | None:
    """The literal that covers a number: written as it is, or in words for digits and the other way round."""
    if numeral.whole in page.literals:
        return numeral.whole
    if numeral.where == "prose" or (whole := value(numeral)) is None:
        return None
    return next((text for text in page.literals if text == str(whole) or number_words.value(text) == whole), None)


def unused(page: Page, used: set[str]) -> Iterator[Problem]:
    """Every literal that declares no number of the page."""
    for text, literal in page.literals.items():
        if text not in used:
            yield Problem(page.place(literal.line), f"literal {text!r} is not used on this page")


def _unbound(site: Site, page: Page, numeral: Numeral) -> Problem:
    name, pinned = _pinned(site, page, numeral)
    if pinned and not numeral.unit:
        ran = f"{name} {pinned}, which ran, or {numeral.text!r} with a reason under literals"
        return Problem(page.place(numeral.line), f"a version of {name} that did not run", ran, numeral.text)
    if numeral.text in page.literals:
        message = f"a number with another unit than the literal {numeral.text!r}"
        return _problem(site, page, numeral, message)
    return _problem(site, page, numeral, "a number with no fact")


def _problem(site: Site, page: Page, numeral: Numeral, message: str) -> Problem:
    fitting = suggest.facts_for(site, page, numeral.whole)
    expected = (
        f"[{numeral.whole}](fact:{fitting[0] if fitting else 'chapter/snippet.name'}), "
        f"or {numeral.whole!r} with a reason under literals"
    )
    others = f"if that is what it counts; {' and '.join(fitting[1:])} read the same" if fitting[1:] else None
    return Problem(page.place(numeral.line), message, expected, around(page.text, numeral.start), fix=others)


def _is_version(site: Site, page: Page, numeral: Numeral) -> bool:
    """Whether it says, behind the name of a package, which version of it the code ran with."""
    _, pinned = _pinned(site, page, numeral)
    return "." in numeral.text and not numeral.unit and f"{pinned}.".startswith(f"{numeral.text}.")


def _pinned(site: Site, page: Page, numeral: Numeral) -> tuple[str, str]:
    """The package that the word before a number names, and its version; twice "" when it names none."""
    before = _NAME_BEFORE.search(page.text, max(0, numeral.start - _REACH), numeral.start)
    pinned = site.pins.get(pins.normal(before["name"]), "") if before else ""
    return (before["name"], pinned.partition("+")[0]) if before and pinned else ("", "")


def _is_part(site: Site, page: Page, numeral: Numeral) -> bool:
    """Whether it is the number of a page that is titled so: the one that a link around it leads to, or any."""
    before = _PART_BEFORE.search(page.text, max(0, numeral.start - _REACH), numeral.start)
    if before is None or numeral.unit:
        return False
    name = re.compile(rf"{before['part']}\s+{re.escape(numeral.text)}(?![\w.])")
    link = _LINK_AROUND.match(page.text, numeral.start)
    if link and link["to"] and ":" not in link["to"]:
        home = posixpath.normpath(posixpath.join(page.home.parent.as_posix(), link["to"]))
        return any(name.match(found.title) for found in site.pages if found.home.as_posix() == home)
    return any(name.match(found.title) for found in site.pages)


def around(text: str, offset: int, width: int = 100) -> str:
    """The line around an offset, cut to what is near it."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    before = re.sub(r"\]\((?:fact|claim):[^)]*\)", "]", text[start:offset].lstrip())
    behind = re.sub(r"\]\((?:fact|claim):[^)]*\)", "]", text[offset:end].rstrip())
    if len(before) + len(behind) <= width:
        return before + behind
    # What stands behind a number says what it counts, so it gets the larger part.
    left = before if len(before) <= width // 2 else f"...{before[3 - width // 2 :]}"
    right = behind if len(left) + len(behind) <= width else f"{behind[: width - len(left) - 3]}..."
    return left + right
