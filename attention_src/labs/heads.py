"""Checks for lab 5: cutting the width into heads, joining them, and reading PyTorch's packed parameters.

The check of the whole layer is in `attention_src.labs.heads_layer`.
"""

from collections.abc import Callable

from torch import Tensor, nn

from attention_src.labs.heads_task import JOIN, SPLIT, UNPACK
from attention_src.labs.judge import judge
from attention_src.labs.verdict import check


@check("split_heads")
def check_split_heads(answer: Callable[[Tensor, int], object], seed: int) -> str:
    """Judge the cut of the width into heads.

    Args:
        answer: From tokens (B, N, d) and the number of heads H to (B, H, N, d/H).
        seed: For inputs that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(SPLIT, answer, seed)
    return "Every head has its own run of columns of every token, for one head and for heads of one column too."


@check("join_heads")
def check_join_heads(answer: Callable[[Tensor], object], seed: int) -> str:
    """Judge how heads are put side by side again.

    Args:
        answer: From heads (B, H, N, D) to tokens (B, N, H * D).
        seed: For inputs that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(JOIN, answer, seed)
    return "Every token has its heads side by side, in order, none averaged."


@check("unpack")
def check_unpack(answer: Callable[[nn.MultiheadAttention], object], seed: int) -> str:
    """Judge how the parameters of PyTorch's layer are read.

    Args:
        answer: From an `nn.MultiheadAttention` of width d with biases to a dict with a weight (d, d) and a bias (d,)
            for each of query, key, value and output, called `query.weight`, `query.bias` and so on.
        seed: For parameters that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(UNPACK, answer, seed)
    return "Four weights and four biases, each under its own name."
