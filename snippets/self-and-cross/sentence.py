"""One sentence: raw embeddings in all three roles, then projections; one run of random numbers."""

# --8<-- [start:embed]
import torch
from torch import nn

torch.manual_seed(42)
embedding = nn.Embedding(2202, 4, padding_idx=0)
words = ["where", "is", "my", "card", "?"]
ids = torch.tensor([[62, 11, 4, 9, 3]])
x = embedding(ids).detach()


def show(table):
    for word, row in zip(words, table[0], strict=True):
        print(f"{word:6}", " ".join(f"{number:5.2f}" for number in row))


print("ids", tuple(ids.shape), "embedded", tuple(x.shape))
show(x)
# --8<-- [end:embed]

# --8<-- [start:scores]
swapped = x.transpose(-2, -1)
raw_scores = x @ swapped
print("swapped", tuple(swapped.shape), "scores", tuple(raw_scores.shape))
show(raw_scores)
# --8<-- [end:scores]

# --8<-- [start:raw]
raw_weights = raw_scores.softmax(dim=-1)
raw_first = raw_weights.argmax(dim=-1)[0]
print("largest weight of each row is on token", raw_first.tolist())
keeps = raw_weights[0, 1, 1]
print(f"weight of is on itself {keeps:.4f}, rounded {keeps:.2f}")
print(f"mean weight on oneself {raw_weights[0].diag().mean():.2f}")
# --8<-- [end:raw]

# --8<-- [start:sum]
raw_output = raw_weights @ x
by_loop = torch.zeros(4)
for weight, vector in zip(raw_weights[0, 3], x[0], strict=True):
    by_loop += weight * vector
print("output", tuple(raw_output.shape))
for name, row in (("matrix", raw_output[0, 3]), ("loop", by_loop)):
    print(f"card, {name:6}", " ".join(f"{number:.4f}" for number in row))
agree = torch.allclose(raw_output[0, 3], by_loop)
print("they agree:", agree)
# --8<-- [end:sum]

# --8<-- [start:lengths]
lengths = x[0].norm(dim=-1)
diagonal = raw_scores[0].diag()
for word, length, score in zip(words, lengths, diagonal, strict=True):
    print(f"{word:6}length {length:.4f}  squared {length**2:.2f}", end="")
    print(f"  score with itself {score:.2f}")
squared = torch.allclose(lengths**2, diagonal)
print("a score with itself is a squared length:", squared)
# --8<-- [end:lengths]

# --8<-- [start:cosines]
unit = x / x.norm(dim=-1, keepdim=True)
cosines = unit @ unit.transpose(-2, -1)
show(cosines)
best_other = raw_scores[0, 1, [0, 2, 3, 4]].max()
itself = raw_scores[0, 1, 1]
print(f"is with itself {itself:.2f}, with another at most {best_other:.2f}")
# --8<-- [end:cosines]

# --8<-- [start:project]
query, key, value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
with torch.no_grad():
    q, k, v = query(x), key(x), value(x)
print("q", tuple(q.shape), "k", tuple(k.shape), "v", tuple(v.shape))
print("q equals k:", torch.equal(q, k))
print("weight", tuple(query.weight.shape), "bias", tuple(query.bias.shape))
layers = nn.ModuleList([query, key, value])
parameters = sum(p.numel() for p in layers.parameters())
print("parameters", parameters)
# --8<-- [end:project]

# --8<-- [start:weights]
divisor = q.shape[-1] ** 0.5
scores = q @ k.transpose(-2, -1) / divisor
weights = scores.softmax(dim=-1)
first = weights.argmax(dim=-1)[0]
print(f"divisor {divisor:.0f}")
show(weights)
print("largest weight of each row is on token", first.tolist())
print(f"mean weight on oneself {weights[0].diag().mean():.2f}")
# --8<-- [end:weights]

