"""The whole of attention as one function, held against PyTorch's and this site's own."""

# --8<-- [start:function]
import torch
import torch.nn.functional as F


def attention(q, k, v, blocked=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5  # (..., N, M)
    if blocked is not None:
        scores = scores.masked_fill(blocked, -torch.inf)
    weights = scores.softmax(dim=-1)  # each row sums to 1
    return weights @ v, weights  # (..., N, V), (..., N, M)


torch.manual_seed(0)
q, k = torch.randn(2, 3, 7), torch.randn(2, 5, 7)
v = torch.randn(2, 5, 11)
output, weights = attention(q, k, v)
library = F.scaled_dot_product_attention(q, k, v)
print(tuple(output.shape), tuple(weights.shape))
print("as PyTorch's:", output.allclose(library, atol=1e-6))
# --8<-- [end:function]

from attention_src.core.attention import attention as core_attention
from drift import fact

blocked = torch.tensor([True, False, False, True, False]).expand(2, 3, 5)
ours = core_attention(q, k, v, blocked)
masked = attention(q, k, v, blocked)
fact("library", output.allclose(library, atol=1e-6))
fact("core", all(here.allclose(there, atol=1e-6) for here, there in zip(masked, ours, strict=True)))
