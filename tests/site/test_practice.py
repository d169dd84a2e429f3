"""Practice and reading progress, in a browser: by keyboard, across reloads and tabs, with a store that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accessibility import serious
from playwright.sync_api import Locator, Page, expect

PRACTICE = "exam/practice.html"
CHAPTER = "masks.html"
SHORT_CHAPTER = "embeddings.html"
KEY = "attention-measured/1"
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""
BLOCKED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("blocked", "SecurityError"); },
});"""
# Not JSON; JSON of another kind; our layout with entries that this site never wrote.
FOREIGN = [
    "{",
    "7",
    '"text"',
    "null",
    '{"read": [], "cards": 3}',
    '{"read": {"masks.html": "yes"}, "cards": {"ID": {"known": "no", "turn": null}}}',
    '{"read": {"masks.html": 1}, "cards": {"ID": 5}, "settings": null}',
]


@pytest.fixture
def practice(open_page: Callable[..., Page]) -> Page:
    """The practice page, with an empty store."""
    return open_page(PRACTICE)


def ids(page: Page) -> list[str]:
    """The ids of all questions, in the order of the page."""
    found: list[str] = page.evaluate("[...document.querySelectorAll('.am-card')].map((c) => c.dataset.question)")
    return found


def shown(page: Page) -> str:
    """The id of the one question on the screen."""
    card = page.locator(".am-card:visible")
    expect(card).to_have_count(1)
    return card.get_attribute("data-question") or ""


def part(page: Page, name: str) -> Locator:
    """A part of the practice page's bars."""
    return page.locator(f"[data-practice={name}]")


def rate(page: Page, key: str) -> None:
    """Show the answer and rate it, by keys alone."""
    page.keyboard.press("Space")
    expect(page.locator(".am-answer__body:visible")).to_have_count(1)
    page.keyboard.press(key)
    expect(page.locator(".am-answer__body:visible")).to_have_count(0)


def counts(page: Page) -> tuple[int, ...]:
    """What the line of counts says: all, known, missed, not seen."""
    return tuple(map(int, re.findall(r"\d+", part(page, "count").inner_text())))


def stored(page: Page) -> Any:
    """What the browser keeps for the site."""
    return json.loads(page.evaluate(f"localStorage.getItem({KEY!r})") or "null")


def test_practice_runs_through_by_keyboard(practice: Page) -> None:
    """Every question can be answered and rated without a mouse, each comes once, and the focus goes along."""
    every = ids(practice)
    seen = []
    for key in ("1", "j") * len(every):
        if len(seen) == len(every):
            break
        seen.append(shown(practice))
        rate(practice, key)
        expect(practice.locator(".am-card:visible > h2")).to_be_focused()
    assert seen == every
    assert counts(practice) == (len(every), len(every), 0, 0)
    # Known longest ago.
    assert shown(practice) == every[0]


def test_answer_is_hidden_until_asked_for(practice: Page) -> None:
    """Neither the answer nor the buttons to rate it are there before; rating keys do nothing."""
    expect(practice.locator(".am-answer__body:visible")).to_have_count(0)
    expect(part(practice, "rate")).to_be_hidden()
    first = shown(practice)
    practice.keyboard.press("1")
    practice.keyboard.press("2")
    assert (shown(practice), counts(practice)[1:3]) == (first, (0, 0))
    practice.keyboard.press("Enter")
    expect(practice.locator(".am-answer__body:visible")).to_be_focused()
    expect(part(practice, "rate")).to_be_visible()


def test_buttons_are_reached_by_tab(practice: Page) -> None:
    """Without the shortcuts, Tab and Enter do: the answer's switch, and both buttons."""
    part(practice, "keys").uncheck()
    practice.locator(".am-card:visible > h2").focus()
    tab_to(practice, "summary")
    practice.keyboard.press("Enter")
    expect(practice.locator(".am-answer__body:visible")).to_have_count(1)
    tab_to(practice, "[data-practice=missed]")
    practice.keyboard.press("Enter")
    assert counts(practice)[2] == 1


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not reach {selector}")


