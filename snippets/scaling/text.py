"""The scale on the words of a real sentence, through an untrained layer."""

# --8<-- [start:text]
import math

import torch
from torch import nn

vocabulary = 2202
ids = torch.tensor([[4, 9, 248, 274, 5]])
words = ["my", "card", "never", "arrived", "."]
card = words.index("card")
rows = {}
print(" " * 10 + "".join(f"{word:>8}" for word in words))
for d in (8, 512):
    torch.manual_seed(42)
    embedding = nn.Embedding(vocabulary, d, padding_idx=0)
    query, key = nn.Linear(d, d), nn.Linear(d, d)
    with torch.no_grad():
        x = embedding(ids)
        raw = (query(x) @ key(x).mT)[0, card]
    for name, scores in (("raw", raw), ("scaled", raw / math.sqrt(d))):
        rows[d, name] = scores.softmax(dim=-1)
        listed = "".join(f"{weight:8.4f}" for weight in rows[d, name])
        print(f"{d:3} {name:6}{listed}")
# --8<-- [end:text]

from drift import fact

fact("vocabulary", vocabulary)
fact("narrow", 8)
fact("wide", d)
for (d, name), row in rows.items():
    fact(f"{name}_{d}.top", row.max())
fact("favourite_512", words[rows[512, "raw"].argmax()])
