"""The glossary's terms in the finished HTML: what is marked, and what is left alone."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from drift.read import page as pages
from theme.hooks import glossary
from theme.rules.glossary import Term, read

CHAPTER = "Chapter: [Masks](masks.md#a)."
ENTRY = f"A definition.\n\nSymbol: $k$.\n{CHAPTER}"
SOURCE = f"""## Attention

{ENTRY}

## Causal mask {{ data-also="causal masks" }}

{ENTRY}

## Mask {{ data-also="masks" }}

Says *which* `"keys"` are
blocked.

{CHAPTER}

## Value {{ data-only="the values" }}

{ENTRY}
"""
TERMS, _ = read(pages.parse(Path("docs/glossary.md"), "docs/glossary.md", SOURCE))


def marked(html: str) -> list[str]:
    """The words that are marked in `html`; without the marks it must be what it was."""
    found = glossary.mark(html, TERMS, "glossary.html")
    mark = re.compile(r'<a class="am-term" [^<>]*>([^<>]*)</a>')
    assert mark.sub(r"\1", found) == html
    return mark.findall(found)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>A mask, two masks.</p>", ["mask"]),
        ("<p>MASKS and the\nvalues; values</p>", ["MASKS", "the\nvalues"]),
        ("<p>self-attention, attention-like, unmasked mask</p>", ["mask"]),
        ("<p>causal masks</p>", ["causal masks"]),
        ("<h2>One</h2><p>mask, mask</p><h2>Two</h2><p>a mask</p>", ["mask", "mask"]),
        ("<h2>One</h2><p>mask</p><h3>Below</h3><p>mask</p>", ["mask"]),
        ("<ul><li>a <em>mask</em></li></ul>", ["mask"]),
        ("<p>q&amp;a: <img alt='mask'><br>&lt;é\r\n\u2028\n<b>a mask</b></p>", ["mask"]),
    ],
)
def test_term_is_marked_once_a_section(html: str, expected: list[str]) -> None:
    """Whole words in any case, the longest first, once in each section, with everything around them untouched."""
    assert marked(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<h1>A mask</h1>",
        "<h2>A mask</h2>",
        "<p><a href='x.html'>a <em>mask</em></a></p>",
        "<p><a class='drift-fact' href='x.html'>mask</a></p>",
        "<p><code>mask</code></p>",
        "<pre><code>mask</code></pre>",
        "<p><math><mi>mask</mi></math></p>",
        "<p title='a mask'><!-- mask --></p>",
        "<figure><p>mask</p><figcaption>mask</figcaption></figure>",
        "<details><summary>mask</summary></details>",
        "<p class='admonition-title'>mask</p>",
        "<p><span class='filename'>mask</span></p>",
        "<table><tr><td><p>mask</p></td></tr></table>",
        "<div>mask</div>",
    ],
)
def test_term_is_not_marked_outside_prose(html: str) -> None:
    """Headings, links, quotes, code, formulas, captions and tables stay as they are."""
    assert marked(html) == []


def test_marks_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many, each term keeps its first before any keeps its second."""
    monkeypatch.setattr(glossary, "MOST", 2)
    assert marked("<h2>A</h2><p>mask</p><h2>B</h2><p>mask</p><h2>C</h2><p>attention</p>") == ["mask", "attention"]


def test_marks_are_for_chapters_and_labs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page elsewhere keeps its text, and so does one on which the word means something else."""
    files = SimpleNamespace(get_file_from_path=lambda _: SimpleNamespace(url_relative_to=lambda _: "g.html"))
    term = Term("Mask", "mask", ("mask",), "d", "masks.md", ("faces.md",), 1)
    monkeypatch.setattr(glossary, "_terms", [term])

    def content(uri: str, *sections: str) -> str:
        ancestors = [SimpleNamespace(title=title) for title in sections]
        page = SimpleNamespace(file=SimpleNamespace(src_uri=uri), ancestors=ancestors)
        return str(glossary.on_page_content("<p>mask</p>", page, None, files))

    assert 'href="g.html#mask"' in content("masks.md", "Chapters")
    assert 'href="g.html#mask"' in content("labs/masks.ipynb", "Labs")
    assert content("conventions.md") == "<p>mask</p>"
    assert content("faces.md", "Chapters") == "<p>mask</p>"
    assert content("glossary.md", "Chapters") == '<div class="am-glossary">\n<p>mask</p>\n</div>'


def test_glossary_that_cannot_be_used_is_an_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A build without the check before it names the line; a site without a glossary marks nothing."""
    path = tmp_path / "glossary.md"
    path.write_text(f"## Key\n\n\n## Row\n\n{ENTRY}", encoding="utf-8")
    pages = {"glossary.md": SimpleNamespace(abs_src_path=str(path), src_uri="glossary.md")}
    glossary.on_files(SimpleNamespace(get_file_from_path=pages.get), None)
    assert "glossary.md:1: term 'Key' has no definition" in caplog.text
    assert [term.title for term in glossary._terms] == ["Key", "Row"]
    nothing = SimpleNamespace(get_file_from_path=lambda _: None)
    glossary.on_files(nothing, None)
    page = SimpleNamespace(file=SimpleNamespace(src_uri="masks.md"), ancestors=[SimpleNamespace(title="Chapters")])
    assert glossary.on_page_content("<p>key</p>", page, None, nothing) == "<p>key</p>"
