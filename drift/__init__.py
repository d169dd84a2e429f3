"""drift: run a documentation site's snippets and hold its outputs and prose to what they printed.

Snippets import `fact`, `output_tolerance`, `artifact` and `needs` from here.
Nothing else is loaded at import, so that a snippet pays for nothing it does not use.
"""

from drift.facts import FactError, UnmetNeedError, artifact, fact, needs, output_tolerance

__all__ = ["FactError", "UnmetNeedError", "artifact", "fact", "needs", "output_tolerance"]
