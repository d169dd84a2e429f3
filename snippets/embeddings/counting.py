"""Word vectors from counts alone: co-occurrence, PPMI, SVD, and what they can and cannot do."""

# --8<-- [start:corpus]
templates = {
    "the {} wore a crown and he ruled the kingdom": "king prince",
    "the {} wore a crown and she ruled the kingdom": "queen princess",
    "the {} went to the market and he sold bread": "man boy",
    "the {} went to the market and she sold bread": "woman girl",
    "we sat on the {} of the river near the water": "bank",
    "she kept her money at the {} to get a loan": "bank",
}


def fill(copies):
    sentences = []
    for text, words in templates.items():
        for word in words.split():
            sentences += [text.format(word).split()] * copies
    return sentences


copies = 20
sentences = fill(copies)
tokens = [word for sentence in sentences for word in sentence]
vocabulary = sorted(set(tokens))
print(f"{copies} copies: {len(sentences)} sentences,", end=" ")
print(f"{len(tokens):,} tokens, {len(vocabulary)} words")
# --8<-- [end:corpus]

# --8<-- [start:count]
from collections import Counter

import torch


def count(sentences, window):
    pairs = Counter()
    for sentence in sentences:
        for here, word in enumerate(sentence):
            for there, other in enumerate(sentence):
                if 0 < abs(here - there) <= window:
                    pairs[word, other] += 1
    table = [[pairs[word, other] for other in vocabulary] for word in vocabulary]
    return torch.tensor(table, dtype=torch.float64)


window = 6
counts = count(sentences, window)
index = {word: number for number, word in enumerate(vocabulary)}
print(f"window {window}: {int(counts.sum()):,} pairs, table {tuple(counts.shape)}")
for word in ("king", "queen", "man"):
    near = counts[index[word]].tolist()
    company = [other for other, times in zip(vocabulary, near, strict=True) if times]
    print(f"{word:6}{' '.join(company)}")
# --8<-- [end:count]

from attention_src.figures import GRID, INK, SERIES, heat_map, new_figure, save
from drift import artifact, fact

fact("copies", copies)
fact("sentences", len(sentences))
fact("tokens", len(tokens))
fact("words", len(vocabulary))
fact("window", window)
fact("pairs", int(counts.sum()))


# --8<-- [start:ppmi]
def ppmi(counts):
    joint = counts / counts.sum()
    apart = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0)
    return (joint / apart).log().clamp(min=0)  # log 0 is -inf, and becomes 0


strength = ppmi(counts)
for other in ("the", "crown", "bread"):
    pair = index["king"], index[other]
    print(f"king, {other:6} counted {counts[pair]:2.0f}   PPMI {strength[pair]:.3f}")
# --8<-- [end:ppmi]

fact("count.the", int(counts[index["king"], index["the"]]))
for other in ("the", "crown", "bread"):
    pair = index["king"], index[other]
    fact(f"ppmi.{other}", strength[pair])


# --8<-- [start:svd]
def embed(strength, dimensions):
    u, s, _ = torch.linalg.svd(strength)
    vectors = u[:, :dimensions] * s[:dimensions].sqrt()
    return vectors / vectors.norm(dim=1, keepdim=True)


dimensions = 8
vectors = embed(strength, dimensions)
singular = torch.linalg.svdvals(strength)
print("table", tuple(strength.shape))
print(f"{dimensions} dimensions kept, vectors {tuple(vectors.shape)}")
print(f"singular values 8 and 9: {singular[7]:.3f} and {singular[8]:.3f}")
# --8<-- [end:svd]

fact("dimensions", dimensions)
fact("singular.8", singular[7])
fact("singular.9", singular[8])

# --8<-- [start:cosine]
vector = dict(zip(vocabulary, vectors, strict=True))
cosine = {other: (vector["king"] @ vector[other]).item() for other in vocabulary}
for other in ("bread", "woman", "queen", "prince"):
    print(f"king, {other:7}{cosine[other]:.3f}")
