"""Splitting the width into heads, and the view that cuts the sequence instead."""

# --8<-- [start:split]
import torch

x = torch.arange(8).view(1, 2, 4)
heads = x.view(1, 2, 2, 2).transpose(1, 2)
print("tokens", x[0].tolist())
print("shape", tuple(heads.shape))
for number, head in enumerate(heads[0].tolist()):
    print(f"head {number}", head)
joined = heads.transpose(1, 2).reshape(1, 2, 4)
print("joined", joined[0].tolist())
# --8<-- [end:split]

# --8<-- [start:core]
from attention_src.heads import join_heads, split_heads

again = torch.equal(split_heads(x, 2), heads)
back = torch.equal(join_heads(split_heads(x, 2)), x)
print("split_heads gives the same heads:", again)
print("join_heads undoes it:", back)
# --8<-- [end:core]

# --8<-- [start:view]
viewed = x.view(1, 2, 2, 2)
print("shape", tuple(viewed.shape))
for number, head in enumerate(viewed[0].tolist()):
    print(f"head {number}", head)
print("joined", viewed.reshape(1, 2, 4)[0].tolist())
# --8<-- [end:view]

# --8<-- [start:refused]
try:
    split_heads(torch.zeros(1, 2, 10), 3)
except ValueError as error:
    print(error)
# --8<-- [end:refused]

from matplotlib.patches import Rectangle

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("same_shape", viewed.shape == heads.shape)
fact("round_trip", torch.equal(joined, x))
fact("view_round_trip", torch.equal(viewed.reshape(1, 2, 4), x))
fact("core_agrees", again)
fact("core_undoes", back)

figure, panels = new_figure(1.5, columns=2)
for axes, pieces, title in ((panels[0], heads[0], "view, then transpose"), (panels[1], viewed[0], "view alone")):
    owner = {number: head for head in range(2) for number in pieces[head].flatten().tolist()}
    for y, token in enumerate(x[0].tolist()):
        for i, number in enumerate(token):
            colour = SERIES[owner[number]]
            axes.add_patch(Rectangle((i, y), 1, 0.8, facecolor=colour, alpha=0.3, edgecolor="none"))
            axes.add_patch(Rectangle((i, y), 1, 0.8, facecolor="none", edgecolor=GRID, linewidth=0.6))
            axes.text(i + 0.5, y + 0.3, str(number), ha="center", va="center")
            axes.text(i + 0.5, y + 0.62, f"head {owner[number]}", ha="center", va="center", fontsize=8)
    axes.set(xlim=(0, 4), ylim=(2, -0.1), xticks=[], yticks=[0.4, 1.4], yticklabels=["token 0", "token 1"])
    axes.set_title(title, fontsize=9)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
panels[1].set_yticklabels([])
save(figure, artifact("split.svg"))
