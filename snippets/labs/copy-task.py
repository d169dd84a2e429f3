# ---
# title: "Lab 4: a decoder that looks back"
# description: Write the look of a decoder and the loop in which it reads what it wrote, train it on the copy task, and see where it looks.
# literals:
#   three: things that the lab is about
# ---

# %% [markdown]
# # Lab 4: a decoder that looks back
#
# A network reads [eight](fact:attention/task.example_length) digits and writes them down again.
# If all that passes from its encoder to its decoder is one vector, it is right in [0.8](fact:attention/copy_8.plain.free) of all places when it runs freely, and about half of its sequences have an error somewhere.
#
# How much is gained by looking back at every state of the encoder?
# In this lab you write the look, put it into the decoder, train it, and measure it the way it is used.
#
# You find out three things:
#
# - what a look is, in three lines of code,
# - why a decoder that reads the right answers while it is measured looks better than it is,
# - where a trained decoder looks, although nobody told it.
#
# You need the chapter [Attention](../attention.md).
# Allow half an hour; the training itself takes less than a minute.
# This page is a notebook: download it with the link above, and [run it](index.md#run-a-notebook-on-your-machine).
#
# ## The look
#
# The encoder leaves one state for each digit that it has read, $m_1, \dots, m_M$: the **memory**.
# The decoder has one state, $s$, and asks with it:
#
# $$
# w_j = \frac{e^{\,s \cdot m_j / \sqrt{W}}}{\sum_i e^{\,s \cdot m_i / \sqrt{W}}},
# \qquad
# \text{context} = \sum_j w_j \, m_j
# $$
#
# | object | what it is | shape |
# | --- | --- | --- |
# | memory | the encoder's states: keys and values at once | `(B, M, W)` |
# | state | the decoder's state: the query | `(B, W)` |
# | weights | how much of each state | `(B, M)` |
# | context | the blend of the states | `(B, W)` |
#
# `B` is the number of sequences in a batch, `M` that of states to look at, `W` their width.
#
# ## The model
#
# You need not write the network.
# `LookingEncoderDecoder` has an embedding, an encoder, a cell that updates the decoder's state, and an output layer; what it lacks is a look.
# To run it one symbol at a time, it is taken apart here.

# %% model
import torch

from attention_src.models.copy_task import (
    START,
    SYMBOLS,
    WIDTH,
    shifted,
    sources,
    train,
)
from attention_src.models.encoder_decoder import LookingEncoderDecoder


def take_apart(model, source):
    """One step of the decoder, and the state before the first step."""
    memory, last = model.encoder(model.embedding(source))
    look_at_memory = model.pool(memory)

    def step(symbol, state):
        context, _ = look_at_memory(state)
        inputs = torch.cat([model.embedding(symbol), context], dim=-1)
        state = model.cell(inputs, state)
        context, _ = look_at_memory(state)
        logits = model.output(torch.cat([state, context], dim=-1))
        return logits, state

    return step, last[0]


print("the decoder's first symbol:", START)

# %% [markdown]
# It looks twice a step: with the old state, to update it, and with the new state, to choose what to write.
#
# ## Task: the look
#
# Write `look(memory, state)`.
# It returns the context and the weights, in this order.
#
# Every sequence of the batch looks at its own memory, and a gradient must reach both inputs, so stay with tensor operations.


# %% look
def look(memory, state):
    """From memory (B, M, W) and state (B, W) to context and weights.

    The context has the shape (B, W), the weights have (B, M).
    """
    raise NotImplementedError(
        "score every state of the memory, (B, M); softmax over the M "
        "positions; sum the states, each times its weight, (B, W). "
        "The first hint has the scores."
    )


# %% [markdown]
# ??? tip "Hint: the scores"
#
#     The dot product of a state with each of its own memory's states is a batch of matrix products.
#     `memory @ state.unsqueeze(-1)` has the shape `(B, M, 1)`: squeeze its last axis, and divide by the root of `W`.
#
#     ??? tip "Next hint: the weights"
#
#         The weights of one sequence must sum to one, so softmax runs over the positions: `scores.softmax(dim=-1)`.
#
#         ??? tip "Last hint: the context"
#
#             `weights.unsqueeze(1) @ memory` multiplies `(B, 1, M)` by `(B, M, W)`.
#             Squeeze the axis of one, and name it: `squeeze(1)`.

# %% look-check
from attention_src.labs.copy_task import check_look

look_verdict = check_look(look)
print(look_verdict)

# %% [markdown]
# ## Task: write freely
#
# While it is trained, a decoder reads at each step the symbol that it *should* have written: **teacher forcing**.
# In use nobody knows that symbol, and it reads what it *did* write: it runs **freely**.
#
# Write the loop.
# A step takes symbols `(B,)` and a state `(B, W)`, and returns logits `(B, S)` and the new state.
# The first symbol read is `START`; of each row of logits, the likeliest symbol is written.
# The source is there for its shape only: as many symbols are written as it has.


