"""The variance of a dot product when the entries have a mean of their own."""

# --8<-- [start:mean]
import torch

generator = torch.Generator().manual_seed(0)
pairs, width = 100_000, 64
options = {"generator": generator, "dtype": torch.float64}
q = torch.randn(pairs, width, **options)
k = torch.randn(pairs, width, **options)
variance = {}
print("mean of the entries   variance of q·k")
for mean in (0, 1):
    products = ((q + mean) * (k + mean)).sum(dim=-1)
    variance[mean] = products.var()
    print(f"{mean:19}{variance[mean]:18.1f}")
# --8<-- [end:mean]

from drift import fact

fact("width", width)
fact("zero", variance[0])
fact("one", variance[1])
