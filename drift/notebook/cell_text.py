"""A page's Markdown as a notebook shows it: Jupyter and Colab know no boxes, no facts, and no neighbouring pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from textwrap import dedent, indent

from drift.read import fences
from drift.read.text.prose import QUOTE

# A link of the site, and what a notebook has in its place; None: only the text of the link.
Address = Callable[[str], str | None]
# The address of an image, and the image as a data URI; None: it stays as it is.
Image = Callable[[str], str | None]

_BOX = re.compile(r'^(?P<mark>\?\?\?\+?|!!!)[ \t]+(?P<kind>[\w-]+)(?:[ \t]+[\w-]+)*(?:[ \t]+"(?P<title>.*)")?[ \t]*$')
_IMAGE = re.compile(r"!\[(?P<alt>[^\[\]]*)\]\((?P<to>[^()\s]+)\)")
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]+)\]\((?P<to>[^()\s]+)\)")
_ATTRIBUTES = re.compile(r"[ \t]*\{:?[ \t]*[#.][^{}\n]*\}[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DEFINITION = re.compile(r"^:[ \t]{3}", re.MULTILINE)
_CODE = re.compile(r"(?P<mark>`+)(?!`).+?(?<!`)(?P=mark)(?!`)")


def convert(text: str, address: Address, image: Image) -> str:
    """The Markdown of a cell for a piece of a page."""
    return re.sub(r"\n{3,}", "\n\n", _boxes(text, address, image)).strip("\n")


def _boxes(text: str, address: Address, image: Image) -> str:
    """Boxes that open become details, other boxes block quotes; their contents are converted in the same way."""
    lines = text.split("\n")
    out: list[str] = []
    plain: list[str] = []
    number = 0
    inside = fences.lines(text)
    while number < len(lines):
        box = None if number + 1 in inside else _BOX.match(lines[number])
        if box is None:
            plain.append(lines[number])
            number += 1
            continue
        end = number + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith("    ")):
            end += 1
        out += [_plain("\n".join(plain), address, image), _box(box, lines[number + 1 : end], address, image)]
        plain, number = [], end
    return "\n".join([*out, _plain("\n".join(plain), address, image)])


def _box(head: re.Match[str], body: list[str], address: Address, image: Image) -> str:
    title = head["title"] if head["title"] is not None else head["kind"].capitalize()
    inner = _boxes(dedent("\n".join(body)).strip("\n"), address, image)
    if head["mark"] == "!!!":
        quoted = indent(f"**{title}**\n\n{inner}" if title else inner, "> ", lambda _: True)
        return f"\n{quoted}\n"
    summary = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(title, quote=False))
    # The blank lines make what stands between the tags Markdown again.
    return f"\n<details>\n<summary>{summary}</summary>\n\n{inner}\n\n</details>\n"


def _plain(text: str, address: Address, image: Image) -> str:
    """Prose without boxes; what stands in fences and inline code stays as it is."""
    kept: list[str] = []

    def keep(found: str) -> str:
        kept.append(found)
        return f"\x00{len(kept) - 1}\x00"

    for fence in reversed(fences.find("", text)[0]):
        text = text[: fence.start] + keep(_bare(text[fence.start : fence.end], fence)) + text[fence.end :]
    text = _CODE.sub(lambda match: keep(match[0]), text)
    text = _COMMENT.sub("", text)
    text = QUOTE.sub(lambda match: _linked(match["text"], address(f"{match['kind']}:{match['target']}")), text)
    text = _IMAGE.sub(lambda match: f"![{_unlinked(match['alt'])}]({image(match['to']) or match['to']})", text)
    text = _LINK.sub(lambda match: _linked(match["text"], address(match["to"])), text)
    text = _DEFINITION.sub("> ", _ATTRIBUTES.sub("", text))
    while "\x00" in text:
        text = re.sub(r"\x00(\d+)\x00", lambda match: kept[int(match[1])], text)
    return text


def _bare(block: str, fence: fences.Fence) -> str:
    """A fence with nothing but its language in its head."""
    head, _, rest = block.partition("\n")
    before = head[: len(head) - len(head.lstrip(" >"))]
    mark = re.match(r"[`~]+", head.lstrip(" >"))
    return f"{before}{mark[0] if mark else '```'}{fence.lang}\n{rest}"


def _linked(text: str, to: str | None) -> str:
    return text if to is None else f"[{text}]({to})"


def _unlinked(text: str) -> str:
    return _LINK.sub(lambda match: match["text"], text)
