"""Checks for lab 3: the mean over real tokens, the reversal of real tokens, and the classifier's forward pass."""

from collections.abc import Callable

from torch import Tensor, nn

from attention_src.labs.forward_task import judge_forward, judge_layers
from attention_src.labs.judge import judge
from attention_src.labs.order_tasks import MEAN, REVERSAL
from attention_src.labs.verdict import check
from attention_src.models.classifier import KINDS


@check("masked_mean")
def check_masked_mean(answer: Callable[[Tensor, Tensor], object], seed: int) -> str:
    """Check a mean over the real tokens.

    Args:
        answer: From vectors (B, N, V) and ids (B, N) to means (B, V).
            What it gives for a query without real tokens is left to it.
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(MEAN, answer, seed)
    return "Only real tokens count, and each query is divided by its own number of them."


@check("reverse_real")
def check_reverse_real(answer: Callable[[Tensor], object], seed: int) -> str:
    """Check a reversal of the real tokens that leaves the padding in place.

    Args:
        answer: From ids (B, N), padded with 0 on the right, to ids (B, N).
        seed: For inputs that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    judge(REVERSAL, answer, seed)
    return "Each query is read from its own last token to its first, and its padding stays where it was."


@check("forward")
def check_forward(answer: Callable[[int, int, str, int], nn.Module], seed: int) -> str:
    """Check the forward pass of the classifier in its three configurations.

    Args:
        answer: The class: from rows of the embedding, number of intents, one of `KINDS` and a width to a module
            with the layers of `attention_src.models.classifier.Classifier` under the same names, drawn in the same
            order.
        seed: For weights and queries that nobody knew before.

    Returns:
        A verdict that names the property which broke.
    """
    for kind in KINDS:
        judge_forward(kind, answer, seed)
    judge_layers(answer)
    return "All three configurations agree with the reference, and the gradient reaches every layer."
