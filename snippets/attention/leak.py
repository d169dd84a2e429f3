"""A decoder that is fed its own target by mistake: perfect in training, useless in use."""

# --8<-- [start:leak]
import torch
import torch.nn.functional as F

from attention_src.models.copy_task import BATCH, START, TESTS, build, shifted, sources

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
written = {
    "forced, as trained": model(tests, tests).argmax(dim=-1),
    "forced, shifted": model(tests, shifted(tests)).argmax(dim=-1),
    "free-running": model.generate(tests, START),
}
share = {name: (digits == tests).float().mean().item() for name, digits in written.items()}
for name, right in share.items():
    print(f"{name:20}{right:.2f}")
# --8<-- [end:leak]

from drift import fact

fact("steps", steps)
fact("forced", share["forced, as trained"], tol=1 / tests.numel())
fact("free", share["free-running"], tol=1 / tests.numel())  # one answer
