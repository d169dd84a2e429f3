"""The rules of this site, which `python -m drift check` runs: `rules` in `[tool.drift]` names them.

Nothing here needs MkDocs; the hooks import from here, never the other way round.
"""
