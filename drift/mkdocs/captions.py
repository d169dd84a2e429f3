"""Fences that show a snippet: a caption that leads to the code, and a different look for outputs.

The head of such a fence is rewritten before Markdown reads it; the caption becomes a link in the HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from drift.read import fences
from drift.read.fences import Fence, Include

_HEAD = re.compile(r"^(?P<before>.*?)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
# What the new head states itself: the language, and the reason for not running, which is no HTML attribute.
_OWN = re.compile(r"""^\s*\.[\w+-]+|\bnotest(?:=(?P<quote>["']).*?(?P=quote))?""")
# Before includes are replaced (32), and after blocks kept aside have been put back (30).
REWRITE_PRIORITY, LINK_PRIORITY = 40, 5
_CAPTION = re.compile(r'<span class="filename">drift:(?P<kind>\w+):(?P<text>.*?)</span>')


class CaptionExtension(Extension):
    """Captions for the fences of a page; `code` gives the HTML for a file and its section."""

    def __init__(self, code: Callable[[str, str], str]) -> None:
        super().__init__()
        self.code = code

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Python-Markdown's)
        """Called by Python-Markdown once a page."""
        md.preprocessors.register(_Heads(md), "drift-caption-heads", REWRITE_PRIORITY)
        md.postprocessors.register(_Links(self.code), "drift-caption-links", LINK_PRIORITY)


class _Heads(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return rewrite("\n".join(lines)).split("\n")


class _Links(Postprocessor):
    def __init__(self, code: Callable[[str, str], str]) -> None:
        super().__init__()
        self.code = code

    def run(self, text: str) -> str:
        return link_captions(text, self.code)


def rewrite(markdown: str) -> str:
    """Give each fence that shows a snippet or its output, or says why it is not run, a title to be made a caption."""
    lines = markdown.split("\n")
    for fence in fences.find("", markdown)[0]:
        attributes = _attributes(fence)
        head = _HEAD.match(lines[fence.first - 1])
        if attributes and head:
            braces = re.search(r"\{(.*)\}", head["info"])
            kept = _OWN.sub("", braces[1]).strip() if braces else ""
            inside = " ".join(part for part in (f".{fence.lang}", kept, attributes) if part)
            lines[fence.first - 1] = f"{head['before']}{head['mark']} {{{inside}}}"
    return "\n".join(lines)


def link_captions(page: str, code: Callable[[str, str], str]) -> str:
    """Turn the titles that `rewrite` wrote into captions; `code` gives the HTML for a file and its section."""

    def caption(match: re.Match[str]) -> str:
        text = html.unescape(match["text"])
        if match["kind"] == "code":
            refs = (ref.partition(":") for ref in text.split("|"))
            inside = " and ".join(code(path, section) for path, _, section in refs)
            return f'<span class="filename drift-source">{inside}</span>'
        if match["kind"] == "output":
            return '<span class="filename drift-source">Output</span>'
        return f'<span class="filename drift-notest">Not run: {html.escape(text, quote=False)}</span>'

    return _CAPTION.sub(caption, page)


def _attributes(fence: Fence) -> str:
    if fence.is_python and fence.notest:
        return _title("notest", fence.notest)
    if fence.is_python and _code(fence):
        return _title("code", "|".join(f"{include.path}:{include.section}" for include in _code(fence)))
    if any(include.path.endswith(".out") for include in fence.includes):
        return f".drift-output .no-copy {_title('output', '')}"
    return ""


def _code(fence: Fence) -> list[Include]:
    return [include for include in fence.includes if include.path.endswith(".py")]


def _title(kind: str, text: str) -> str:
    # Quotes and braces would end the title or the head.
    safe = text.translate({ord('"'): "”", ord("{"): "(", ord("}"): ")"})
    return f'title="drift:{kind}:{safe}"'