# --8<-- [start:both]
kept = {}
print("mean weight on oneself: unscaled  scaled")
for name, table in (("raw", raw_scores), ("projected", q @ k.mT)):
    for by in (1, divisor):
        rows = (table / by).softmax(dim=-1)
        kept[name, by] = rows[0].diag().mean()
    print(f"{name:23}{kept[name, 1]:9.2f}{kept[name, divisor]:8.2f}")
print(f"standard deviation: q {q.std():.2f}  k {k.std():.2f}", end="")
print(f"  scaled score {scores.std():.2f}")
# --8<-- [end:both]

# --8<-- [start:row]
by_hand = (q[0, 3] * k[0]).sum(dim=-1) / 2
row_agrees = torch.allclose(by_hand, scores[0, 3])
print("card's scores", " ".join(f"{number:.2f}" for number in by_hand))
print("the row agrees with the matrix product:", row_agrees)
# --8<-- [end:row]

# --8<-- [start:output]
output = weights @ v
print("values")
show(v)
print("outputs")
show(output)


def spread(points):
    off = points[0] - points[0].mean(dim=0)
    return off.norm(dim=-1).mean().item()


print("mean distance from the middle:", end="")
print(f" values {spread(v):.2f}, outputs {spread(output):.2f}")
# --8<-- [end:output]

# --8<-- [start:redraw]
chosen = []
for seed in range(8):
    torch.manual_seed(seed)
    other_query, other_key = nn.Linear(4, 4), nn.Linear(4, 4)
    with torch.no_grad():
        other = other_query(x) @ other_key(x).transpose(-2, -1)
    favourites = [words[column] for column in other.argmax(dim=-1)[0]]
    chosen.append(favourites[3])
    columns = " ".join(f"{word:6}" for word in favourites)
    print(f"seed {seed}: {columns.rstrip()}")
print("card's favourites:", len(set(chosen)), "different tokens")
# --8<-- [end:redraw]

# --8<-- [start:shared]
shared_scores = q @ q.transpose(-2, -1) / divisor
shared_first = shared_scores.argmax(dim=-1)[0]
shared_symmetric = torch.allclose(shared_scores, shared_scores.mT)
apart_symmetric = torch.allclose(scores, scores.mT)
half_squares = (q[0] ** 2).sum(dim=-1) / divisor
on_diagonal = torch.allclose(shared_scores[0].diag(), half_squares)
print("symmetric: shared", shared_symmetric, "apart", apart_symmetric)
print("diagonal is the squared length of q, halved:", on_diagonal)
print("largest score of each row is on token", shared_first.tolist())
# --8<-- [end:shared]

# --8<-- [start:unit]
unit_first = cosines.argmax(dim=-1)[0]
unit_weights = cosines.softmax(dim=-1)
print("largest weight of each row is on token", unit_first.tolist())
print(f"weight of is on itself {unit_weights[0, 1, 1]:.2f}")
# --8<-- [end:unit]

from matplotlib.patches import Rectangle

from attention_src.figures import GRID, INK, SERIES, heat_map, new_figure, save
from drift import artifact, fact

fact("vocabulary", embedding.num_embeddings)
fact("width", x.shape[-1])
# Sums of numbers of both signs lose digits; these tolerances are the spreads that the matrix measured.
fact("card_my", raw_scores[0, 3, 2], tol=7.2e-7)
for i, word in enumerate(("where", "is", "my", "card", "qmark")):
    fact(f"length.{word}", lengths[i])
