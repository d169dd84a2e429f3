"""The cheat sheet: one sheet of paper with everything on it, and code that runs as it is shown."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

PATH = "cheat-sheet.html"
# What `@page` leaves of A4 (210 mm by 297 mm), in CSS pixels.
PAPER: Any = {"width": round(194 / 25.4 * 96), "height": round(281 / 25.4 * 96)}
SMALLEST = 7 / 72 * 96  # 7 pt

_OBJECT = re.compile(rb"^(\d+) 0 obj\s(.*?)\sendobj", re.MULTILINE | re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>")
_PAIR = re.compile(rb"^<(\w{4})> <(\w+)>$", re.MULTILINE)
_RANGE = re.compile(rb"^<(\w{4})> <(\w{4})> <(\w+)>$", re.MULTILINE)


def objects(pdf: bytes) -> dict[bytes, bytes]:
    """Every object of a PDF that Chromium made, by its number."""
    return {match[1]: match[2] for match in _OBJECT.finditer(pdf)}


def pages_of(pdf: bytes) -> list[bytes]:
    """The objects of its pages."""
    return [body for body in objects(pdf).values() if b"/Type /Page\n" in body]


def text_of(pdf: bytes) -> str:
    """Its letters without spaces, in the order in which they are painted.

    Chromium writes glyph numbers in hexadecimal, and for each font a table from glyphs to letters.
    """
    found = objects(pdf)
    parts: list[str] = []
    for page in pages_of(pdf):
        fonts = {name: letters(found, found[number]) for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", page)}
        content = re.search(rb"/Contents (\d+) 0 R", page)
        assert content is not None
        font: dict[int, str] = {}
        for match in _SHOWN.finditer(stream(found[content[1]])):
            if match[1]:
                font = fonts[match[1]]
            else:
                glyphs = bytes.fromhex(match[2].decode())
                parts += [font.get(glyphs[at] << 8 | glyphs[at + 1], "?") for at in range(0, len(glyphs), 2)]
    return plain("".join(parts))


def letters(found: dict[bytes, bytes], font: bytes) -> dict[int, str]:
    """What each glyph of a font stands for."""
    number = re.search(rb"/ToUnicode (\d+) 0 R", font)
    assert number is not None, font
    table = stream(found[number[1]])
    known = {int(glyph, 16): characters(code) for glyph, code in _PAIR.findall(table)}
    for first, last, code in _RANGE.findall(table):
        start = characters(code)
        for step in range(int(last, 16) - int(first, 16) + 1):
            known[int(first, 16) + step] = start[:-1] + chr(ord(start[-1]) + step)
    return known


def characters(code: bytes) -> str:
    """What UTF-16 in hexadecimal stands for."""
    return bytes.fromhex(code.decode()).decode("utf-16-be")


def stream(body: bytes) -> bytes:
    """The content of an object's stream."""
    match = _STREAM.search(body)
    assert match is not None
    return zlib.decompress(match[1]) if b"/FlateDecode" in body else match[1]


def plain(text: str) -> str:
    """A text without spaces, and with the letters of formulas as ordinary ones."""
    return re.sub(r"[\s\u2061\u200b]", "", unicodedata.normalize("NFKC", text))


def printed_with(site: Any, browser: Browser, style: str = "") -> bytes:
    """The sheet as a reader prints it from a wide window, with a rule of style added."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(site.root + PATH)
    if style:
        page.add_style_tag(content=style)
    pdf = page.pdf(format="A4", prefer_css_page_size=True)
    context.close()
    return pdf


@pytest.fixture(scope="module")
def printed(site: Any, browser: Browser) -> bytes:
    """The sheet as it is."""
    return printed_with(site, browser)


@pytest.fixture
def paper(open_page: Callable[..., Page]) -> Page:
    """The page laid out for print, as wide as what the paper's margins leave."""
    page = open_page(PATH)
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    return page


def test_sheet_is_one_page_of_a4(printed: bytes) -> None:
    """It prints on exactly one sheet of A4."""
    (page,) = pages_of(printed)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", page)
    assert box is not None
    assert (float(box[1]), float(box[2])) == pytest.approx((595.28, 841.89), abs=1)


def test_sheet_is_one_page_in_wider_letters(site: Any, browser: Browser) -> None:
    """A system whose font is a tenth wider still gets one sheet."""
    wider = "@media print { article { font-family: 'DejaVu Sans', Verdana !important } }"
    assert len(pages_of(printed_with(site, browser, wider))) == 1


