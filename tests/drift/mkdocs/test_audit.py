"""The audit of rendered pages: what a reader sees that the checker did not."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift.mkdocs import audit, reading
from drift.mkdocs.reading import Reading
from drift.read import page

BLOCK = '<div class="language-{} highlight"><pre><code>{}</code></pre></div>'


def seen(html: str) -> Reading:
    """One walk through the HTML."""
    return reading.read(html)


@pytest.mark.parametrize(
    "html",
    [
        "<code>48</code>",
        "<pre>48</pre>",
        "<math><mn>48</mn></math>",
        "<svg><text>48</text></svg>",
        '<a class="drift-fact" href="x">48</a>',
        '<span class="filename drift-source">lines 4–8</span>',
        '<a class="headerlink" href="#x">48</a>',
        '<sup><a class="footnote-ref" href="#x">48</a></sup>',
        '<div class="doc doc-object"><p>48</p></div>',
        "<script>48</script>",
        "<script>'</p>' < 48 > '<p>'</script>",
        "<STYLE>48</STYLE>",
        "<!-- 48 > -->",
        '<b title="> 48">x</b>',
        '<path d="48"/>',
        '<img alt="x" src="48.svg">',
        "float32 B10",
    ],
)
def test_visible_numerals_of_what_is_no_prose(html: str) -> None:
    """Code, math, drawings, bound numbers and what renderers add hold no visible numerals."""
    assert audit.visible_numerals(seen(f"<p>One {html} two.</p>")) == []


@pytest.mark.parametrize(
    "html",
    [
        "<p>48</p>",
        "<table><tr><td>48</td></tr></table>",
        "<h2>About 48</h2>",
        "<figcaption><em>48 keys</em></figcaption>",
        "<details><summary>48</summary></details>",
        '<a href="other.html">48</a>',
        '<span class="filename drift-notest">Not run: 48</span>',
        "<p><code>x</code>, <br>48<br></p>",
        "<p>4<strong>8</strong></p>",
        "<p>a < 48</p>",
        "<p title=it's>48 it's</p>",
        '<p title="x>48</p>',
        "<style-note>48</style-note>",
        "<p>&#52;&#56;</p>",
        '<span title="drift-fact" class="x" class="drift-fact">48</span>',
        "<svg/>48",
        "</nosuch>48<!-- never closed",
    ],
)
def test_visible_numerals_of_prose(html: str) -> None:
    """A numeral is seen wherever a reader sees it, also when markup cuts it in two."""
    assert audit.visible_numerals(seen(html)) == ["48"]


def test_visible_numerals_of_neighbouring_cells() -> None:
    """Numbers in two cells are two numbers."""
    assert audit.visible_numerals(seen("<tr><td>4</td><td>8</td></tr>")) == ["4", "8"]


def test_visible_numerals_after_an_unclosed_element() -> None:
    """An element that is never closed hides nothing beyond its parent."""
    assert audit.visible_numerals(seen("<div><p><code>1</div><p>48</p>")) == ["48"]


def test_python_blocks_counts_python_alone() -> None:
    """Highlighted Python counts; other languages, plain code and signatures in docstrings do not."""
    html = BLOCK.format("python", "x") + BLOCK.format("text", "x") + "<code>x</code>"
    html += f'<div class="doc">{BLOCK.format("python", "x")}</div>'
    assert seen(html).blocks == 1


@pytest.mark.parametrize(
    "html",
    [
        '<p>--8&lt;-- "scaling/saturation.py:sweep" </p>',
        BLOCK.format("python", '<span>--</span><span>8</span>&lt;-- "x"'),
        BLOCK.format("text", '--8&lt;-- "x"'),
        '<a href="fact:scaling/saturation.top">0.9</a>',
        "<p>[0.9](fact: scaling/saturation.top)</p>",
        '<img alt="a [0.9](fact:x.y)" src="x.svg">',
    ],
)
def test_leftovers_are_found(html: str) -> None:
    """An include or a quote that was not replaced is found in prose, links, alt text, code and output."""
    assert audit.leftovers(seen(html)) != []


@pytest.mark.parametrize(
    "html",
    [
        BLOCK.format("markdown", '--8&lt;-- "x"\n[0.9](fact:x.y)'),
        "<p><code>[0.9](fact:x.y)</code></p>",
        '<a class="drift-fact" href="code/x.html#fact-y">0.9</a>',
    ],
)
def test_leftovers_in_examples_are_none(html: str) -> None:
    """The syntax may be shown as an example, and a replaced quote is fine."""
    assert audit.leftovers(seen(html)) == []


def read(text: str) -> page.Page:
    """A page of the checker from its Markdown."""
    return page.parse(Path("/docs/x.md"), "docs/x.md", text)


def test_unseen_numeral_is_reported() -> None:
    """A number in the HTML that the Markdown's reading does not hold is reported, as often as it is too many."""
    found = audit.unseen(seen("<p>48 and 48</p>"), read("48 and so on"))
    assert [text for text in found if "48" in text] == found
    assert len(found) == 1


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("We use 48 keys.", "<p>We use 48 keys.</p>"),
        ("1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"),
        ("(Vaswani et al., 2017), torch 2.13.0", "<p>(Vaswani et al., 2017), torch 2.13.0</p>"),
        ("# 2. Masks", "<h1>2. Masks</h1>"),
        ("[48](fact:a/b.c) keys", '<p><a class="drift-fact" href="x">48</a> keys</p>'),
        ("```python\nx = 1\n```", BLOCK.format("python", "x = 1")),
    ],
)
def test_unseen_is_empty_where_both_readings_agree(markdown: str, html: str) -> None:
    """Declared numbers, years, versions and headings' numbers were seen by the checker."""
    assert audit.unseen(seen(html), read(markdown)) == []


