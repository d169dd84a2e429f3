"""Operations counted by formula and by torch, for one product, for attention and for a whole layer."""

# --8<-- [start:table]
width = 512
print("length  n² · 512    scores     float32")
products, sizes = {}, {}
for n in (512, 2048, 8192, 32_768, 131_072):
    entries = n * n
    products[n] = entries * width
    sizes[n] = size = 4 * entries
    memory = f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
    print(f"{n:6}{products[n]:10.2e}{entries:10.2e}{memory:>12}")
# --8<-- [end:table]

# --8<-- [start:counter]
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_src.core.attention import attention


def operations(call, *inputs):
    """Multiplications and additions of the matrix products in a call."""
    with FlopCounterMode(display=False) as counter:
        call(*inputs)
    return counter.get_total_flops()


print("length          counted      2 · 2 · n² · 512")
agree = {}
for n in products:
    x = torch.empty(1, n, width, device="meta")
    counted = operations(attention, x, x, x)
    agree[n] = counted == 2 * 2 * products[n]
    print(f"{n:6}{counted:17}{2 * 2 * products[n]:22}")
# --8<-- [end:counter]

# --8<-- [start:real]
x = torch.zeros(1, 512, width)
with_data = operations(attention, x, x, x)
print("with data, length 512:", with_data)
# --8<-- [end:real]

# --8<-- [start:layer]
from torch import nn

layer = nn.MultiheadAttention(width, num_heads=8, batch_first=True)
one = operations(torch.matmul, x, x.mT) // 2
both = operations(attention, x, x, x) // 2
whole = operations(layer, x, x, x) // 2
print(f"multiply-adds at length 512 and width {width}")
print(f"one product        {one:12}")
print(f"both products      {both:12}")
print(f"four projections   {whole - both:12}")
print(f"the whole layer    {whole:12}")
# --8<-- [end:layer]

# --8<-- [start:heads]
tokens = torch.zeros(1, 512, 64)
by_heads = {}
print("heads  width  parameters  multiply-adds  bytes of weights")
for heads in (1, 2, 4, 8):
    layer = nn.MultiheadAttention(64, heads, batch_first=True)
    _, weights = layer(tokens, tokens, tokens, average_attn_weights=False)
    adds = operations(layer, tokens, tokens, tokens) // 2
    count = sum(parameter.numel() for parameter in layer.parameters())
    by_heads[heads] = count, adds, weights.nbytes
    print(f"{heads:5}{layer.head_dim:7}{count:12}{adds:15}{weights.nbytes:18}")
# --8<-- [end:heads]

# --8<-- [start:blind]
import torch.nn.functional as F

q = x[None]  # (1, 1, 512, 512): with an axis for the heads
unseen = operations(F.scaled_dot_product_attention, q, q, q)
print("torch's own attention, counted on a CPU:", unseen)
# --8<-- [end:blind]

from drift import fact

fact("width", width)
fact("one", one)
fact("both", both)
fact("projections", whole - both)
fact("whole", whole)
fact("one_2048", products[2048])
fact("short", min(products))
for n in (512, 2048, 32_768, 131_072):
    fact(f"bytes_{n}", sizes[n])
fact("agree", all(agree.values()) and with_data == 2 * both)
fact("rows", len(agree))
fact("long", 32_768)
fact("longest", max(products))
fact("parameters", by_heads[1][0])
fact("same_parameters", len({count for count, _, _ in by_heads.values()}) == 1)
fact("same_work", len({adds for _, adds, _ in by_heads.values()}) == 1)
fact("most_heads", max(by_heads))
fact("weights_1", by_heads[1][2])
fact("weights_8", by_heads[8][2])
fact("unseen", unseen)
