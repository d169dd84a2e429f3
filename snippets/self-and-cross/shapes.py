"""Self-attention and cross-attention: the same operator, with queries from another place."""

# --8<-- [start:module]
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
source = torch.randn(1, 6, 8)
target = torch.randn(1, 4, 8)
with torch.no_grad():
    self_output, self_weights = layer(source, source, source)
    cross_output, cross_weights = layer(target, source, source)
print("self   output ", tuple(self_output.shape))
print("       weights", tuple(self_weights.shape))
print("cross  output ", tuple(cross_output.shape))
print("       weights", tuple(cross_weights.shape))
# --8<-- [end:module]

# --8<-- [start:one]
query, key, value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)


@torch.no_grad()
def attend(asking, answering):
    q, k, v = query(asking), key(answering), value(answering)
    return (q @ k.transpose(-2, -1) / 8**0.5).softmax(dim=-1) @ v


print("self ", tuple(attend(source, source).shape))
print("cross", tuple(attend(target, source).shape))
# --8<-- [end:one]


# --8<-- [start:touch]
def moved(before, after):
    rows = zip(before[0], after[0], strict=True)
    return [not torch.allclose(old, new) for old, new in rows]


other_source, other_target = source.clone(), target.clone()
other_source[0, 2] += 1
other_target[0, 2] += 1
own, cross = attend(source, source), attend(target, source)
self_moved = moved(own, attend(other_source, other_source))
query_moved = moved(cross, attend(other_target, source))
source_moved = moved(cross, attend(target, other_source))
print("self,  a token changed: ", self_moved)
print("cross, a target changed:", query_moved)
print("cross, a source changed:", source_moved)
# --8<-- [end:touch]

# --8<-- [start:widths]
mixed = nn.MultiheadAttention(8, 2, kdim=3, vdim=5, batch_first=True)
keys, values = torch.randn(1, 6, 3), torch.randn(1, 6, 5)
with torch.no_grad():
    mixed_output, mixed_weights = mixed(target, keys, values)
print("output", tuple(mixed_output.shape))
print("weights", tuple(mixed_weights.shape))
for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
    print(name, tuple(getattr(mixed, name).shape))
# --8<-- [end:widths]

# --8<-- [start:roles]
question, answer = torch.randn(1, 6, 8), source
right = attend(question, answer)
wrong = attend(answer, question)
same_shape = right.shape == wrong.shape
agree = torch.allclose(right, wrong)
print("same shape:", same_shape)
print("same output:", agree)
short = torch.randn(1, 4, 8)
print("4 ask 6:", tuple(attend(short, answer).shape))
print("6 ask 4:", tuple(attend(answer, short).shape))
# --8<-- [end:roles]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

fact("source", source.shape[1])
fact("target", target.shape[1])
fact("self_all_moved", all(self_moved))
fact("query_one_moved", query_moved == [False, False, True, False])
fact("source_all_moved", all(source_moved))
fact("roles.same_shape", same_shape)
fact("roles.agree", agree)

figure, panels = new_figure(2.2, columns=2)
rows = [f"s{i}" for i in range(1, 7)]
targets = [f"t{i}" for i in range(1, 5)]
heat_map(panels[0], self_weights[0].tolist(), rows, rows)
heat_map(panels[1], cross_weights[0].tolist(), targets, rows)
for axes, title in zip(panels, ("self: 6 by 6", "cross: 4 by 6"), strict=True):
    axes.set_title(title, fontsize=9)
    axes.set_aspect("equal")
save(figure, artifact("self-cross.svg"))