fact("squared", squared)
fact("is_itself", itself)
fact("is_other", best_other, tol=9e-7)
fact("cosine.card_my", cosines[0, 3, 2], tol=3.6e-7)
fact("is_weight", keeps)
fact("raw.diagonal_wins", raw_first.tolist() == [0, 1, 2, 3, 4])
fact("raw.card_itself", raw_weights[0, 3, 3])
fact("raw.on_oneself", raw_weights[0].diag().mean())
fact("loop_agrees", agree)
fact("q_equals_k", torch.equal(q, k))
fact("parameters", parameters)
fact("one_weight", query.weight.numel())
fact("one_bias", query.bias.numel())
fact("divisor", divisor)
fact("card_itself", weights[0, 3, 3])
fact("card_on_my", weights[0, 3, 2])
fact("on_card", first.tolist().count(3))
fact("smallest", weights.min())
fact("largest", weights.max())
fact("on_oneself", weights[0].diag().mean())
fact("raw.scaled_on_oneself", kept["raw", divisor])
fact("unscaled_on_oneself", kept["projected", 1])
fact("std.q", q.std())
fact("std.k", k.std())
fact("std.score", scores.std())
fact("row_agrees", row_agrees)
fact("spread.values", spread(v))
fact("spread.outputs", spread(output))
fact("shared.symmetric", shared_symmetric)
fact("apart.symmetric", apart_symmetric)
fact("shared.on_diagonal", on_diagonal)
fact("shared.on_oneself", sum(a == b for a, b in enumerate(shared_first.tolist())))
fact("redraw.seeds", seed + 1)
fact("redraw.different", len(set(chosen)))
fact("unit.diagonal_wins", unit_first.tolist() == [0, 1, 2, 3, 4])
fact("unit.is_itself", unit_weights[0, 1, 1])

figure, panels = new_figure(2.5, columns=2)
for axes, table, title in ((panels[0], raw_weights, "raw"), (panels[1], weights, "projected")):
    heat_map(axes, table[0].tolist(), words, words)
    axes.set_title(title, fontsize=9)
    for i in range(5):
        axes.add_patch(Rectangle((i, i), 1, 1, facecolor="none", edgecolor=SERIES[1], linewidth=1.6))
        # heat_map writes a cell's number after the other cells of its row: text i * 5 + column.
        axes.texts[i * 5 + int(table[0, i].argmax())].set_fontweight("bold")
panels[1].set_yticklabels([])
save(figure, artifact("grids.svg"))

figure, (axes,) = new_figure(2.0)
for i, row in enumerate(x[0].tolist()):
    for j, number in enumerate(row):
        colour = SERIES[0] if number > 0 else SERIES[1]
        shade = round(0.3 * abs(round(number, 2)), 3)
        axes.add_patch(Rectangle((j, i), 1, 0.8, facecolor=colour, alpha=shade, edgecolor="none"))
        axes.add_patch(Rectangle((j, i), 1, 0.8, facecolor="none", edgecolor=GRID, linewidth=0.6))
        axes.text(j + 0.5, i + 0.4, f"{number:.2f}", ha="center", va="center")
    length = round(lengths[i].item(), 2)
    axes.plot([4.3, 4.3 + length], [i + 0.4, i + 0.4], color=INK, linewidth=2.5, solid_capstyle="butt")
    axes.text(4.4 + length, i + 0.4, f"{length:.2f}", va="center")
axes.text(4.3, -0.1, "length", va="bottom")
axes.set(xlim=(0, 8), ylim=(5, -0.6), xticks=[], yticks=[i + 0.4 for i in range(5)], yticklabels=words)
axes.tick_params(length=0)
axes.spines[:].set_visible(False)
save(figure, artifact("strips.svg"))

figure, (axes,) = new_figure(2.6)
for points, colour, marker, name in ((v, SERIES[1], "s", "values"), (output, SERIES[0], "o", "outputs")):
    xs, ys = ([round(number, 2) for number in points[0, :, column].tolist()] for column in (0, 3))
    axes.plot(xs, ys, color=colour, marker=marker, linestyle="none", label=name)
    if name == "values":
        for word, left, up in zip(words, xs, ys, strict=True):
            axes.text(left + 0.06, up, word, va="center")
axes.set(xlabel="first component", ylabel="fourth component", xlim=(-0.6, 2.2), ylim=(-0.3, 1.4))
axes.legend(frameon=False, loc="upper right")
save(figure, artifact("values.svg"))