# %% loop
def write_freely(step, state, source):
    """From a step, the first state and the source to what was written.

    The state has the shape (B, W); source and result have (B, N).
    """
    raise NotImplementedError(
        "call step once for each of the N symbols, feed the argmax of its "
        "logits into the next call, and stack what was written to (B, N). "
        "The first hint has the frame of the loop."
    )


# %% [markdown]
# ??? tip "Hint: the frame"
#
#     Two things are carried from step to step: the symbol and the state.
#     Begin with `symbol = torch.full_like(source[:, 0], START)` and an empty list.
#
#     ??? tip "Next hint: one turn"
#
#         `logits, state = step(symbol, state)` gives the new state its name.
#         Then `symbol = logits.argmax(dim=-1)`, and the list grows by it.
#
#         ??? tip "Last hint: the result"
#
#             The list holds `N` tensors of shape `(B,)`: `torch.stack(written, dim=1)` puts the steps on the second axis.

# %% loop-check
from attention_src.labs.copy_loop import check_write_freely

loop_verdict = check_write_freely(write_freely)
print(loop_verdict)

# %% [markdown]
# ## Task: three shares
#
# How well does it copy?
# Return three numbers from zero to one:
#
# - `forced`: the share of symbols that are right with teacher forcing,
# - `free`: the share of symbols that are right when it runs freely,
# - `whole`: the share of sequences that have no error at all, running freely.


# %% shares
def shares(forced, free, source):
    """From symbols to three shares.

    The symbols, all (B, N), were written with teacher forcing, were written
    freely, and are right.
    """
    raise NotImplementedError(
        "compare with the source, (B, N); the mean over all symbols, twice; "
        "for whole, first ask each row whether all its symbols are right. "
        "The hint has that row."
    )


# %% [markdown]
# ??? tip "Hint"
#
#     `(free == source).all(dim=1)` has one answer a sequence, `(B,)`.
#     The mean of answers needs numbers: `.float().mean()`.

# %% shares-check
from attention_src.labs.copy_task import check_shares

shares_verdict = check_shares(shares)
print(shares_verdict)

# %% [markdown]
# ## When all three are right
#
# Put your look into the decoder and train it, as the chapter does: the same first weights, the same sequences, the same steps.

# %% train
ready = look_verdict and loop_verdict and shares_verdict


def pool(memory):
    return lambda state: look(memory, state)


@torch.no_grad()
def measure(model, source):
    step, state = take_apart(model, source)
    forced = model(source, shifted(source)).argmax(dim=-1)
    return shares(forced, write_freely(step, state, source), source)


if ready:
    torch.manual_seed(0)
    model = LookingEncoderDecoder(SYMBOLS, WIDTH, pool=pool)
    train(model, length=8)
    tests = sources(1000, 8)
    forced, free, whole = measure(model, tests)
    print(f"forced {forced:.3f}, free {free:.3f}, whole {whole:.3f}")
else:
    print("The training waits for three right answers.")

# %% [markdown]
# These are the numbers of the chapter at this length, with its own look, with one vector, and with the plain mean of all states.
#
# | decoder | forced | free | whole |
# | --- | ---: | ---: | ---: |
# | one vector | [0.92 ± 0.03](fact:attention/copy_8.plain.forced) | [0.79 ± 0.05](fact:attention/copy_8.plain.free) | [0.50 ± 0.12](fact:attention/copy_8.plain.whole) |
# | the mean of all states | | [0.90 ± 0.02](fact:attention/ablation.free_8) | |
# | attention | [1.000](fact:attention/copy_8.attention.forced) | [1.000](fact:attention/copy_8.attention.free) | [1.00](fact:attention/copy_8.attention.whole) |
#
# Now ask where it looks.
# `model.looks` returns the weights of your look, one row before the first step and one after each.

# %% map
if ready:
    new = sources(1000, 8)
    weights = model.looks(new, shifted(new)).mean(dim=0)
    for row in weights:
        print(" ".join(f"{weight:.2f}" for weight in row))
else:
    print("The map waits, too.")

# %% [markdown]
# And ask for more than it was trained for.

# %% longer
if ready:
    generator = torch.Generator().manual_seed(1)
    print("length  forced    free   whole")
    for length in (8, 9, 10, 12):
        longer = torch.randint(0, 10, (1000, length), generator=generator)
        row = measure(model, longer)
        print(f"{length:6}" + "".join(f"{share:8.3f}" for share in row))
else:
    print("So do the longer sequences.")

# %% [markdown]
# ## Questions to think about
#
# 1. Where does each row of the map peak, and why is the first row different from all others?
# 2. Your look has no weights to train. What is it, then, that learned where to look?
# 3. At which of the longer lengths do `forced` and `free` part, and why does the gap grow along the sequence?
# 4. If `whole` is all that matters to you, which of the three shares would have misled you most?
#
# The [solution](copy-task-solution.ipynb) runs all this and says what its numbers mean.
# The chapter [Attention](../attention.md#where-the-trained-decoder-looks) has the looks of longer sequences, and [what happens when the peak is taken away](../attention.md#reading-weights-is-not-enough).
#
# Before: [Lab 3](order.ipynb), what one layer of attention buys.
# Next: [Lab 5](heads.ipynb), many looks at once.
