# ---
# title: "Lab 3: what one attention layer buys"
# description: The assignment. Train three classifiers of bank queries by one recipe, turn the queries around, and see which classifier notices.
# literals:
#   3: ids and slots of an example
#   4: ids and slots of an example
#   7: ids and slots of an example
#   9: ids and slots of an example
#   40 minutes: an estimate
# ---

# %% [markdown]
# # Lab 3: what one attention layer buys
#
# Somebody asks a bank a question, and a classifier says what it is about: a lost card, a slow transfer, a changed PIN.
# A simple classifier gives every word a vector, takes the mean, and decides by it: a **bag** of words.
# It weighs all words alike, and it has no idea in which order they stood.
#
# One attention layer in front of the mean lets the words look at each other first.
# What does that buy?
# This lab is the assignment: the answer is yours to measure.
#
# You find out three things:
#
# - whether one attention layer makes this classifier better,
# - which classifier notices that a query was turned around,
# - what a causal mask has to do with that.
#
# You need the chapters [Masks](../masks.md) and [Order](../order.md).
# Allow 40 minutes; the training takes about one of them.
# This page is a notebook: download it with the link above, and [run it](index.md#run-a-notebook-on-your-machine).
#
# ## Three configurations of one class
#
# $$
# \text{logits} = W \cdot \operatorname{mean}_{\text{real}}\big(f(\text{embedding}(\text{ids}))\big) + b
# $$
#
# | kind | $f$ |
# | --- | --- |
# | `bag` | nothing |
# | `attention` | one attention layer, which blocks padding |
# | `causal` | the same layer, which blocks padding and the future |
#
# | object | what it is | shape |
# | --- | --- | --- |
# | ids | token ids, filled up with `0` on the right | `(B, N)` |
# | $f(\dots)$ | one vector a token | `(B, N, V)` |
# | mean | one vector a query, over its real tokens | `(B, V)` |
# | logits | one number an intent | `(B, C)` |
#
# Nothing else: no positions, no second layer, no shortcut around the attention.
# The bag has [145,933](fact:labs/order-solution.parameters.bag) parameters, the other two have [158,413](fact:labs/order-solution.parameters.attention).

# %% setup
import torch
from torch import nn

from attention_src.labs.order import (
    check_forward,
    check_masked_mean,
    check_reverse_real,
)

# %% [markdown]
# ## Task: a mean over real tokens
#
# Write `masked_mean(x, ids)`.
# A query of three tokens has its three vectors summed and divided by three, however much padding follows.
# The padding has vectors too, and after an attention layer they are not zero.


# %% mean
def masked_mean(x, ids):
    """From vectors (B, N, V) and ids (B, N) to one vector a query, (B, V)."""
    raise NotImplementedError(
        "sum the vectors whose id is not 0 over axis 1, (B, V), and divide "
        "by their number, (B, 1). The first hint has the mask."
    )


# %% [markdown]
# ??? tip "Hint: the mask"
#
#     `real = ids != 0` has the shape `(B, N)`.
#     To meet `x` it needs an axis for the numbers of a vector: `real[..., None]` has `(B, N, 1)`.
#
#     ??? tip "Next hint: the sum"
#
#         Set the padding to zero and sum over the tokens: `x.masked_fill(~real[..., None], 0).sum(dim=1)`.
#
#         ??? tip "Last hint: the number"
#
#             `real.sum(dim=1, keepdim=True)` has the shape `(B, 1)`, one number for each query.
#             `x.mean(dim=1)` would divide by all slots.

# %% mean-check
mean_verdict = check_masked_mean(masked_mean)
print(mean_verdict)

# %% [markdown]
# ## Task: turn the real tokens around
#
# Write `reverse_real(ids)`.
# With $L$ real tokens in a row, slot $p < L$ takes what stands in slot $L - 1 - p$.
# All other slots keep their own.
#
# | slot | `0` | `1` | `2` | `3` | `4` |
# | --- | --- | --- | --- | --- | --- |
# | ids | `7` | `3` | `9` | `0` | `0` |
# | taken from slot | `2` | `1` | `0` | `3` | `4` |
# | result | `9` | `3` | `7` | `0` | `0` |
#
# The row *taken from slot* is an **index**, and `ids.gather(1, index)` fetches along it, one row at a time.
# Queries have different lengths, so every row has an index of its own.


# %% reversal
def reverse_real(ids):
    """From ids (B, N), padded with 0 on the right, to ids (B, N)."""
    raise NotImplementedError(
        "make an index (B, N): L - 1 - p where p < L, and p elsewhere; "
        "then gather along axis 1. The first hint has the lengths."
    )


# %% [markdown]
# ??? tip "Hint: lengths and places"
#
#     `lengths = (ids != 0).sum(dim=1, keepdim=True)` has the shape `(B, 1)`.
#     `places = torch.arange(ids.shape[1])` has the shape `(N,)`.
#     Together they broadcast to `(B, N)`.
#
#     ??? tip "Next hint: the index"
#
#         `torch.where(places < lengths, one, other)` chooses slot by slot.
#         What is `one`, where the slot is real, and what is `other`, where it is not?
#
#         ??? tip "Last hint: the same in full"
#
#             `index = torch.where(places < lengths, lengths - 1 - places, places)`.

# %% reversal-check
reversal_verdict = check_reverse_real(reverse_real)
print(reversal_verdict)

# %% [markdown]
# ## Task: the forward pass
#
# The layers are there, drawn in an order that everybody keeps, so that everybody gets the same numbers.
# Write `forward(ids)` for all three kinds.
# You may use this site's functions, whose masks say `True` for blocked, or PyTorch's, or the formula.
# This site's are `attention`, `padding_blocked`, `causal_blocked` and `combine`; import them from `attention_src`.


