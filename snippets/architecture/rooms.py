"""The rooms of the checker and which of them import which, read from the import statements of its modules."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

HOME = Path(__file__).resolve().parents[2] / "drift"
# Modules that stand in no folder: what everybody may use, and two of the three front ends.
FRONT = {"__main__": "command line", "command": "command line", "pytest_plugin": "pytest"}
NAMES = {"mkdocs": "MkDocs"}
BASE = "base"


def room(parts: tuple[str, ...]) -> str:
    """The room of a module, given as its path below the package without the ending."""
    if len(parts) > 1:
        return NAMES.get(parts[0], parts[0])
    return FRONT.get(parts[0], BASE)


def is_module(parts: tuple[str, ...]) -> bool:
    place = HOME.joinpath(*parts)
    return place.with_suffix(".py").is_file()


def imported(tree: ast.Module) -> set[tuple[str, ...]]:
    """The modules of the package that a file imports, those for types included."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "drift":
            parts = tuple(node.module.split(".")[1:])
            found |= {whole for alias in node.names if is_module(whole := (*parts, alias.name))}
            if parts and is_module(parts):
                found.add(parts)
    return found


arrows: dict[str, set[str]] = defaultdict(set)
sizes: dict[str, int] = defaultdict(int)
for path in sorted(HOME.rglob("*.py")):
    parts = path.relative_to(HOME).with_suffix("").parts
    if parts[-1] == "__init__":
        continue
    here = room(parts)
    sizes[here] += 1
    arrows[here] |= {room(other) for other in imported(ast.parse(path.read_bytes()))} - {here}


# Raises CycleError, and names the circle, where rooms import one another.
TopologicalSorter(arrows).prepare()


@cache
def reached(name: str) -> frozenset[str]:
    """Every room that a room depends on, directly or through others."""
    return frozenset(arrows[name]).union(*(reached(other) for other in arrows[name]))


@cache
def level(name: str) -> int:
    """How many steps a room stands above the one that imports nothing."""
    return 1 + max((level(other) for other in arrows[name]), default=-1)


# An arrow that follows from others is left out of the picture.
drawn = {
    (name, other)
    for name in sizes
    for other in arrows[name]
    if not any(other in reached(between) for between in arrows[name] if between != other)
}
# The front ends, which nothing imports, stand side by side at the top.
fronts = sorted((name for name in sizes if not any(name in arrows[other] for other in sizes)), key=len)
inner = [name for name in sizes if name not in fronts]
rows = [sorted(name for name in inner if level(name) == step) for step in range(max(map(level, inner)) + 1)]
rows.append(fronts)

fact("rooms", len(sizes))
fact("lowest", ", ".join(rows[0]))

MIDDLE, APART, HALF = 3, 1.75, 0.24
ASIDE = {"measure": 1.75}  # so that no arrow runs behind a box
place = {
    name: (MIDDLE + APART * (number - (len(row) - 1) / 2) + ASIDE.get(name, 0), step)
    for step, row in enumerate(rows)
    for number, name in enumerate(row)
}
figure, (axes,) = new_figure(0.6 * len(rows))
for name, other in sorted(drawn):
    (x, y), (to_x, to_y) = place[name], place[other]
    start, end = (x, y - HALF), (to_x, to_y + HALF)
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": GRID, "linewidth": 1.0})
for name, (x, y) in place.items():
    colour = SERIES[1] if name in fronts else SERIES[0]
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#ffffff", "edgecolor": colour, "linewidth": 1.4}
    axes.text(x, y, name, ha="center", va="center", color=INK, bbox=box)
axes.set(xlim=(0, 6), ylim=(-0.6, len(rows) - 0.4))
axes.set_axis_off()
save(figure, artifact("rooms.svg"))
