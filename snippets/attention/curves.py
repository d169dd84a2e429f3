"""Draw accuracy against length from the accepted records of the training runs.

One snippet cannot see what another computes, and one that trained all models would keep one core busy for
minutes while the other waits. So this one reads the records, which hold the very values that the page quotes.
A check holds a fresh training to those values before it looks at the figure. After a change that moves them,
accept twice: the first time the records, the second time the figure.
"""

import json
from pathlib import Path

from attention_src.figures import SERIES, new_figure, save
from drift import artifact, fact

here = Path(__file__).parent
lengths = (4, 8, 16, 32)


def accepted(snippet: str, name: str) -> float:
    """The accepted value of a fact."""
    record = json.loads((here / f"{snippet}.facts.json").read_text(encoding="utf-8"))
    return float(record["facts"][name]["value"])


curves = {
    "attention": [accepted(f"copy_{length}", "attention.free") for length in lengths],
    "attention, whole": [accepted(f"copy_{length}", "attention.whole") for length in lengths],
    "mean": [accepted("ablation", f"free_{length}") for length in lengths],
    "plain": [accepted(f"copy_{length}", "plain.free") for length in lengths],
}
fact("chance", 1 / 10)
for number, length in enumerate(lengths):
    if length > 4:
        fact(f"mean_gain_{length}", curves["mean"][number] - curves["plain"][number])
fact("lost_whole", 1 - curves["attention, whole"][-1])

figure, (axes,) = new_figure(2.9)
looks = {
    "attention": (SERIES[0], "-", "o"),
    "attention, whole": (SERIES[0], "--", "o"),
    "mean": (SERIES[2], "-", "^"),
    "plain": (SERIES[1], "-", "s"),
}
for name, heights in curves.items():
    colour, line, marker = looks[name]
    axes.plot(range(4), heights, color=colour, linestyle=line, marker=marker)
for name, text in (("attention", "attention"), ("attention, whole", "attention,\nwhole sequence")):
    axes.text(3.12, curves[name][-1], text, va="center")
axes.text(1.08, curves["mean"][1] + 0.01, "mean", va="bottom")
axes.text(0.95, curves["plain"][1] - 0.02, "plain", ha="right", va="top")
axes.axhline(0.1, color="#808080", linestyle=":")
axes.text(0, 0.115, "chance: 0.1", va="bottom")
axes.set(
    xlim=(-0.2, 4.35),
    ylim=(0, 1.05),
    xticks=range(4),
    xticklabels=lengths,
    yticks=[0, 0.5, 1],
    xlabel="length of the sequence",
    ylabel="accuracy, free-running",
)
save(figure, artifact("curves.svg"))
