"""Right answers pass whatever the inputs are: every style of them, over two hundred seeds for each task."""

import importlib.util
from pathlib import Path

import pytest
import torch

from attention_src.labs import loops
from attention_src.labs.copy_loop import LOOP, watching
from attention_src.labs.forward_task import as_function, forward_task
from attention_src.labs.gap_task import GAPS
from attention_src.labs.heads_task import JOIN, SPLIT, UNPACK
from attention_src.labs.judge import judge_new
from attention_src.labs.layer_task import LAYER
from attention_src.labs.look_task import LOOK
from attention_src.labs.mask_tasks import JOINED, PADDING
from attention_src.labs.masks import check_padding_mask
from attention_src.labs.order_tasks import MEAN, REVERSAL
from attention_src.labs.shares_task import SHARES
from attention_src.models.classifier import KINDS

SEEDS = 200


def styles(file):
    """The right answers of the tests beside this one."""
    path = Path(__file__).with_name(f"{file}.py")
    spec = importlib.util.spec_from_file_location(f"right_{file}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOOPS, MASKS, ORDER = styles("test_loops"), styles("test_masks"), styles("test_order")
COPY, HEADS = styles("test_copy_task"), styles("test_heads")
TASKS = {
    "row_weights": (loops.WEIGHTS, LOOPS.RIGHT_WEIGHTS),
    "mix": (loops.MIX, LOOPS.RIGHT_MIXES),
    "largest_weights": (loops.LARGEST, LOOPS.RIGHT_LARGEST),
    "padding_mask": (PADDING, list(MASKS.RIGHT_PADDING.values())),
    "joined_mask": (JOINED, MASKS.RIGHT_JOINED),
    "gaps": (GAPS, MASKS.RIGHT_GAPS),
    "masked_mean": (MEAN, ORDER.RIGHT_MEANS),
    "reverse_real": (REVERSAL, ORDER.RIGHT_REVERSALS),
    "look": (LOOK, COPY.RIGHT_LOOKS),
    "write_freely": (LOOP, [watching(answer) for answer in COPY.RIGHT_LOOPS]),
    "shares": (SHARES, COPY.RIGHT_SHARES),
    "split_heads": (SPLIT, HEADS.RIGHT_SPLITS),
    "join_heads": (JOIN, HEADS.RIGHT_JOINS),
    "unpack": (UNPACK, HEADS.RIGHT_UNPACKS),
    "multi_head": (LAYER, HEADS.RIGHT_LAYERS),
    **{
        f"forward, {kind}": (forward_task(kind), [as_function(kind, answer) for answer in ORDER.RIGHT_CLASSES])
        for kind in KINDS
    },
}


@pytest.fixture(autouse=True)
def one_thread():
    """Small inputs; a check does the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_right_answers_pass_on_any_inputs(name):
    """The styles take turns, so each meets many seeds."""
    task, answers = TASKS[name]
    assert len(answers) >= 2
    for seed in range(SEEDS):
        judge_new(task, answers[seed % len(answers)], seed)


def test_replayed_answers_are_found_by_the_new_inputs():
    """An answer that knows what is always asked gives itself away, and the verdict has the seed."""
    known = {}

    def record(ids):
        return known.setdefault(str(ids.tolist()), (ids == 0)[:, None])

    assert check_padding_mask(record, seed=5)

    def replay(ids):
        return known.get(str(ids.tolist()), torch.zeros(len(ids), 1, ids.shape[1], dtype=torch.bool))

    verdict = check_padding_mask(replay, seed=6)
    assert not verdict
    assert "right on the inputs that are always tried, and wrong on new ones, drawn from seed 6" in verdict.message
