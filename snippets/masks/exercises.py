"""Solutions to the exercises of the chapter."""

# --8<-- [start:paper]
import torch

from attention_src.core.attention import attention
from attention_src.masks import causal_blocked, combine, padding_blocked

zeros = torch.zeros(1, 3, 1)
v = torch.tensor([[[3.0], [6.0], [12.0]]])
causal, _ = attention(zeros, zeros, v, causal_blocked(3)[None])
print(causal.flatten().tolist())
# --8<-- [end:paper]

from drift import fact

for position in range(3):
    fact(f"paper.value_{position}", v[0, position, 0])
    fact(f"paper.output_{position}", causal[0, position, 0])

# --8<-- [start:heads]
keep = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
padding = (keep == 0)[:, None, None]
triangle = causal_blocked(5)[None, None]
print(list(combine(padding, triangle).shape))
without = combine(padding_blocked(keep), causal_blocked(5)[None])
same = torch.equal(combine(padding, triangle)[:, 0], without)
print("the same as the mask without heads:", same)
# --8<-- [end:heads]

fact("heads.same", same)


# --8<-- [start:test]
def leaks(mask):
    """Say whether an output changes when only later tokens do."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, len(mask), 4, generator=generator)
    before, _ = attention(x, x, x, mask[None])
    for position in range(len(mask) - 1):
        other = torch.randn(x.shape, generator=generator)
        other[:, : position + 1] = x[:, : position + 1]
        after, _ = attention(other, other, other, mask[None])
        if not torch.allclose(before[:, position], after[:, position]):
            return True
    return False


ones = torch.ones(7, 7, dtype=torch.bool)
for diagonal in (0, 1, 2, 6):
    print(f"triu({diagonal}) leaks: {leaks(ones.triu(diagonal))}")
# --8<-- [end:test]

fact("test.right", leaks(ones.triu(1)))
fact("test.off", leaks(ones.triu(2)))
