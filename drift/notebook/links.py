"""Where the links and figures of a page lead when the page is a file on somebody's disk."""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

_DRAWING = re.compile(r"(<svg\b[^>]*>)")
# Figures have no ground of their own, and a notebook may be dark.
_WHITE = '<rect width="100%" height="100%" fill="#fff"/>'


class Addresses:
    """Addresses seen from one page.

    Args:
        docs: the folder of the pages.
        home: where the page lies in it.
        site_url: where the site is, with a slash at its end; "" when that is not known.
        pages: the address below `site_url` of each page, by its path below `docs`.
    """

    def __init__(self, docs: Path, home: Path, site_url: str, pages: Mapping[str, str]) -> None:
        self.docs, self.home, self.site_url, self.pages = docs, home, site_url, pages

    def address(self, to: str) -> str | None:
        """The full address of a link; None where the site's own is not known, and for facts and claims."""
        if to.startswith(("fact:", "claim:")):
            return None
        if re.match(r"[a-z][a-z0-9+.-]*:", to):
            return to
        path, _, anchor = to.partition("#")
        # What stands elsewhere on the same page has no anchor in a notebook, and one on the site.
        url = self.page_url(self.home.parent / path if path else self.home)
        return url and (f"{url}#{anchor}" if anchor else url)

    def page_url(self, home: Path) -> str | None:
        """The public address of a page; None where there is none."""
        path = Path(posixpath.normpath(home.as_posix()))
        uri = path.relative_to(self.docs).as_posix() if path.is_relative_to(self.docs) else ""
        found = self.pages.get(uri)
        return f"{self.site_url}{found}" if self.site_url and found is not None else None

    def image(self, to: str) -> str | None:
        """A figure as a data URI, which Jupyter shows where it refuses an attached SVG (jupyterlab issue 10464)."""
        path = Path(posixpath.normpath((self.home.parent / to).as_posix()))
        if path.suffix != ".svg" or not path.is_file():
            return None
        drawn = _DRAWING.sub(rf"\1{_WHITE}", path.read_text(encoding="utf-8"), count=1)
        return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"