def test_unseen_code_is_reported() -> None:
    """A Python block that the checker did not find was not run either."""
    found = audit.unseen(seen(BLOCK.format("python", "x")), read("no fence"))
    assert found == ["Python blocks: a reader sees 1, the checker found 0"]


FACT = '<a class="drift-fact" data-fact="{}" href="x">{}</a>'
AGREEING = [
    ("One *bold*er word, `code` and $x$.", "<p>One <em>bold</em>er word, <code>code</code> and <math>x</math>.</p>"),
    ("It is [48](fact:a/b.c).", f"<p>It is {FACT.format('a/b.c', 48)}.</p>"),
    ("![A bar to [48](fact:a/b.c)](x.svg)", '<svg role="img" aria-label="A bar to 48"><title>t</title></svg>'),
    (
        "![To [48](fact:a/b.c)](x.svg)\n\n[48.0](fact:a/b.c)",
        f'<img alt="To 48"><p>{FACT.format("a/b.c", "48.0")}</p>',
    ),
    ('!!! note\n    Text.\n\n??? tip "A title"\n    More.', "<p>Text.</p><summary>A title</summary><p>More.</p>"),
    ("::: a.b.c\n    options:\n      heading_level: 3\n\nAfter.", "<p>After.</p>"),
    ("<!-- hidden words --> Shown.", "<p>Shown.</p>"),
    ("# A heading {#there}\n\n1. one\n2. two", "<h1>A heading</h1><ol><li>one</li><li>two</li></ol>"),
    ('[link](https://a.org "A title")', '<a href="https://a.org" title="A title">link</a>'),
    ("&nbsp;A &amp; B", "<p>\u00a0A &amp; B</p>"),
]


@pytest.mark.parametrize(("markdown", "html"), AGREEING)
def test_unshown_is_empty_where_all_is_shown(markdown: str, html: str) -> None:
    """Every word that was read is on the page, or read aloud there."""
    assert audit.unshown(seen(html), read(markdown)) == []


@pytest.mark.parametrize(
    ("markdown", "html", "found"),
    [
        (
            "Result: there is one.\n\nMore.",
            "<p>More.</p>",
            "a sentence was checked, and no reader sees all of it: Result",
        ),
        (
            "Twice the word.",
            "<p>Twice the.</p>",
            "a sentence was checked, and no reader sees all of it: Twice the word.",
        ),
        (
            "The word, the word.",
            "<p>The word, the.</p>",
            "a sentence was checked, and no reader sees all of it: The word,",
        ),
        (
            "We use 48 keys.",
            "<p>We use keys.</p>",
            "a sentence was checked, and no reader sees all of it: We use 48 keys.",
        ),
        ("It is [48](fact:a/b.c).", "<p>It is 48.</p>", "the quote '48' of a/b.c was checked, and no reader sees it"),
        (
            "It is [48](fact:a/b.c), [48](fact:a/b.c).",
            f"<p>It is {FACT.format('a/b.c', 48)}, .</p>",
            "the quote '48' of a/b.c was checked, and no reader sees it",
        ),
        ("It is [48](fact:a/b.c).", f"<p>It is {FACT.format('a/b.d', 48)}.</p>", "the quote '48' of a/b.c was checked"),
    ],
)
def test_unshown_sentence_or_quote_is_reported(markdown: str, html: str, found: str) -> None:
    """What was checked and is not shown was checked for nothing."""
    texts = audit.unshown(seen(html), read(markdown))
    assert texts
    assert all(text.startswith(found) for text in texts)


class Standard(HTMLParser):
    """The text and the open elements around it, as the standard library reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.open += [tag] if tag not in reading.VOID else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if reading.UNREAD_TAGS.isdisjoint(self.open):
            self.pieces.append(data)


PIECES = st.sampled_from(
    (
        *(
            "48",
            "7 ",
            "&lt;5",
            "&#51;",
            "<p>",
            "</p>",
            "<code>",
            "</code>",
            '<b class="a > 9">',
            "</b>",
            "<br>",
            "<br/>",
        ),
        *("<svg>", "</svg>", "<path/>", "<!-- 6 -->", "<script>", "</script>", "<img alt='2'>", "a < b ", "<pre\n>"),
    )
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_reading_sees_the_text_that_the_standard_library_sees(html: str) -> None:
    """On all that Markdown writes, one pattern reads as a whole parser does."""
    expected = "".join(Standard(html).pieces) if "<script>" not in html.split("</script>")[-1] else None
    if expected is not None:
        assert "".join(seen(html).visible.split()) == "".join(expected.split())
