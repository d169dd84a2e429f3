"""One padding mask and one causal mask, joined and handed to each interface in its own form."""

# --8<-- [start:recipes]
import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention

ids = torch.tensor([[5, 7, 9, 4, 3], [8, 6, 2, 0, 0]])
padding = ids == 0  # (B, M), True blocks in all three
causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
blocked = padding[:, None] | causal  # (B, N, M)

x = torch.randn(2, 5, 8, generator=torch.manual_seed(0))
ours, _ = attention(x, x, x, blocked)
sdpa = F.scaled_dot_product_attention
boolean = sdpa(x, x, x, attn_mask=~blocked)
bias = torch.where(blocked, -torch.inf, 0.0)
added = sdpa(x, x, x, attn_mask=bias)
print("SDPA, boolean:", boolean.allclose(ours, atol=1e-6))
print("SDPA, added:  ", added.allclose(ours, atol=1e-6))

mha = nn.MultiheadAttention(8, 2, batch_first=True)
masks = {"key_padding_mask": padding, "attn_mask": causal}
two, _ = mha(x, x, x, **masks)
joined = blocked.repeat_interleave(2, dim=0)  # (B * H, N, M)
one, _ = mha(x, x, x, attn_mask=joined)
print("MHA, two masks or one:", two.allclose(one, atol=1e-6))
# --8<-- [end:recipes]

from drift import fact

fact("boolean", boolean.allclose(ours, atol=1e-6))
fact("added", added.allclose(ours, atol=1e-6))
fact("module", two.allclose(one, atol=1e-6))
