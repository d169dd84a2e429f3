"""The copy task again from other seeds: how far trained numbers spread by the draw alone."""

# --8<-- [start:seeds]
from attention_src.copy_task import run

free = {}
print("length 16   plain  attention")
for seed in (1, 2):
    for name in ("plain", "attention"):
        free[seed, name] = run(name, 16, seed)[1].free
    print(f"seed {seed}{free[seed, 'plain']:11.3f}{free[seed, 'attention']:11.3f}")
# --8<-- [end:seeds]

from drift import fact, output_tolerance

output_tolerance("seeds", 0.013)  # the spread at this length, measured in copy_16, and one for rounding
fact("beats", all(free[seed, "attention"] - free[seed, "plain"] > 0.5 for seed in (1, 2)))
