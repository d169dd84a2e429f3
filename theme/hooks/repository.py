"""Derive every address of the site from one setting, `extra.repository` (`owner/name`); unset, there is none."""

from __future__ import annotations

import re
from typing import Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError

REPOSITORY = re.compile(r"(?P<owner>[A-Za-z0-9-]+)/(?P<name>[A-Za-z0-9._-]+)\Z")

_serving = False


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:  # noqa: ARG001
    """Remember whether this is a preview, which has an address of its own."""
    global _serving
    _serving = command == "serve"


def on_config(config: MkDocsConfig) -> None:
    """Set `site_url`, `repo_url` and `edit_uri`."""
    repository = config.extra.get("repository") or ""
    if not repository:
        return
    match = REPOSITORY.match(repository)
    if match is None:
        raise ConfigurationError(f"extra.repository: expected owner/name, got {repository!r}")
    config.repo_url = f"https://github.com/{repository}"
    config.repo_name = repository
    config.edit_uri = "edit/main/docs/"
    if not _serving:
        config.site_url = site_url(match["owner"], match["name"])


def site_url(owner: str, name: str) -> str:
    """Where GitHub Pages serves a repository: the owner's own site at the root, others below their name."""
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
