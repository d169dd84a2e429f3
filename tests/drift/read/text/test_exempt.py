"""Numerals that need no fact, and numbers that only resemble them."""

import pytest

from drift.read.text import blocks, exempt
from drift.read.text.mask import Mask


def exempted(text: str) -> list[str]:
    mask = Mask(text)
    return exempt.blank(mask, blocks.lines(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## 3. Heads", ["3"]),
        ("## 3.1 Heads", ["3.1"]),
        ("## 3) heads", ["3"]),
        ("# 12 The *end*", ["12"]),
        ("(Vaswani et al., 2017)", ["2017"]),
        ("Vaswani et al. (2017)", ["2017"]),
        ("Vaswani et al.’s (2017)", ["2017"]),
        ("- Vaswani et al., 2017, [Attention](x)", ["2017"]),
        ("(Vaswani\net al., 2017; Shazeer, 2019a)", ["2017", "2019"]),
        ("Bahdanau, Cho and Bengio (2014)", ["2014"]),
        ("Su & Lu, 2021.", ["2021"]),
        ("Shazeer (2019)", ["2019"]),
        ("torch 2.13.0, v1.2.3", ["2.13.0", "1.2.3"]),
        ("1.2.3rc1 and 2.0.1+cpu", ["1.2.3", "2.0.1"]),
        ("section 3.2.1", ["3.2.1"]),
        ("Python 3.11 and Python 3", ["3.11", "3"]),
        ("PyTorch 2.13, version 1.4", ["2.13", "1.4"]),
        ("CC BY 4.0, CC BY-SA 4.0", ["4.0", "4.0"]),
        ("2-D, 3D", ["2", "3"]),
        ("1. a\n2. b", ["1", "2"]),
        ("Lab 3: a title, after Chapter 12.", ["3", "12"]),
    ],
)
def test_blank_numerals_that_need_nothing(text: str, found: list[str]) -> None:
    """List and heading numbers, cited years, versions and dimensions are named and blanked."""
    assert exempted(text) == found
    mask = Mask(text)
    exempt.blank(mask, blocks.lines(text))
    assert len(mask.text) == len(text)
    assert not any(part in mask.text for part in found if len(part) > 1)


@pytest.mark.parametrize(
    "text",
    [
        *("## 3 heads", "## 0.93 Is", "## 2.5 times", "## 100 Things", "#3 Heads", "text\n3 Heads"),
        *("(2017)", "(in 2017)", "(a length, 2000)", "in 2017", "et al. 2017", "et al., 2017 keys", "Length 2017"),
        *("Vaswani et al. (2048)", "Vaswani et al. (1024)", "Vaswani (20177)", "The Length of (2017) keys"),
        *("version 0.93", "torch 0.93", "torch 93", "Python 93", "Python 3 %", "torch 1.5 %", "CC BY 93", "1.000.000"),
        *("100.200.300", "1.2", "1.2.3%", "release 1.2.3.4%", "12-D", "1.5D", "0.93D", "-3D", "5th", "torch 1.53x"),
        *("text\n2. more", "1) a", "2.a"),
        *("lab 3", "Labs 2 and 3", "Lab 0.5", "Lab 1,024", "Part 50 %", "Lab 100", "Lab 7x", "Slab 3"),
    ],
)
def test_blank_numbers_that_only_resemble_stay(text: str) -> None:
    """Nothing is let through for its neighbourhood alone."""
    assert exempted(text) == []
