"""The check of lab 5 that judges a whole layer: first its weights, then what it makes of them."""

from collections.abc import Callable

from torch import Tensor

from attention_src.labs.judge import judge
from attention_src.labs.layer_task import LAYER
from attention_src.labs.verdict import check

Parameters = dict[str, Tensor]
LayerAnswer = Callable[[Tensor, Tensor, Tensor, Parameters, int, Tensor | None], object]


@check("multi_head")
def check_multi_head(answer: LayerAnswer, seed: int) -> str:
    """Judge multi-head attention as a function of its parameters.

    Args:
        answer: From queries (B, N, d), keys and values (B, M, d), a dict of parameters as `unpack` returns it, the
            number of heads H and a boolean mask that broadcasts to (B, H, N, M), `True` where a key is blocked, or
            None, to the output (B, N, d) and the weights of each head, (B, H, N, M).
            Every query has a key that is not blocked.
        seed: For inputs that nobody knew before.

    Returns:
        The verdict; when the answer is wrong, it names the property that broke.
    """
    judge(LAYER, answer, seed)
    return "Weights and output are right with and without a mask, and gradients reach all projections."
