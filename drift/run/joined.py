"""Begin to watch a Python program that a run started."""

from __future__ import annotations

import json
import os
from pathlib import Path

from drift.run import clock, inherit, watch


def main() -> None:
    """Watch this process for everyone who watches the one that started it."""
    for settings, log in inherit.watched(os.environ):
        setup = json.loads(Path(settings).read_text(encoding="utf-8"))
        watch.install(setup, log, strict=True)
        watch.joined()
        clock.begin(setup["date"])
