"""The decoder that sees the plain mean of all states instead of choosing: what the choice is worth."""

# --8<-- [start:mean]
from attention_src.models.copy_task import run

free = {}
print("length   mean instead of attention")
for length in (4, 8, 16, 32):
    _, result = run("mean", length)
    free[length] = result.free
    print(f"{length:6}{free[length]:12.3f}")
# --8<-- [end:mean]

from drift import fact, output_tolerance

# The spread over nine runs: four on other vector instructions, five with first weights moved by their last bit.
SPREAD = {4: 0.043, 8: 0.02, 16: 0.019, 32: 0.0061}

for length, tol in SPREAD.items():
    fact(f"free_{length}", free[length], tol=tol)
output_tolerance("mean", 0.044)  # the largest of them, and one in the last digit for rounding
fact("below_half", max(free[16], free[32]) < 0.5)