def test_missed_come_first(practice: Page) -> None:
    """A missed question comes back after one other, before those that were not seen, and until it is known."""
    first, second, third, *_ = ids(practice)
    rate(practice, "2")
    assert shown(practice) == second
    rate(practice, "1")
    assert shown(practice) == first
    rate(practice, "k")
    assert shown(practice) == third
    rate(practice, "1")
    assert shown(practice) == first
    rate(practice, "1")
    assert shown(practice) not in (first, second, third)


def test_practice_survives_a_reload(practice: Page) -> None:
    """Ratings are there after a reload, and the missed question is asked at once."""
    first = shown(practice)
    rate(practice, "2")
    rate(practice, "1")
    before = counts(practice)
    practice.reload()
    assert counts(practice) == before
    assert before[1:3] == (1, 1)
    assert shown(practice) == first


@pytest.mark.parametrize("script", [FULL, BLOCKED], ids=["full", "blocked"])
def test_practice_works_without_a_store(open_page: Callable[..., Page], site: Any, script: str) -> None:
    """With a store that is full or blocked practice goes on, and the reader is told once."""
    page = open_page("")
    page.add_init_script(script)
    errors: list[str] = []
    # The theme has errors of its own where the store is blocked.
    page.on(
        "pageerror", lambda error: errors.extend(re.findall(r"(?:store|practice|progress)\.js.*", str(error.stack)))
    )
    page.goto(site.root + PRACTICE)
    first = shown(page)
    rate(page, "2")
    rate(page, "1")
    assert counts(page)[1:3] == (1, 1)
    assert shown(page) == first
    expect(page.locator(".am-notice")).to_have_count(1)
    expect(page.locator(".am-notice")).to_be_visible()
    assert errors == []


def test_blocked_store_is_told_before_the_first_answer(open_page: Callable[..., Page]) -> None:
    """Who cannot keep ratings learns it before making any; who can is told nothing."""
    page = open_page(PRACTICE)
    expect(page.locator(".am-notice")).to_have_count(0)
    page.add_init_script(BLOCKED)
    page.reload()
    expect(page.locator(".am-notice")).to_be_visible()


def test_foreign_entry_is_ignored_and_replaced(practice: Page, watch: Callable[..., Any], site: Any) -> None:
    """What this site did not write counts for nothing, stays until the next write, and is then replaced."""
    first = ids(practice)[0]
    _, errors = watch(practice, site.root)
    for text in (foreign.replace("ID", first) for foreign in FOREIGN):
        practice.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])
        practice.goto(site.root + PRACTICE)
        assert counts(practice)[1:3] == (0, 0), text
        assert practice.evaluate("(key) => localStorage.getItem(key)", KEY) == text
        rate(practice, "1")
        assert stored(practice)["cards"][first] == {"known": True, "turn": 1}, text
        assert counts(practice)[1:3] == (1, 0), text
        practice.goto(site.root + SHORT_CHAPTER)
        expect(practice.get_by_role("button", name="Mark as read")).to_be_visible()
        assert errors == [], text


def test_keys_are_left_to_fields_and_search(practice: Page) -> None:
    """What is typed into the search or a field rates nothing and shows nothing."""
    first = shown(practice)
    practice.keyboard.press("Space")
    practice.keyboard.press("f")
    expect(practice.locator("[data-md-component=search-query]")).to_be_focused()
    practice.keyboard.type("12jk ")
    assert counts(practice)[1:3] == (0, 0)
    practice.keyboard.press("Escape")
    part(practice, "group").focus()
    practice.keyboard.press("1")
    assert (shown(practice), counts(practice)[1:3]) == (first, (0, 0))


def test_keys_with_a_modifier_are_left_to_the_browser(practice: Page) -> None:
    """Ctrl+1 is the browser's, not a rating."""
    practice.keyboard.press("Space")
    practice.keyboard.press("Control+1")
    practice.keyboard.press("Alt+2")
    assert counts(practice)[1:3] == (0, 0)


