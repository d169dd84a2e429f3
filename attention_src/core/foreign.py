"""Parameters of other libraries: who passes one is told what it is called here, and how to convert it.

Masks are the reason: `attn_mask` blocks where it is `True` in one function of PyTorch and where it is `False` in
another, so the bare "unexpected keyword argument" would send half of all readers the wrong way.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_CALLED = "the mask is called blocked here, and its True blocks"
_WEIGHTS = "the weights of every head are always computed"

MASKS: Mapping[str, str] = {
    "attn_mask": f"{_CALLED}. Write blocked=~attn_mask if it is a boolean one for F.scaled_dot_product_attention, "
    "where True takes part; blocked=attn_mask if it is one for nn.MultiheadAttention, where True blocks, too; "
    "blocked=attn_mask == float('-inf') if its numbers were to be added to the scores",
    "mask": f"{_CALLED}. Write blocked=mask if its True blocks, blocked=~mask if its True lets a query look, "
    "blocked=mask == 0 if its 1 does",
    "attention_mask": f"{_CALLED}. For a tokenizer's mask (B, M), whose 1 keeps a key, write "
    "blocked=(attention_mask == 0)[:, None], and [:, None, None] where there are heads",
    "key_padding_mask": f"{_CALLED}, as that of key_padding_mask does. Its (B, M) needs an axis for the queries: "
    "write blocked=key_padding_mask[:, None], and [:, None, None] where there are heads",
    "is_causal": f"{_CALLED}. For is_causal=True write blocked=causal_blocked(N, M, align='top-left'), "
    "with [None] behind it where there is a batch; with a cache of earlier keys align is 'bottom-right'",
    "causal": f"{_CALLED}. Write blocked=causal_blocked(N, M, align=...), with [None] behind it where there is a batch",
    "dropout_p": "nothing is dropped here. Where it must be, write F.dropout(weights, dropout_p) @ v",
    "enable_gqa": "heads are not grouped here. Write k.repeat_interleave(groups, dim=-3), and v likewise",
    "softmax_scale": "it is called scale here, and multiplies, too",
    "need_weights": _WEIGHTS,
    "average_attn_weights": f"{_WEIGHTS}. Write weights.mean(dim=-3) for their average",
    "query": "it is called q here",
    "key": "it is called k here",
    "value": "it is called v here",
}
"""For functions that take a mask: what to write for a name that they do not have, by that name."""


def translated(shared: Mapping[str, str] | None = None, /, **own: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator after which a keyword of another library raises a TypeError that translates it.

    A keyword that the function has is passed on, whatever the tables say; an unknown one without an entry gets
    Python's own TypeError.

    Args:
        shared: What to say, by keyword.
        own: More of it, which comes first.
    """
    words = {**(shared or {}), **own}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        foreign = {name: text for name, text in words.items() if name not in inspect.signature(function).parameters}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name in foreign:
                    raise TypeError(f"{function.__qualname__}() has no {name}: {foreign[name]}")
            return function(*args, **kwargs)

        return call

    return decorate
