"""Figures are part of a page: real text, replaceable colours, the same bytes every time."""

import re
from pathlib import Path

import pytest

from attention_src.figures import GRID, INK, SERIES, heat_map, new_figure, save

WEIGHTS = [[0.5, 0.25, 0.25], [0.126, 0.874, 0.0]]


def draw(path: Path, weights: list[list[float]] = WEIGHTS, totals: bool = False) -> str:
    figure, (axes,) = new_figure(1.5)
    heat_map(axes, weights, ["first", "second"], ["a", "b", "c"], totals=totals)
    save(figure, path)
    return path.read_text(encoding="utf-8")


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_save_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """A figure drawn again differs in nothing, or every run would look like a change."""
    assert draw(tmp_path / "one.svg") == draw(tmp_path / "two.svg")


def test_save_uses_the_palette_only(tmp_path: Path) -> None:
    """A colour outside the palette would not follow the page into its dark version."""
    colours = set(re.findall(r"#[0-9a-fA-F]{6}\b", draw(tmp_path / "map.svg")))
    assert colours
    assert colours <= {INK, GRID, *SERIES}


def test_save_keeps_text_as_text(tmp_path: Path) -> None:
    """Numbers drawn as outlines could be neither searched nor read aloud nor compared."""
    assert {"first", "second", "a", "0.50", "0.87"} <= set(words(draw(tmp_path / "map.svg")))


def test_save_refuses_another_ending(tmp_path: Path) -> None:
    """A bitmap would be blurred in print and keep its colours in the dark."""
    with pytest.raises(ValueError, match=r"ends in \.svg, got 'map\.png'"):
        draw(tmp_path / "map.png")


def test_heat_map_totals_come_from_unrounded_weights(tmp_path: Path) -> None:
    """Three thirds, each printed as 0.33, still sum to 1.00."""
    third = [[1 / 3] * 3, [1 / 3] * 3]
    shown = words(draw(tmp_path / "map.svg", third, totals=True))
    assert shown.count("0.33") == 6
    assert shown.count("1.00") == 2
    assert shown.count("0.67") == 3


def test_heat_map_shade_ignores_the_last_bit(tmp_path: Path) -> None:
    """Another machine's last bit does not reach the file."""
    nudged = [[weight + 1e-8 for weight in row] for row in WEIGHTS]
    assert draw(tmp_path / "one.svg") == draw(tmp_path / "two.svg", nudged)


def test_heat_map_refuses_labels_that_do_not_fit(tmp_path: Path) -> None:
    """A label too many would shift every label after it."""
    with pytest.raises(ValueError, match=r"expected 2 rows of 3 numbers, got rows of \[2, 2\]"):
        draw(tmp_path / "map.svg", [[0.5, 0.5], [0.5, 0.5]])


def test_heat_map_refuses_what_is_no_weight(tmp_path: Path) -> None:
    """Scores passed by mistake are not drawn as if they were weights."""
    with pytest.raises(ValueError, match="expected numbers from 0 to 1"):
        draw(tmp_path / "map.svg", [[2.0, -1.0, 0.0], [0.0, 0.0, 1.0]])


def test_new_figure_refuses_ratios_that_do_not_fit() -> None:
    """Two ratios for one panel mean that the caller counted wrong."""
    with pytest.raises(ValueError, match="expected 1 numbers, one a column, got 2"):
        new_figure(1.0, ratios=(1, 2))
