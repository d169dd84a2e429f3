"""The formula on distinct sizes, against the library, with its four properties and the effect of a small weight."""

# --8<-- [start:shapes]
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q = torch.randn(3, 4)
k = torch.randn(5, 4)
v = torch.randn(5, 6)

scores = q @ k.mT / k.shape[-1] ** 0.5
weights = scores.softmax(dim=-1)
output = weights @ v

tensors = {"q": q, "k": k, "v": v}
tensors |= {"scores": scores, "weights": weights, "output": output}
for name, tensor in tensors.items():
    print(f"{name:8}{tuple(tensor.shape)}")
# --8<-- [end:shapes]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

fact("queries", q.shape[0])
fact("keys", k.shape[0])
fact("key_width", k.shape[1])
fact("value_width", v.shape[1])

# --8<-- [start:library]
expected = F.scaled_dot_product_attention(q, k, v)
print("same as PyTorch:", torch.allclose(output, expected, atol=1e-6))
# --8<-- [end:library]

fact("agrees", torch.allclose(output, expected, atol=1e-6))

# --8<-- [start:properties]
low, high = v.min(dim=0).values, v.max(dim=0).values
inside = (output >= low - 1e-6) & (output <= high + 1e-6)
alone = [F.scaled_dot_product_attention(row[None], k, v) for row in q]

properties = {
    "each row of weights sums to 1": weights.sum(dim=-1).allclose(torch.ones(3)),
    "no weight is negative": bool((weights >= 0).all()),
    "output within the range of v": bool(inside.all()),
    "each query can stand alone": output.allclose(torch.cat(alone), atol=1e-6),
}
for name, holds in properties.items():
    print(f"{name:31}{holds}")
# --8<-- [end:properties]

fact("properties_hold", all(properties.values()))

# --8<-- [start:zero]
far_apart = torch.tensor([0.0, 200.0])
print(far_apart.softmax(dim=-1).tolist())
# --8<-- [end:zero]

fact("gap", far_apart[1] - far_apart[0])

# --8<-- [start:little]
row, key = divmod(weights.argmin().item(), weights.shape[1])
print(f"smallest weight {weights.min():.4f}, row {row}, key {key}")

changed = v.clone()
changed[key] += 1
moved = (weights @ changed - output).abs().amax(dim=-1)
print(f"row   weight on key {key}   output moved by")
for number, step in enumerate(moved):
    print(f"{number:3}{weights[number, key]:18.4f}{step:18.4f}")
# --8<-- [end:little]

fact("smallest", weights.min())
fact("smallest_row", row)
fact("smallest_key", key)
for number, step in enumerate(moved):
    fact(f"moved_{number}", step)
fact("largest", weights.max())

# --8<-- [start:core]
from attention_src.core.attention import attention

core_output, core_weights = attention(q, k, v)
print("same output: ", torch.allclose(core_output, output, atol=1e-6))
print("same weights:", torch.allclose(core_weights, weights, atol=1e-6))
# --8<-- [end:core]

figure, (axes,) = new_figure(1.9)
heat_map(axes, weights.tolist(), [f"query {n}" for n in range(3)], [f"key {n}" for n in range(5)])
save(figure, artifact("weights.svg"))
