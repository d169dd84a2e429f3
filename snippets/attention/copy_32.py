"""The copy task on the longest sequences, with and without attention."""

from attention_src.models.copy_task import run, shifted, sources
from drift import fact

# The spread over twelve runs: four on other vector instructions, eight with first weights moved by their last bit.
# Where they all agree, one answer of the test.
SPREAD = {"plain": (0.018, 0.0077, 0.001), "attention": (0.0042, 0.039, 0.084)}

results = {}
for name, tolerances in SPREAD.items():
    model, results[name] = run(name, length=32)
    for kind, tol in zip(("forced", "free", "whole"), tolerances, strict=True):
        fact(f"{name}.{kind}", getattr(results[name], kind), tol=tol)
fact("beats", results["attention"].free - results["plain"].free > 0.5)

tests = sources(1000, 32)
second = model.looks(tests, shifted(tests))[:, 1:].mean(dim=0)
fact("second_peaks", (second.argmax(dim=-1) == second.new_tensor(range(32))).sum())
fact("second_weight", second.diagonal().mean(), tol=0.008)
