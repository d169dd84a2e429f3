"""The copy task again from other seeds: how far trained numbers spread by the draw alone."""

# --8<-- [start:seeds]
from attention_src.models.copy_task import run

leads = []
print("length 16   plain  attention")
for seed in (1, 2):
    _, plain = run("plain", 16, seed)
    _, attention = run("attention", 16, seed)
    leads.append(attention.free - plain.free)
    print(f"seed {seed}{plain.free:11.3f}{attention.free:11.3f}")
# --8<-- [end:seeds]

from drift import fact, output_tolerance

output_tolerance("seeds", 0.016)  # the spread at this length, measured in copy_16, and one for rounding
fact("beats", min(leads) > 0.5)
