"""A padding mask, a causal mask, and both at once."""

# --8<-- [start:union]
import torch

from attention_src.masks import causal_blocked, combine, padding_blocked

words = ["my", "wallet", "is", "gone", "."]
ids = torch.tensor([[2, 9, 5, 8, 3, 0, 0, 0]])
padding = padding_blocked(ids)
causal = causal_blocked(8)[None]
both = combine(padding, causal)
for name, mask in (("padding", padding), ("causal", causal), ("both", both)):
    print(f"{name:8}{list(mask.shape)}")
    for row in mask[0].int().tolist():
        print("       ", "".join(".x"[key] for key in row))
# --8<-- [end:union]

from matplotlib.patches import Rectangle

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

fact("open", (~both).sum())
fact("all", both.numel())
fact("empty", both.all(dim=-1).sum())
fact("real", len(words))
fact("pads", (ids == 0).sum())
labels = [*words, "pad", "pad", "pad"]
figure, panels = new_figure(2.35, columns=3)
for axes, mask, title in zip(panels, (padding, causal, both), ("padding", "causal", "both"), strict=True):
    for query in range(8):
        for key in range(8):
            shut = bool(mask.expand(1, 8, 8)[0, query, key])
            if not shut:
                axes.add_patch(Rectangle((key, query), 1, 1, facecolor=SERIES[0], alpha=0.45, linewidth=0))
            axes.add_patch(Rectangle((key, query), 1, 1, facecolor="none", edgecolor=GRID, linewidth=0.5))
            if shut:
                axes.plot(key + 0.5, query + 0.5, marker="x", color=INK, markersize=4, markeredgewidth=0.8)
    axes.set(xlim=(0, 8), ylim=(8, 0), xticks=[], yticks=[y + 0.5 for y in range(8)], aspect="equal", xlabel="keys")
    axes.set_yticklabels(labels if mask is padding else [])
    axes.tick_params(length=0, labelsize=9, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=9)
save(figure, artifact("union.svg"))