def test_sheet_prints_every_section_to_its_end(printed: bytes, open_page: Callable[..., Page]) -> None:
    """The title and the last words that a screen shows of every section are on the paper, of the last section too."""
    ends: dict[str, str] = open_page(PATH).evaluate(
        """() => {
          const ends = {};
          let title = null;
          for (const element of document.querySelector("article").children) {
            if (element.tagName === "H2") title = element.innerText.replace("¶", "");
            if (title && element.tagName !== "H2") ends[title] = element.innerText;
          }
          return ends;
        }"""
    )
    assert len(ends) == 7
    shown = text_of(printed)
    missing = [title for title, text in ends.items() if plain(title) not in shown or plain(text)[-20:] not in shown]
    assert missing == []


def test_sheet_prints_nothing_else(printed: bytes) -> None:
    """No navigation, search, footer or captions, and no marks behind headings."""
    shown = text_of(printed)
    assert "Cheatsheet" in shown
    for words in ("Search", "Tableofcontents", "Madewith", "Glossary", "Output", ".py,line", "Download", "¶"):
        assert words not in shown, words


def test_sheet_type_is_large_enough(paper: Page) -> None:
    """No letter is smaller than seven points, but for indices in formulas."""
    small: list[str] = paper.evaluate(
        """(smallest) => [...document.querySelectorAll("article :not(math, math *)")]
          .filter((element) => element.checkVisibility() && element.innerText?.trim())
          .filter((element) => parseFloat(getComputedStyle(element).fontSize) < smallest - 0.01)
          .map((element) => `${element.tagName} ${element.innerText.slice(0, 30)}`)""",
        SMALLEST,
    )
    assert small == []
    assert paper.evaluate("parseFloat(getComputedStyle(document.querySelector('article math')).fontSize)") > SMALLEST


def test_sheet_cuts_nothing_off(paper: Page) -> None:
    """Everything lies within its column, and no box hides a part of what it holds."""
    cut: list[str] = paper.evaluate(
        """() => {
          const article = document.querySelector("article");
          const { left, right } = article.getBoundingClientRect();
          const half = (right - left - parseFloat(getComputedStyle(article).columnGap)) / 2;
          const inside = (box) =>
            (box.left >= left - 1 && box.right <= left + half + 1) ||
            (box.left >= right - half - 1 && box.right <= right + 1);
          const hides = (element) =>
            getComputedStyle(element).overflow !== "visible" &&
            (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
          const cut = [...article.querySelectorAll(":not(math *)")].filter((element) => {
            if (!element.checkVisibility()) return false;
            const boxes = [...element.getClientRects()].filter((box) => box.width && box.height);
            return hides(element) || !boxes.every(inside);
          });
          if (hides(article) || article.scrollWidth > article.clientWidth + 1) cut.push(article);
          return cut.map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);
        }"""
    )
    assert cut == []
    assert paper.evaluate("document.querySelector('article').getBoundingClientRect().height") <= PAPER["height"]


def test_sheet_is_an_ordinary_page_on_a_screen(open_page: Callable[..., Page]) -> None:
    """On a screen it has one column, letters of the usual size, and the navigation."""
    page = open_page(PATH)
    size = "getComputedStyle(document.querySelector('article h2 + p')).fontSize"
    sheet = page.evaluate(f"[{size}, getComputedStyle(document.querySelector('article')).columnCount]")
    assert page.locator(".md-header").is_visible()
    page.goto(page.url.replace(PATH, "conventions.html"))
    assert sheet == [page.evaluate(size), "auto"]


def test_other_pages_print_as_they_did(open_page: Callable[..., Page]) -> None:
    """The rules for the sheet hold for the sheet only."""
    page = open_page("conventions.html")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('article')).columnCount") == "auto"
    assert page.evaluate("getComputedStyle(document.body).page") == "auto"


@pytest.mark.parametrize("number", [0, 1])
def test_code_runs_as_it_is_shown(open_page: Callable[..., Page], tmp_path: Path, number: int) -> None:
    """Each block, copied into an empty script, prints what stands below it, and no warning."""
    page = open_page(PATH)
    blocks, outputs = page.locator(".language-python.highlight pre"), page.locator(".drift-output pre")
    assert blocks.count() == outputs.count() == 2
    script = tmp_path / "script.py"
    script.write_text(blocks.nth(number).inner_text(), encoding="utf-8")
    command = [sys.executable, "-W", "error", str(script)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip() == outputs.nth(number).inner_text().strip()