def test_keys_can_be_turned_off(practice: Page) -> None:
    """With the box unticked no key does anything, after a reload either."""
    part(practice, "keys").uncheck()
    practice.reload()
    expect(part(practice, "keys")).not_to_be_checked()
    practice.keyboard.press("Space")
    expect(practice.locator(".am-answer__body:visible")).to_have_count(0)


def test_filters_choose_group_and_tag(practice: Page) -> None:
    """Only questions of the chosen group and tag are counted and asked; of none there is a word."""
    cards = practice.evaluate("[...document.querySelectorAll('.am-card')].map((c) => ({...c.dataset}))")
    for group in ("formula", "cost"):
        part(practice, "group").select_option(group)
        assert counts(practice)[0] == sum(card["group"] == group for card in cards)
        assert practice.locator(".am-card:visible").get_attribute("data-group") == group
    part(practice, "group").select_option("")
    part(practice, "tag").select_option("extra")
    assert counts(practice)[0] == sum(card["tag"] == "extra" for card in cards)
    practice.evaluate("document.querySelectorAll('.am-card').forEach((card) => (card.dataset.tag = 'core'))")
    part(practice, "group").select_option("cost")
    expect(part(practice, "none")).to_be_visible()
    expect(practice.locator(".am-card:visible")).to_have_count(0)


def test_reset_asks_first(practice: Page) -> None:
    """Forgetting takes a second yes, in the page; it leaves what was read, and Escape or no keeps the ratings."""
    practice.evaluate("window.amStore.set('read', 'masks.html', true, document.body)")
    rate(practice, "1")
    for stop in ("click", "Escape"):
        part(practice, "reset").click()
        expect(part(practice, "keep")).to_be_focused()
        practice.keyboard.press("Escape") if stop == "Escape" else part(practice, "keep").click()
        expect(part(practice, "reset")).to_be_focused()
        assert counts(practice)[1] == 1
    part(practice, "reset").click()
    part(practice, "forget").click()
    assert counts(practice)[1] == 0
    assert stored(practice)["cards"] == {}
    assert stored(practice)["read"] == {"masks.html": True}


def test_two_tabs_keep_both_ratings(practice: Page) -> None:
    """A rating in another tab is counted here, and neither tab undoes the other's."""
    first, second, *_ = ids(practice)
    rate(practice, "2")
    other = practice.context.new_page()
    other.goto(practice.url)
    assert shown(other) == first
    rate(other, "1")
    expect(part(practice, "count")).to_contain_text("1 known, 0 missed")
    assert shown(practice) == second
    rate(practice, "2")
    expect(part(other, "count")).to_contain_text("1 known, 1 missed")
    assert {name: card["known"] for name, card in stored(other)["cards"].items()} == {first: True, second: False}


def test_practice_reads_without_scripts(open_page: Callable[..., Page]) -> None:
    """With JavaScript off every question is there, every answer opens, and no control is left that does nothing."""
    page = open_page(PRACTICE, java_script_enabled=False)
    cards = page.locator(".am-card")
    assert cards.count() > 1
    expect(page.locator(".am-practice :is(button, select, input):visible")).to_have_count(0)
    for card in cards.all():
        expect(card.locator("h2")).to_be_visible()
        card.locator("summary").click()
        expect(card.locator(".am-short, .am-answer__body")).to_be_visible()


def test_group_pages_read_without_scripts(open_page: Callable[..., Page]) -> None:
    """On the groups' own pages questions, badges and answers are plain text."""
    page = open_page("exam/formula.html", java_script_enabled=False)
    for part_of in (".am-question > h2", ".am-badges", ".am-short", ".am-deeper > h3"):
        assert page.locator(part_of).count() == page.locator(".am-question").count() > 0
        expect(page.locator(part_of).first).to_be_visible()


