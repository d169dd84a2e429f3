"""Blank the parts of a page that a reader does not see: addresses, labels, attributes, tags.

Each is blanked only where Python-Markdown would take it for what it looks like; everything else stays prose.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, field

from drift.problem import Place, Problem
from drift.read.text.mask import Mask, spaces

_BRACKET = re.compile(r"\\.|\[|\]", re.DOTALL)
_TARGET = re.compile(
    r"""\([ \t]*(?P<address><[^<>\n]*>|(?:[^\s()<>"'\\]|\([^\s()]*\))*)(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
)
_LABEL = re.compile(r"[ \n]?\[(?P<label>[^\[\]]+)\]")
_DEFINITION = re.compile(
    r"""^[ \t>]*(?P<all>\[(?P<label>[^\[\]^\n][^\[\]\n]*)\]:[ ]*(?P<address>[^\s]+))"""
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
# What shows or plays something from elsewhere on the page.
_EMBEDS = re.compile(r"<(?:img|source|image|object|embed|iframe|video|audio|picture)\b", re.IGNORECASE)
_SOURCES = ("src", "srcset", "data", "href", "xlink:href", "poster", "srcdoc")
_ENTITY = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z0-9]+);")


@dataclass
class Markup:
    """What was blanked and is known by more than its text.

    Attributes:
        link_ends: the offsets behind links.
        addresses: those that are shown.
        images: where each picture, frame or film comes from, with its offset.
        problems: what would be shown in a way that cannot be checked.
    """

    link_ends: set[int] = field(default_factory=set)
    addresses: list[str] = field(default_factory=list)
    images: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def blank(file: str, mask: Mask, stretches: list[tuple[int, int]]) -> Markup:
    """Blank what is not shown."""
    found = _links(mask, stretches)
    found.addresses = [
        match.group().strip("<>")
        for match in _ADDRESS.finditer(mask.text)
        if mask.text[match.start() - 1 : match.start()] not in ('"', "'", "=")
    ]
    mask.blank_all(_ADDRESS)
    mask.overwrite(
        (match.start(), read_aloud(match.group()))
        for match in _ATTRIBUTES.finditer(mask.text)
        if _is_taken_off(mask.original, match, found.link_ends)
    )
    # A tag that would reach over the border of a block is none.
    tags = [match for start, end in stretches for match in _TAG.finditer(mask.text, start, end)]
    mask.overwrite((match.start(), read_aloud(match.group())) for match in tags)
    found.images += [
        (source["value"].strip("\"'"), match.start())
        for match in tags
        for source in _ATTRIBUTE.finditer(mask.original, match.start(), match.end())
        if _EMBEDS.match(match.group()) and source["name"].lower() in _SOURCES
    ]
    found.problems = [
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
    return found


def read_aloud(tag: str) -> str:
    """A tag or attribute list with everything blanked but the values that a reader may meet."""
    kept = list(spaces(tag))
    for found in _ATTRIBUTE.finditer(tag):
        counted = found["name"].lower() == "style" and re.search(r"counter|content", found["value"])
        if counted or not _UNREAD.match(found["name"]):
            kept[found.start("value") : found.end("value")] = tag[found.start("value") : found.end("value")]
    return "".join(kept)


def _links(mask: Mask, stretches: list[tuple[int, int]]) -> Markup:
    """Blank the addresses and labels of links, images and footnotes.

    Titles stay, since a reader can see them; so do labels without a definition, since they would be shown as text.
    """
    # One with code behind it, which is blanked here, is none.
    whole = mask.original.replace("\r", " ")
    definitions = [m for m in _DEFINITION.finditer(mask.text) if m.group() == whole[m.start() : m.end()]]
    known = {_plain(match["label"]): match["address"].strip("<>") for match in definitions}
    notes = {_plain(match["label"]) for match in _NOTE_DEFINITION.finditer(mask.text)}
    spans = [match.span("all") for match in definitions]
    spans += [match.span() for match in _NOTE.finditer(mask.text) if _plain(match["label"]) in notes]
    markup = Markup()
    for start, end in stretches:
        opened: list[int] = []
        for bracket in _BRACKET.finditer(mask.text, start, end):
            if bracket.group() == "[":
                opened.append(bracket.start())
            elif bracket.group() == "]" and opened:
                begin = opened.pop()
                is_image = mask.text[begin - 1 : begin] == "!"
                target = _TARGET.match(mask.text, bracket.end(), end)
                label = _LABEL.match(mask.text, bracket.end(), end)
                if target:
                    spans.append(target.span("address"))
                    markup.link_ends.add(target.end())
                    markup.images += [(target["address"].strip("<>"), begin)] if is_image else []
                elif label and _plain(label["label"]) in known:
                    spans.append(label.span())
                    markup.images += [(known[_plain(label["label"])], begin)] if is_image else []
    mask.blank(spans)
    return markup


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