# %% model
class MyClassifier(nn.Module):
    def __init__(self, symbols, intents, kind, width=64):
        super().__init__()
        self.kind = kind
        self.embedding = nn.Embedding(symbols, width, padding_idx=0)
        if kind != "bag":
            self.to_q = nn.Linear(width, width)
            self.to_k = nn.Linear(width, width)
            self.to_v = nn.Linear(width, width)
        self.head = nn.Linear(width, intents)

    def forward(self, ids):
        """From ids (B, N) to logits (B, C)."""
        raise NotImplementedError(
            "embed (B, N, V); unless the kind is bag, attend with the mask "
            "of the kind; masked_mean (B, V); head (B, C). "
            "The first hint has the frame."
        )


# %% [markdown]
# ??? tip "Hint: the frame"
#
#     `x = self.embedding(ids)` at the beginning, and `return self.head(masked_mean(x, ids))` at the end.
#     That is the bag already.
#     What stands in between replaces `x`.
#
#     ??? tip "Next hint: the layer"
#
#         `x, _ = attention(self.to_q(x), self.to_k(x), self.to_v(x), blocked)`, with the mask `blocked` of the kind.
#
#         ??? tip "Next hint: the mask for attention"
#
#             `padding_blocked(ids)` has the shape `(B, 1, N)`: the same keys are blocked for every token of a query.
#
#             ??? tip "Last hint: the mask for causal"
#
#                 `causal_blocked(N)[None]` has the shape `(1, N, N)`; `combine` blocks what either of the two blocks.

# %% model-check
model_verdict = check_forward(MyClassifier)
print(model_verdict)

# %% [markdown]
# ## When all three are right
#
# Now the queries.
# The numbers of the [solution](order-solution.ipynb) come from Banking77, [8,003](fact:labs/order-solution.rows.training) queries for training and [2,000](fact:labs/order-solution.rows.validation) for validation.
# `python -m attention_src.data.banking77` downloads it.
# Without it, this lab runs on the project's own few queries and says so in the first line.
# They are too few to tell which classifier is better, so then answer the second and third question only, and read the first one's answer in the solution; [its last section](order-solution.ipynb#without-banking77) has the numbers for that case.

# %% queries
from attention_src.data.vocabulary import build_vocabulary, encode
from attention_src.labs.data import lab_queries

ready = mean_verdict and reversal_verdict and model_verdict
if ready:
    data = lab_queries()
    print("queries:", data.source)
    vocabulary = build_vocabulary(data.training.texts)
    training = encode(data.training.texts, vocabulary, length=48)
    validation = encode(data.validation.texts, vocabulary, length=48)
    backwards = reverse_real(validation)
    words = list(vocabulary)
    print("slot  forwards            backwards")
    for slot in range(12):
        there, here = validation[0, slot], backwards[0, slot]
        print(f"{slot:4}{there:6}  {words[there]:12}{here:6}  {words[here]}")
else:
    print("The queries wait for three right answers.")

# %% [markdown]
# Train all three by one recipe.
#
# | what | value |
# | --- | --- |
# | optimizer | Adam, learning rate [0.01](fact:labs/order-solution.recipe.rate) |
# | loss | cross-entropy |
# | batches | [32](fact:labs/order-solution.recipe.batch) queries, shuffled |
# | epochs | [10](fact:labs/order-solution.recipe.epochs) |
# | seed | [42](fact:labs/order-solution.recipe.seed), for the weights and again for the shuffling, before each model |
#
# A report comes after the first, the fifth and the last epoch: the loss on the training queries, and the accuracy on the validation queries.

# %% train
from attention_src.models.classifier import (
    accuracy,
    batches,
    predict,
    train_epoch,
)


def run(kind):
    generator = torch.Generator().manual_seed(42)
    torch.manual_seed(42)
    model = MyClassifier(len(vocabulary), len(data.intents), kind)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader = batches(training, data.labels(data.training), generator)
    for epoch in range(1, 11):
        loss = train_epoch(model, loader, optimizer)
        if epoch in (1, 5, 10):
            right = accuracy(model, validation, data.labels(data.validation))
            print(
                f"{kind:10} epoch {epoch:2}: "
                f"loss {loss:.4f}, accuracy {right:.4f}"
            )
    return model


if ready:
    models = {kind: run(kind) for kind in ("bag", "attention", "causal")}
else:
    print("So does the training.")

# %% [markdown]
# And ask each for its calls on the queries turned around: how many stay the same, and how many are right?

# %% calls
if ready:
    for kind, model in models.items():
        same = predict(model, validation) == predict(model, backwards)
        right = accuracy(model, backwards, data.labels(data.validation))
        print(
            f"{kind:10} {same.sum()} of {len(same)} the same, "
            f"accuracy {right:.4f}"
        )
else:
    print("And so do the calls.")

# %% [markdown]
# ## Write down what you found
#
# The assignment ends with two or three sentences of yours, as a comment below the code: which classifier is best, which one notices the order, and why.
#
# ## Questions to think about
#
# 1. Two of the three give every query the same intent in both directions. Could more training change that?
# 2. Compare the losses on the *training* queries. Is the worst classifier the worst because it learned too much by heart, or because it learned too little?
# 3. Why `gather`, and not a flip of the whole row?
# 4. The third classifier notices the order. Does it *understand* it? What would you measure to find out?
#
# The [solution](order-solution.ipynb) runs all this and says what its numbers mean.
# The chapter [Order](../order.md#what-a-mean-over-tokens-loses) proves what two of the models cannot see, and [Masks](../masks.md#both-masks-at-once) has the joined mask.
#
# Before: [Lab 2](masks.ipynb), proving the masks on a batch.
# Next: [Lab 4](copy-task.ipynb), a decoder that looks back.
