"""Figures put into the page: ids, colours, size, and what is refused."""

from __future__ import annotations

import re

import pytest
from markdown import Markdown

from drift.mkdocs.figures import FigureError, FigureExtension, inline_svg

COLORS = {"#000000": "currentColor", "#4051b5": "var(--first)"}
OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt">'


def svg(inside: str, label: str = "A line") -> str:
    """The markup for a page, from what stands inside a file's `<svg>`."""
    return inline_svg(f'<?xml version="1.0"?>{OPEN}{inside}</svg>', "f1-", label, COLORS)


def test_figure_ids_get_the_prefix_wherever_they_are_used() -> None:
    """Ids and every reference to them are renamed together."""
    found = svg('<path id="a"/><use xlink:href="#a"/><g clip-path="url(#a)" style="fill: url(#a)"/>')
    assert 'id="f1-a"' in found
    assert 'href="#f1-a"' in found
    assert found.count("url(#f1-a)") == 2


def test_figure_colors_are_replaced() -> None:
    """Colours in attributes and styles become the page's, in either case; others stay."""
    found = svg('<path fill="#4051B5" style="stroke: #000000; fill: #123456"/>')
    assert 'fill="var(--first)"' in found
    assert "stroke: currentColor; fill: #123456" in found


def test_figure_scales_with_the_page() -> None:
    """Width and height become a viewBox and the widest size, in CSS pixels."""
    found = svg("")
    assert 'viewBox="0 0 72 36"' in found
    assert "max-width: 96px" in found
    assert " width=" not in found
    assert " height=" not in found


def test_figure_is_an_image_with_a_label() -> None:
    """Assistive technology gets one image with its text, escaped."""
    assert re.search(r'<svg[^>]* role="img" aria-label="&lt;A&gt; &amp; &quot;B&quot;"', svg("", '<A> & "B"'))


def test_figure_style_stays_inside() -> None:
    """A rule for everything moves to the root, from where it is inherited and reaches no further."""
    found = svg("<defs><style>*{stroke-linejoin: round}</style></defs>")
    assert "<style" not in found
    assert "stroke-linejoin: round" in found


def test_figure_metadata_is_left_out() -> None:
    """What does not draw is not sent to the reader."""
    assert "2026" not in svg("<metadata>made in 2026</metadata><!-- 2026 -->")


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<style>path {fill: red}</style>", "style sheet"),
        ("<script>alert(1)</script>", "<script>"),
        ("<foreignObject/>", "<foreignObject>"),
        ('<image href="https://example.com/x.png"/>', "example.com"),
        ("<g>", "SVG file"),
    ],
)
def test_figure_that_would_reach_out_is_refused(inside: str, message: str) -> None:
    """Styles for the page, scripts, other hosts and broken files are errors."""
    with pytest.raises(FigureError, match=message):
        svg(inside)


def test_figure_without_a_size_is_refused() -> None:
    """Without a viewBox or a size the figure's shape is unknown."""
    with pytest.raises(FigureError, match="viewBox"):
        inline_svg('<svg xmlns="http://www.w3.org/2000/svg"/>', "", "", {})


def render(text: str) -> tuple[str, list[str]]:
    """The HTML of a page on which every image is a figure, and the images that stand inside a line."""
    stray: list[str] = []
    extension = FigureExtension(lambda src, alt: f"<svg>{src}|{alt}</svg>" if "fig" in src else None, stray.append)
    return Markdown(extensions=[extension]).convert(text), stray


def test_image_in_its_own_paragraph_becomes_a_figure() -> None:
    """The drawing stands in a figure, and no paragraph is left around it."""
    html, stray = render("before\n\n![alt](fig.svg)\n\nafter")
    assert re.search(r"<figure[^>]*>\s*<div[^>]*><svg>fig.svg\|alt</svg></div>\s*</figure>", html)
    assert stray == []


def test_italic_paragraph_after_a_figure_becomes_its_caption() -> None:
    """The caption moves into the figure, and only that paragraph."""
    html, _ = render("![alt](fig.svg)\n\n*What **it** shows.*\n\n*Not this.*")
    assert "<figcaption>What <strong>it</strong> shows.</figcaption></figure>" in html
    assert "<em>Not this.</em>" in html


def test_paragraph_that_only_begins_italic_is_no_caption() -> None:
    """A paragraph with other text stays a paragraph."""
    html, _ = render("![alt](fig.svg)\n\n*Some* words.")
    assert "figcaption" not in html


def test_image_within_a_line_is_reported() -> None:
    """A figure beside text cannot follow the page's colours, so it is not left there silently."""
    assert render("text ![alt](fig.svg) text")[1] == ["fig.svg"]


def test_other_image_stays_an_image() -> None:
    """An image that no snippet made is left alone."""
    assert '<img alt="alt" src="photo.png"' in render("![alt](photo.png)")[0]
