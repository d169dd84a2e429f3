"""The copy task: its sequences, what the decoder is fed, and the sizes of the models."""

# --8<-- [start:example]
import torch

from attention_src.copy_task import shifted, sources

torch.manual_seed(0)
source = sources(1, 8)
print("encoder reads ", *source[0].tolist())
print("decoder reads", *shifted(source)[0].tolist())
print("should write  ", *source[0].tolist())
# --8<-- [end:example]

# --8<-- [start:settings]
from attention_src import copy_task

print("digits", copy_task.DIGITS, "  symbols", copy_task.SYMBOLS, "  start", copy_task.START)
print("width", copy_task.WIDTH, "  steps", copy_task.STEPS, "  batch", copy_task.BATCH, "  tests", copy_task.TESTS)
print("learning rate", copy_task.LEARNING_RATE, "  gradient norm at most", copy_task.LARGEST_NORM)
for name in copy_task.MODELS:
    weights = sum(parameter.numel() for parameter in copy_task.build(name).parameters())
    print(f"{name:10}{weights:7,} weights")
# --8<-- [end:settings]

from drift import fact

fact("example_length", source.shape[1])
for setting in ("SYMBOLS", "START", "WIDTH", "STEPS", "BATCH", "TESTS", "LEARNING_RATE", "LARGEST_NORM", "DIGITS"):
    fact(setting.lower(), getattr(copy_task, setting))
for name in copy_task.MODELS:
    fact(f"weights.{name}", sum(parameter.numel() for parameter in copy_task.build(name).parameters()))
