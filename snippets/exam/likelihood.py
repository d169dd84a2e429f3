"""How likely the exam's questions are, by topic, counted from the list that declares them."""

from pathlib import Path

import yaml
from matplotlib.patches import Rectangle

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

FILE = Path(__file__).with_name("questions.yml")

counts: dict[str, dict[str, int]] = {}  # by topic, then by likelihood
sizes: dict[str, int] = {}  # by group
try:
    declared = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    likelihoods = declared["likelihoods"]
    tags = dict.fromkeys(declared["tags"], 0)
    for group, listed in declared["groups"].items():
        sizes[group] = len(listed["questions"])
        for topic in listed["topics"]:
            counts[topic] = dict.fromkeys(likelihoods, 0)
        for question in listed["questions"].values():
            counts[question["topic"]][question["likelihood"]] += 1
            tags[question["tag"]] += 1
except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
    # What is wrong, and in which line, is for the check's own rule to say.
    raise SystemExit(f"{FILE.name} cannot be counted: {type(error).__name__}: {error}") from None

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
axes.set(xlim=(0, len(likelihoods)), ylim=(len(counts), 0))
axes.set_xticks([x + 0.5 for x in range(len(likelihoods))], likelihoods)
axes.set_yticks([y + 0.5 for y in range(len(counts))], list(counts))
axes.xaxis.tick_top()
axes.tick_params(length=0)
axes.spines[:].set_visible(False)
save(figure, artifact("likelihood.svg"))
