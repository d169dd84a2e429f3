"""Code blocks, outputs and tables: what is copied, and how wide content scrolls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from drift import config
from drift.read import snippet

ROOT = Path(__file__).resolve().parents[2]
CLIPBOARD = ["clipboard-read", "clipboard-write"]
BUTTON = "button.md-code__button, button.md-clipboard"


def blocks(page: Page, selector: str) -> int:
    """How many blocks the selector finds, once the theme's script has run."""
    expect(page.locator("pre[id^=__code]").first).to_be_attached()
    return page.locator(selector).count()


def test_code_has_a_copy_button_and_output_none(open_page: Callable[..., Page], fact_page: str) -> None:
    """Every block of code can be copied; what it printed cannot be mistaken for it."""
    page = open_page(fact_page)
    code, outputs = blocks(page, ".language-python.highlight"), blocks(page, ".drift-output")
    assert code > 0
    assert outputs > 0
    assert page.locator(".language-python.highlight").filter(has=page.locator(BUTTON)).count() == code
    assert page.locator(".drift-output").filter(has=page.locator(BUTTON)).count() == 0


def test_code_is_copied_as_it_is_written(open_page: Callable[..., Page], fact_page: str) -> None:
    """The copy is the section's own text: no caption, no output, no prompt."""
    page = open_page(fact_page, permissions=CLIPBOARD)
    block = page.locator(".language-python.highlight:has(.drift-source a)").first
    name, _, section = (block.locator(".drift-source a").get_attribute("href") or "").partition(".html#section-")
    item = snippet.read(*_snippet(name.partition("code/")[2]))
    block.hover()
    block.locator(BUTTON).click()
    shown = item.section(section)
    assert shown is not None
    assert page.evaluate("navigator.clipboard.readText()") == item.code(shown).rstrip()


def test_listing_is_copied_without_line_numbers(open_page: Callable[..., Page], pages: list[str]) -> None:
    """The copy of a whole snippet is the file."""
    path = next(path for path in pages if path.startswith("code/"))
    page = open_page(path, permissions=CLIPBOARD)
    listing = page.locator(".drift-listing")
    listing.hover()
    listing.locator(BUTTON).click()
    item = snippet.read(*_snippet(path.removeprefix("code/").removesuffix(".html")))
    assert page.evaluate("navigator.clipboard.readText()") == item.text.rstrip()


def test_caption_leads_to_the_lines_it_names(open_page: Callable[..., Page], fact_page: str) -> None:
    """The caption of a block opens the snippet's page with exactly those lines marked."""
    page = open_page(fact_page)
    caption = page.locator(".drift-source a").first
    first, _, last = caption.inner_text().rpartition(" ")[2].partition("–")
    caption.click()
    numbers = page.locator(".drift-section:target .drift-line-number")
    expect(numbers.first).to_have_attribute("data-line", first)
    expect(numbers.last).to_have_attribute("data-line", last or first)


def test_wide_content_scrolls_by_keyboard(open_page: Callable[..., Page], fact_page: str) -> None:
    """On a narrow screen every box that scrolls is a stop for the keyboard, and an arrow key moves it."""
    page = open_page(fact_page, width=390)
    blocks(page, "pre")
    page.wait_for_timeout(200)
    wide: dict[str, Any] = page.evaluate(
        """() => {
          const boxes = [...document.querySelectorAll("article pre > code, article .drift-scroll")];
          const wide = boxes.filter((box) => box.scrollWidth > box.clientWidth);
          wide[0]?.setAttribute("data-test", "");
          return { count: wide.length, unreachable: wide.filter((box) => box.tabIndex !== 0).length };
        }"""
    )
    assert wide["count"] > 0
    assert wide["unreachable"] == 0
    box = page.locator("[data-test]")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('[data-test]').scrollLeft > 0")


def test_wide_content_is_reachable_without_scripts(open_page: Callable[..., Page], fact_page: str) -> None:
    """With JavaScript off every box that may scroll takes the focus."""
    page = open_page(fact_page, width=390, java_script_enabled=False)
    boxes = page.locator("article pre > code, article .drift-scroll")
    assert boxes.count() > 0
    assert page.locator("article :is(pre > code, .drift-scroll)[tabindex='0']").count() == boxes.count()


def test_narrow_content_is_no_stop(open_page: Callable[..., Page], fact_page: str) -> None:
    """A box whose content fits does not take the focus."""
    page = open_page(fact_page, width=1280)
    blocks(page, "pre")
    page.wait_for_timeout(200)
    idle = page.evaluate(
        """() => [...document.querySelectorAll("article pre > code, article .drift-scroll")]
          .filter((box) => box.scrollWidth <= box.clientWidth && box.tabIndex === 0).length"""
    )
    assert idle == 0


def _snippet(name: str) -> tuple[config.Config, Path]:
    project = config.load(ROOT)
    return project, project.snippets / f"{name}.py"
