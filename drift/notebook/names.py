"""The names that the experiments of a notebook have in common."""

from __future__ import annotations

import symtable
from collections.abc import Iterator, Mapping


def shared(code: Mapping[str, str]) -> set[str]:
    """The names that one experiment sets and another one sets or reads.

    Args:
        code: the code of each experiment, by its name.
    """
    found = {name: [*_global(source)] for name, source in code.items()}
    sets = {name: {key.get_name() for key in keys if _is_set(key)} for name, keys in found.items()}
    uses = {name: {key.get_name() for key in keys} for name, keys in found.items()}
    return {key for name, keys in sets.items() for other, used in uses.items() if other != name for key in keys & used}


def _global(source: str) -> Iterator[symtable.Symbol]:
    """The global names of code, as each function, class and comprehension sees them."""
    tables = [symtable.symtable(source, "<cells>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        yield from (symbol for symbol in table.get_symbols() if table.get_type() == "module" or symbol.is_global())


def _is_set(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()
