"""A Chromium for the tests that open the built site."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge", "chrome")
# macOS and Windows put applications where no PATH leads.
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def find_browser(
    environ: Mapping[str, str],
    which: Callable[[str], str | None] = shutil.which,
    places: tuple[str, ...] = PLACES,
) -> str | None:
    """The path of a Chromium or one of its relatives, or None.

    Args:
        environ: `CHROMIUM` names the one to take and is believed.
        which: finds a program on the path.
        places: files to try after that.
    """
    if environ.get("CHROMIUM"):
        return environ["CHROMIUM"]
    on_path = (which(name) for name in NAMES)
    installed = (place for place in places if Path(place).is_file())
    return next((found for found in (*on_path, *installed) if found), None)
