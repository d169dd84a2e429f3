"""nn.MultiheadAttention rebuilt by hand, and what breaks the agreement."""

# --8<-- [start:project]
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(1, 5, 8)
state = layer.state_dict()
for name, tensor in state.items():
    print(f"{name:16}", tuple(tensor.shape))
weight, bias = state["in_proj_weight"], state["in_proj_bias"]
thirds = zip(weight.chunk(3), bias.chunk(3), strict=True)
q, k, v = (x @ w.mT + b for w, b in thirds)
# --8<-- [end:project]


# --8<-- [start:attend]
def attend(root):
    outputs, tables = [], []
    for i in range(2):
        columns = slice(4 * i, 4 * i + 4)
        scores = q[..., columns] @ k[..., columns].mT / root**0.5
        tables.append(scores.softmax(dim=-1))
        outputs.append(tables[-1] @ v[..., columns])
    return outputs, tables


heads, tables = attend(root=4)
print("one head", tuple(heads[0].shape))
print("joined  ", tuple(torch.cat(heads, dim=-1).shape))
# --8<-- [end:attend]

# --8<-- [start:compare]
with torch.no_grad():
    expected, mean_weights = layer(x, x, x)
    output = layer.out_proj(torch.cat(heads, dim=-1))
    wrong_root = layer.out_proj(torch.cat(attend(root=8)[0], dim=-1))
agrees = torch.allclose(output, expected, atol=1e-5)
close = ((output - expected).abs().max() < 1e-6).item()
wrong_gap = (wrong_root - expected).abs().max()
print("same as the module:", agrees)
print("largest gap below a millionth:", close)
print(f"largest gap with the root of 8: {wrong_gap:.3f}")
# --8<-- [end:compare]

# --8<-- [start:tables]
for number, table in enumerate(tables):
    row = " ".join(f"{weight:.2f}" for weight in table[0, 0])
    print(f"head {number}, first token", row)
mean_row = " ".join(f"{weight:.2f}" for weight in mean_weights[0, 0])
print(f"mean,   first token {mean_row}")
with torch.no_grad():
    _, each = layer(x, x, x, average_attn_weights=False)
same_each = torch.allclose(each[0], torch.cat(tables), atol=1e-6)
print("by default", tuple(mean_weights.shape))
print("each head", tuple(each.shape))
print("each head is the table by hand:", same_each)
# --8<-- [end:tables]

# --8<-- [start:mix]
mixer = state["out_proj.weight"]
parts = [heads[i] @ mixer[:, 4 * i : 4 * i + 4].mT for i in range(2)]
mixed = parts[0] + parts[1] + state["out_proj.bias"]
sum_agrees = torch.allclose(mixed, expected, atol=1e-6)
print("a sum with one matrix for each head:", sum_agrees)
# --8<-- [end:mix]

# --8<-- [start:average]
averaged = (heads[0] + heads[1]) / 2
print("averaged", tuple(averaged.shape))
try:
    layer.out_proj(averaged)
except RuntimeError as error:
    print("out_proj:", error)
# --8<-- [end:average]

# --8<-- [start:module]
from attention_src.heads import MultiHeadAttention
from attention_src.masks import causal_blocked

ours = MultiHeadAttention.from_torch(layer)
blocked = causal_blocked(5)
theirs, _ = layer(x, x, x, attn_mask=blocked)
mine, weights = ours(x, x, x, blocked[None])
same_masked = torch.allclose(mine, theirs, atol=1e-6)
print("state", [name for name in ours.state_dict() if "weight" in name])
print("weights", tuple(weights.shape))
print("same output under a causal mask:", same_masked)
# --8<-- [end:module]

# --8<-- [start:gradients]
theirs.sum().backward()
mine.sum().backward()
projections = (ours.query, ours.key, ours.value)
packed = torch.cat([p.weight.grad for p in projections])
same_input = torch.allclose(packed, layer.in_proj_weight.grad, atol=1e-5)
last, their_last = ours.output.weight.grad, layer.out_proj.weight.grad
same_last = torch.allclose(last, their_last, atol=1e-5)
print("same gradients of the three input projections:", same_input)
print("same gradients of the last projection:", same_last)
# --8<-- [end:gradients]

# --8<-- [start:swap]
with torch.no_grad():
    plain, _ = ours(x, x, x)
    for projection in projections:
        projection.weight.copy_(projection.weight.roll(4, dims=0))
        projection.bias.copy_(projection.bias.roll(4))
    ours.output.weight.copy_(ours.output.weight.roll(4, dims=1))
    swapped, _ = ours(x, x, x)
same_swapped = torch.allclose(plain, swapped, atol=1e-6)
print("same output with the heads exchanged:", same_swapped)
# --8<-- [end:swap]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

fact("width", x.shape[-1])
fact("heads", len(heads))
fact("head_width", heads[0].shape[-1])
fact("agrees", agrees)
fact("close", close)
fact("wrong_gap", wrong_gap)
fact("first.head_0", tables[0][0, 0].max())
fact("first.head_1", tables[1][0, 0, 4])
fact("first.mean", mean_weights[0, 0].max())
fact("same_each", same_each)
fact("sum_agrees", sum_agrees)
fact("same_masked", same_masked)
fact("same_gradients", same_input and same_last)
fact("same_swapped", same_swapped)

figure, panels = new_figure(2.5, columns=2)
tokens = [str(i) for i in range(5)]
for number, axes in enumerate(panels):
    heat_map(axes, tables[number][0].tolist(), tokens, tokens)
    axes.set_title(f"head {number}", fontsize=9)
save(figure, artifact("heads.svg"))
