"""What `mkdocs.yml` may set below `drift:`."""

from __future__ import annotations

from mkdocs.config import base, config_options


class Settings(base.Config):  # type: ignore[no-untyped-call]
    """The plugin's options."""

    # The folder of the generated pages, below the docs folder.
    code = config_options.Type(str, default="code")
    # A page that lists every snippet, and its title; empty: none.
    index = config_options.Type(str, default="")
    index_title = config_options.Type(str, default="Experiments")
    # What replaces each `#rrggbb` in a figure: a CSS colour, usually a variable of the site's style sheet.
    colors = config_options.DictOfItems(config_options.Type(str), default={})
    # The folder of the notebooks that readers download, below the root of the site; empty: none are offered.
    notebooks = config_options.Type(str, default="")
    # Pages that run code and are no notebooks all the same, as patterns of their paths.
    notebooks_skip = config_options.ListOfItems(config_options.Type(str), default=[])
    # The module that a notebook looks for, and what it asks pip for where the module is missing.
    package = config_options.Type(str, default="")
    install = config_options.Type(str, default="")
    # An address that opens a notebook elsewhere; `{path}` stands for its path below the folder of the notebooks.
    open_in = config_options.Type(str, default="")
    # Packages whose versions a notebook compares with those that its outputs were recorded with.
    recorded = config_options.ListOfItems(config_options.Type(str), default=[])
