"""What a notebook with PyTorch does before it trains: one thread, and a line that says how far a training is."""

from __future__ import annotations

SETUP = '''\
import os
import sys
import time

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

# One thread, as where the outputs were recorded. More bring nothing at sizes like these,
# and on a busy machine a training takes ten times as long with them.
torch.set_num_threads(1)


class Progress:
    """Shows below a cell how many steps of training it has made, where somebody looks on."""

    def begin(self, *_):
        self.steps, self.start, self.line = 0, time.monotonic(), None
        self.shown = self.start

    def step(self, *_):
        self.steps += 1
        if time.monotonic() - self.shown > 1:
            self.show("so far")

    def show(self, how):
        self.shown = time.monotonic()
        text = f"{self.steps:,} steps of training {how}, {self.shown - self.start:.0f} seconds"
        if self.line is None:
            self.line = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self.line.update({"text/plain": text}, raw=True)

    def end(self, *_):
        if self.line is not None:
            self.show("in all")


# Jupyter, Colab and Visual Studio Code say that they are there; what runs a notebook unseen says nothing.
looked_at = "JPY_SESSION_NAME" in os.environ or "google.colab" in sys.modules or "__vsc_ipynb_file__" in globals()
if looked_at and "progress" not in globals():
    progress = Progress()
    progress.begin()
    get_ipython().events.register("pre_run_cell", progress.begin)
    get_ipython().events.register("post_run_cell", progress.end)
    register_optimizer_step_post_hook(progress.step)'''
