"""Checks for lab 4: one look at the encoder's states, and three shares of a copy.

The check of the loop that writes freely is in `attention_src.labs.copy_loop`.
"""

from collections.abc import Callable

from torch import Tensor

from attention_src.labs.judge import judge
from attention_src.labs.look_task import LOOK
from attention_src.labs.shares_task import SHARES
from attention_src.labs.verdict import check


@check("look")
def check_look(answer: Callable[[Tensor, Tensor], object], seed: int) -> str:
    """Judge one look of a decoder at the encoder's states.

    Args:
        answer: From the memory (B, M, W) and the decoder's states (B, W) to contexts (B, W) and the weights of the
            encoder's states, (B, M).
        seed: For inputs that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(LOOK, answer, seed)
    return "The weights of a sequence sum to one, the context is the sum they weigh, and gradients reach both inputs."


@check("shares")
def check_shares(answer: Callable[[Tensor, Tensor, Tensor], object], seed: int) -> str:
    """Judge the three shares that say how well a decoder copies.

    Args:
        answer: From the symbols written with teacher forcing, those written freely and the source, all (B, N), to
            the share of right symbols of the first, that of the second, and the share of sequences that the second
            has without any error.
        seed: For inputs that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(SHARES, answer, seed)
    return "Two shares of symbols and one of whole sequences, each of the answers it belongs to."
