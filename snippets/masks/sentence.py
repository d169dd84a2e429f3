"""One query of five tokens, padded: without a mask, with the right one, and with wrong ones."""

# --8<-- [start:draw]
import torch
from torch import nn

from attention_src.core.attention import attention

torch.manual_seed(42)
embedding = nn.Embedding(2202, 16, padding_idx=0)
to_q, to_k, to_v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)


@torch.no_grad()
def project(ids):
    x = embedding(ids)
    return to_q(x), to_k(x), to_v(x)


words = ["where", "is", "my", "card", "?"]
ids = torch.tensor([[62, 11, 4, 9, 3] + [0] * 43])
q, k, v = project(ids)
print("ids", ids[0, :7].tolist(), "and so on,", list(ids.shape))
print("queries", list(q.shape))
# --8<-- [end:draw]

from attention_src.figures import GRID, SERIES, new_figure, save
from drift import artifact, fact

fact("vocabulary", embedding.num_embeddings)
fact("length", ids.shape[1])

# --8<-- [start:open]
unmasked, weights = attention(q, k, v)
print("weights", list(weights.shape))
for word, row in zip(words, weights[0], strict=False):
    print(f"{word:6} {row[5:].sum():.4f} of its weight on padding")
# --8<-- [end:open]

open_shares = weights[0, :5, 5:].sum(dim=-1)
for word, share in zip(("where", "is", "my", "card", "mark"), open_shares, strict=True):
    fact(f"open.{word}", round(share.item(), 4))

# --8<-- [start:why]
print("embedding of a pad is zero:", not embedding.weight[0].any())
print("key of a pad is the bias:  ", torch.equal(k[0, 5], to_k.bias))
print("all pads have that key:    ", torch.equal(k[0, 5], k[0, 47]))
pads = (ids == 0).sum().item()
print(f"an even row: {pads} / {ids.shape[1]} = {pads / ids.shape[1]:.4f}")
# --8<-- [end:why]

fact("pads", pads)
fact("even", pads / ids.shape[1])
fact("bias", torch.equal(k[0, 5], to_k.bias))

# --8<-- [start:shorter]
at_10, _ = attention(*project(ids[:, :10]))
moved = (unmasked[:, :5] - at_10[:, :5]).abs().max()
print(f"padded to 48 or to {at_10.shape[1]}: outputs differ by up to {moved:.4f}")
# --8<-- [end:shorter]

fact("shorter.length", at_10.shape[1])
fact("shorter.moved", round(moved.item(), 4))

# --8<-- [start:lengths]
alone, _ = attention(*project(ids[:, :5]))
drift = {}
print("length  moved  on padding")
for length in (5, 6, 8, 10, 16, 24, 32, 48):
    output, weights = attention(*project(ids[:, :length]))
    moved = (output[:, :5] - alone).abs().max().item()
    share = weights[0, :5, 5:].sum(dim=-1).mean().item()
    drift[length] = moved, share
    print(f"{length:6} {moved:.4f}      {share:.4f}")
# --8<-- [end:lengths]

for length in (6, 10, 48):
    fact(f"lengths.moved_{length}", round(drift[length][0], 4))
    fact(f"lengths.share_{length}", round(drift[length][1], 4))

figure, (axes,) = new_figure(2.8)
lengths = list(drift)
for column, name, colour, marker, lift in ((1, "weight on padding", SERIES[1], "s", 0.05),
                                           (0, "change of the output", SERIES[0], "o", 0.05)):  # fmt: skip
    heights = [round(values[column], 4) for values in drift.values()]
    axes.plot(lengths, heights, color=colour, marker=marker)
    axes.text(47, heights[-1] + lift, name, ha="right")
    axes.text(49, heights[-1], f"{heights[-1]:.4f}", va="center")
axes.axhline(0, color=GRID, linestyle=":")
axes.text(47, 0.03, "both, with the mask", ha="right")
axes.set(xlim=(4, 55), ylim=(-0.03, 1.05), xticks=[5, 10, 16, 24, 32, 48], yticks=[0, 0.5, 1], xlabel="padded length")
save(figure, artifact("lengths.svg"))

# --8<-- [start:masked]
from attention_src.masks import padding_blocked

blocked = padding_blocked(ids)
print("ids", list(ids.shape), "-> mask", list(blocked.shape))
print("pads:", blocked.sum().item())
output, weights = attention(q, k, v, blocked)
print("weight on padding:", weights[0, :5, 5:].sum().item())
for word, row in zip(words, weights[0, :, :5], strict=False):
    print(f"{word:6}", "  ".join(f"{weight:.2f}" for weight in row))
# --8<-- [end:masked]

masked_share = weights[0, :5, 5:].sum()
fact("masked.share", masked_share)
fact("masked.pads", blocked.sum())

# --8<-- [start:repaired]
ten = ids[:, :10]
at_10, _ = attention(*project(ten), padding_blocked(ten))
same = torch.allclose(output[:, :5], at_10[:, :5], atol=1e-6)
print("outputs at 48 and at 10 agree:", same)


def pool(output, ids):
    real = (ids != 0)[..., None]
    return (output * real).sum(dim=1) / real.sum(dim=1)