def test_search_finds_a_question_once(built: Path) -> None:
    """The search leads to the questions' own pages; the practice page is found as a page."""
    index = json.loads((built / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = [entry["location"] for entry in index["docs"] if entry["location"].startswith("exam/")]
    assert [address for address in found if address.startswith(PRACTICE)] == [PRACTICE]
    assert any(address.startswith("exam/formula.html#") for address in found)


def test_practice_is_printed_whole(practice: Page) -> None:
    """On paper all questions are there, and no button."""
    practice.emulate_media(media="print")
    expect(practice.locator(".am-card:visible")).to_have_count(len(ids(practice)))
    expect(practice.locator(".am-practice :is(button, select, summary):visible")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_practice_with_an_answer_is_accessible(
    open_page: Callable[..., Page], site: Any, scheme: str, width: int
) -> None:
    """With the answer, the buttons, the question before resetting and a notice: axe is content, nothing overflows."""
    page = open_page("", width=width, color_scheme=scheme)
    page.add_init_script(FULL)
    page.goto(site.root + PRACTICE)
    rate(page, "2")
    part(page, "reset").click()
    page.locator(".am-card:visible summary").click()
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_practice_asks_nobody_else(open_page: Callable[..., Page], watch: Callable[..., Any], site: Any) -> None:
    """Rating and marking send nothing anywhere: no request at all after the pages are loaded."""
    page = open_page("")
    outside, errors = watch(page, site.root)
    page.goto(site.root + PRACTICE, wait_until="networkidle")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    rate(page, "2")
    rate(page, "1")
    assert (outside, errors, requests) == ([], [], [])


def test_chapter_marked_as_read_stays_marked(open_page: Callable[..., Page], site: Any) -> None:
    """The mark is in the navigation of this and other pages, after a reload too, and can be taken back."""
    page = open_page(CHAPTER)
    total = page.locator(".md-nav__item--section", has_text="Chapters").locator("> nav > ul > li").count()
    progress = page.locator(".am-progress").first
    expect(progress).to_have_text(f"0 of {total} chapters read")
    page.get_by_role("button", name="Mark as read").click()
    expect(progress).to_have_text(f"1 of {total} chapters read")
    page.goto(site.root + "exam/cost.html")
    expect(page.locator(".am-progress").first).to_have_text(f"1 of {total} chapters read")
    ticked = page.locator(".md-nav--primary a:has(.am-tick)")
    expect(ticked).to_have_count(1)
    expect(ticked).to_have_accessible_name(re.compile(r"Masks.*\(read\)"))
    page.goto(site.root + CHAPTER)
    page.get_by_role("button", name="Mark as unread").click()
    page.reload()
    expect(page.locator(".am-tick")).to_have_count(0)


def test_only_chapters_and_labs_can_be_marked(open_page: Callable[..., Page]) -> None:
    """Other pages show how far the reader is and have no button."""
    page = open_page("conventions.html")
    lines = page.locator(".am-progress").all_inner_texts()
    assert lines
    assert all(re.fullmatch(r"\d+ of \d+ (chapters|lab pages) read", line) for line in lines)
    expect(page.locator(".am-read")).to_have_count(0)


def test_chapter_can_be_marked_without_a_store(open_page: Callable[..., Page], site: Any) -> None:
    """With a full store the mark holds on this page, and the reader is told, once, beside the button."""
    page = open_page("")
    page.add_init_script(FULL)
    page.goto(site.root + CHAPTER)
    for name in ("Mark as read", "Mark as unread", "Mark as read"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".am-tick").first).to_be_attached()
    expect(page.locator(".am-notice")).to_have_count(1)


def test_progress_works_from_a_disk(open_page: Callable[..., Page], built: Path) -> None:
    """Opened as files, a chapter and a page in a folder below agree on what was read."""
    page = open_page("")
    page.goto((built / CHAPTER).as_uri())
    page.get_by_role("button", name="Mark as read").click()
    page.goto((built / PRACTICE).as_uri())
    expect(page.locator(".am-progress").first).to_contain_text("1 of")
    # The page's place in the site, not on the disk.
    assert stored(page)["read"] == {CHAPTER: True}
    rate(page, "1")
    assert counts(page)[1] == 1


def test_page_has_no_trace_of_progress_without_scripts(open_page: Callable[..., Page]) -> None:
    """Without JavaScript there is no button, no line and no place kept for them."""
    page = open_page(CHAPTER, java_script_enabled=False)
    expect(page.locator(".am-progress, .am-read, .am-tick")).to_have_count(0)
