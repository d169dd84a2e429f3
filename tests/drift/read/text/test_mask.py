"""Blanking regions of a text while offsets and lines stay."""

import re

import pytest

from drift.read.text.mask import Mask, spaces


def test_blank_regions_keep_length_and_line_breaks() -> None:
    """Spaces take the place of what is blanked; the original stays at hand."""
    mask = Mask("ab\ncd\nef")
    mask.blank([(1, 4), (6, 7)])
    assert (mask.text, mask.original) == ("a \n d\n f", "ab\ncd\nef")


def test_blank_regions_may_overlap_and_come_in_any_order() -> None:
    """Each character is blanked once."""
    mask = Mask("abcdefgh")
    mask.blank([(4, 6), (1, 5), (2, 3)])
    assert mask.text == "a     gh"


def test_overwrite_overlap_belongs_to_the_earlier() -> None:
    """Of two texts for one place, the one that begins first is kept."""
    mask = Mask("abcdef")
    mask.overwrite([(2, "XX"), (0, "YYY")])
    assert mask.text == "YYYXef"


def test_blank_all_takes_every_match() -> None:
    """A pattern is blanked wherever it matches."""
    mask = Mask("a1b22c")
    mask.blank_all(re.compile(r"\d+"))
    assert mask.text == "a b  c"


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (1, 1), (2, 1), (3, 2), (5, 3), (6, 3)])
def test_line_of_an_offset(offset: int, line: int) -> None:
    """A line break belongs to the line that it ends."""
    assert Mask("ab\nc\nde").line(offset) == line


def test_carriage_return_is_a_space() -> None:
    """No pattern has to know of two kinds of line ends."""
    assert Mask("a\r\nb").text == "a \nb"
    assert spaces("é\n🙂") == " \n "