# --8<-- [end:cosine]

for other in ("bread", "woman", "queen", "prince"):
    fact(f"king.{other}", cosine[other])

# --8<-- [start:rank]
small_words = "a and at get he her kept near of on sat she the to we went"
stop = set(small_words.split())
first_seen = list(dict.fromkeys(tokens))


def rank(query, vectors, left_out):
    scores = dict(zip(vocabulary, (vectors @ query).tolist(), strict=True))
    words = [word for word in first_seen if word not in stop | left_out]
    rounded = [(round(scores[word], 9), word) for word in words]
    return sorted(rounded, key=lambda pair: -pair[0])  # equal scores stay in order


target = vector["king"] - vector["man"] + vector["woman"]
for score, word in rank(target, vectors, {"king", "man", "woman"})[:3]:
    print(f"{word:10}{score:.5f}")
# --8<-- [end:rank]

answer = rank(target, vectors, {"king", "man", "woman"})[:3]
for place, (score, word) in enumerate(answer, start=1):
    fact(f"analogy.{place}.word", word)
    if place != 2:
        fact(f"analogy.{place}.score", score)

# --8<-- [start:tie]
five = rank(target, vectors, set())[:5]
for score, word in five:
    print(f"{word:10}{score:.5f}")

same_company = torch.equal(counts[index["queen"]], counts[index["princess"]])
lead = five[0][0] - five[2][0]
print("queen and princess keep the same company:", same_company)
print(f"lead over kingdom: {lead:.4f}")
alphabetical = min(word for score, word in five if score == five[0][0])
print("first by the alphabet:", alphabetical)
# --8<-- [end:tie]

fact("tie.same_company", same_company)
fact("tie.lead", lead)
fact("tie.king", {word: score for score, word in five}["king"])
fact("tie.first_by_alphabet", alphabetical)

# --8<-- [start:offset]
royal = vector["queen"] - vector["king"]
common = vector["woman"] - vector["man"]
agreement = royal @ common / (royal.norm() * common.norm())
print(f"queen - king: length {royal.norm():.3f}")
print(f"woman - man:  length {common.norm():.3f}")
print(f"cosine of the two: {agreement:.3f}")
# --8<-- [end:offset]

fact("offset.royal", royal.norm())
fact("offset.common", common.norm())
fact("offset.cosine", agreement)


# --8<-- [start:settings]
def analogy(window, dimensions):
    vectors = embed(ppmi(count(sentences, window)), dimensions)
    king, man, woman = (vectors[index[word]] for word in ("king", "man", "woman"))
    ranking = rank(king - man + woman, vectors, {"king", "man", "woman"})
    first = [word for score, word in ranking if score == ranking[0][0]]
    scores = {word: score for score, word in ranking}
    queen = scores.pop("queen")
    del scores["princess"]
    return ", ".join(first), round(queen - max(scores.values()), 4) + 0.0  # no -0.0


settings = [(window, 8) for window in range(1, 9)]
settings += [(6, dimensions) for dimensions in (2, 3, 4, 12, 16)]
found = {setting: analogy(*setting) for setting in settings}
print("window  dimensions  queen's lead  first")
for (window, dimensions), (first, lead) in found.items():
    print(f"{window:6}{dimensions:12}{lead:14.4f}  {first}")
# --8<-- [end:settings]

won = {setting for setting, (first, _) in found.items() if first == "queen, princess"}
fact("settings.tried", len(found))
fact("settings.won", len(won))
fact("settings.narrowest", min(window for window, dimensions in won if dimensions == 8))
fact("settings.behind_5", -found[5, 8][1])
fact("settings.lead_6", found[6, 8][1])
fact("settings.dimensions_2", found[6, 2][0])
fact("settings.dimensions_3", found[6, 3][0])
fact("settings.dimensions_4", found[6, 4][0])
fact("settings.lead_16", found[6, 16][1])

