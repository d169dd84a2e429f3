"""What float16 cannot hold on the way to an output that it can."""

# --8<-- [start:short]
import torch

from attention_src.core.attention import attention

q = torch.full((2, 64), 512.0, dtype=torch.float16)
v = torch.full((2, 64), 64.0, dtype=torch.float16)
score = 512 * 512 * 64 / 64**0.5
by_hand = torch.softmax(q @ q.mT / 64**0.5, dim=-1) @ v
ours, weights = attention(q, q, v)
print(f"each score is {score:,.0f}, the largest float16 {torch.finfo(q.dtype).max:,.0f}")
print("by hand:", by_hand[0, 0].item())
print("ours:   ", ours[0, 0].item(), ours.dtype, weights.dtype)
# --8<-- [end:short]

from drift import fact

fact("score", score)
fact("largest", torch.finfo(q.dtype).max)
fact("by_hand_is_nan", bool(by_hand.isnan().all()))
fact("ours", ours[0, 0])
