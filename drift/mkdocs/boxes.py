"""Wide content scrolls in its own box, which the keyboard reaches; without scripts too."""

from __future__ import annotations

import re

_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_BLOCK_CODE = re.compile(r"(<pre[^>]*>(?:<span></span>)?)<code>")


def scroll_boxes(html: str) -> str:
    """Wrap each plain table in a box that can be scrolled, and let each code block take the focus.

    A script takes the focus away again from what fits on the screen.
    """
    return _BLOCK_CODE.sub(r'\1<code tabindex="0">', _TABLE.sub(_boxed, html))


def _boxed(match: re.Match[str]) -> str:
    return f'<div class="drift-scroll" tabindex="0" role="region" aria-label="Table">{match[0]}</div>'
