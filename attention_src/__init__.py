"""Attention in PyTorch as a few pure functions, each short enough to read in one sitting.

Shapes use one alphabet: `B` batch, `H` heads, `N` queries, `M` keys, `D` key width, `V` value width.
Three dots stand for any leading axes, such as `B` or `B, H`.
A mask is called `blocked`: `True` means that the query may not look at the key.

`from attention_src import attention` works for every name in `__init__.pyi`, the one list of what is public.
"""

from functools import cache

import lazy_loader

# Snippets import from the modules (`from attention_src.core.attention import attention`) and so depend on these
# alone. The list is read when somebody first asks for one of its names here: a line more in it runs no snippet
# again. No module or folder at this level may share a name with something public, since importing a submodule
# sets an attribute of the package.


@cache
def _public() -> tuple[str, ...]:
    """The public names, as `__init__.pyi` lists them."""
    return tuple(sorted(lazy_loader.attach_stub(__name__, __file__)[2]))


def _version() -> str:
    """The version that is installed, looked up when somebody asks, so that no snippet's result can depend on it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("attention-measured")
    except PackageNotFoundError:
        raise AttributeError("attention_src has no __version__ where attention-measured is not installed") from None


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first asked for."""
    if name == "__version__":
        return _version()
    if name == "__all__":
        return list(_public())
    if name.startswith("_") or name not in _public():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = lazy_loader.attach_stub(__name__, __file__)[0](name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not, beside the module's own."""
    return sorted({*globals(), *_public(), "__version__"})
