"""What autograd keeps for the backward pass, for three ways to compute attention."""

# --8<-- [start:kept]
import torch
from torch.autograd.graph import saved_tensors_hooks

from attention_src.core.attention import attention


def kept(call, *inputs):
    """Bytes that autograd keeps for the backward pass, the inputs left out."""
    found = {}

    def note(tensor):
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        output = call(*inputs)
    for tensor in inputs:
        found.pop(tensor.untyped_storage().data_ptr(), None)
    del output  # until here, or an address could have been used twice
    return sum(found.values())


def plain(q, k, v):
    return attention(q, k, v)[0]


table = {}
print("length     kept  weights alone")
for n in (512, 1024, 2048):
    inputs = [torch.zeros(1, n, 64, requires_grad=True) for _ in range(3)]
    table[n] = kept(plain, *inputs)
    print(f"{n:6}{table[n]:9}{4 * n * n:15}")
with torch.no_grad():
    without = kept(plain, *inputs)
print("without gradients:", without)
# --8<-- [end:kept]


# --8<-- [start:layers]
from functools import partial


def stack(layers, x):
    for _ in range(layers):
        x = plain(x, x, x)
    return x


x = torch.zeros(1, 512, 64, requires_grad=True)
by_layers = {}
for layers in (1, 2, 4, 8):
    by_layers[layers] = kept(partial(stack, layers), x)
    print(f"layers {layers}: {by_layers[layers]:8} bytes kept")
# --8<-- [end:layers]

# --8<-- [start:blocks]
import torch.nn.functional as F

from attention_src.blockwise.online import blockwise_attention

ways = [plain, blockwise_attention, F.scaled_dot_product_attention]
beside = {}
print("length      plain  blockwise    torch   output alone")
for n in (512, 1024, 2048):
    inputs = [torch.zeros(1, 1, n, 64, requires_grad=True) for _ in range(3)]
    beside[n] = [kept(way, *inputs) for way in ways]
    print(f"{n:6}{beside[n][0]:11}{beside[n][1]:11}{beside[n][2]:9}{4 * n * 64:15}")
# --8<-- [end:blocks]

# --8<-- [start:again]
from torch.utils.flop_counter import FlopCounterMode


def products(way, backward):
    """How many products of n² · 64 multiply-adds a way computes."""
    with FlopCounterMode(display=False) as counter:
        output = way(*inputs)
        if backward:
            torch.autograd.grad(output.sum(), inputs)
    return counter.get_total_flops() / (2 * n * n * 64)


work = {}
for name, way in (("plain", plain), ("blockwise", blockwise_attention)):
    forward = products(way, backward=False)
    backward = products(way, backward=True) - forward
    work[name] = forward, backward
    print(f"{name:9}  forward {forward:.0f} products, backward {backward:.0f}")
# --8<-- [end:again]

from drift import fact

fact("longest", max(table))
fact("kept_2048", table[2048])
fact("weights_2048", 4 * 2048 * 2048)
fact("without", without)
fact("layers_1", by_layers[1])
fact("layers_most", max(by_layers))
fact("layers_8", by_layers[8])
fact("plain_2048", beside[2048][0])
fact("blockwise_2048", beside[2048][1])
fact("blockwise_linear", beside[2048][1] == 4 * beside[512][1])
fact("torch_2048", beside[2048][2])
fact("forward", work["plain"][0])
fact("same_forward", work["plain"][0] == work["blockwise"][0])
fact("backward_plain", work["plain"][1])
fact("backward_blockwise", work["blockwise"][1])
