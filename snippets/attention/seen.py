"""How many test sequences the training has seen already, by length."""

# --8<-- [start:seen]
import torch

from attention_src.models.copy_task import BATCH, DIGITS, STEPS, TESTS, build, sources

shares = {}
print("length    possible   share of the test seen in training")
for length in (4, 8, 16, 32):
    torch.manual_seed(0)
    build("attention")  # takes the same random numbers as before a training run
    batches = [sources(BATCH, length) for _ in range(STEPS)]
    trained = set(map(tuple, torch.cat(batches).tolist()))
    tests = sources(TESTS, length).tolist()
    shares[length] = sum(tuple(test) in trained for test in tests) / TESTS
    print(f"{length:6}{DIGITS**length:12.0e}{shares[length]:12.3f}")
# --8<-- [end:seen]

from drift import fact

fact("draws", STEPS * BATCH)
fact("possible_4", DIGITS**4)
for length, share in shares.items():
    fact(f"length_{length}", length)
    fact(f"seen_{length}", share)
