"""Five random tokens under a causal mask: the weights, the no-leak test, and two masks that are nearly right."""

# --8<-- [start:causal]
import math

import torch

from attention_src.masks import causal_blocked

torch.manual_seed(0)
x = torch.randn(5, 4)
scores = x @ x.T / 2
blocked = causal_blocked(5)
weights = scores.masked_fill(blocked, -math.inf).softmax(dim=-1)
for row in weights:
    print("  ".join(f"{weight:.2f}" for weight in row))
print("future weights:", weights[blocked].sum().item())
print("rows sum to 1:", torch.allclose(weights.sum(dim=-1), torch.ones(5)))
# --8<-- [end:causal]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

open_weights = scores.softmax(dim=-1)
fact("w00", weights[0, 0])
fact("w10", round(weights[1, 0].item(), 2))
fact("w11", round(weights[1, 1].item(), 2))
fact("open_00", round(open_weights[0, 0].item(), 2))
fact("future", weights[blocked].sum())
fact("rows", torch.allclose(weights.sum(dim=-1), torch.ones(5)))
names = [str(position) for position in range(5)]
figure, panels = new_figure(2.5, columns=2)
for axes, table, title in ((panels[0], open_weights, "no mask"), (panels[1], weights, "causal mask")):
    heat_map(axes, table.tolist(), names, names)
    axes.set_title(title, fontsize=9)
save(figure, artifact("causal.svg"))

# --8<-- [start:noleak]
changed = x.clone()
changed[3:] = torch.randn(2, 4)


def attend(x, blocked):
    scores = x @ x.T / 2
    return scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ x


nothing = torch.zeros_like(blocked)
for name, mask in (("causal", blocked), ("none", nothing)):
    before, after = attend(x, mask)[:3], attend(changed, mask)[:3]
    moved = (after - before).norm(dim=-1)
    same = torch.allclose(before, after)
    print(f"{name:6} same past: {same!s:5}", "  ".join(f"{m:.3f}" for m in moved))
# --8<-- [end:noleak]

fact("noleak.with", torch.allclose(attend(x, blocked)[:3], attend(changed, blocked)[:3]))
fact("noleak.without", torch.allclose(before, after))
fact("noleak.moved_2", round(moved[2].item(), 3))

# --8<-- [start:after]
zeroed = scores.softmax(dim=-1).masked_fill(blocked, 0.0)
sums = zeroed.sum(dim=-1)
print("row sums:", "  ".join(f"{total:.3f}" for total in sums))
again = zeroed / sums[:, None]
print("divided by them, as with the mask:", torch.allclose(again, weights))
# --8<-- [end:after]

for position in range(3):
    fact(f"after.sum_{position}", round(sums[position].item(), 3))
fact("after.divided", torch.allclose(again, weights))

# --8<-- [start:diagonal]
for diagonal in (0, 1, 2):
    mask = torch.ones(5, 5, dtype=torch.bool).triu(diagonal)
    output = attend(x, mask)
    empty = output.isnan().all(dim=-1).sum().item()
    same = torch.allclose(output[:3], attend(changed, mask)[:3], equal_nan=True)
    open_keys = (~mask).sum(dim=-1).tolist()
    print(f"triu({diagonal}): open {open_keys}, rows of NaN {empty}, same past {same}")
# --8<-- [end:diagonal]

shut = torch.ones(5, 5, dtype=torch.bool).triu(0)
fact("diagonal.nan_rows", attend(x, shut).isnan().all(dim=-1).sum())
fact("diagonal.leaks", not same)

# --8<-- [start:padding]
filler = torch.tensor([False, False, False, True, True])
columns = scores.masked_fill(filler, -math.inf).softmax(dim=-1)
rows = scores.masked_fill(filler[:, None], -math.inf).softmax(dim=-1)
print("columns blocked: weight on padding", columns[:, filler].sum().item())
print(
    "rows blocked:    weight on padding",
    f"{rows[:3, filler].sum():.2f}, rows of NaN",
    rows.isnan().any(-1).sum().item(),
)
# --8<-- [end:padding]

fact("padding.columns", columns[:, filler].sum())
fact("padding.rows", round(rows[:3, filler].sum().item(), 2))
fact("padding.nan_rows", rows.isnan().any(dim=-1).sum())
