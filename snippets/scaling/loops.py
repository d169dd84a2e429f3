"""One row of weights by plain loops over floats, against the matrix form."""

# --8<-- [start:loops]
import math

import torch
from torch import nn

torch.manual_seed(42)
embedding = nn.Embedding(2202, 8, padding_idx=0)
query, key, value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
words = ["my", "card", "never", "arrived", "."]
with torch.no_grad():
    x = embedding(torch.tensor([4, 9, 248, 274, 5]))
    q, k, v = query(x), key(x), value(x)

card = words.index("card")
powers = []
for token in range(5):
    product = sum(float(q[card, i]) * float(k[token, i]) for i in range(8))
    powers.append(math.exp(product / math.sqrt(8)))
total = sum(powers)
weights = [power / total for power in powers]
output = []
for i in range(8):
    output.append(sum(weights[token] * float(v[token, i]) for token in range(5)))
for word, weight in zip(words, weights, strict=True):
    print(f"{word:9}{weight:.4f}")
print(f"{'sum':9}{sum(weights):.4f}")
# --8<-- [end:loops]

# --8<-- [start:agree]
matrix = (q @ k.mT / math.sqrt(8)).softmax(dim=-1)
same_weights = torch.allclose(torch.tensor(weights), matrix[card])
same_output = torch.allclose(torch.tensor(output), (matrix @ v)[card], atol=1e-6)
print(f"position of card {card}, favourite {words[weights.index(max(weights))]}")
print("same weights:", same_weights)
print("same output: ", same_output)
# --8<-- [end:agree]

from drift import fact

fact("favourite", words[weights.index(max(weights))])
fact("card", weights[card])
fact("largest", max(weights))
fact("same", same_weights and same_output)
