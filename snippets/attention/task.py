"""The copy task: its sequences, what the decoder is fed, and the sizes of the models."""

# --8<-- [start:example]
import torch

from attention_src.models.copy_task import shifted, sources

torch.manual_seed(0)
source = sources(1, 8)
print("encoder reads ", *source[0].tolist())
print("decoder reads", *shifted(source)[0].tolist())
print("should write  ", *source[0].tolist())
# --8<-- [end:example]

# --8<-- [start:settings]
from attention_src.models import copy_task

sizes = ("DIGITS", "SYMBOLS", "START", "WIDTH", "STEPS", "BATCH", "TESTS")
for name in (*sizes, "LEARNING_RATE", "LARGEST_NORM"):
    print(f"{name:14}{getattr(copy_task, name):>7}")
for name in copy_task.MODELS:
    parameters = copy_task.build(name).parameters()
    print(f"{name:14}{sum(weight.numel() for weight in parameters):>7,} weights")
# --8<-- [end:settings]

from drift import fact

fact("example_length", source.shape[1])
for name in (*sizes, "LEARNING_RATE", "LARGEST_NORM"):
    fact(name.lower(), getattr(copy_task, name))
for name in copy_task.MODELS:
    fact(f"weights.{name}", sum(weight.numel() for weight in copy_task.build(name).parameters()))
