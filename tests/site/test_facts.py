"""A number that quotes a fact: its tooltip, and the way from it to the code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

# Tab stops before the first quote: the theme's links, the navigation, code blocks.
STOPS = 300


def tab_to_fact(page: Page) -> None:
    """Press Tab until a quote has the focus."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.drift-fact')"):
            return
    pytest.fail(f"no quote among the first {STOPS} stops")


def test_fact_tells_its_value_on_focus(open_page: Callable[..., Page], fact_page: str) -> None:
    """The keyboard reaches a quote, and a screen reader is led to its full value."""
    page = open_page(fact_page)
    tab_to_fact(page)
    link = page.locator(".drift-fact:focus")
    tip = page.locator(f"#{link.get_attribute('aria-describedby')}[role=tooltip]")
    expect(tip).to_be_visible()
    for name in ("data-value", "data-fact", "data-source"):
        expect(tip).to_contain_text(link.get_attribute(name) or "?")


def test_fact_tooltip_goes_on_escape(open_page: Callable[..., Page], fact_page: str) -> None:
    """Escape closes the tooltip and leaves the focus where it is."""
    page = open_page(fact_page)
    tab_to_fact(page)
    page.keyboard.press("Escape")
    expect(page.locator(".drift-tip")).to_be_hidden()
    expect(page.locator(".drift-fact:focus")).to_have_count(1)
    expect(page.locator(".drift-fact[aria-describedby]")).to_have_count(0)


def test_fact_tooltip_can_be_hovered(open_page: Callable[..., Page], fact_page: str) -> None:
    """The pointer can move from the number into the tooltip, and closes it by leaving both."""
    page = open_page(fact_page)
    page.locator("article .drift-fact").first.hover()
    tip = page.locator(".drift-tip")
    expect(tip).to_be_visible()
    tip.hover()
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1280])
def test_fact_tooltips_stay_on_the_screen(open_page: Callable[..., Page], fact_page: str, width: int) -> None:
    """No tooltip is cut off or squeezed at either side, wherever its number stands in a line."""
    page = open_page(fact_page, width=width)
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".drift-fact")].filter((link) => {
          link.dispatchEvent(new PointerEvent("pointerenter", { pointerType: "mouse" }));
          const tip = document.querySelector(".drift-tip");
          const { left, right, width } = tip.getBoundingClientRect();
          tip.style.left = "0";
          const squeezed = Math.abs(tip.getBoundingClientRect().width - width) > 1;
          return squeezed || width === 0 || left < 0 || right > document.documentElement.clientWidth;
        }).length"""
    )
    assert outside == 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_fact_leads_to_its_row_and_line(open_page: Callable[..., Page], fact_page: str) -> None:
    """Enter on a quote opens the fact's row, and the row leads to the line that states it."""
    page = open_page(fact_page)
    tab_to_fact(page)
    link = page.locator(".drift-fact:focus")
    value = link.get_attribute("data-value") or "?"
    name = (link.get_attribute("data-fact") or "?").partition(".")[2]
    page.keyboard.press("Enter")
    row = page.locator("tr:target")
    expect(row).to_contain_text(value)
    expect(row.locator("th")).to_have_text(name)
    expect(row).to_be_in_viewport()
    row.locator("a[href^='#L']").click()
    line = page.locator(".drift-line:target")
    expect(line).to_contain_text("fact(")
    expect(line).to_be_in_viewport()
    background = "element => getComputedStyle(element).backgroundColor"
    assert line.evaluate(background) != page.locator(".drift-line:not(:target)").first.evaluate(background)


def test_fact_is_a_plain_link_without_scripts(open_page: Callable[..., Page], fact_page: str) -> None:
    """Without JavaScript a quote still leads to its row."""
    page = open_page(fact_page, java_script_enabled=False)
    page.locator("article .drift-fact").first.click()
    expect(page.locator("tr:target")).to_be_visible()
