"""Query heads that share key heads: which belongs to which, and what a copy costs."""

# --8<-- [start:pairing]
import torch
import torch.nn.functional as F

from attention_src.core.attention import attention

generator = torch.Generator().manual_seed(0)
q = torch.randn(1, 4, 5, 8, generator=generator)  # 4 query heads
k, v = torch.randn(2, 1, 2, 7, 8, generator=generator)  # 2 key heads
library = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

ways = {
    "repeat_interleave": lambda x: x.repeat_interleave(2, dim=1),
    "repeat": lambda x: x.repeat(1, 2, 1, 1),
}
agrees, serves = {}, {}
for name, copy in ways.items():
    output, _ = attention(q, copy(k), copy(v))
    agrees[name] = torch.allclose(output, library, atol=1e-6)
    serves[name] = copy(torch.arange(2).reshape(1, 2, 1, 1)).flatten().tolist()
    print(f"{name:18} shape {tuple(copy(k).shape)}, key heads {serves[name]}")
    print(f"{'':18} agrees: {agrees[name]}")
# --8<-- [end:pairing]

# --8<-- [start:hidden]
hidden = {}
for key_heads in (1, 2, 4):
    heads, copies = torch.arange(key_heads), 4 // key_heads
    same = torch.equal(heads.repeat_interleave(copies), heads.repeat(copies))
    hidden[key_heads] = same
    print(f"4 query heads, {key_heads} key heads: the copies are equal: {same}")
# --8<-- [end:hidden]

# --8<-- [start:copies]
grouped_q = q.unflatten(1, (2, 2))  # (1, 4, 5, 8) -> (1, 2, 2, 5, 8)
shared, _ = attention(grouped_q, k[:, :, None], v[:, :, None])
without_copy = torch.allclose(shared.flatten(1, 2), library, atol=1e-6)
print("an axis of size 1 instead of a copy, agrees:", without_copy)
# --8<-- [end:copies]

from drift import fact

fact("query_heads", q.shape[1])
fact("key_heads", k.shape[1])
fact("interleave_agrees", agrees["repeat_interleave"])
fact("repeat_agrees", agrees["repeat"])
fact("hidden_1", hidden[1])
fact("hidden_2", hidden[2])
fact("hidden_4", hidden[4])
fact("without_copy", without_copy)
