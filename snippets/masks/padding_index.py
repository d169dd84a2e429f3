"""What `padding_idx` does to an embedding, and what it does not do."""

# --8<-- [start:row]
import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(3, 2, padding_idx=0)
print("pad row at first:        ", embedding.weight[0].tolist())
nn.init.normal_(embedding.weight)
still = torch.equal(embedding.weight[0], torch.zeros(2))
print("still zero after nn.init:", still)
embedding(torch.tensor([0, 1])).sum().backward()
print("gradient of the pad row: ", embedding.weight.grad[0].tolist())
before = embedding.weight[0].clone()
torch.optim.AdamW(embedding.parameters(), weight_decay=0.1).step()
moved = not torch.equal(before, embedding.weight[0])
print("moved by weight decay:   ", moved)
share = torch.tensor([1.0, 0.0]).softmax(dim=-1)[1]
print(f"weight of a score of 0 beside a score of 1: {share:.3f}")
# --8<-- [end:row]

from drift import fact

fact("zero", still)
fact("gradient", embedding.weight.grad[0].abs().max())
fact("moved", moved)
fact("share", share)
