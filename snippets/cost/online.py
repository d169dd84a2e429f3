"""A softmax average taken in blocks, right and wrong."""

# --8<-- [start:overflow]
import math

try:
    math.exp(1000.0)
except OverflowError as error:
    print("without the largest score:", error)
# --8<-- [end:overflow]

# --8<-- [start:row]
scores = [1.0, 3.0, 2.0, 5.0, 4.0]
values = [10.0, 20.0, 30.0, 40.0, 50.0]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


top, total, mixed = -math.inf, 0.0, 0.0
steps = []
for start in (0, 2, 4):
    part = scores[start : start + 2]
    higher = max(top, *part)
    shrink = math.exp(top - higher)
    powers = [math.exp(score - higher) for score in part]
    total = shrink * total + sum(powers)
    mixed = shrink * mixed + dot(powers, values[start : start + 2])
    top = higher
    steps.append((top, shrink))
    print(f"{part!s:11} largest {top}, shrink {shrink:.4f}", end=", ")
    print(f"total {total:.4f}, so far {mixed / total:.4f}")
# --8<-- [end:row]

# --8<-- [start:whole]
powers = [math.exp(score - max(scores)) for score in scores]
at_once = dot(powers, values) / sum(powers)
same = math.isclose(mixed / total, at_once, rel_tol=1e-12)
print(f"all at once {at_once:.4f}, the same: {same}")
# --8<-- [end:whole]


# --8<-- [start:wrong]
def forgets_to_shrink(scores, values, block):
    top, total, mixed = -math.inf, 0.0, 0.0
    for start in range(0, len(scores), block):
        part = scores[start : start + block]
        top = max(top, *part)
        powers = [math.exp(score - top) for score in part]
        total += sum(powers)
        mixed += dot(powers, values[start : start + block])
    return mixed / total


def averages_the_blocks(scores, values, block):
    means = []
    for start in range(0, len(scores), block):
        powers = [math.exp(score) for score in scores[start : start + block]]
        means.append(dot(powers, values[start : start + block]) / sum(powers))
    return sum(means) / len(means)


falling = sorted(zip(scores, values, strict=True), reverse=True)
falling_scores, falling_values = ([pair[i] for pair in falling] for i in (0, 1))
orders = {"as above": (scores, values), "largest first": (falling_scores, falling_values)}
found = {}
print("block  order          forgets to shrink  averages the blocks")
for block in (2, 5):
    for order, row in orders.items():
        forgot = forgets_to_shrink(*row, block)
        averaged = averages_the_blocks(*row, block)
        found[block, order] = forgot, averaged
        print(f"{block:5}  {order:14}{forgot:18.4f}{averaged:21.4f}")
# --8<-- [end:wrong]

from drift import fact

fact("second_shrink", steps[1][1])
fact("second_top", steps[1][0])
fact("first_top", steps[0][0])
fact("last_shrink", steps[2][1])
fact("result", mixed / total)
fact("same", same)
fact("forgot", found[2, "as above"][0])
fact("averaged", found[2, "as above"][1])
fact("forgot_falling", found[2, "largest first"][0])
fact("averaged_falling", found[2, "largest first"][1])
fact("one_block_hides_both", all(math.isclose(x, at_once) for x in found[5, "as above"]))
