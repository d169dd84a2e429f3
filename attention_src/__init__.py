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
    from attention_src.dot_product import attention
    from attention_src.masks import Align, causal_blocked, combine, padding_blocked
    from attention_src.scoring import scores
    from attention_src.softmax import weights

__all__ = ["Align", "attention", "causal_blocked", "combine", "padding_blocked", "scores", "weights"]

_HOME = {
    "Align": "masks",
    "attention": "dot_product",
    "causal_blocked": "masks",
    "combine": "masks",
    "padding_blocked": "masks",
    "scores": "scoring",
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
