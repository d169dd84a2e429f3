"""What a mask means, what an empty row gives, and where a causal mask begins."""

# --8<-- [start:polarity]
import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked

q = k = torch.zeros(1, 3, 1)
v = torch.tensor([[[0.0], [1.0], [2.0]]])
blocked = causal_blocked(3)[None]

ours, _ = attention(q, k, v, blocked)
negated = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)
as_it_is = F.scaled_dot_product_attention(q, k, v, attn_mask=blocked)

print("ours, blocked  ", ours.flatten().tolist())
print("SDPA, ~blocked ", negated.flatten().tolist())
print("SDPA, blocked  ", as_it_is.flatten().tolist())
# --8<-- [end:polarity]

# --8<-- [start:module]
x = torch.randn(1, 3, 2, generator=torch.Generator().manual_seed(0))
layer = nn.MultiheadAttention(embed_dim=2, num_heads=1, batch_first=True)
with torch.no_grad():
    _, looked_at = layer(x, x, x, attn_mask=blocked[0])
print("weights on the future, True blocks:", looked_at[blocked].tolist())
# --8<-- [end:module]

# --8<-- [start:empty]
scores = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
everything = torch.ones(1, 3, dtype=torch.bool)

by_hand = scores.masked_fill(everything, float("-inf")).softmax(dim=-1)
query = torch.ones(1, 1, requires_grad=True)
output, row = attention(query, torch.ones(3, 1), torch.ones(3, 1), everything)
output.sum().backward()

print("softmax by hand  ", by_hand.tolist())
print("attention, row   ", row.tolist())
print("attention, output", output.tolist())
print("gradient of query", query.grad.tolist())
# --8<-- [end:empty]

# --8<-- [start:align]
print("top-left")
print((~causal_blocked(2, 5, align="top-left")).int())
print("bottom-right")
print((~causal_blocked(2, 5, align="bottom-right")).int())
# --8<-- [end:align]

from drift import fact

for position in range(3):
    fact(f"right.{position}", ours[0, position, 0])
    fact(f"wrong.{position}", as_it_is[0, position, 0])
fact("negated_equals_ours", torch.equal(ours, negated))
fact("module_future", looked_at[blocked].abs().max())
fact("empty.output", output[0, 0].detach())
fact("empty.gradient", query.grad[0, 0])
fact("empty.by_hand_is_nan", bool(by_hand.isnan().all()))
fact("align.top_left", int((~causal_blocked(2, 5, align="top-left"))[0].sum()))
fact("align.bottom_right", int((~causal_blocked(2, 5, align="bottom-right"))[0].sum()))
