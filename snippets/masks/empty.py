"""A query whose keys are all blocked: what seven calls make of it."""

# --8<-- [start:answers]
import math

import torch
import torch.nn.functional as F
from torch import nn

from attention_src.core.attention import attention

torch.manual_seed(0)
x = torch.randn(2, 3, 4)
nothing = torch.tensor([[False, False, True], [True, True, True]])
blocked = nothing[:, None]
scores = x @ x.mT / math.sqrt(4)
layer = nn.MultiheadAttention(4, 2, batch_first=True)


def show(name, row):
    print(f"{name:35}", "  ".join(f"{value:.2f}" for value in row.tolist()))


by_hand = scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ x
lowest = torch.finfo(scores.dtype).min
uniform = scores.masked_fill(blocked, lowest).softmax(dim=-1) @ x
sdpa = F.scaled_dot_product_attention(x, x, x, attn_mask=~blocked)
ours, _ = attention(x, x, x, blocked)
show("softmax over -inf, by hand", by_hand[1, 0])
show("softmax over finfo.min", uniform[1, 0])
show("the mean of all three values", x[1].mean(dim=0))
show("F.scaled_dot_product_attention", sdpa[1, 0])
show("attention", ours[1, 0])
# --8<-- [end:answers]

from drift import fact

fact("sdpa", sdpa[1].abs().max())
fact("ours", ours[1].abs().max())
fact("uniform", torch.allclose(uniform[1], x[1].mean(dim=0).expand(3, 4), atol=1e-6))
fact("by_hand", bool(by_hand[1].isnan().all()))

# --8<-- [start:module]
with torch.no_grad():
    nn.init.constant_(layer.out_proj.bias, 0.5)
answers = {}
for training in (True, False):
    layer.train(training)
    for gradients in (True, False):
        for wanted in (True, False):
            with torch.set_grad_enabled(gradients):
                options = {"key_padding_mask": nothing, "need_weights": wanted}
                row = layer(x, x, x, **options)[0][1, 0].detach()
            answers[training, gradients, wanted] = row
            mode = "train" if training else "eval"
            tracked = "" if gradients else "no_grad"
            show(f"{mode:6}{tracked:8} need_weights={wanted}", row)
# --8<-- [end:module]

fact("module.weights", all(bool(a.isnan().all()) for (_, _, wanted), a in answers.items() if wanted))
fact("module.without", answers[True, True, False].max())
fact("module.eval", answers[False, True, False].max())
fact("module.fast", bool(answers[False, False, False].isnan().all()))

# --8<-- [start:neighbours]
print("outputs of sequence 0, NaN:   ", by_hand[0].isnan().any().item())
inputs = x.clone().requires_grad_()
scores = inputs @ inputs.mT / 2
rows = scores.masked_fill(blocked, -math.inf).softmax(dim=-1) @ inputs
rows[0].sum().backward()
print("a loss on sequence 0 alone")
for number, gradient in enumerate(inputs.grad):
    print(f"  gradient of sequence {number}, NaN:", gradient.isnan().any().item())
spoilt = inputs.grad[1].isnan().any()
inputs.grad = None
attention(inputs, inputs, inputs, blocked)[0].sum().backward()
print("gradient of attention, NaN:   ", inputs.grad.isnan().any().item())
# --8<-- [end:neighbours]

fact("neighbours.outputs", by_hand[0].isnan().any())
fact("neighbours.gradient", spoilt)
fact("neighbours.ours", inputs.grad.isnan().any())

# --8<-- [start:fills]
row = torch.tensor([1.0, 2.0, 3.0])
part, whole = torch.tensor([False, False, True]), torch.ones(3, dtype=torch.bool)
for fill in (-math.inf, -1e9, lowest):
    print(f"{fill:<10.3g}", end="")
    for mask in (part, whole):
        shares = row.masked_fill(mask, fill).softmax(dim=-1)
        print("  ", " ".join(f"{share:.2f}" for share in shares), end="")
    print()
try:
    row.half().masked_fill(part, -1e9)
except RuntimeError as error:
    print("float16:", error)
added = row.half() + (whole * -1e9).half()
print("added in float16:", added.tolist())
smallest = torch.full((3,), torch.finfo(torch.float16).min, dtype=torch.float16)
twice = smallest + smallest
print("min + min:", twice.tolist(), "->", twice.softmax(dim=-1).tolist())
# --8<-- [end:fills]

thirds = row.masked_fill(whole, -1e9).softmax(dim=-1)
fact("fills.uniform", round(thirds[0].item(), 2))
fact("fills.overflow", bool(twice.softmax(dim=-1).isnan().all()))
