"""The browser that the site's tests use."""

from __future__ import annotations

from pathlib import Path

from tools.browser import find_browser


def nowhere(_name: str) -> str | None:
    """A path without programs."""
    return None


def test_browser_setting_comes_first() -> None:
    """CHROMIUM is believed over anything that is installed."""
    found = find_browser({"CHROMIUM": "/opt/mine"}, lambda name: f"/usr/bin/{name}", ())
    assert found == "/opt/mine"


def test_browser_on_the_path() -> None:
    """Without a setting, the first known name on the path is taken."""
    found = find_browser({}, {"google-chrome": "/usr/bin/google-chrome"}.get, ())
    assert found == "/usr/bin/google-chrome"


def test_browser_where_applications_live(tmp_path: Path) -> None:
    """Where no path leads to it, a known place that exists is taken."""
    chrome = tmp_path / "Google Chrome"
    chrome.touch()
    assert find_browser({}, nowhere, (str(tmp_path / "none"), str(chrome))) == str(chrome)


def test_browser_missing() -> None:
    """No browser is an answer, not an error."""
    assert find_browser({"CHROMIUM": ""}, nowhere, ()) is None