same_mean = torch.allclose(pool(output, ids), pool(at_10, ten), atol=1e-6)
print("means over real tokens agree: ", same_mean)
plain_mean = torch.allclose(output.mean(dim=1), at_10.mean(dim=1), atol=1e-6)
print("means over all slots agree:   ", plain_mean)
# --8<-- [end:repaired]

fact("repaired.outputs", same)
fact("repaired.pooled", same_mean)
fact("repaired.plain", plain_mean)

# --8<-- [start:zero]
scores = q @ k.mT / q.shape[-1] ** 0.5
zeroed = scores.masked_fill(blocked, 0.0).softmax(dim=-1)
low, high = scores[0, :5].min().item(), scores[0, :5].max().item()
print(f"divided by {q.shape[-1] ** 0.5}: scores from {low:.2f} to {high:.2f}")
for word, row in zip(words, zeroed[0], strict=False):
    print(f"{word:6} {row[5:].sum():.4f} of its weight on padding")
# --8<-- [end:zero]

zero_shares = zeroed[0, :5, 5:].sum(dim=-1)
fact("zero.lowest", round(zero_shares.min().item(), 4))
fact("zero.low", round(low, 2))
fact("zero.high", round(high, 2))
fact("zero.highest", round(zero_shares.max().item(), 4))

# --8<-- [start:leak]
from attention_src.masks import causal_blocked

asks = torch.tensor([[62, 11, 4, 9, 3]])
tells = torch.tensor([[62, 11, 4, 9, 5]])
print("last id", asks[0, -1].item(), "or", tells[0, -1].item())
causal = causal_blocked(5)[None]
changes = {}
for name, mask in (("open", None), ("causal", causal)):
    before, _ = attention(*project(asks), mask)
    after, _ = attention(*project(tells), mask)
    changes[name] = (after - before)[0].abs().amax(dim=-1)
    print(f"{name:6}", "  ".join(f"{change:.4f}" for change in changes[name]))
# --8<-- [end:leak]

for position in range(5):
    fact(f"leak.open_{position}", round(changes["open"][position].item(), 4))
fact("leak.causal_last", round(changes["causal"][4].item(), 4))
fact("leak.past_moves", bool(changes["causal"][:4].max() > 0))

# --8<-- [start:rows]
_, rows = attention(*project(asks), causal)
print("blocked", causal.sum().item(), "of", causal.numel())
for word, row in zip(words, rows[0], strict=True):
    print(f"{word:6}", "  ".join(f"{weight:.2f}" for weight in row))
# --8<-- [end:rows]

fact("rows.blocked", causal.sum())
fact("rows.all", causal.numel())

# --8<-- [start:sides]
left = torch.cat([ids[:, 5:], ids[:, :5]], dim=1)
triangle = causal_blocked(48)[None]
alone, _ = attention(*project(asks), triangle[:, :5, :5])
on_the_right, _ = attention(q, k, v, triangle)
on_the_left, _ = attention(*project(left), triangle)
print("first real token on the left:", (left != 0).int().argmax().item())
right_same = torch.allclose(on_the_right[:, :5], alone, atol=1e-6)
print("right, causal only, agrees:", right_same)
gaps = (on_the_left[:, 43:] - alone)[0].abs().amax(dim=-1)
print("left, causal only, off by:", "  ".join(f"{gap:.4f}" for gap in gaps))
# --8<-- [end:sides]

fact("sides.right", right_same)
fact("sides.first", (left != 0).int().argmax())
fact("sides.left", round(gaps.max().item(), 4))
fact("sides.least", round(gaps.min().item(), 4))

# --8<-- [start:joined]
from attention_src.masks import combine

joined = combine(padding_blocked(left), triangle)
repaired, _ = attention(*project(left), joined)
left_same = torch.allclose(repaired[:, 43:], alone, atol=1e-6)
print("left, both masks, agrees:", left_same)
empty = joined.all(dim=-1)
print("queries without a key:", empty.sum().item())
print("all of them pads:", not (empty & (left != 0)).any())
# --8<-- [end:joined]

fact("joined.agrees", left_same)
fact("joined.empty", empty.sum())

# --8<-- [start:pooling]
q, k, v = project(left)
filled = (q @ k.mT / 4).masked_fill(joined, float("-inf"))
by_hand = filled.softmax(dim=-1) @ v
wanted = alone[0].mean(dim=0)
means = {
    "by hand, multiplied by the mask": pool(by_hand, left)[0],
    "by hand, real rows selected": by_hand[left != 0].mean(dim=0),
    "attention, multiplied by the mask": pool(repaired, left)[0],
}
print("rows of NaN by hand:", by_hand.isnan().all(dim=-1).sum().item())
for name, mean in means.items():
    print(f"{name:34} right: {torch.allclose(mean, wanted, atol=1e-6)}")
print("the first mean:", means["by hand, multiplied by the mask"][:3].tolist())
# --8<-- [end:pooling]

fact("pooling.nan_rows", by_hand.isnan().all(dim=-1).sum())
fact("pooling.multiplied", torch.allclose(pool(by_hand, left)[0], wanted, atol=1e-6))
fact("pooling.selected", torch.allclose(by_hand[left != 0].mean(dim=0), wanted, atol=1e-6))
fact("pooling.core", torch.allclose(mean, wanted, atol=1e-6))
