"""Sinusoids with two exponents: only one of them gives positions of equal length."""

# --8<-- [start:exponent]
import torch

n, d = 512, 16
i = torch.arange(d)
place = torch.arange(n, dtype=torch.float64)[:, None]
lengths = {}
for name, exponent in (("2*(i//2)/d", 2 * (i // 2) / d), ("i/d", i / d)):
    angle = place / 10000 ** exponent.double()
    table = torch.where(i % 2 == 0, angle.sin(), angle.cos())
    length = lengths[name] = table.norm(dim=1)
    print(f"{name:11} rows are {length.min():.3f} to {length.max():.3f} long")
# --8<-- [end:exponent]

from drift import fact

fact("right.shortest", lengths["2*(i//2)/d"].min())
fact("right.longest", lengths["2*(i//2)/d"].max())
fact("column.shortest", lengths["i/d"].min())
fact("column.longest", lengths["i/d"].max())
