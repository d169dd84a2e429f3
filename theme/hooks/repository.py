"""Derive every address of the site from one setting, `extra.repository` (`owner/name`); unset, there is none.

Notebooks get two of them: what they install, and where they open without a download.
The workflow pushes them to a branch of their own, since Colab opens files of a repository only.
"""

from __future__ import annotations

import re
from typing import Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

REPOSITORY = re.compile(r"(?P<owner>[A-Za-z0-9-]+)/(?P<name>[A-Za-z0-9._-]+)\Z")
# Where the workflow keeps the generated notebooks.
BRANCH = "notebooks"

_serving = False


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:  # noqa: ARG001
    """Remember whether this is a preview, which has an address of its own."""
    global _serving
    _serving = command == "serve"


def on_config(config: MkDocsConfig) -> None:
    """Set `site_url`, `repo_url` and `edit_uri`, and the addresses in the notebooks."""
    repository = config.extra.get("repository") or ""
    if not repository:
        return
    match = REPOSITORY.match(repository)
    if match is None:
        raise ConfigurationError(f"extra.repository: expected owner/name, got {repository!r}")
    config.repo_url = f"https://github.com/{repository}"
    config.repo_name = repository
    config.edit_uri = "edit/main/docs/"
    notebooks = config.plugins["drift"].config
    notebooks["install"] = f"attention-measured @ git+https://github.com/{repository}"
    notebooks["open_in"] = f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{{path}}"
    if not _serving:
        config.site_url = site_url(match["owner"], match["name"])


def site_url(owner: str, name: str) -> str:
    """Where GitHub Pages serves a repository: the owner's own site at the root, others below their name."""
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
