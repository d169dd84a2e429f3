"""Answers to the exercises: another query on paper, and the library without its root."""

# --8<-- [start:paper]
import torch
import torch.nn.functional as F

keys = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
values = torch.tensor([[10.0], [20.0], [40.0]])
query = torch.tensor([[0.0, 1.0]])

weights = (query @ keys.mT / 2**0.5).softmax(dim=-1)
answer = weights @ values
print("weights", "  ".join(f"{weight:.3f}" for weight in weights[0]))
print(f"output {answer.item():.2f}")
# --8<-- [end:paper]

# --8<-- [start:argument]
forgotten = (query @ keys.mT).softmax(dim=-1) @ values
library = F.scaled_dot_product_attention(query, keys, values, scale=1.0)
print("scale=1.0 is the forgotten root:", torch.allclose(library, forgotten))
# --8<-- [end:argument]

from drift import fact

fact("weight_1", weights[0, 0])
fact("weight_2", weights[0, 1])
fact("output", answer)
fact("scale_one", torch.allclose(library, forgotten))
