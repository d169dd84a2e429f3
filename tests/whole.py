"""The site as the checker reads it, read once for all tests of a worker."""

from __future__ import annotations

import functools
from pathlib import Path

from drift import config
from drift.read import site
from drift.read.site import Site

ROOT = Path(__file__).resolve().parents[1]


@functools.cache
def whole() -> Site:
    """The site; a test that changes something of it puts it back."""
    return site.read(config.load(ROOT))
