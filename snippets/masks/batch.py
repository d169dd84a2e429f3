"""Queries of different lengths in one tensor, and what a mask does to the whole batch."""

# --8<-- [start:encode]
from attention_src.data.queries import load_queries
from attention_src.data.vocabulary import build_vocabulary, encode

queries = load_queries()
vocabulary = build_vocabulary(queries.texts)
three = [queries.texts[number] for number in (6, 17, 28)]
ids = encode(three, vocabulary)
for text, row in zip(three, ids.tolist(), strict=True):
    print(text)
    print("   ", row)
# --8<-- [end:encode]

# --8<-- [start:share]
longest = encode(queries.texts, vocabulary)
padded = encode(queries.texts, vocabulary, length=48)
for ids in (longest, padded):
    print(list(ids.shape), f"{(ids == 0).float().mean():.1%} padding")
# --8<-- [end:share]

from drift import fact

fact("queries", len(queries))
fact("longest", longest.shape[1])
fact("length", padded.shape[1])
fact("share_longest", round((longest == 0).float().mean().item(), 3))
fact("share_48", round((padded == 0).float().mean().item(), 3))

# --8<-- [start:model]
import math

import torch
from torch import nn

from attention_src.core.attention import attention
from attention_src.masks import padding_blocked

torch.manual_seed(42)
embedding = nn.Embedding(len(vocabulary), 16, padding_idx=0)
to_q, to_k, to_v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)


@torch.no_grad()
def project(ids):
    x = embedding(ids)
    return to_q(x), to_k(x), to_v(x)


def plain(q, k, v, blocked):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ v


# --8<-- [end:model]


# --8<-- [start:sizes]
def verdict(function, batch, mask):
    try:
        output = function(*project(batch), mask)
    except (RuntimeError, ValueError):
        return "refused"
    output = output[0] if function is attention else output
    right, _ = attention(*project(batch), padding_blocked(batch))
    same = torch.allclose(output, right, atol=1e-6)
    return "right" if same else "wrong, without a word"


print("batch              mask (B, 1, M)  mask (B, M)")
for size in (32, 47, 48):
    batch = padded[:size]
    pads = batch == 0
    for name, function in (("formula", plain), ("attention", attention)):
        shared = verdict(function, batch, pads[:, None])
        flat = verdict(function, batch, pads)
        print(f"{size:5}  {name:10}  {shared:14}  {flat}")
# --8<-- [end:sizes]

fact("sizes.silent", verdict(plain, padded, padded == 0).split(",")[0])
fact("sizes.core", verdict(attention, padded, padded == 0))

# --8<-- [start:inverted]
import torch.nn.functional as F

full = longest[(longest != 0).all(dim=1)]
q, k, v = project(full)
blocked = padding_blocked(full)
print("queries without padding:", len(full))
for name, mask in (("negated", ~blocked), ("as it is", blocked)):
    row = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    largest, any_nan = row.abs().max(), row.isnan().any().item()
    print(f"mask {name:8} largest output {largest:.2f}, NaN: {any_nan}")
# --8<-- [end:inverted]

fact("inverted.output", row.abs().max())
fact("inverted.nan", row.isnan().any())

# --8<-- [start:alone]
together, _ = attention(*project(padded), padding_blocked(padded))
gaps = []
for query, output in zip(padded, together, strict=True):
    alone, _ = attention(*project(query[query != 0][None]))
    gaps.append((alone[0] - output[: alone.shape[1]]).abs().max().item())
print(len(gaps), "queries; all within 1e-6:", max(gaps) < 1e-6)
print("all equal bit for bit:   ", max(gaps) == 0)
# --8<-- [end:alone]

fact("alone.count", len(gaps))
fact("alone.close", max(gaps) < 1e-6)
fact("alone.equal", max(gaps) == 0)
