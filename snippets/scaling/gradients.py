"""What saturation does to the gradient of the weights, and to that of the query."""

# --8<-- [start:sweep]
import torch

torch.manual_seed(0)
trials, keys = 20_000, 10
table = {}
print("width  scores    std  largest  gradient")
for d in (4, 16, 64, 256, 1024):
    q = torch.randn(trials, 1, d)
    k = torch.randn(trials, keys, d)
    raw = (q @ k.mT).squeeze(1)
    for name, scores in (("raw", raw), ("scaled", raw / d**0.5)):
        scores = scores.clone().requires_grad_()
        weights = scores.softmax(dim=-1)
        weights[:, 0].sum().backward()
        norms = scores.grad.norm(dim=-1)
        row = (scores.std(), weights.amax(dim=-1).mean(), norms.mean())
        table[d, name] = [number.item() for number in row]
        print(f"{d:5}  {name:7}{row[0]:6.2f}{row[1]:9.2f}{row[2]:10.4f}")
# --8<-- [end:sweep]

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("trials", trials)
fact("keys", keys)
fact("key_bytes", k.numel() * k.element_size())
fact("narrow", min(d for d, _ in table))
fact("wide", max(d for d, _ in table))
fact("raw_256.std", table[256, "raw"][0])
fact("raw_1024.std", table[1024, "raw"][0])
fact("raw_1024.top", table[1024, "raw"][1])
fact("scaled_1024.top", table[1024, "scaled"][1])
fact("raw_4.gradient", table[4, "raw"][2])
fact("raw_1024.gradient", table[1024, "raw"][2])
fact("scaled_4.gradient", table[4, "scaled"][2])
fact("scaled_1024.gradient", table[1024, "scaled"][2])

# --8<-- [start:collapse]
first, last = table[4, "raw"][2], table[1024, "raw"][2]
from_table = round(first, 4) / round(last, 4)
print(f"from the printed digits {from_table:.1f}")
print(f"from all digits         {first / last:.2f}")
# --8<-- [end:collapse]

fact("collapse", first / last)
fact("collapse_from_table", from_table)

# --8<-- [start:query]
reach = {}
print("width 1024  median   mean  largest   >0.01")
for name, divisor in (("raw", 1), ("scaled", d**0.5)):
    query = q.clone().requires_grad_()
    scores = (query @ k.mT).squeeze(1) / divisor
    scores.softmax(dim=-1)[:, 0].sum().backward()
    norms = query.grad.norm(dim=-1)
    above = (norms > 0.01).float().mean()
    row = (norms.median(), norms.mean(), norms.max(), above)
    reach[name] = [number.item() for number in row]
    print(f"{name:10}{row[0]:8.0e}{row[1]:7.2f}{row[2]:9.1f}{row[3]:8.3f}")
# --8<-- [end:query]

for name, (_, mean, _, above) in reach.items():
    fact(f"reach_{name}.mean", mean)
    fact(f"reach_{name}.above", above)
fact("reach_raw.median", reach["raw"][0], tol=2.1e-24)
fact("reach_raw.largest", reach["raw"][2], tol=2.1e-5)
fact("reach_scaled.largest", reach["scaled"][2])

widths = sorted({d for d, _ in table})
figure, (axes,) = new_figure(2.7)
for name, colour, marker in (("raw", SERIES[1], "s"), ("scaled", SERIES[0], "o")):
    norms = [round(table[d, name][2], 4) for d in widths]
    axes.plot(widths, norms, color=colour, marker=marker)
    for d, norm in zip(widths, norms, strict=True):
        above = name == "scaled"
        axes.text(d, norm * (1.13 if above else 0.86), f"{norm:.4f}", ha="center", va="bottom" if above else "top")
    axes.text(widths[-1] * 1.45, norms[-1], name, va="center")
axes.set(xscale="log", yscale="log", xlim=(2.3, 5200), ylim=(0.0045, 0.16))
axes.set(xticks=widths, xticklabels=widths, yticks=[0.01, 0.1], yticklabels=["0.01", "0.1"])
axes.minorticks_off()
axes.set(xlabel="width of queries and keys", ylabel="mean gradient norm")
axes.grid(color=GRID, linewidth=0.4, alpha=0.5)
save(figure, artifact("gradients.svg"))