# --8<-- [start:reach]
reached = {}
for window in (4, 5, 6):
    near = count(sentences, window)
    for one, other in (("king", "queen"), ("man", "woman")):
        told_apart = not torch.equal(near[index[one]], near[index[other]])
        reached[window, one] = told_apart
        print(f"window {window}: {one} and {other} told apart: {told_apart}")
# --8<-- [end:reach]

for (window, one), told_apart in reached.items():
    fact(f"reach.{one}_{window}", told_apart)

# --8<-- [start:bank]
neighbours = rank(vector["bank"], vectors, {"bank"})[:8]
for place, (score, word) in enumerate(neighbours, start=1):
    print(f"{place} {word:8}{score:6.3f}")
# --8<-- [end:bank]

for place, (score, word) in enumerate(neighbours, start=1):
    if place in (1, 2, 3, 4, 5, 8):
        fact(f"bank.{place}.word", word)
    if place <= 5:
        fact(f"bank.{place}.score", score)
fact("bank.three_negative", all(score < 0 for score, _ in neighbours[5:]))

# --8<-- [start:copies]
once = ppmi(count(fill(1), 6))
print("same PPMI from one copy of each sentence:", torch.equal(once, strength))
# --8<-- [end:copies]

fact("copies_change_nothing", torch.equal(once, strength))

# The opening picture: what a code and what a counted vector say about five words.
shown = ["king", "queen", "man", "woman", "bread"]
rows = torch.stack([vector[word] for word in shown])
similarity = (rows @ rows.T).round(decimals=2).tolist()
figure, panels = new_figure(2.3, columns=2)
for axes, table, title in ((panels[0], torch.eye(5).tolist(), "one-hot"), (panels[1], similarity, "counted")):
    heat_map(axes, table, shown, shown)
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_title(title, fontsize=9)
panels[1].set_yticklabels([])
save(figure, artifact("similarity.svg"))
fact("man.bread", similarity[2][4])

# Five bars that look alike, and the same five under a magnifying glass.
figure, panels = new_figure(2.2, columns=2)
names = [word for _, word in five]
scores = [round(score, 5) for score, _ in five]
colours = [SERIES[0] if word in ("queen", "princess") else GRID for word in names]
panels[0].barh(range(5), scores, color=colours, height=0.6)
panels[0].set(xlim=(0, 1.05), xticks=[0, 0.5, 1], title="from zero")
panels[1].scatter(scores, range(5), color=colours)
for y, score in enumerate(scores):
    panels[1].text(score - 0.0004, y, f"{score:.5f}", ha="right", va="center")
panels[1].set(xlim=(0.9620, 0.9685), xticks=[0.964, 0.968], title="magnified")
for axes in panels:
    axes.set(ylim=(4.6, -0.6), yticks=range(5), yticklabels=names)
    axes.title.set_fontsize(9)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
panels[1].set_yticklabels([])
save(figure, artifact("analogy.svg"))

# The neighbours of bank, told apart by colour and by the word beside the bar.
sense = {"river": "water", "water": "water", "money": "finance", "loan": "finance"}
colour = {"water": SERIES[2], "finance": SERIES[1], "noise": GRID}
figure, (axes,) = new_figure(2.6)
for y, (score, word) in enumerate(neighbours):
    kind = sense.get(word, "noise")
    axes.barh(y, round(score, 3), color=colour[kind], height=0.6)
    axes.text(max(score, 0) + 0.01, y, f"{score:.3f}  {kind}", va="center")
axes.axvline(0, color=INK, linewidth=0.8)
axes.set(xlim=(-0.06, 0.75), ylim=(7.6, -0.6), yticks=range(8), yticklabels=[word for _, word in neighbours])
axes.set(xlabel="cosine with bank", xticks=[0, 0.2, 0.4, 0.6])
axes.tick_params(axis="y", length=0, labelcolor=INK)
save(figure, artifact("bank.svg"))
