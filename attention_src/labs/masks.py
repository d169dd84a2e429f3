"""Checks of lab 2: the padding mask, the joined mask, and the comparison of each query with itself alone."""

from collections.abc import Callable

from torch import Tensor

from attention_src.labs.gap_task import GAPS, Project
from attention_src.labs.judge import judge
from attention_src.labs.mask_tasks import JOINED, PADDING
from attention_src.labs.verdict import check


@check("padding_mask")
def check_padding_mask(answer: Callable[[Tensor], object], seed: int) -> str:
    """Check a function that makes the padding mask of a batch.

    Args:
        answer: Takes ids, (B, M), in which 0 is padding, wherever it stands.
            It should return a boolean mask, (B, 1, M) or the same for every query, (B, M, M); `True` blocks.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(PADDING, answer, seed)
    return "Every query may look at every real key of its sequence, and at no padding."


@check("joined_mask")
def check_joined_mask(answer: Callable[[Tensor], object], seed: int) -> str:
    """Check a function that joins the padding mask with the causal mask.

    Args:
        answer: Takes ids, (B, M), in which 0 is padding, wherever it stands.
            It should return a boolean mask, (B, M, M); `True` blocks.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(JOINED, answer, seed)
    return "A key is blocked where it is padding or lies in the future, and nowhere else."


@check("gaps")
def check_gaps(answer: Callable[[Tensor, Tensor, Project], object], seed: int) -> str:
    """Check a function that compares each query alone with its rows in a batch.

    The check hands in outputs that are right, and outputs that are spoilt.

    Args:
        answer: Takes ids, (B, M), padded on the right with 0; the output of attention on this batch, (B, M, V);
            and a function from ids, (..., M), to queries, keys and values.
            It should return for each of the B sequences the largest absolute difference between the output at its
            real tokens and the output for the sequence alone: without padding, without a mask.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(GAPS, answer, seed)
    return "It finds a wrong output at any real token, by its size, and leaves padding out."
