"""Softmax over the queries instead of the keys, and how symmetric scores hide it."""

# --8<-- [start:draw]
import torch
from torch import nn

torch.manual_seed(42)
embedding = nn.Embedding(2202, 4, padding_idx=0)
words = ["where", "is", "my", "card", "?"]
x = embedding(torch.tensor([[62, 11, 4, 9, 3]])).detach()
scores = x @ x.mT
print("scores", tuple(scores.shape))
print("symmetric:", torch.allclose(scores, scores.mT))
right = scores.softmax(dim=-1)
for word, row in zip(words, right[0], strict=True):
    print(f"{word:6}", "  ".join(f"{weight:.2f}" for weight in row))
print("rows sum to 1:", torch.allclose(right.sum(dim=-1), torch.ones(1, 5)))
# --8<-- [end:draw]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

fact("vocabulary", embedding.num_embeddings)
fact("right_rows", torch.allclose(right.sum(dim=-1), torch.ones(1, 5)))

# --8<-- [start:wrong]
wrong = scores.softmax(dim=1)
row_sums = wrong.sum(dim=-1)[0]
print("shape", tuple(wrong.shape), wrong.dtype)
for word, total in zip(words, row_sums, strict=True):
    print(f"{word:6} row sum {total:.4f}")
print("columns sum to 1:", torch.allclose(wrong.sum(dim=1), torch.ones(1, 5)))
# --8<-- [end:wrong]

fact("smallest_sum", row_sums.min())
fact("largest_sum", row_sums.max())
fact("smallest_word", words[row_sums.argmin()])
fact("largest_word", words[row_sums.argmax()])

# --8<-- [start:small]
small = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
small_sums = small.softmax(dim=0).sum(dim=-1)
print("row sums", "  ".join(f"{total:.3f}" for total in small_sums))
# --8<-- [end:small]

fact("small_1", small_sums[0])
fact("small_2", small_sums[1])

# --8<-- [start:symmetric]
print("mirrored:      ", wrong.allclose(right.mT))
print("same diagonal: ", wrong[0].diag().allclose(right[0].diag()))
print("same favourite:", wrong.argmax(dim=-1).equal(right.argmax(dim=-1)))
print("same total:    ", wrong.sum().allclose(right.sum()))
print("same output:   ", (wrong @ x).allclose(right @ x, atol=1e-6))
# --8<-- [end:symmetric]

# --8<-- [start:hidden]
pair = torch.tensor([[[2.0, 0.0], [1.2, 1.6]]])
pair_scores = pair @ pair.mT
print("lengths", "  ".join(f"{length:.1f}" for length in pair[0].norm(dim=-1)))
for row in pair_scores[0]:
    print("scores ", "  ".join(f"{score:.1f}" for score in row))
hidden = pair_scores.softmax(dim=1).allclose(pair_scores.softmax(dim=-1))
print("same weights over either axis:", hidden)
# --8<-- [end:hidden]

fact("hidden", hidden)


# --8<-- [start:guard]
def check_rows(weights):
    assert torch.allclose(weights.sum(-1), weights.new_ones(weights.shape[:-1]))


pair_wrong = pair_scores.softmax(dim=1)
cases = {"last axis": right, "axis 1": wrong, "the pair, axis 1": pair_wrong}
for name, weights in cases.items():
    try:
        check_rows(weights)
        print(f"{name:18}passes")
    except AssertionError:
        print(f"{name:18}stopped")
# --8<-- [end:guard]

figure, panels = new_figure(2.4, columns=2)
for axes, weights, title in ((panels[0], right, "last axis"), (panels[1], wrong, "axis 1")):
    heat_map(axes, weights[0].tolist(), words, words, totals=True)
    axes.set_title(title, fontsize=9)
panels[1].set_yticklabels([])
save(figure, artifact("wrong-axis.svg"))
