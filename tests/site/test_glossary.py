"""The glossary's terms in the built site, and their tooltips in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from accessibility import results
from playwright.sync_api import Locator, Page, expect

from theme.hooks.glossary import MOST
from theme.rules import navigation

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = [entry.html for entry in navigation.below(ROOT, navigation.CHAPTERS)]
LABS = [entry.html for entry in navigation.below(ROOT, navigation.LABS)]
# Tab stops before the first term: the theme's links, the navigation, code blocks.
STOPS = 300
TOUCH = {"width": 390, "has_touch": True, "is_mobile": True}


def test_pages_have_marks_in_prose_only(built: Path, pages: list[str]) -> None:
    """Every chapter has some and not too many, no page but chapters and labs has any, and all stand in prose."""
    counts = {}
    for path in pages:
        html = (built / path).read_text(encoding="utf-8")
        counts[path] = html.count('class="am-term"')
        assert not re.search(r"<a\b(?:(?!</a>).)*<a\b", html, re.DOTALL), path
        for tag in ("h1", "h2", "h3", "summary", "code", "table", "figure", "math"):
            for element in re.findall(rf"<{tag}\b.*?</{tag}>", html, re.DOTALL):
                assert "am-term" not in element, (path, element)
    assert CHAPTERS
    assert all(5 <= counts[chapter] <= MOST for chapter in CHAPTERS), counts
    assert max(counts.values()) <= MOST
    assert [path for path, count in counts.items() if count and path not in (*CHAPTERS, *LABS)] == []


def tab_to_term(page: Page) -> Locator:
    """Press Tab until a term has the focus."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.am-term')"):
            return page.locator(".am-term:focus")
    pytest.fail(f"no term among the first {STOPS} stops")


def tip_of(page: Page) -> Locator:
    """The box that is open."""
    return page.locator("#am-term-tip")


def test_term_tells_its_definition_on_focus(open_page: Callable[..., Page]) -> None:
    """The keyboard reaches a term, and a screen reader is led to its definition."""
    page = open_page("scaling.html")
    term = tab_to_term(page)
    expect(term).to_have_attribute("aria-describedby", "am-term-tip")
    expect(tip_of(page)).to_be_visible()
    expect(tip_of(page)).to_have_attribute("role", "tooltip")
    for name in ("data-term", "data-definition"):
        expect(tip_of(page)).to_contain_text(term.get_attribute(name) or "?")
    expect(tip_of(page)).not_to_contain_text("Tap")
    page.keyboard.press("Shift+Tab")
    expect(tip_of(page)).to_have_count(0)


def test_term_tooltip_goes_on_escape(open_page: Callable[..., Page]) -> None:
    """Escape closes the tooltip and leaves the focus where it is."""
    page = open_page("scaling.html")
    tab_to_term(page)
    expect(tip_of(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip_of(page)).to_have_count(0)
    expect(page.locator(".am-term:focus")).to_have_count(1)
    expect(page.locator(".am-term[aria-describedby]")).to_have_count(0)


def test_term_tooltip_can_be_hovered(open_page: Callable[..., Page]) -> None:
    """The pointer can move from the term into the tooltip, and closes it by leaving both."""
    page = open_page("scaling.html")
    page.locator(".am-term").first.hover()
    expect(tip_of(page)).to_be_visible()
    tip_of(page).hover()
    page.wait_for_timeout(400)
    expect(tip_of(page)).to_be_visible()
    page.mouse.move(0, 0)
    expect(tip_of(page)).to_have_count(0)


def test_term_opens_on_touch_and_the_second_tap_follows(open_page: Callable[..., Page]) -> None:
    """The first tap tells the definition and stays on the page, one beside it closes, the second one follows."""
    page = open_page("scaling.html", **TOUCH)
    here, term = page.url, page.locator(".am-term").nth(1)
    term.tap()
    expect(tip_of(page)).to_contain_text("Tap again")
    page.wait_for_timeout(400)
    expect(tip_of(page)).to_be_visible()
    page.locator("h1").tap()
    expect(tip_of(page)).to_have_count(0)
    term.tap()
    expect(tip_of(page)).to_be_visible()
    assert page.url == here
    target = term.get_attribute("href")
    term.tap()
    page.wait_for_url(f"**/{target}")
    expect(page.locator("h2:target")).to_be_in_viewport()


def test_term_tapped_without_focus_closes_all_the_same(open_page: Callable[..., Page]) -> None:
    """Where a tap gives a link no focus, as in Safari, one beside it or on another term still closes the box."""
    page = open_page("scaling.html", **TOUCH)
    tap = """(element) => {
      element.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "touch", bubbles: true }));
      element.click();
    }"""
    terms = page.locator(".am-term")
    terms.nth(0).evaluate(tap)
    expect(tip_of(page)).to_contain_text(terms.nth(0).get_attribute("data-definition") or "?")
    terms.nth(2).evaluate(tap)
    expect(tip_of(page)).to_contain_text(terms.nth(2).get_attribute("data-definition") or "?")
    expect(page.locator(".am-term[aria-describedby]")).to_have_count(1)
    page.locator("h1").evaluate(tap)
    expect(tip_of(page)).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
def test_term_tooltips_stay_on_the_screen(open_page: Callable[..., Page], width: int) -> None:
    """No tooltip is cut off or squeezed at either side, and none makes the page wider."""
    page = open_page("scaling.html", width=width)
    wrong = page.evaluate(
        """() => [...document.querySelectorAll(".am-term")].filter((link) => {
          link.dispatchEvent(new PointerEvent("pointerenter", { pointerType: "mouse" }));
          const tip = document.querySelector("#am-term-tip");
          const { left, right, width } = tip.getBoundingClientRect();
          const wide = document.documentElement.scrollWidth > innerWidth;
          tip.style.left = "0";
          const squeezed = Math.abs(tip.getBoundingClientRect().width - width) > 1;
          return squeezed || left < 0 || right > document.documentElement.clientWidth || wide;
        }).length"""
    )
    assert wrong == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_term_tooltip_is_accessible(open_page: Callable[..., Page], scheme: str) -> None:
    """Axe finds nothing wrong with the terms, or with the open box."""
    page = open_page("scaling.html", color_scheme=scheme, **TOUCH)
    page.locator(".am-term").first.tap()
    expect(tip_of(page)).to_be_visible()
    response = results(page, {"include": [["#am-term-tip"], [".am-term"]]})
    assert response["passes"]
    assert [(violation["id"], violation["nodes"]) for violation in response["violations"]] == []


def test_term_is_a_plain_link_without_scripts(open_page: Callable[..., Page]) -> None:
    """Without JavaScript a term leads to its entry."""
    page = open_page("scaling.html", java_script_enabled=False)
    page.locator(".am-term").first.click()
    expect(page.locator("h2:target")).to_be_visible()
