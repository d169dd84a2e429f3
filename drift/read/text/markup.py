"""Blank the parts of a page that a reader does not see: addresses, labels, attributes, tags.

Each is blanked only where Python-Markdown would take it for what it looks like; everything else stays prose.
"""

from __future__ import annotations

import html
import re
import unicodedata

from drift.problem import Place, Problem
from drift.read.text.mask import Mask, spaces

_BRACKET = re.compile(r"\\.|\[|\]", re.DOTALL)
_TARGET = re.compile(
    r"""\([ \t]*(?P<address><[^<>\n]*>|(?:[^\s()<>"'\\]|\([^\s()]*\))*)(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
)
_LABEL = re.compile(r"[ \n]?\[(?P<label>[^\[\]]+)\]")
_DEFINITION = re.compile(
    r"""^[ \t>]*(?P<all>\[(?P<label>[^\[\]^\n][^\[\]\n]*)\]:[ ]*[^\s]+)"""
    r"""[ ]*(?:(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\))[ ]*)?$(?!\n[ \t>]*[-=]+[ ]*$)""",
    re.MULTILINE,
)
# A line with a rule below it is a heading first.
_NOTE_DEFINITION = re.compile(r"^[ \t>]*\[\^(?P<label>[^\]\n]+)\]:(?!.*\n[ \t>]*[-=]+[ ]*$)", re.MULTILINE)
_NOTE = re.compile(r"\[\^(?P<label>[^\]\n]+)\]:?")
_ADDRESS = re.compile(
    r"""<?\b(?:https?|file)://[^\s<>()\[\]|*"'`]+>?|\bmailto:[\w.+-]+@[\w.-]+|<[\w.+-]+@[\w-]+(?:\.[A-Za-z][\w-]*)+>"""
)
_ATTRIBUTES = re.compile(r"""\{:?[ ]*(?:(?:[.#][\w-]+|[\w-]+=(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{}]+))[ ]*)+\}""")
# One tag, by the rule of Python-Markdown's inline HTML.
_TAG = re.compile(r"""</?[a-zA-Z][^\s"'<>@]*(?:\s+[^\s"'=<>]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>]+))?)*\s*/?>""")
_ATTRIBUTE = re.compile(r"""(?P<name>[^\s"'=<>{}]+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s"'=<>{}]+)""")
# No reader meets the values of these; what else an attribute holds may be shown or read aloud.
_UNREAD = re.compile(
    r"(?:class|id|style|href|src|srcset|sizes|width|height|colspan|rowspan|tabindex|loading|target|rel|type|role|lang"
    r"|dir|name|for|scope|align|markdown|viewbox|xmlns|d|x|y|x1|y1|x2|y2|cx|cy|r|rx|ry|fill|stroke|points"
    r"|transform|stroke-width|aria-(?:hidden|labelledby|describedby|controls)|data-[\w-]+)\Z",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z0-9]+);")


def blank(file: str, mask: Mask, stretches: list[tuple[int, int]]) -> tuple[list[str], list[Problem]]:
    """Blank what is not shown; give the addresses that are, and what would be shown in a way that cannot be checked."""
    link_ends = _links(mask, stretches)
    addresses = [
        match.group().strip("<>")
        for match in _ADDRESS.finditer(mask.text)
        if mask.text[match.start() - 1 : match.start()] not in ('"', "'", "=")
    ]
    mask.blank_all(_ADDRESS)
    mask.overwrite(
        (match.start(), read_aloud(match.group()))
        for match in _ATTRIBUTES.finditer(mask.text)
        if _is_taken_off(mask.original, match, link_ends)
    )
    # A tag that would reach over the border of a block is none.
    tags = [match for start, end in stretches for match in _TAG.finditer(mask.text, start, end)]
    mask.overwrite((match.start(), read_aloud(match.group())) for match in tags)
    problems = [
        Problem(
            Place(file, mask.line(match.start())),
            "a part of a number written as an entity, which cannot be checked",
            html.unescape(match.group()),
            match.group(),
        )
        for match in _ENTITY.finditer(mask.text)
        if any(unicodedata.category(char)[0] == "N" or char in ".,−" for char in html.unescape(match.group()))
    ]
    mask.blank_all(_ENTITY)
    return addresses, problems


def read_aloud(tag: str) -> str:
    """A tag or attribute list with everything blanked but the values that a reader may meet."""
    kept = list(spaces(tag))
    for found in _ATTRIBUTE.finditer(tag):
        counted = found["name"].lower() == "style" and re.search(r"counter|content", found["value"])
        if counted or not _UNREAD.match(found["name"]):
            kept[found.start("value") : found.end("value")] = tag[found.start("value") : found.end("value")]
    return "".join(kept)


def _links(mask: Mask, stretches: list[tuple[int, int]]) -> set[int]:
    """Blank the addresses and labels of links, images and footnotes; give the offsets behind the links.

    Titles stay, since a reader can see them; so do labels without a definition, since they would be shown as text.
    """
    # One with code behind it, which is blanked here, is none.
    whole = mask.original.replace("\r", " ")
    definitions = [m for m in _DEFINITION.finditer(mask.text) if m.group() == whole[m.start() : m.end()]]
    known = {_plain(match["label"]) for match in definitions}
    notes = {_plain(match["label"]) for match in _NOTE_DEFINITION.finditer(mask.text)}
    spans = [match.span("all") for match in definitions]
    spans += [match.span() for match in _NOTE.finditer(mask.text) if _plain(match["label"]) in notes]
    ends: set[int] = set()
    for start, end in stretches:
        opened = 0
        for bracket in _BRACKET.finditer(mask.text, start, end):
            if bracket.group() == "[":
                opened += 1
            elif bracket.group() == "]" and opened:
                opened -= 1
                target = _TARGET.match(mask.text, bracket.end(), end)
                label = _LABEL.match(mask.text, bracket.end(), end)
                if target:
                    spans.append(target.span("address"))
                    ends.add(target.end())
                elif label and _plain(label["label"]) in known:
                    spans.append(label.span())
    mask.blank(spans)
    return ends


def _is_taken_off(text: str, match: re.Match[str], link_ends: set[int]) -> bool:
    """Attributes are taken off behind a link or code, at the end of a heading, and alone in a paragraph's last line."""
    start, end = match.span()
    if start in link_ends or text[start - 1 : start] == "`":
        return True
    above, _, before = text[:start].rpartition("\n")
    after, _, below = text[end:].partition("\n")
    if after.strip():
        return False
    if before.strip():
        return before.startswith("#") and before.endswith(" ")
    return bool(above.rpartition("\n")[2].strip()) and not below.partition("\n")[0].strip()


def _plain(label: str) -> str:
    return " ".join(label.lower().split())
