"""Dropout on the weights: rows that do not sum to one, and a library call that never stops dropping."""

# --8<-- [start:rows]
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
layer = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)
x = torch.randn(1, 64, 8)
with torch.no_grad():
    _, training = layer.train()(x, x, x, average_attn_weights=False)
    _, evaluation = layer.eval()(x, x, x, average_attn_weights=False)
whole = {}
for name, weights in (("training", training), ("evaluation", evaluation)):
    ones = torch.ones(1, 2, 64)
    whole[name] = torch.allclose(weights.sum(dim=-1), ones)
    print(f"{name:11}rows sum to 1:", whole[name])
# --8<-- [end:rows]

# --8<-- [start:scale]
kept = training != 0
factor = (training / evaluation)[kept].mean()
uniform = torch.allclose(training[kept], evaluation[kept] / 0.9)
print(f"kept weights are multiplied by {factor:.4f}")
print("each of them by the same number:", uniform)
misread = 1 / 0.1
print(f"1 / (1 - p) = {1 / (1 - 0.1):.4f}, 1 / p = {misread:.0f}")
# --8<-- [end:scale]

# --8<-- [start:expected]
repeated = evaluation[:, 0, 0].expand(20000, 64)
mean_sum = F.dropout(repeated, 0.1).sum(dim=-1).mean()
near_one = (abs(mean_sum - 1) < 0.01).item()
print("mean row sum over 20,000 draws within 0.01 of 1:", near_one)
# --8<-- [end:expected]


# --8<-- [start:careless]
class Careless(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)


class Careful(nn.Module):
    def forward(self, q, k, v):
        p = 0.1 if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p)


same = {}
for module in (Careless(), Careful()):
    module.eval()
    name = type(module).__name__
    same[name] = torch.equal(module(x, x, x), module(x, x, x))
    print(f"{name:9}in evaluation, two calls are equal:", same[name])
# --8<-- [end:careless]

from drift import fact

fact("training_rows", whole["training"])
fact("evaluation_rows", whole["evaluation"])
fact("p", layer.dropout)
fact("factor", factor)
fact("uniform", uniform)
fact("misread", misread)
fact("near_one", near_one)
fact("careless_same", same["Careless"])
fact("careful_same", same["Careful"])
