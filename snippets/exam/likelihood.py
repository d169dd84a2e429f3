"""How likely the exam's questions are, by topic, counted from the pages that hold them."""

from pathlib import Path

import yaml
from matplotlib.patches import Rectangle

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

LIKELIHOODS = ("certain", "likely", "even", "occasional", "rare")
GROUPS = ("embeddings", "formula", "variants", "cost")
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "exam"

counts: dict[str, dict[str, int]] = {}  # by topic, then by likelihood
sizes: dict[str, int] = {}  # by group
tags = {"core": 0, "extra": 0}
for group in GROUPS:
    page = (FOLDER / f"{group}.md").read_text(encoding="utf-8")
    front = yaml.safe_load(page.split("---\n")[1])
    sizes[group] = len(front["questions"])
    for topic in front["topics"]:
        counts[topic] = dict.fromkeys(LIKELIHOODS, 0)
    for question in front["questions"].values():
        counts[question["topic"]][question["likelihood"]] += 1
        tags[question["tag"]] += 1

fact("questions", sum(sizes.values()))
for group, size in sizes.items():
    fact(group, size)
for tag, number in tags.items():
    fact(tag, number)
fact("certain", sum(row["certain"] for row in counts.values()))
# Of topics with as many, the one that stands higher in the figure.
first = max(counts, key=lambda topic: counts[topic]["certain"] + counts[topic]["likely"])
fact("first_topic", first)
fact("first_count", counts[first]["certain"] + counts[first]["likely"])

most = max(number for row in counts.values() for number in row.values())
figure, (axes,) = new_figure(0.5 + 0.24 * len(counts))
for y, row in enumerate(counts.values()):
    for x, number in enumerate(row.values()):
        shade = round(0.4 * number / most, 3)  # the number has to be read on it in both schemes
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=SERIES[0], alpha=shade, edgecolor="none"))
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor="none", edgecolor=GRID, linewidth=0.6))
        if number:
            axes.text(x + 0.5, y + 0.5, str(number), ha="center", va="center", color=INK)
axes.set(xlim=(0, len(LIKELIHOODS)), ylim=(len(counts), 0))
axes.set_xticks([x + 0.5 for x in range(len(LIKELIHOODS))], LIKELIHOODS)
axes.set_yticks([y + 0.5 for y in range(len(counts))], list(counts))
axes.xaxis.tick_top()
axes.tick_params(length=0)
axes.spines[:].set_visible(False)
save(figure, artifact("likelihood.svg"))
