"""When a fresh value, text or file agrees with the recorded one."""

from __future__ import annotations

import math
import re

from drift.facts import Value

# float32 carries 24 bits, a relative step of 1.2e-7; sums in another order move the last of them.
FLOAT_RESOLUTION = 1e-6

# A tenth of a point is a hair's width on paper, and a three-thousandth of a picture is no more than that on a screen:
# geometry that moved less than both shows the same picture, whatever its units.
FIGURE_RESOLUTION = 0.1
FIGURE_SHARE = 1 / 3000

# Shades run from 0 to 1 and often stand for data; half a hundredth is below what a screen of 256 steps tells apart.
SHADE_RESOLUTION = 0.005

NUMBER = re.compile(r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# A number with the spaces that pad it to the width of its column.
_PADDED = re.compile(rf"( *)({NUMBER.pattern})")
_MARKUP = re.compile(r"<!--.*?-->|<\?.*?\?>|<style\b.*?</style>|<[^>]*>", re.DOTALL)
_SHADE = re.compile(r"\b(?:(?:[a-z]+-)?opacity|offset)(?:\s*:\s*|=[\"'])([\d.]+(?:[eE][-+]?\d+)?)")
_PAIR = rf"{NUMBER.pattern}[\s,]+{NUMBER.pattern}"
_VIEW_BOX = re.compile(rf"\bviewBox=[\"']\s*{_PAIR}[\s,]+(?P<width>[\d.]+)[\s,]+(?P<height>[\d.]+)")
_SIZE = re.compile(r"\s(?:width|height)=[\"']([\d.]+)")
_SCALE = re.compile(r"\b(?:scale|matrix)\((?P<numbers>[^)]*)\)")
# One of these units is many points.
_LENGTH = re.compile(r"[\d.](?:in|cm|mm|em|rem|ex|ch|pc|Q|v[wh]|vmin|vmax|%)(?=[\s\"';,)])")
_MADE_ID = re.compile(r"\b([a-zA-Z]+?)[0-9a-f]{8,}\b")


def agree(recorded: Value, fresh: Value, tol: float | None = None) -> bool:
    """Whether two values of a fact count as the same.

    Bools, ints and strings agree exactly.
    Floats agree within the absolute tolerance `tol`, and without one within a relative 1e-6.
    """
    if isinstance(recorded, (bool, str)) or isinstance(fresh, (bool, str)):
        return type(recorded) is type(fresh) and recorded == fresh
    if tol is not None:
        return abs(recorded - fresh) <= tol * (1 + 1e-9)
    if isinstance(recorded, int) and isinstance(fresh, int):
        return recorded == fresh
    if isinstance(recorded, int) or isinstance(fresh, int):
        return False
    return math.isclose(recorded, fresh, rel_tol=FLOAT_RESOLUTION, abs_tol=0.0)


def same_text(recorded: str, fresh: str, tol: float | None = None) -> bool:
    """Whether two outputs agree: exactly, or with numbers within `tol` and everything else exactly."""
    if recorded == fresh:
        return True
    if tol is None:
        return False
    return _same_but_numbers(recorded, fresh, tol)


def same_artifact(filename: str, recorded: str, fresh: str, tol: float | None = None) -> bool:
    """Whether two files show the same.

    In an SVG, geometry agrees within a hair of the picture's size, shades within half a hundredth, and what a reader
    reads (text, and the order and kind of everything drawn) exactly; with `tol`, numbers in its text within `tol` and
    geometry anyhow.
    Other files agree like an output.
    """
    if recorded == fresh or not filename.endswith(".svg"):
        return same_text(recorded, fresh, tol)
    old, new = _svg_parts(recorded), _svg_parts(fresh)
    if not same_text("\0".join(old[1]), "\0".join(new[1]), tol):
        return False
    if tol is not None:
        return [_tag(mark) for mark in old[0]] == [_tag(mark) for mark in new[0]]
    tags, drawn = _anonymous(old[0]), _anonymous(new[0])
    shades = zip(_SHADE.findall(tags), _SHADE.findall(drawn), strict=False)
    same_shades = all(abs(_float(left) - _float(right)) <= SHADE_RESOLUTION for left, right in shades)
    return same_shades and _same_but_numbers(tags, drawn, min(_resolution(old[0]), _resolution(new[0])))


def first_difference(recorded: str, fresh: str) -> tuple[int, str, str]:
    """The first line (from 1) at which two texts differ, and that line in each text.

    A missing line reads `(nothing)`.
    """
    old, new = recorded.split("\n"), fresh.split("\n")
    for number in range(max(len(old), len(new))):
        left = old[number] if number < len(old) else "(nothing)"
        right = new[number] if number < len(new) else "(nothing)"
        if left != right:
            return number + 1, left, right
    return 0, "", ""


def _same_but_numbers(recorded: str, fresh: str, tol: float) -> bool:
    """Whether two texts differ only in numbers, by `tol`; a sign or a digit more may take up a space before it."""
    old, new = _PADDED.split(recorded), _PADDED.split(fresh)
    if old[::3] != new[::3]:  # every third part is what stands between
        return False
    fields = zip(old[1::3], old[2::3], new[1::3], new[2::3], strict=True)
    return all(_same_field(*field, tol) for field in fields)


def _same_field(spaces: str, number: str, new_spaces: str, new_number: str, tol: float) -> bool:
    if spaces != new_spaces and len(spaces + number) != len(new_spaces + new_number):
        return False
    # A colour such as #1e5000 reads as a number beyond all floats, which has no distance from itself.
    return number == new_number or abs(_float(number) - _float(new_number)) <= tol * (1 + 1e-9)


def _float(text: str) -> float:
    return float(text.replace("−", "-"))


def _resolution(tags: list[str]) -> float:
    """How far geometry may move: a share of the smallest picture that is drawn, in the units of its largest scale."""
    extents = [FIGURE_RESOLUTION / FIGURE_SHARE]
    scale = 1.0
    for tag in tags:
        box = _VIEW_BOX.search(tag)
        if box:
            extents.append(max(_float(box["width"]), _float(box["height"])))
        elif tag.startswith("<svg"):
            sizes = [_float(size) for size in _SIZE.findall(tag)]
            extents += [max(sizes)] if sizes else [1.0]
        for transform in _SCALE.finditer(tag):
            scale *= max(1.0, *(abs(_float(number)) for number in NUMBER.findall(transform["numbers"])[:4]))
        if _LENGTH.search(tag):
            scale = max(scale, 100.0)
    return FIGURE_SHARE * min(extents) / scale


def _svg_parts(svg: str) -> tuple[list[str], list[str]]:
    """An SVG's tags, and the text between them."""
    tags = _MARKUP.findall(svg)
    words = [part.strip() for part in _MARKUP.split(svg)]
    return tags, [word for word in words if word]


def _tag(mark: str) -> str:
    return re.match(r"<[/?!]?[\w:-]*", mark).group()  # type: ignore[union-attr]


def _anonymous(tags: list[str]) -> str:
    """Tags as one text, without the digits of ids made by hashing, which carry no meaning."""
    return _MADE_ID.sub(r"\1", "\n".join(tags))
