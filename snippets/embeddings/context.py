"""One untrained layer of attention, and which word of the sentence moves `bank`."""

# --8<-- [start:draw]
import torch

torch.manual_seed(0)
width, factor = 6, 0.7
words = ["the", "river", "money", "bank", "was", "deep", "closed"]
vector = {word: torch.randn(width) for word in words}
w_q, w_k, w_v = (torch.randn(width, width) * factor for _ in range(3))


def attend(sentence):
    x = torch.stack([vector[word] for word in sentence.split()])
    scores = (x @ w_q) @ (x @ w_k).mT / width**0.5
    weights = scores.softmax(dim=-1)
    return weights @ (x @ w_v), weights


print(f"7 words of width {width}; projections: normal numbers times {factor}")
# --8<-- [end:draw]

from attention_src.figures import heat_map, new_figure, save
from drift import artifact, fact

# --8<-- [start:two]
by_river = attend("the river bank was deep")[0][2]
by_money = attend("the money bank was closed")[0][2]
rows = {"static": vector["bank"], "river": by_river, "money": by_money}
for name, row in rows.items():
    print(f"{name:7}", " ".join(f"{number:5.2f}" for number in row))

static = torch.dist(vector["bank"], vector["bank"])
contextual = torch.dist(by_river, by_money)
print(f"distance of the two static vectors:  {static:.0f}")
print(f"distance of the two output vectors: {contextual:.3f}")
# --8<-- [end:two]

fact("static", static)
fact("distance", contextual)

# --8<-- [start:one]
moved, looked_at = {}, {}
print("sentence                    on noun  on last  moved by")
for last in ("deep", "closed"):
    for noun in ("river", "money"):
        sentence = f"the {noun} bank was {last}"
        output, weights = attend(sentence)
        moved[noun, last] = torch.dist(output[2], by_river).item()
        looked_at[noun, last] = weights[2].tolist()
        _, on_noun, _, _, on_last = looked_at[noun, last]
        row = f"{on_noun:8.3f}{on_last:9.3f}{moved[noun, last]:10.3f}"
        print(f"{sentence:27}{row}")
# --8<-- [end:one]

fact("one.noun", moved["money", "deep"])
fact("one.last", moved["river", "closed"])
fact("one.both", moved["money", "closed"])
fact("weight.closed", looked_at["money", "closed"][4])
fact("weight.money", looked_at["money", "closed"][1])
fact("weight.money_deep", looked_at["money", "deep"][1])
fact("weight.river_closed", looked_at["river", "closed"][4])
fact("weight.was", looked_at["river", "deep"][3])

# --8<-- [start:draws]
draws, noun_wins = 1000, 0
for _ in range(draws):
    vector = {word: torch.randn(width) for word in words}
    w_q, w_k, w_v = (torch.randn(width, width) * factor for _ in range(3))
    start = attend("the river bank was deep")[0][2]
    noun = torch.dist(attend("the money bank was deep")[0][2], start)
    last = torch.dist(attend("the river bank was closed")[0][2], start)
    noun_wins += (noun > last).item()
print(f"{noun_wins / draws:.3f} of {draws:,} draws: the noun moves bank further")
# --8<-- [end:draws]

fact("draws", draws)
fact("noun_wins", noun_wins / draws)

figure, (axes,) = new_figure(1.9)
names = [f"{noun} … {last}" for noun, last in looked_at]
heat_map(axes, list(looked_at.values()), names, ["the", "noun", "bank", "was", "last word"])
save(figure, artifact("weights.svg"))
