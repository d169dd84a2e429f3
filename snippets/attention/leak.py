"""A decoder that is fed its own target by mistake: perfect in training, useless in use."""

# --8<-- [start:leak]
import torch
import torch.nn.functional as F

from attention_src.copy_task import BATCH, START, TESTS, build, shifted, sources

torch.manual_seed(0)
model = build("plain")
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
steps = 200
for _ in range(steps):
    source = sources(BATCH, 16)
    logits = model(source, source)  # should be shifted(source)
    loss = F.cross_entropy(logits.flatten(0, 1), source.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

tests = sources(TESTS, 16)
forced = (model(tests, tests).argmax(dim=-1) == tests).float().mean().item()
free = (model.generate(tests, START) == tests).float().mean().item()
right = (model(tests, shifted(tests)).argmax(dim=-1) == tests).float().mean().item()
print(f"as trained {forced:.2f}   shifted {right:.2f}   free-running {free:.2f}")
# --8<-- [end:leak]

from drift import fact

fact("steps", steps)
fact("forced", forced, tol=1 / tests.numel())
fact("free", free, tol=1 / tests.numel())  # one answer
