"""The copy task on the shortest sequences, with and without attention."""

from attention_src.models.copy_task import run
from drift import fact

# The spread over twelve runs: four on other vector instructions, eight with first weights moved by their last bit.
# Where they all agree, one answer of the test.
SPREAD = {"plain": (0.0048, 0.007, 0.019), "attention": (0.00025, 0.00025, 0.001)}

for name, tolerances in SPREAD.items():
    _, result = run(name, length=4)
    for kind, tol in zip(("forced", "free", "whole"), tolerances, strict=True):
        fact(f"{name}.{kind}", getattr(result, kind), tol=tol)
