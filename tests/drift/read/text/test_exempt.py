"""Numerals that need no fact, and numbers that only resemble them."""

import pytest

from drift.read.text import blocks, exempt
from drift.read.text.mask import Mask


def exempted(text: str) -> list[str]:
    mask = Mask(text)
    return [one.text for one in exempt.blank(mask, blocks.lines(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## 1. Heads\n## 2. Keys\n### 2.1. One\n## 3) Values", ["1", "2", "2.1", "3"]),
        ("# 1. The\n## 1.1. A\n## 1.2. B\n# 2. C", ["1", "1.1", "1.2", "2"]),
        ("(Vaswani et al., 2017), [A](https://a.org)", ["2017"]),
        ("Vaswani et al. (2017), [A](https://a.org)", ["2017"]),
        ("- Vaswani et al., 2017, [A](x)", ["2017"]),
        ("Vaswani et al.’s (2017). - Vaswani et al., 2017, [A](x)", ["2017", "2017"]),
        (
            "(Vaswani\net al., 2017; Shazeer, 2019a)\n- Vaswani et al., 2017, [A](x)\n- Shazeer (2019), [B](x)",
            ["2017", "2019"] * 2,
        ),
        ("Bahdanau, Cho and Bengio (2014), [A](x)", ["2014"]),
        ("[Su & Lu, 2021](https://a.org).", ["2021"]),
        ("([Linzen, 2016](https://a.org)) and [Linzen (2016)](https://a.org)", ["2016", "2016"]),
        ('Firth (1957), "A synopsis", so (Firth, 1957)', ["1957", "1957"]),
        ("[A](https://a.org), section 3.2.1", ["3.2.1"]),
        ("[A](https://a.org), sections 3.2.1 and 3.2", ["3.2.1", "3.2"]),
        ("- Vaswani et al., 2017, [A](x), section 3.2", ["2017", "3.2"]),
        ("CC BY 4.0, CC BY-SA 4.0", ["4.0", "4.0"]),
        ("1. a\n2. b", ["1", "2"]),
        ("1. a\n1. b\n1. c", ["1", "1", "1"]),
        ("0. a\n1. b", ["0", "1"]),
        ("1. a\n\n    more\n\n2. b\n    1. c\n    2. d\n3. e", ["1", "2", "1", "2", "3"]),
        ("> 1. a\n> 2. b", ["1", "2"]),
    ],
)
def test_blank_numerals_that_need_nothing(text: str, found: list[str]) -> None:
    """Numbers of lists and headings, cited years and sections, and licences are named and blanked."""
    assert exempted(text) == found
    mask = Mask(text)
    exempt.blank(mask, blocks.lines(text))
    assert len(mask.text) == len(text)
    assert not any(part in mask.text for part in found if len(part) > 1)


@pytest.mark.parametrize(
    "text",
    [
        # A heading that counts says so with a point, and counts.
        *("## 3 heads", "## 77 Heads beat one", "## 12 The *end*", "## 2.5 Times faster", "## 0.93 Is", "#3 Heads"),
        *("## 77. Heads beat one", "## 2. Heads", "## 2.5. Times", "## 100. Things", "text\n3 Heads"),
        # A year is the year of a source with a title or a link.
        *(
            "Steps (2000).",
            "(Length, 2000)",
            "Heads and Steps (2000)",
            "Width et al. (1999)",
            "the Length of (2017) keys",
        ),
        *(
            "Vaswani et al. (2017)",
            "(2017)",
            "(in 2017)",
            "(a length, 2000)",
            "in 2017",
            "et al., 2017 keys",
            "Length 2017",
        ),
        *("Vaswani et al. (2048), [A](x)", "Steps (20177), [A](x)", "Steps (2000) [^1]", "Steps (2000), [^1]"),
        "Shazeer (2017)",
        # A section is a section of a source.
        *("section 3.2.1", "section 2.5 [A](x)", "section 3 of [A](https://a.org)", "section 3.2 % of https://a.org"),
        # Versions are bound, dimensions counted.
        *("version 2.13", "torch 2.13.0", "PyTorch 2.5 times faster", "numpy 3.1 GB", "Python 3 hours", "Python 3.11"),
        *("7D tensor", "2-D", "1D", "12-D", "Lab 3", "Part 50 %", "1.2.3", "1.000.000", "CC BY 93", "5th"),
        # A list counts from one, one by one.
        *("77. Heads beat one", "2. more", "text\n2. more", "1) a", "2.a"),
    ],
)
def test_blank_numbers_that_only_resemble_stay(text: str) -> None:
    """Nothing is let through for its neighbourhood alone."""
    assert exempted(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1. a\n3. b", ["1"]),
        ("1. a\n\nA paragraph.\n\n2. b", ["1"]),
        ("1. a\n\n# A\n\n2. b", ["1"]),
        ("1. a\n    7. b\n2. c", ["1", "2"]),
        ("## 1. A\n## 3. B", ["1"]),
        ("## 1. A\n### 1.2. B", ["1"]),
        ("## 1. A\n## 1. B", ["1"]),
    ],
)
def test_blank_number_that_breaks_its_count_stays(text: str, found: list[str]) -> None:
    """What leaves a number out is no count of what the page shows."""
    assert exempted(text) == found
