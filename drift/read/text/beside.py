"""What stands beside a number and makes another number of it, as a reader sees it: signs, digits, scales and units."""

from __future__ import annotations

import html
import re

_SCALE = r"""[%‰‱]|per[ ]?cents?\b|per[ ]?mille?\b|hundreds?\b|thousands?\b|[mbtr]{1,2}illions?\b|dozens?\b
    |[kKMGTPE]i?B\b"""
_MEASURE = r"""°|bytes?\b|bits?\b|[kKMGT]?FLOPS?\b|[kMG]?Hz\b
    |(?:(?:milli|micro|nano)?second|minute|hour)s?\b"""
# A letter that stands alone is a unit only where it touches.
_LETTER = r"[kKMGTmµ]\b"
# Where a tag or an entity was, there are as many spaces.
_UNIT = re.compile(
    rf"""[*_]*(?:(?:-|[^\S\n]{{0,12}}\n?[^\S\n]{{0,4}})[*_]*(?P<unit>{_SCALE}|{_MEASURE})
    |\s(?P<short>[mµn]s|s|min|h|k)(?![\w(])|(?P<letter>{_LETTER}|-?D\b))""",
    re.VERBOSE,
)
_DASHES = "-‐‑‒–—−﹣－⁻"
_RUNS_INTO = re.compile(
    rf"""(?:\d[.,]?|(?<![\w)\]])[{_DASHES}+±∓]|[.](?<!\w\.)|[\^√]|\bnegative\s
    # a subtraction has something in front
    |(?:\A|[^\w\s)\]]\s*|\b(?:is|are|was|of|to|at|by|and|or|from|with|only|about|than)\s)minus\s)\Z""",
    re.VERBOSE,
)
_RUNS_ON = re.compile(
    rf"""\d|[.,/]\d|[eE][-+]?\d|[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹½⅓⅔¼¾]|\^|[\s-]?(?:{_SCALE})|\sk\b|{_LETTER}|\s?[×·]\s?10\^?[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹\d]
    |\s(?:and\s)?(?:a\s|one\s)?(?:half|third|quarter)\b""",
    re.VERBOSE,
)
_REACH = 80
# What most quotes stand among: a word, a space, the quote, perhaps a full stop, a space, a word that is no scale.
_AMONG_WORDS = re.compile(r"[a-z](?<!us)(?<!ve)[,:;]? (?:\(|\*\*?)?\Z")
_GOES_ON = re.compile(r"[.,;:)]*(?:[ ](?![aohtmbdpkKMGTPE%‰‱]|third|quarter)[A-Za-z]|\n\n|\n(?![%‰‱])[A-Z])")
_HIDDEN = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>|\[\^[^\]]*\]|[\u200b-\u200d\u2060\ufeff\u00ad]")
_CUT_BEFORE = re.compile(r"\A[^<>]*>")
_CUT_BEHIND = re.compile(r"<[^<>]*\Z")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)(?:\{[^{}]*\})?")
_SPACE = re.compile(r"\\[,;:! ]|~|\s+")
_TEX = {r"\times": "×", r"\cdot": "·", r"\%": "%", r"\pm": "±", r"\mp": "∓", r"\sqrt": "√", r"\frac": ""}
_MARKS = re.compile(r"\\?[$`]|\\[()]|[*_{}]")


def unit(text: str, end: int) -> str:
    """The unit behind a number that ends at offset `end`; "" when there is none."""
    found = _UNIT.match(text, end)
    return (found["unit"] or found["short"] or found["letter"]) if found else ""


def changes(text: str, start: int, end: int) -> bool:
    """Whether what stands around a quote, which begins and ends at these offsets, makes another number of it."""
    if _GOES_ON.match(text, end) and _AMONG_WORDS.search(text, max(0, start - 8), start):
        return False
    before = text[max(0, start - _REACH) : start].rpartition("\n\n")[2]
    behind = text[end : end + _REACH].partition("\n\n")[0]
    if start > _REACH and "<" not in before.partition(">")[0]:
        before = _CUT_BEFORE.sub("", before)
    return bool(_RUNS_INTO.search(_shown(before)) or _RUNS_ON.match(_shown(_CUT_BEHIND.sub("", behind))))


def _shown(text: str) -> str:
    """About what a reader sees of a piece of Markdown: no tags, marks or addresses, entities and formulas as signs."""
    text = _LINK.sub(r"\1", _HIDDEN.sub("", html.unescape(_HIDDEN.sub("", text))))
    for name, sign in _TEX.items():
        text = text.replace(name, sign)
    return _SPACE.sub(" ", _MARKS.sub("", text))
