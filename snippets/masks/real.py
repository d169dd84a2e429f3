"""The masks on real queries: validation rows of Banking77."""

from attention_src.data.banking77 import HOW, has_banking77
from drift import fact, needs

needs(has_banking77(), HOW)

# --8<-- [start:load]
import torch
from torch import nn

from attention_src.core.attention import attention
from attention_src.data.banking77 import load_banking77
from attention_src.data.vocabulary import build_vocabulary, encode

data = load_banking77()
vocabulary = build_vocabulary(data.training.texts)
ids = encode(data.validation.texts, vocabulary, length=48)
print("vocabulary", len(vocabulary), "validation ids", list(ids.shape))
torch.manual_seed(42)
embedding = nn.Embedding(len(vocabulary), 16, padding_idx=0)
to_q, to_k, to_v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)


@torch.no_grad()
def project(ids):
    x = embedding(ids)
    return to_q(x), to_k(x), to_v(x)


# --8<-- [end:load]

fact("vocabulary", len(vocabulary))
fact("validation", ids.shape[0])
fact("length", ids.shape[1])

# --8<-- [start:right]
from attention_src.masks import padding_blocked

batch = ids[:32]
q, k, v = project(batch)
blocked = padding_blocked(batch)
output, weights = attention(q, k, v, blocked)
print("q", list(q.shape), "mask", list(blocked.shape))
print("weights", list(weights.shape), "output", list(output.shape))
print("weight on padding:", (weights * blocked).sum().item())
# --8<-- [end:right]

fact("right.size", batch.shape[0])
fact("right.padding", (weights * blocked).sum())

# --8<-- [start:refused]
import math


def plain(q, k, v, blocked):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ v


flat = batch == 0
print("mask", list(flat.shape), "is read as", list(flat[None].shape))
for name, function in (("formula", plain), ("attention", attention)):
    try:
        function(q, k, v, flat)
    except (RuntimeError, ValueError) as error:
        print(f"{name}:", *str(error).split(": "), sep="\n  ")
# --8<-- [end:refused]

# --8<-- [start:silent]
larger = ids[:48]
q48, k48, v48 = project(larger)
flat = larger == 0
print("mask", list(flat.shape), "is read as", list(flat[None].shape))
wrong = plain(q48, k48, v48, flat)
right = plain(q48, k48, v48, padding_blocked(larger))
print("output", list(wrong.shape), "NaN:", wrong.isnan().any().item())
print("agrees with the right mask:", torch.allclose(wrong, right, atol=1e-6))
try:
    attention(q48, k48, v48, flat)
except ValueError as error:
    print("attention:", *str(error).split(": "), sep="\n  ")
# --8<-- [end:silent]

fact("silent.queries", larger.shape[0])
fact("silent.agrees", torch.allclose(wrong, right, atol=1e-6))
fact("silent.nan", wrong.isnan().any())

# --8<-- [start:damage]
real = larger != 0
gap = (wrong - right).abs().amax(dim=-1).masked_fill(~real, 0.0)
off = gap > 1e-6
share = off.sum() / real.sum()
print(f"real tokens off by more than 1e-6: {share:.1%}")
print(f"the worst by {gap.max():.4f}")
print("queries with one of them:", off.any(dim=1).sum().item(), "of", len(larger))
scores = q48 @ k48.mT / math.sqrt(16)
lost = scores.masked_fill(flat, -math.inf).softmax(dim=-1)
on_pads = (lost * padding_blocked(larger)).sum(dim=-1)[real].mean()
print(f"their weight on padding, on average: {on_pads:.1%}")
# --8<-- [end:damage]

fact("damage.share", round(share.item(), 3))
fact("damage.worst", round(gap.max().item(), 4))
fact("damage.queries", off.any(dim=1).sum())
fact("damage.on_pads", round(on_pads.item(), 3))

# --8<-- [start:joined]
from attention_src.masks import causal_blocked, combine

causal = causal_blocked(48)
both = combine(blocked, causal[None])
print(list(blocked.shape), "or", list(causal.shape), "gives", list(both.shape))
output_both, weights_both = attention(q, k, v, both)
print("NaN:", output_both.isnan().any().item())
print("first row of query 0:", weights_both[0, 0, :3].tolist())
# --8<-- [end:joined]

fact("joined.nan", output_both.isnan().any())
fact("joined.first", weights_both[0, 0, 0])

# --8<-- [start:library]
import torch.nn.functional as F


def agrees(ours, theirs):
    return torch.allclose(ours, theirs, atol=1e-6)


print("queries", len(batch))
negated = F.scaled_dot_product_attention(q, k, v, attn_mask=~blocked)
print("padding, negated:      ", agrees(output, negated))
as_it_is = F.scaled_dot_product_attention(q, k, v, attn_mask=blocked)
print("padding, as it is:     ", agrees(output, as_it_is))
print("  NaN:                 ", as_it_is.isnan().any().item())
triangle, _ = attention(q, k, v, causal[None])
flag = F.scaled_dot_product_attention(q, k, v, is_causal=True)
print("triangle and is_causal:", agrees(triangle, flag))
joined = F.scaled_dot_product_attention(q, k, v, attn_mask=~both)
print("both, negated:         ", agrees(output_both, joined))
only_bias = agrees(as_it_is, to_v.bias.expand_as(as_it_is))
print("as it is, only the bias:", only_bias)
# --8<-- [end:library]

fact("library.negated", agrees(output, negated))
fact("library.as_it_is", agrees(output, as_it_is))
fact("library.nan", as_it_is.isnan().any())
fact("library.flag", agrees(triangle, flag))
fact("library.joined", agrees(output_both, joined))
fact("library.bias", only_bias)

# --8<-- [start:heads]
q4, k4, v4 = q[:, None], k[:, None], v[:, None]
four = blocked[:, None]
output4, _ = attention(q4, k4, v4, four)
scores4 = q4 @ k4.mT
print("mask", list(four.shape), "scores", list(scores4.shape))
print("output", list(output4.shape))
print("equals the output without the axis:", agrees(output4.squeeze(1), output))
inflated = plain(q4, k4, v4, blocked)
print("mask", list(blocked.shape), "is read as", list(blocked[None].shape))
mixed = scores4.masked_fill(blocked, -math.inf)
print("scores", list(mixed.shape), "output", list(inflated.shape))
same = [agrees(inflated[b, c], output[b]) for b in range(32) for c in range(32)]
print("entries that are right:", sum(same), "of", len(same))
lengths = (batch != 0).sum(dim=1)
print("those of equal lengths:", same == (lengths[:, None] == lengths).flatten().tolist())
# --8<-- [end:heads]

fact("heads.same", agrees(output4.squeeze(1), output))
fact("heads.times", inflated.numel() // output.numel())
fact("heads.right", sum(same))
fact("heads.lengths", same == (lengths[:, None] == lengths).flatten().tolist())
fact("heads.entries", len(same))

# --8<-- [start:core]
try:
    attention(q4, k4, v4, blocked)
except ValueError as error:
    print("attention:", *str(error).split(": "), sep="\n  ")
# --8<-- [end:core]
