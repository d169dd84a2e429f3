"""Reading without scripts, on paper, in the other scheme."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

COLORS = """(selector) => {
  const element = document.querySelector(selector);
  let holder = element;
  while (holder && /, 0\\)$|transparent/.test(getComputedStyle(holder).backgroundColor)) holder = holder.parentElement;
  return [getComputedStyle(element).color, holder ? getComputedStyle(holder).backgroundColor : "rgb(255, 255, 255)"];
}"""


def brightness(color: str) -> float:
    """From 0 (black) to 1 (white), for `rgb(...)`; a transparent black is as dark as what remains of it on white."""
    red, green, blue, *alpha = (float(part) for part in re.findall(r"[\d.]+", color))
    share = alpha[0] if alpha else 1.0
    return share * (red + green + blue) / 765 + 1 - share


@pytest.fixture(scope="module")
def math_page(built: Path, pages: list[str]) -> str:
    """The page with the most formulas."""
    return max(pages, key=lambda path: (built / path).read_text(encoding="utf-8").count("<math"))


def test_math_needs_no_script(open_page: Callable[..., Page], math_page: str) -> None:
    """With JavaScript off, formulas are drawn and none is shown as TeX."""
    page = open_page(math_page, java_script_enabled=False)
    # What is folded or on another tab has no size until it is opened.
    formulas = page.locator("article math:not(details math, .tabbed-block math)")
    assert formulas.count() > 0
    assert all((box := formula.bounding_box()) and box["width"] > 3 and box["height"] > 3 for formula in formulas.all())
    text = page.locator("article").inner_text()
    assert not re.search(r"\\[(\[]|\\[a-z]+\{|\$\$", text)


def test_math_keeps_its_source(open_page: Callable[..., Page], math_page: str) -> None:
    """Every formula carries its TeX for those who copy it."""
    page = open_page(math_page)
    formulas = page.locator("article math")
    assert formulas.filter(has=page.locator("annotation[encoding='application/x-tex']")).count() == formulas.count()


def test_page_reads_without_scripts(open_page: Callable[..., Page], fact_page: str) -> None:
    """With JavaScript off, text, code, output, tables and figures are visible."""
    page = open_page(fact_page, java_script_enabled=False)
    for part in ("h1", "p", ".language-python.highlight", ".drift-output", "table", ".drift-figure svg"):
        expect(page.locator(f"article {part}").first).to_be_visible()


def test_print_from_dark_is_dark_on_light(open_page: Callable[..., Page], fact_page: str) -> None:
    """A page printed in the dark scheme does not cost a cartridge of ink, whichever part of it is printed."""
    parts = ("article p", "article pre > code", ".drift-output code", ".drift-figure svg", "article td")
    page = open_page(fact_page, color_scheme="dark")
    expect(page.locator("body[data-md-color-scheme=slate]")).to_be_attached()
    for part in parts:
        ink, paper = map(brightness, page.evaluate(COLORS, part))
        assert ink > paper, part
    page.emulate_media(media="print", color_scheme="dark")
    for part in parts:
        ink, paper = map(brightness, page.evaluate(COLORS, part))
        assert paper > 0.9, part
        assert ink < 0.5, part


def test_figure_follows_the_scheme(open_page: Callable[..., Page], fact_page: str) -> None:
    """Nothing in a figure is drawn in a colour as dark as the dark scheme's paper, or as light as the light one's."""
    for scheme, own in (("light", "default"), ("dark", "slate")):
        page = open_page(fact_page, color_scheme=scheme)
        expect(page.locator(f"body[data-md-color-scheme={own}]")).to_be_attached()
        colors: list[str] = page.evaluate(
            """() => [...document.querySelectorAll(".drift-svg :is(path, text, use, tspan, rect, circle, line)")]
              .map((element) => getComputedStyle(element))
              .flatMap((style) => [style.fill, style.stroke])
              .filter((color) => color.startsWith("rgb"))"""
        )
        _, paper = map(brightness, page.evaluate(COLORS, "article p"))
        assert colors
        assert all(abs(brightness(color) - paper) > 0.2 for color in set(colors)), (scheme, set(colors))


def test_figures_share_no_id(open_page: Callable[..., Page], fact_page: str) -> None:
    """Ids are unique on a page, those inside its figures included."""
    page = open_page(fact_page)
    ids: list[str] = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert sorted(set(ids)) == sorted(ids)


def test_scheme_is_the_readers_choice(open_page: Callable[..., Page]) -> None:
    """The page follows the system until the reader chooses, and the choice holds on the next page."""
    page = open_page("index.html", color_scheme="dark")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.locator("label[title='Switch to light colours']").click()
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.goto(page.url.replace("index.html", "reference.html"))
    expect(body).to_have_attribute("data-md-color-scheme", "default")


def test_search_finds_text_and_no_code_page(open_page: Callable[..., Page]) -> None:
    """The search knows the chapters and leaves the snippets' pages out."""
    assert search(open_page("index.html", searching=True), "attention")


def test_search_works_from_a_disk(open_page: Callable[..., Page], watch: Callable[..., Any], built: Path) -> None:
    """Opened as a file, the site searches too, asks nobody, and logs no error."""
    page = open_page("", searching=True)
    outside, errors = watch(page, built.as_uri())
    page.goto((built / "index.html").as_uri())
    assert search(page, "attention")
    page.locator(".md-search-result__link").first.click()
    expect(page.locator("article h1")).to_be_visible()
    assert (outside, errors) == ([], [])


def search(page: Page, word: str) -> list[str]:
    """The addresses that a search for `word` gives; none may be a snippet's page."""
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type(word)
    results = page.locator(".md-search-result__link")
    expect(results.first).to_be_visible(timeout=15_000)
    found: list[Any] = [link.get_attribute("href") for link in results.all()]
    assert not [address for address in found if "/code/" in address]
    return found
