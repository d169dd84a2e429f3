"""Mistakes with masks that people reported in public, on inputs that fit on paper."""

# --8<-- [start:flag]
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.bias import causal_lower_right

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked


def column(*values):
    return torch.tensor(values, dtype=torch.float32)[None, :, None]


def attend(queries, v, **options):
    q, k = torch.zeros(1, queries, 1), torch.zeros_like(v)
    return F.scaled_dot_product_attention(q, k, v, **options).flatten().tolist()


five = column(0, 1, 2, 3, 4)
print("2 queries, 5 keys, is_causal", attend(2, five, is_causal=True))
for align in ("top-left", "bottom-right"):
    mask = causal_blocked(2, 5, align=align)[None]
    print(f"aligned {align:12}        ", attend(2, five, attn_mask=~mask))
lower = causal_lower_right(2, 5)
print("PyTorch's causal_lower_right", attend(2, five, attn_mask=lower))
print("1 query, is_causal          ", attend(1, five, is_causal=True))
print("1 query, no mask            ", attend(1, five))
# --8<-- [end:flag]

from drift import fact

# --8<-- [start:both]
q = torch.zeros(1, 1, 3, 1)
v = torch.tensor([0.0, 1.0, 2.0])[None, None, :, None]
keep = torch.tensor([True, True, False]).expand(1, 1, 3, 3)
four = F.scaled_dot_product_attention(q, q, v, attn_mask=keep, is_causal=True)
print("four axes, mask and is_causal:", four.flatten().tolist())
q, v, keep = q[0], v[0], keep[0]
try:
    F.scaled_dot_product_attention(q, q, v, attn_mask=keep, is_causal=True)
except RuntimeError as error:
    print("three axes:", str(error).split(": ")[1])
layer = nn.MultiheadAttention(1, 1, batch_first=True)
try:
    layer(v, v, v, is_causal=True)
except RuntimeError as error:
    print("MultiheadAttention, is_causal alone:", str(error).split(".")[0])
# --8<-- [end:both]

top, bottom = attend(2, five, is_causal=True), attend(2, five, attn_mask=~mask)
for position in range(2):
    fact(f"flag.top_{position}", top[position])
    fact(f"flag.bottom_{position}", bottom[position])
fact("flag.library_same", attend(2, five, attn_mask=lower) == bottom)
fact("flag.cached", attend(1, five, is_causal=True)[0])
fact("flag.cached_right", attend(1, five)[0])
for position in range(3):
    fact(f"both.{position}", four.flatten()[position])


# --8<-- [start:mode]
class Forgetful(nn.Module):
    def forward(self, x):
        zeros = torch.zeros_like(x)
        return F.scaled_dot_product_attention(zeros, zeros, x, is_causal=self.training)


layer = Forgetful()
print("training:", layer.train()(column(1, 2, 6)).flatten().tolist())
print("eval:    ", layer.eval()(column(1, 2, 6)).flatten().tolist())
# --8<-- [end:mode]

right, wrong = layer.train()(column(1, 2, 6)).flatten(), layer.eval()(column(1, 2, 6)).flatten()
for position in range(3):
    fact(f"mode.right_{position}", right[position])
fact("mode.wrong_0", wrong[0])

# --8<-- [start:nan]
v = column(1, float("nan"))
q, k = torch.zeros(1, 1, 1), torch.zeros(1, 2, 1)
pad = torch.tensor([[[False, True]]])
output, weights = attention(q, k, v, pad)
print("weights", weights.flatten().tolist(), "output", output.item())
cleared, _ = attention(q, k, v.masked_fill(pad.mT, 0), pad)
print("padding cleared first:", cleared.item())
# --8<-- [end:nan]

fact("nan.weight", weights[0, 0, 1])
fact("nan.output", bool(output.isnan()))
fact("nan.cleared", cleared)

# --8<-- [start:heads]
q, k = torch.zeros(2, 2, 1, 1), torch.zeros(2, 2, 2, 1)
v = torch.tensor([0.0, 1.0])[:, None].expand(2, 2, 2, 1)
shut = torch.tensor([[[False, True]], [[True, False]]])
taken = F.scaled_dot_product_attention(q, k, v, attn_mask=~shut)
meant = F.scaled_dot_product_attention(q, k, v, attn_mask=~shut[:, None])
print("mask", list(shut.shape), "for 2 sequences with 2 heads")
print("SDPA, as it is:     ", taken.flatten(1).tolist())
print("SDPA, mask[:, None]:", meant.flatten(1).tolist())
x = torch.randn(2, 2, 4, generator=torch.Generator().manual_seed(0))
layer = nn.MultiheadAttention(4, 2, batch_first=True)
each = shut.expand(2, 2, 2)
grouped, tiled = each.repeat_interleave(2, dim=0), each.repeat(2, 1, 1)
for name, mask in (("repeat_interleave", grouped), ("repeat", tiled)):
    _, weights = layer(x, x, x, attn_mask=mask, average_attn_weights=False)
    print(f"MultiheadAttention, {name:18}", (weights[:, :, 0] > 0).int().tolist())
# --8<-- [end:heads]

fact("heads.wrong", taken[1, 0, 0, 0])
fact("heads.right", meant[1, 0, 0, 0])
