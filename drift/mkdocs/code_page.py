"""The page of one snippet: its facts, where they are quoted, its whole source with line anchors, its outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from drift.mkdocs.quotes import shown, tolerance
from drift.read.snippet import Snippet
from drift.records.record import Record

Link = tuple[str, str]


@dataclass(frozen=True)
class CodePage:
    """What the page of a snippet is made from.

    Attributes:
        shown, quoted: links (title, address relative to this page) to the pages that show any of its sections,
            and to those that quote a fact, by the fact's name.
    """

    snippet: Snippet
    record: Record
    shown: Sequence[Link]
    quoted: Mapping[str, Sequence[Link]]


def fact_anchor(name: str) -> str:
    """The id of a fact's row."""
    return f"fact-{name}"


def section_anchor(name: str) -> str:
    """The id of a section within the listing."""
    return f"section-{name}"


def line_anchor(number: int) -> str:
    """The id of a line of the listing."""
    return f"L{number}"


def skeleton(snippet: Snippet, record: Record) -> str:
    """The page's Markdown: its headings, and comments that `fill` replaces.

    The rest is HTML that Markdown never sees, so that nothing in a snippet can be taken for markup.
    """
    parts = ["about", "Facts", "facts", "Source", "source"]
    if record.outputs:
        parts += ["Outputs", "outputs"]
    body = [f"## {part}" if part.istitle() else f"<!-- drift:{part} -->" for part in parts]
    front = f"---\ntitle: {snippet.id}.py\nsearch:\n  exclude: true\n---"
    return "\n\n".join([front, f"# {snippet.id}.py", *body]) + "\n"


def fill(html: str, page: CodePage, source: str) -> str:
    """The rendered skeleton with its parts in place; `source` is the snippet's `listing`."""
    block = _block(source, "drift-listing language-python")
    parts = {"about": _about(page), "facts": _facts(page), "source": block, "outputs": _outputs(page)}
    for name, part in parts.items():
        html = html.replace(f"<!-- drift:{name} -->", part)
    return html


def anchors(page: CodePage) -> set[str]:
    """The ids that `fill` adds, for the check of links."""
    return {fact_anchor(name) for name in page.record.facts} | {section_anchor(s.name) for s in page.snippet.sections}


def listing(snippet: Snippet) -> str:
    """The source as highlighted HTML: every line has an anchor, every section encloses its lines."""
    formatter = HtmlFormatter(nowrap=True)
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    lines = highlight(snippet.text.rstrip("\n"), lexer, formatter).rstrip("\n").split("\n")
    starts = {section.first: section.name for section in snippet.sections}
    ends = {section.last for section in snippet.sections}
    parts = []
    for number, line in enumerate(lines, start=1):
        if number in starts:
            parts.append(f'<span class="drift-section" id="{section_anchor(starts[number])}">')
        anchor = line_anchor(number)
        parts.append(
            f'<span class="drift-line" id="{anchor}"><a class="drift-line-number" href="#{anchor}" tabindex="-1" '
            f'aria-hidden="true" data-line="{number}"></a>{line}</span>\n'
        )
        if number in ends:
            parts.append("</span>")
    return "".join(parts)


def _about(page: CodePage) -> str:
    shown_in = f"; parts of it are shown in {_links(page.shown)}" if page.shown else ""
    return (
        f"<p>The whole file as it is run and checked for this site{shown_in}.\n"
        f"To run it yourself, from the root of the repository: <code>python {escape(page.snippet.file)}</code></p>"
    )


def _facts(page: CodePage) -> str:
    if not page.record.facts:
        return "<p>This file states no facts.</p>"
    columns = ("Fact", "Value", "Tolerance", "Line", "Quoted in")
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    rows = "\n".join(_fact_row(page, name) for name in page.record.facts)
    return (
        "<p>Each value was computed by the code below.\n"
        "A check runs the code again and compares both the value and every sentence that quotes it.</p>\n"
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _fact_row(page: CodePage, name: str) -> str:
    fact = page.record.facts[name]
    line = fact.line
    place = f'<a href="#{line_anchor(line)}">{line}</a>' if line else ""
    quoted = _links(page.quoted.get(name, ()))
    cells = (f"<code>{escape(shown(fact.value))}</code>", tolerance(fact), place, quoted)
    return (
        f'<tr id="{fact_anchor(name)}"><th scope="row"><code>{escape(name)}</code></th>'
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>"
    )


def _outputs(page: CodePage) -> str:
    parts = []
    for name, text in page.record.outputs.items():
        where = f'<a href="#{section_anchor(name)}">{name}</a>'
        tol = page.record.tolerances.get(name)
        note = f", numbers within ± {tol:g}" if tol is not None else ""
        caption = f'<span class="filename drift-source">Output of {where}{note}</span>'
        parts.append(_block(escape(text, quote=False), "drift-output no-copy", caption))
    return "\n\n".join(parts)


def _block(code: str, classes: str, caption: str = "") -> str:
    return f'<div class="{classes} highlight">{caption}<pre><code>{code}</code></pre></div>'


def _links(links: Sequence[Link]) -> str:
    return ", ".join(f'<a href="{escape(url)}">{escape(title)}</a>' for title, url in links)
