"""The reading of prose against what the site really shows: no digit reaches a reader unseen.

The texts are rendered by Python-Markdown with the site's own extensions, and read back as a browser would.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import markdown
import pytest
import yaml

from drift import config
from drift.read import page

ROOT = Path(__file__).resolve().parents[4]
EMPTY = ("br", "hr", "img", "input", "wbr", "meta", "link")


class Settings(yaml.SafeLoader):
    """Reads `mkdocs.yml`; its own tags are of no interest here."""


Settings.add_multi_constructor("!", lambda *_: None)


class Browser(HTMLParser):
    """Collects what a reader sees or hears, but for code, formulas, and what the renderer adds of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, str]] = []
        self.shown: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in EMPTY:
            self.open.append((tag, values.get("class", "")))
        if "footnote-backref" not in values.get("class", ""):
            self.shown += [values[name] for name in ("alt", "title", "aria-label", "value") if name in values]
        self.shown.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass
        self.shown.append(" ")

    def handle_data(self, data: str) -> None:
        made = ("arithmatex", "footnote-ref", "footnote-backref", "headerlink", "filename")
        hidden = any(tag in ("code", "pre", "script", "style") or any(m in c for m in made) for tag, c in self.open)
        self.shown.append(" " if hidden else data)


def extensions() -> tuple[list[str], dict[str, dict[str, object]]]:
    """The Markdown extensions of the site, as Python-Markdown takes them; nothing is included."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = yaml.load(text, Loader=Settings)["markdown_extensions"]
    found = [item if isinstance(item, dict) else {item: {}} for item in ["toc", "tables", *listed]]
    merged = {name: options or {} for item in found for name, options in item.items()}
    merged.pop("pymdownx.snippets", None)
    return list(merged), merged


NAMES, OPTIONS = extensions()


def digits_shown(text: str) -> Counter[str]:
    """How often a reader of the rendered text meets each digit, names and addresses aside."""
    browser = Browser()
    browser.feed(markdown.markdown(text, extensions=NAMES, extension_configs=OPTIONS))
    browser.close()
    shown = re.sub(r"\b(?:https?|file)://\S+", "", "".join(browser.shown))
    shown = re.sub(r"[^\W\d]+\d+(?!\d|\.\d)", "", shown)
    return Counter(char for char in shown if char.isdigit())


def digits_seen(read: page.Page) -> Counter[str]:
    """How often the checker met each digit."""
    texts = (*(n.text for n in read.numerals), *(q.text for q in read.quotes), *(e.text for e in read.exempt))
    return Counter(char for text in texts for char in text if char.isdigit())


def unseen(text: str) -> Counter[str]:
    """The digits that a reader meets and the checker did not; none where it refused the page anyway."""
    read = page.parse(Path("/p/docs/a.md"), "docs/a.md", text)
    return Counter() if read.problems else digits_shown(text) - digits_seen(read)


TOKENS = [
    *(
        "`",
        "``",
        "$",
        "$$",
        "\\$",
        "\\`",
        "<!--",
        "-->",
        "[",
        "]",
        "](",
        "(",
        ")",
        "[a](",
        "](fact:a.b)",
        "{",
        "}",
        "{.x}",
    ),
    *("[0.5](fact:a.b)", "<b ", "<b>", "</b>", "<", ">", '"', "{width=", "**", "*", "_", "\n", "\n\n", "\n- ", "\n1. "),
    *(
        "\n    ",
        "\n> ",
        "\n| ",
        " | ",
        "\n| --- | --- |\n",
        "\n# ",
        "\n!!! note\n    ",
        '\n=== "a"\n    ',
        "\\(",
        "\\)",
    ),
    *(
        "\\[",
        "\\]",
        " ",
        " ",
        " a",
        "b",
        ". ",
        ", ",
        "![",
        "\n[1]: ",
        "[1]",
        "[^1]",
        "\n[^1]: ",
        "~",
        "%",
        "-",
        "−",
        "x",
    ),
    *(
        "<div>",
        "</div>",
        "\n<div>\n",
        "\n</div>\n",
        "\n```\n",
        "\n```text\n",
        "\n~~~\n",
        ":",
        "=",
        "\n---\n",
        "https://a.b/",
    ),
    *(
        "<https://a.b>",
        "v",
        "et al., ",
        "2017",
        "torch ",
        "\\",
        "\n<div markdown>\n",
        "\t",
        "!",
        "e",
        "^",
        "&amp;",
        "+",
        "/",
    ),
]


def generated(seed: int) -> str:
    """A text of numbers and marks that pair up, or do not, in every way."""
    chance = random.Random(seed)
    parts = []
    for _ in range(chance.randint(2, 14)):
        number = f"{chance.choice(['', '0.'])}{chance.randint(3, 99)}"
        parts.append(number if chance.random() < 0.35 else chance.choice(TOKENS))
    return "".join(parts)


@pytest.mark.parametrize("start", range(0, 1000, 100))
def test_read_generated_text_hides_no_digit(start: int) -> None:
    """Whatever pairs up, a digit that the site shows as prose is found, or the page is refused."""
    hidden = {text: missed for seed in range(start, start + 100) if (missed := unseen(text := generated(seed)))}
    assert hidden == {}


def test_generated_texts_are_read_often_enough() -> None:
    """The comparison above says something: many of its texts are read without a problem and show digits."""
    texts = [generated(seed) for seed in range(200)]
    read = [text for text in texts if not page.parse(Path("/p/a.md"), "a.md", text).problems and digits_shown(text)]
    assert len(read) > 50


def pages() -> list[Path]:
    """The site's own pages."""
    return page_files(config.load(ROOT))


def page_files(settings: config.Config) -> list[Path]:
    return [found.path for found in page.discover(settings)]


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_read_page_of_the_site_hides_no_digit(path: Path) -> None:
    """Every digit that a page of the site shows as prose is bound, declared or exempt by name."""
    text = path.read_text(encoding="utf-8")
    read = page.parse(path, path.name, text)
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    assert read.problems == ()
    assert digits_shown(body) - digits_seen(read) == Counter()
