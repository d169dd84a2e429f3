"""One padding mask and one causal mask, handed to each interface in the form that it expects."""

# --8<-- [start:four]
import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked, combine

torch.manual_seed(0)
x = torch.randn(2, 3, 4)
keep = torch.tensor([[1, 1, 1], [1, 1, 0]])
padding = keep == 0
causal = causal_blocked(3)
blocked = combine(padding[:, None], causal[None])
ours, weights = attention(x, x, x, blocked)

sdpa = F.scaled_dot_product_attention(x, x, x, attn_mask=~blocked)
lowest = torch.finfo(x.dtype).min
added = torch.zeros(2, 3, 3).masked_fill(blocked, lowest)
additive = F.scaled_dot_product_attention(x, x, x, attn_mask=added)

layer = nn.MultiheadAttention(4, 1, batch_first=True)
with torch.no_grad():
    layer.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
    layer.out_proj.weight.copy_(torch.eye(4))
    module, looked = layer(x, x, x, key_padding_mask=padding, attn_mask=causal)

outputs = {"SDPA, boolean": sdpa, "SDPA, added": additive, "the module": module}
for name, output in outputs.items():
    same = torch.allclose(output, ours, atol=1e-6)
    print(f"{name:13} agrees with attention: {same}")
# --8<-- [end:four]

from drift import fact

fact("sdpa", torch.allclose(sdpa, ours, atol=1e-6))
fact("additive", torch.allclose(additive, ours, atol=1e-6))
fact("module", torch.allclose(module, ours, atol=1e-6))

# --8<-- [start:wrong]
equal = torch.zeros(1, 2, 1)
v = torch.tensor([[[0.0], [1.0]]])
kept = torch.tensor([[1, 0]])
one_head = nn.MultiheadAttention(1, 1, batch_first=True)
for name, mask in (("kept.bool()", kept.bool()), ("kept == 0", kept == 0)):
    _, row = one_head(equal, equal, equal, key_padding_mask=mask)
    print(f"MultiheadAttention, {name:11} weights {row[0, 0].tolist()}")
lower = torch.ones(2, 2).tril()
masks = {"0s and 1s": lower, "-inf": lower.log(), "boolean": lower.bool()}
for name, mask in masks.items():
    output = F.scaled_dot_product_attention(equal, equal, v, attn_mask=mask)
    print(f"SDPA, causal mask of {name:10} row 0: {output[0, 0, 0]:.4f}")
for mask in (lower[None], kept[:, None]):
    try:
        attention(equal, equal, v, mask)
    except TypeError as error:
        print("attention:", *str(error).split(": "), sep="\n  ")
# --8<-- [end:wrong]

_, row = one_head(equal, equal, equal, key_padding_mask=kept.bool())
fact("wrong.first", row[0, 0, 0].detach())
fact("wrong.second", row[0, 0, 1].detach())
_, row = one_head(equal, equal, equal, key_padding_mask=kept == 0)
fact("wrong.right", row[0, 0, 0].detach())
fact("wrong.float", round(F.scaled_dot_product_attention(equal, equal, v, attn_mask=lower)[0, 0, 0].item(), 4))
fact("wrong.boolean", output[0, 0, 0])
