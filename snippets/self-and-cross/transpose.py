"""Swapping the last two axes, and `.T`, which reverses all of them."""

# --8<-- [start:axes]
import warnings

import torch

x = torch.randn(1, 5, 4, generator=torch.Generator().manual_seed(0))
print("x                 ", tuple(x.shape))
print("x.transpose(-2,-1)", tuple(x.transpose(-2, -1).shape))
print("x.mT              ", tuple(x.mT.shape))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    reversed_axes = x.T
print("x.T               ", tuple(reversed_axes.shape))
print("and a warning:", caught[0].category.__name__)
try:
    x @ reversed_axes
except RuntimeError as error:
    print("x @ x.T:", error)
# --8<-- [end:axes]

# --8<-- [start:cube]
cube = torch.randn(3, 3, 3, generator=torch.Generator().manual_seed(0))
right = cube @ cube.transpose(-2, -1)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    wrong = cube @ cube.T
print("right", tuple(right.shape), "wrong", tuple(wrong.shape))
print("equal:", torch.allclose(right, wrong))
print("right is symmetric:", torch.allclose(right, right.mT))
print("wrong is symmetric:", torch.allclose(wrong, wrong.mT))
# --8<-- [end:cube]

from drift import fact

fact("warning", caught[0].category.__name__)
fact("cube.same_shape", right.shape == wrong.shape)
fact("cube.equal", torch.allclose(right, wrong))
