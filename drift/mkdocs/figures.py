"""Figures that snippets made: SVG put into the page itself, so that it follows the page's colours.

An image in a paragraph of its own becomes a `<figure>`; an italic paragraph right after it becomes its caption.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"
# After inline patterns (20), before MkDocs collects anchors (5) and resolves links (0).
PRIORITY = 8
_URL = re.compile(r"url\(#([^)]+)\)")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")
_PLAIN_RULE = re.compile(r"\s*\*\s*\{([^{}]*)\}\s*\Z")
_LENGTH = re.compile(r"([\d.]+)(pt|px|)\Z")
# Parts that do not draw.
_DROPPED = ("metadata", "title", "desc")


class FigureError(ValueError):
    """A figure that cannot be put into a page."""


def inline_svg(text: str, prefix: str, label: str, colors: Mapping[str, str]) -> str:
    """The `<svg>` element for a page.

    Args:
        text: the file's content.
        prefix: put before every id, so that two figures on a page do not share one.
        label: the alternative text.
        colors: what replaces each `#rrggbb` (lower case) in fills, strokes and styles.

    Raises:
        FigureError: not an SVG, no size, a style sheet that would reach beyond the figure, a script,
            or anything loaded from elsewhere.
    """
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise FigureError(f"expected an SVG file, got {error}") from error
    if root.tag != f"{{{SVG}}}svg":
        raise FigureError(f"expected an <svg> element, got {root.tag}")
    width = _size(root)
    style = _take_out(root)
    for node in root.iter():
        _rename(node, prefix, colors)
    root.attrib.pop("version", None)
    root.attrib.update(
        {
            "role": "img",
            "aria-label": label,
            "class": "drift-svg",
            # What has no colour of its own is drawn in the text's, not in black.
            "fill": "currentColor",
            "style": f"max-width: {width:g}px;{style}",
        }
    )
    return ET.tostring(root, encoding="unicode")


class FigureExtension(Extension):
    """Replaces images.

    `load` gives the SVG for an image's address and alt text, or None to leave the image alone.
    `stray` is told the address of every image that stands inside a line of text.
    """

    def __init__(self, load: Callable[[str, str], str | None], stray: Callable[[str], None]) -> None:
        super().__init__()
        self.load = load
        self.stray = stray

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Python-Markdown's)
        """Called by Python-Markdown once a page."""
        md.treeprocessors.register(_FigureProcessor(md, self), "drift-figure", PRIORITY)


class _FigureProcessor(Treeprocessor):
    def __init__(self, md: Markdown, extension: FigureExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, root: ET.Element) -> None:
        for parent in list(root.iter()):
            for index, child in reversed(list(enumerate(parent))):
                image = _only_child(child, "img") if child.tag == "p" else None
                if image is not None:
                    self._replace(parent, index, child, image)
                elif child.tag == "img" and _only_child(parent, "img") is None:
                    self.extension.stray(child.get("src", ""))

    def _replace(self, parent: ET.Element, index: int, paragraph: ET.Element, image: ET.Element) -> None:
        svg = self.extension.load(image.get("src", ""), image.get("alt", ""))
        if svg is None:
            return
        paragraph.clear()
        paragraph.tag = "figure"
        paragraph.set("class", "drift-figure")
        # The drawing's labels are not prose; without this every tick would be found by the site's search.
        box = ET.SubElement(paragraph, "div", {"class": "drift-drawing", "data-search-exclude": "1"})
        box.text = self.md.htmlStash.store(svg)
        following = parent[index + 1] if index + 1 < len(parent) else None
        caption = _only_child(following, "em") if following is not None and following.tag == "p" else None
        if following is not None and caption is not None:
            caption.tag = "figcaption"
            paragraph.append(caption)
            parent.remove(following)


def _only_child(node: ET.Element, tag: str) -> ET.Element | None:
    """The single child of `node` when it has that tag and no text stands beside it."""
    if len(node) != 1 or node[0].tag != tag or (node.text or "").strip() or (node[0].tail or "").strip():
        return None
    return node[0]


def _size(root: ET.Element) -> float:
    """Take width and height off the root, leave a viewBox, and give the width in CSS pixels."""
    sizes = [_LENGTH.match(root.attrib.pop(name, "")) for name in ("width", "height")]
    if not root.get("viewBox"):
        if not all(sizes):
            raise FigureError("expected a viewBox, or width and height in pt or px")
        root.set("viewBox", "0 0 " + " ".join(size[1] for size in sizes if size))
    if sizes[0]:
        return float(sizes[0][1]) * (4 / 3 if sizes[0][2] == "pt" else 1)
    return float(root.get("viewBox", "").split()[2])


def _take_out(root: ET.Element) -> str:
    """Remove what does not draw; give the declarations of a `* {...}` rule, which the root can carry itself."""
    style = ""
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else "comment"
            if name == "style":
                rule = _PLAIN_RULE.match(child.text or "")
                if rule is None:
                    raise FigureError("a style sheet would reach the whole page: expected only a `* {...}` rule")
                style += " " + rule[1].strip()
            elif name in ("script", "foreignObject"):
                raise FigureError(f"expected drawing elements only, got <{name}>")
            if name in _DROPPED or name in ("style", "comment"):
                parent.remove(child)
    return style


def _rename(node: ET.Element, prefix: str, colors: Mapping[str, str]) -> None:
    """Drop the namespace, make ids the page's own, and replace colours."""
    node.tag = node.tag.rpartition("}")[2]
    if XLINK in node.attrib:
        node.set("href", node.attrib.pop(XLINK))
    for name, value in list(node.attrib.items()):
        if name.startswith("{"):
            del node.attrib[name]
        elif name == "id":
            node.set(name, prefix + value)
        elif name == "href":
            if not value.startswith(("#", "data:image/")):
                raise FigureError(f"expected everything inside the file, got a reference to {value!r}")
            node.set(name, f"#{prefix}{value[1:]}" if value.startswith("#") else value)
        else:
            value = _URL.sub(lambda match: f"url(#{prefix}{match[1]})", value)
            node.set(name, _COLOR.sub(lambda match: colors.get(match[0].lower(), match[0]), value))
