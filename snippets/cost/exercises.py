"""Answers to the exercises of the chapter."""

# --8<-- [start:outgrow]
import math

parameters = 4 * 64 * 64 + 4 * 64
first = math.isqrt(parameters) + 1
print(f"{first} tokens: {first**2} weights, {parameters} parameters")
# --8<-- [end:outgrow]

# --8<-- [start:batch]
import torch

batch_bytes = {}
for n in (48, 512):
    weights = torch.empty(64, n, n, device="meta")
    batch_bytes[n] = weights.nbytes
    print(f"length {n:3}: {batch_bytes[n]:8} bytes")
# --8<-- [end:batch]

# --8<-- [start:share]
from torch.utils.flop_counter import FlopCounterMode

from attention_src.blockwise.online import blockwise_attention


def work(causal, block):
    x = torch.empty(1, 2048, 64, device="meta")
    with FlopCounterMode(display=False) as counter:
        blockwise_attention(x, x, x, causal=causal, block=block)
    return counter.get_total_flops()


shares = {}
for block in (2048, 1024, 256, 64):
    shares[block] = work("top-left", block) / work(None, block)
    print(f"blocks of {block:4}: {shares[block]:.4f} of the work")
# --8<-- [end:share]

from drift import fact

fact("outgrow", first)
fact("parameters", parameters)
fact("weights", first**2)
fact("batch_48", batch_bytes[48])
fact("batch_512", batch_bytes[512])
fact("share_2048", shares[2048])
fact("share_64", shares[64])
