"""The glossary: its entries, where their terms are marked, and the tooltips."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from axe_playwright_python.sync_playwright import Axe
from mkdocs.exceptions import PluginError
from playwright.sync_api import Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ["embeddings", "attention", "scaling", "self-and-cross", "masks", "order", "multi-head", "cost"]
# Tab stops before the first term: the theme's links, the navigation, code blocks.
STOPS = 300
TOUCH = {"width": 390, "has_touch": True, "is_mobile": True}


def load() -> ModuleType:
    """The hook, which is a file and no module of any package."""
    spec = importlib.util.spec_from_file_location("hook_glossary", ROOT / "theme" / "hooks" / "glossary.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # As MkDocs does; a dataclass looks its module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


glossary = load()

CHAPTER = "Chapter: [Masks](masks.md#a)."
ENTRY = f"A definition.\n\nSymbol: $k$.\n{CHAPTER}"
TERMS, _ = glossary.read(
    f"""## Attention

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
)


def marked(html: str) -> list[str]:
    """The words that are marked in `html`; without the marks it must be what it was."""
    found = glossary.mark(html, TERMS, "glossary.html")
    mark = re.compile(r'<a class="am-term" [^<>]*>([^<>]*)</a>')
    assert mark.sub(r"\1", found) == html
    return mark.findall(found)


def test_glossary_of_the_site_can_be_read() -> None:
    """The terms of the course are there, each with a definition and a chapter."""
    terms, errors = glossary.read((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    assert errors == []
    assert len(terms) >= 45
    assert all(term.definition and term.page and term.forms for term in terms)


def test_entry_is_read() -> None:
    """An entry gives its forms, its anchor and its definition as plain text."""
    mask = TERMS[2]
    assert (mask.title, mask.anchor, mask.forms) == ("Mask", "mask", ("Mask", "masks"))
    assert (mask.definition, mask.page) == ('Says which "keys" are blocked.', "masks.md")
    assert TERMS[3].forms == ("the values",)


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        (f"## Key\n\n{ENTRY}\n\n## Key\n\n{ENTRY}", "'key' is said by 'Key' already"),
        (f'## Key\n\n{ENTRY}\n\n## Row {{ data-also="key" }}\n\n{ENTRY}', "'key' is said by 'Key' already"),
        (f"## Key\n\n{CHAPTER}", "a definition, got none"),
        ("## Key", "a definition, got none"),
        ("## Key\n\nA definition.", "a last line `Chapter:"),
        ("## Key\n\nA definition.\n\nChapter: [Paper](https://example.org#a).", "a last line `Chapter:"),
        ("## Key\n\nA definition.\n\nChapter: [Masks](masks.md).", "a last line `Chapter:"),
        (f"## Key\n\nOne.\n\nTwo.\n\n{CHAPTER}", "got more"),
        (f"## Key\n\nA definition.\n\nSee also.\n{CHAPTER}", "got more"),
        (f"## Key\n\nA [link](masks.md).\n\n{CHAPTER}", "without links, formulas and tags"),
        (f'## Key {{ data-alos="keys" }}\n\n{ENTRY}', "data-alos"),
        (f"## Row\n\n{ENTRY}\n\n## Key\n\n{ENTRY}", "before 'Row'"),
    ],
)
def test_entry_that_cannot_be_used_is_named(markdown: str, message: str) -> None:
    """What is missing, said twice or out of order is told with the entry's name."""
    _, errors = glossary.read(markdown)
    assert any(message in error for error in errors), errors
    assert all(error.startswith(("'Key'", "'Row'")) for error in errors)


def test_build_stops_at_an_entry_that_cannot_be_used(tmp_path: Path) -> None:
    """The build fails, names every such entry, and accepts no chapter that is not there."""
    path = tmp_path / "glossary.md"
    path.write_text(f"## Key\n\n\n## Row\n\n{ENTRY}", encoding="utf-8")
    pages = {"glossary.md": SimpleNamespace(abs_src_path=str(path))}
    with pytest.raises(PluginError, match=r"(?s)'Key': expected a definition.*'Row': expected a page masks\.md"):
        glossary.on_files(SimpleNamespace(get_file_from_path=pages.get), None)


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
        "<p><a class='am-fact' href='x.html'>mask</a></p>",
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
    term = glossary.Term("Mask", "mask", ("mask",), "d", "masks.md", ("faces.md",))
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


@pytest.mark.browser
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
    assert all(5 <= counts[f"{chapter}.html"] <= glossary.MOST for chapter in CHAPTERS), counts
    assert max(counts.values()) <= glossary.MOST
    known = {f"{chapter}.html" for chapter in CHAPTERS}
    assert [path for path, count in counts.items() if count and path not in known and "labs/" not in path] == []


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


@pytest.mark.browser
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


@pytest.mark.browser
def test_term_tooltip_goes_on_escape(open_page: Callable[..., Page]) -> None:
    """Escape closes the tooltip and leaves the focus where it is."""
    page = open_page("scaling.html")
    tab_to_term(page)
    expect(tip_of(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip_of(page)).to_have_count(0)
    expect(page.locator(".am-term:focus")).to_have_count(1)
    expect(page.locator(".am-term[aria-describedby]")).to_have_count(0)


@pytest.mark.browser
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


@pytest.mark.browser
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


@pytest.mark.browser
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


@pytest.mark.browser
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


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_term_tooltip_is_accessible(open_page: Callable[..., Page], scheme: str) -> None:
    """Axe finds nothing wrong with the terms, or with the open box."""
    page = open_page("scaling.html", color_scheme=scheme, **TOUCH)
    page.locator(".am-term").first.tap()
    expect(tip_of(page)).to_be_visible()
    response = Axe().run(page, context={"include": [["#am-term-tip"], [".am-term"]]}).response
    assert response["passes"]
    assert [(violation["id"], violation["nodes"]) for violation in response["violations"]] == []


@pytest.mark.browser
def test_term_is_a_plain_link_without_scripts(open_page: Callable[..., Page]) -> None:
    """Without JavaScript a term leads to its entry."""
    page = open_page("scaling.html", java_script_enabled=False)
    page.locator(".am-term").first.click()
    expect(page.locator("h2:target")).to_be_visible()
