"""Attention in PyTorch as a few pure functions, each short enough to read in one sitting.

Shapes use one alphabet: `B` batch, `H` heads, `N` queries, `M` keys, `D` key width, `V` value width.
Three dots stand for any leading axes, such as `B` or `B, H`.
A mask is called `blocked`: `True` means that the query may not look at the key.
"""

# Names load on first use (PEP 562), so a script that needs only the masks imports only their module, and
# an edit to another module does not count as a change to that script.
#
# No module may share a name with something exported here: importing a submodule sets an attribute of the
# package, and `from attention_src import scores` would then give the module or the function, depending on
# what was imported before. That is why `scores` lives in `scoring` and `weights` in `softmax`.

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_src.banking77 import has_banking77, load_banking77
    from attention_src.blockwise import blockwise_attention
    from attention_src.dot_product import attention
    from attention_src.masks import Align, causal_blocked, combine, padding_blocked
    from attention_src.memory import peak_bytes
    from attention_src.multi_head import MultiHeadAttention, join_heads, split_heads
    from attention_src.positions import sinusoidal_positions
    from attention_src.queries import load_queries
    from attention_src.scoring import scores
    from attention_src.softmax import weights
    from attention_src.tokens import tokenize
    from attention_src.vocabulary import build_vocabulary, encode

__all__ = [
    "Align",
    "MultiHeadAttention",
    "attention",
    "blockwise_attention",
    "build_vocabulary",
    "causal_blocked",
    "combine",
    "encode",
    "has_banking77",
    "join_heads",
    "load_banking77",
    "load_queries",
    "padding_blocked",
    "peak_bytes",
    "scores",
    "sinusoidal_positions",
    "split_heads",
    "tokenize",
    "weights",
]

_HOME = {
    "Align": "masks",
    "MultiHeadAttention": "multi_head",
    "attention": "dot_product",
    "blockwise_attention": "blockwise",
    "build_vocabulary": "vocabulary",
    "causal_blocked": "masks",
    "combine": "masks",
    "encode": "vocabulary",
    "has_banking77": "banking77",
    "join_heads": "multi_head",
    "load_banking77": "banking77",
    "load_queries": "queries",
    "padding_blocked": "masks",
    "peak_bytes": "memory",
    "scores": "scoring",
    "sinusoidal_positions": "positions",
    "split_heads": "multi_head",
    "tokenize": "tokens",
    "weights": "softmax",
}

# Type checkers read the imports above; seeing this function, they would accept any misspelt name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name from its module when it is first asked for."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """List the public names, loaded or not, beside the module's own."""
    return sorted({*globals(), *__all__})
