"""Four wrong versions of the formula against the checks that one might write."""

# --8<-- [start:versions]
import math

import torch
import torch.nn.functional as F

torch.manual_seed(0)
q, k, v = torch.randn(4, 7, 64), torch.randn(4, 48, 64), torch.randn(4, 48, 5)
products = q @ k.mT
versions = {
    "right": (products / math.sqrt(64)).softmax(dim=-1),
    "no root": products.softmax(dim=-1),
    "by d": (products / 64).softmax(dim=-1),
    "by model": (products / math.sqrt(512)).softmax(dim=-1),
    "wrong axis": (products / math.sqrt(64)).softmax(dim=1),
}
# --8<-- [end:versions]

# --8<-- [start:checks]
expected = F.scaled_dot_product_attention(q, k, v)
low = v.amin(dim=1, keepdim=True) - 1e-6
high = v.amax(dim=1, keepdim=True) + 1e-6
found = {}
print("            shape finite   rows  range  torch  entropy")
for name, weights in versions.items():
    output = weights @ v
    entropy = torch.special.entr(weights).sum(dim=-1).mean()
    share = entropy.item() / math.log(48)
    answers = (
        output.shape == expected.shape,
        bool(output.isfinite().all()),
        torch.allclose(weights.sum(dim=-1), torch.ones(4, 7)),
        bool(((output >= low) & (output <= high)).all()),
        torch.allclose(output, expected, atol=1e-6),
    )
    found[name] = (*answers, share)
    ticks = "".join("    yes" if answer else "     no" for answer in answers)
    print(f"{name:10}{ticks}{share:9.2f}")
# --8<-- [end:checks]

from drift import fact

fact("quiet_for_all", all(answers[0] and answers[1] for answers in found.values()))
fact("only_wrong_axis", [name for name, answers in found.items() if not answers[2]] == ["wrong axis"])
fact("only_right_agrees", [name for name, answers in found.items() if answers[4]] == ["right"])
for name in found:
    fact(f"share_{name.replace(' ', '_')}", found[name][5])
