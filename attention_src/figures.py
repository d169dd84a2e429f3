"""The look of the figures that snippets draw: one palette, real text, the same bytes on every run.

The site puts these files into its pages and replaces their colours by exact value, so that one file serves light and
dark: `INK` becomes the colour of the text, `SERIES` and `GRID` become variables of the theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

INK = "#000000"
SERIES = ("#4051b5", "#c2410c", "#0f766e")
GRID = "#808080"
WIDTH = 4.6
"""Inches: at 350 px, the narrowest a page gets, 9 pt text still reads."""

# Matplotlib types the keys as one long Literal, which a dict display does not get.
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "attention_src.figures",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.5,
}
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def new_figure(height: float, columns: int = 1, ratios: Sequence[float] | None = None) -> tuple[Figure, list[Axes]]:
    """An empty figure, `WIDTH` by `height` inches, with axes side by side.

    Sets matplotlib's style for the whole process, since what is drawn later is styled when it is drawn.

    Args:
        height: inches.
        columns: how many axes.
        ratios: their relative widths; equal when None.

    Returns:
        The figure and its axes, left to right.

    Raises:
        ValueError: `ratios` has another length than `columns`.
    """
    if ratios is not None and len(ratios) != columns:
        raise ValueError(f"ratios: expected {columns} numbers, one a column, got {len(ratios)}")
    mpl.rcParams.update(_STYLE)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.subplots(1, columns, squeeze=False, width_ratios=ratios)
    return figure, list(axes[0])


def heat_map(
    axes: Axes,
    weights: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    totals: bool = False,
) -> None:
    """Draw a table of attention weights, each cell shaded by its weight and carrying its number.

    Cells are rectangles of `SERIES[0]` whose opacity is the weight, so that they work on any background.

    Args:
        axes: where to draw.
        weights: N rows (queries) of M numbers (keys), each from 0 to 1.
        rows: N labels.
        columns: M labels.
        totals: write each row's sum on the right and each column's sum below.

    Raises:
        ValueError: the labels do not fit the table, or a weight is not between 0 and 1.
    """
    _check_table(weights, rows, columns)
    for y, row in enumerate(weights):
        for x, weight in enumerate(row):
            # Rounded as printed, so that the last bit of a weight does not reach the file.
            shade = round(0.75 * round(weight, 2), 3)
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=SERIES[0], alpha=shade, edgecolor="none"))
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor="none", edgecolor=GRID, linewidth=0.6))
            _cell_text(axes, x, y, weight)
    if totals:
        for y, row in enumerate(weights):
            _cell_text(axes, len(columns), y, sum(row))
        for x in range(len(columns)):
            _cell_text(axes, x, len(rows), sum(row[x] for row in weights))
    axes.set(
        xlim=(0, len(columns) + totals),
        ylim=(len(rows) + totals, 0),
        xticks=[x + 0.5 for x in range(len(columns) + totals)],
        yticks=[y + 0.5 for y in range(len(rows) + totals)],
        xticklabels=[*columns, *["sum"] * totals],
        yticklabels=[*rows, *["sum"] * totals],
    )
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0, labelsize=9, labelcolor=INK)
    axes.spines[:].set_visible(False)


def save(figure: Figure, path: Path) -> None:
    """Write `figure` as an SVG with real text and no background; the same bytes on every run.

    Args:
        figure: from `new_figure`.
        path: ends in `.svg`.

    Raises:
        ValueError: another ending.
    """
    if path.suffix != ".svg":
        raise ValueError(f"path: expected a name that ends in .svg, got {path.name!r}")
    figure.savefig(path, format="svg", transparent=True, metadata=_NO_METADATA)


def _check_table(weights: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str]) -> None:
    if len(weights) != len(rows) or any(len(row) != len(columns) for row in weights):
        shape = [len(row) for row in weights]
        raise ValueError(f"weights: expected {len(rows)} rows of {len(columns)} numbers, got rows of {shape}")
    if not all(0 <= weight <= 1 for row in weights for weight in row):
        raise ValueError(f"weights: expected numbers from 0 to 1, got {weights}")


def _cell_text(axes: Axes, x: int, y: int, number: float) -> None:
    axes.text(x + 0.5, y + 0.5, f"{number:.2f}", ha="center", va="center", fontsize=9, color=INK)
