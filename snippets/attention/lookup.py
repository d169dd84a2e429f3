"""A dictionary that blends: hard lookup, soft lookup, and the same by a loop."""

# --8<-- [start:hard]
import math

import torch

titles = ("apple pie", "fruit salad", "onion tart", "clear soup")
sugar = [150.0, 40.0, 10.0, 0.0]  # grams
minutes = [45.0, 0.0, 40.0, 20.0]
recipes = torch.tensor([sugar, minutes]).T  # (4, 2)
cookbook = dict(zip(titles, recipes.tolist(), strict=True))
print("apple pie:", cookbook.get("apple pie"))
print("plum cake:", cookbook.get("plum cake"))
# --8<-- [end:hard]

# --8<-- [start:soft]
fruity = sweet = [1.0, 1.0, 0.0, 0.0]
baked = [1.0, 0.0, 1.0, 0.0]
keys = torch.tensor([fruity, sweet, baked]).T  # (4, 3)
query = torch.tensor([1.0, 1.0, 1.0])  # plum cake
scores = keys @ query / math.sqrt(3)
weights = scores.softmax(dim=-1)
blend = weights @ recipes
for title, score, weight in zip(titles, scores, weights, strict=True):
    print(f"{title:12} score {score:.3f}   weight {weight:.3f}")
print(f"plum cake: {blend[0]:.1f} g of sugar, {blend[1]:.1f} minutes")
# --8<-- [end:soft]

# --8<-- [start:loop]
total = sum(math.exp(score) for score in scores.tolist())
mean = [0.0, 0.0]
for score, value in zip(scores.tolist(), recipes.tolist(), strict=True):
    share = math.exp(score) / total
    for column in range(2):
        mean[column] += share * value[column]
same = torch.allclose(blend, torch.tensor(mean))
print(f"loop: {mean[0]:.1f} g, {mean[1]:.1f} minutes; the same: {same}")
# --8<-- [end:loop]

# --8<-- [start:wrong]
row = scores.unsqueeze(0)  # one query: (1, 4)
wrong = row.softmax(dim=0)
total_blend = (wrong @ recipes).squeeze(0)
print("weights:", wrong.squeeze(0).tolist())
print(f"plum cake: {total_blend[0]:.1f} g of sugar, {total_blend[1]:.1f} minutes")
inside = bool((total_blend <= recipes.amax(dim=0)).all())
print("inside the range of the values:", inside)
# --8<-- [end:wrong]

from drift import fact

for title, weight in zip(titles, weights, strict=True):
    if title in ("apple pie", "clear soup"):
        fact(f"weight.{title.replace(' ', '_')}", weight)
fact("sugar", blend[0])
fact("minutes", blend[1])
fact("same", same)
fact("wrong_weight", wrong[0, 0])
fact("wrong_sugar", total_blend[0])
fact("wrong_inside", inside)
