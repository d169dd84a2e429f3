"""One step of the decoder with attention, in shapes."""

# --8<-- [start:step]
import math

import torch

from attention_src.models.copy_task import START, SYMBOLS, WIDTH, shifted, sources
from attention_src.models.encoder_decoder import LookingEncoderDecoder

torch.manual_seed(0)
model = LookingEncoderDecoder(SYMBOLS, WIDTH)
source = sources(3, 5)  # three sequences of five digits
memory, last = model.encoder(model.embedding(source))
state = last[0]


def look(state):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1) / math.sqrt(WIDTH)
    weights = scores.softmax(dim=-1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


symbol = model.embedding(torch.full((3,), START))
first, weights = look(state)
state = model.cell(torch.cat([symbol, first], dim=-1), state)
second, _ = look(state)
logits = model.output(torch.cat([state, second], dim=-1))
# --8<-- [end:step]

# --8<-- [start:shapes]
names = ("memory", "state", "weights", "context", "logits")
tensors = (memory, state, weights, first, logits)
for name, tensor in zip(names, tensors, strict=True):
    print(f"{name:8} {tuple(tensor.shape)}")
inputs = shifted(source)
same = torch.allclose(logits, model(source, inputs)[:, 0], atol=1e-6)
print("same as the model's first output:", same)
print("looks in five steps:", model.looks(source, inputs).shape[1])
# --8<-- [end:shapes]

from attention_src.figures import GRID, INK, SERIES, new_figure, save
from drift import artifact, fact

fact("same", same)
fact("looks", model.looks(source, inputs).shape[1])
fact("steps", source.shape[1])

figure, (funnel, fan) = new_figure(2.2, columns=2)
states = range(source.shape[1])
shares = (0.05, 0.15, 0.55, 0.2, 0.05)
for axes, title in ((funnel, "one vector"), (fan, "every state")):
    for x in states:
        axes.plot(x, 0, "o", color=SERIES[0], markersize=11)
        axes.plot(x, 2, "s", color=SERIES[1], markersize=10)
    axes.annotate("", (4.3, 0), (-0.3, 0), arrowprops={"arrowstyle": "->", "color": GRID, "linewidth": 0.8}, zorder=0)
    axes.set(xlim=(-0.6, 4.6), ylim=(-0.9, 2.9), xticks=[], yticks=[])
    axes.text(2, -0.45, "encoder's states", ha="center", va="top", color=INK)
    axes.text(2, 2.4, "decoder's states", ha="center", va="bottom", color=INK)
    axes.set_title(title, fontsize=9)
    axes.spines[:].set_visible(False)
funnel.annotate("", (0, 1.8), (4, 0.2), arrowprops={"arrowstyle": "-|>", "color": SERIES[0], "linewidth": 1.6})
for x, share in zip(states, shares, strict=True):
    fan.plot((x, 2), (0.2, 1.8), color=SERIES[0], linewidth=0.4 + 6 * share)
save(figure, artifact("funnel.svg"))
