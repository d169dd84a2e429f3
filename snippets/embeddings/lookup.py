"""One-hot codes against a table of learned rows, and what a lookup is."""

# --8<-- [start:onehot]
import torch
from torch import nn

torch.manual_seed(0)
words = ["king", "queen", "man", "woman", "apple"]
king, queen, man, woman, apple = range(5)
onehot = torch.eye(5)

for name, other in (("queen", queen), ("apple", apple)):
    product = onehot[king] @ onehot[other]
    distance = torch.dist(onehot[king], onehot[other])
    print(f"king and {name}: dot product {product}, distance {distance:.3f}")
# --8<-- [end:onehot]

from drift import fact

fact("king_queen", onehot[king] @ onehot[queen])
fact("king_apple", onehot[king] @ onehot[apple])
fact("distance", distance)

# --8<-- [start:table]
table = nn.Embedding(5, 4)
ids = torch.tensor([king, apple])

found = table(ids)
product = onehot[ids] @ table.weight

print("one-hot rows", tuple(onehot[ids].shape))
print("table       ", tuple(table.weight.shape))
print("found       ", tuple(found.shape))
print("lookup equals product:", torch.allclose(found, product))
# --8<-- [end:table]

fact("same", torch.allclose(found, product))
fact("rows", table.num_embeddings)
fact("width", table.embedding_dim)

# --8<-- [start:size]
vocabulary, width = 50_000, 300
large = nn.Embedding(vocabulary, width, device="meta")  # a shape without storage
numbers = large.weight.numel()
print(f"one-hot code: {vocabulary:,} numbers for a word")
print(f"row of the table: {width} numbers for a word")
print(f"whole table: {numbers:,} parameters, {numbers / 1e6:.0f}M")
# --8<-- [end:size]

fact("vocabulary", vocabulary)
fact("large_width", width)
fact("parameters", numbers)

# --8<-- [start:gradient]
sentence = torch.tensor([king, apple, king])
table(sentence).sum().backward()
for word, gradient in zip(words, table.weight.grad.tolist(), strict=True):
    print(f"{word:6}{gradient}")
# --8<-- [end:gradient]

fact("gradient.king", table.weight.grad[king, 0])
fact("gradient.apple", table.weight.grad[apple, 0])
fact("gradient.queen", table.weight.grad[queen, 0])

# --8<-- [start:order]
resorted = sorted(words)
number = resorted.index("king")
row = table(torch.tensor(number))
owner = words[number]
print("king is now number", number)
print("the row fetched was learned for", owner)
print("shape", tuple(row.shape), "and finite:", row.isfinite().all().item())
# --8<-- [end:order]

fact("order.number", number)
fact("order.owner", owner)

# --8<-- [start:outside]
try:
    table(torch.tensor(len(words)))
except IndexError as error:
    print(type(error).__name__)
# --8<-- [end:outside]
