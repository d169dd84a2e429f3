"""Dog bites man, man bites dog: the same vector for bites, until positions are added."""

# --8<-- [start:same]
import torch

torch.manual_seed(0)
width, factor = 6, 0.5
dog, bites, man = (torch.randn(width) for _ in range(3))
w_q, w_k, w_v = (torch.randn(width, width) * factor for _ in range(3))


def attend(x):
    scores = (x @ w_q) @ (x @ w_k).mT / width**0.5
    return scores.softmax(dim=-1) @ (x @ w_v)


dog_first = torch.stack([dog, bites, man])
man_first = torch.stack([man, bites, dog])

print(f"projections: normal numbers times {factor}")
for name, x in (("dog bites man", dog_first), ("man bites dog", man_first)):
    print(f"{name}:", " ".join(f"{number:6.3f}" for number in attend(x)[1]))
same = torch.allclose(attend(dog_first)[1], attend(man_first)[1], atol=1e-6)
print("same vector for bites:", same)
# --8<-- [end:same]

from drift import fact

fact("same", same)

# --8<-- [start:positions]
position = torch.randn(3, width)
with_dog_first = attend(dog_first + position)
with_man_first = attend(man_first + position)

still_same = torch.allclose(with_dog_first[1], with_man_first[1], atol=1e-6)
print("same vector for bites:", still_same)
for word, before, after in (("dog", 0, 2), ("bites", 1, 1), ("man", 2, 0)):
    distance = torch.dist(with_dog_first[before], with_man_first[after])
    print(f"{word:6}place {before}, then {after}: distance {distance:.3f}")
# --8<-- [end:positions]

fact("still_same", still_same)
fact("distance.bites", torch.dist(with_dog_first[1], with_man_first[1]), tol=3e-7)
fact("distance.man", torch.dist(with_dog_first[2], with_man_first[0]))

# --8<-- [start:loose]
loose = torch.allclose(with_dog_first[1], with_man_first[1], atol=0.1)
print("same with a tolerance of 0.1:", loose)
# --8<-- [end:loose]

fact("loose", loose)

# --8<-- [start:gru]
gru = torch.nn.GRU(width, width)
forward, _ = gru(dog_first)
backward, _ = gru(man_first)
gru_same = torch.allclose(forward[1], backward[1], atol=1e-6)
print("same vector for bites:", gru_same)
# --8<-- [end:gru]

fact("gru_same", gru_same)
