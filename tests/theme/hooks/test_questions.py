"""The exam's questions in the finished HTML: marked up on their pages, gathered on the practice page."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from authoring import Book
from jinja2 import Environment, FileSystemLoader
from mkdocs.exceptions import PluginError

from theme.hooks import questions

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = Environment(loader=FileSystemLoader(ROOT / "theme" / "overrides"))
GROUPS = ("embeddings", "cost")
GROUP = """  GROUP:
    topics: [GROUP memory]
    questions:
      long-GROUP: {tag: core, likelihood: even, topic: GROUP memory}
"""
GOOD = """# Cost

## How much memory? {#long-cost}

The length is given.
{: .am-given }

A lot, see [below](#long-cost-deeper).

### Deeper {#long-cost-deeper}

Four bytes each.
"""


@pytest.fixture(autouse=True)
def book(tmp_path: Path) -> Book:
    """Each test is a build of its own, of a project with two groups."""
    book = Book(tmp_path)
    book.write("pyproject.toml", "[tool.drift]\n")
    (book.root / "docs").mkdir()
    groups = "".join(GROUP.replace("GROUP", name) for name in GROUPS)
    book.write("snippets/exam/questions.yml", f"tags: [core]\nlikelihoods: [even]\ngroups:\n{groups}")
    questions.on_pre_build(config(book))
    return book


def config(book: Book) -> SimpleNamespace:
    """As much of MkDocs' configuration as the hook asks for."""
    return SimpleNamespace(config_file_path=str(book.root / "mkdocs.yml"))


def page(source: str, uri: str = "exam/cost.md") -> SimpleNamespace:
    """A page as the hook meets it."""
    entries = [SimpleNamespace(children=[SimpleNamespace(children=["Deeper"])])]
    file = SimpleNamespace(src_uri=uri, abs_src_path=f"/somewhere/docs/{uri}", content_string=source)
    return SimpleNamespace(file=file, title="Cost", toc=entries, content="<h1>Practice</h1>")


def read(source: str, uri: str = "exam/cost.md") -> str:
    """The page's HTML after the hook."""
    html = markdown.markdown(source, extensions=["attr_list", "toc", "fenced_code", "md_in_html"])
    changed: str = questions.on_page_content(html, page(source, uri), None, None)
    return changed


def test_question_is_marked_up(caplog: pytest.LogCaptureFixture) -> None:
    """A question becomes a section with its badges, what it gives, the short answer, and the rest."""
    html = read(GOOD)
    assert html.startswith("<h1")
    assert '<section class="am-question" data-question="long-cost" data-tag="core" data-likelihood="even"' in html
    order = ["<h2", "am-badges", "am-given", 'class="am-short"', "A lot", 'class="am-deeper"', "<h3", "Four bytes"]
    assert [html.index(text) for text in order] == sorted(html.index(text) for text in order)
    assert caplog.text == ""


def test_other_pages_stay_as_they_are() -> None:
    """A page of no group, or in another folder, has no questions."""
    for uri in ("exam/theory.md", "cost.md"):
        assert "am-question" not in read(GOOD, uri)


def test_section_of_no_question_stays_as_it_is() -> None:
    """A preview shows a section that is not declared yet, without badges; the check reports it."""
    html = read(GOOD + "\n## More {#more}\n\nWords.\n")
    assert html.count("am-question") == 1
    assert html.endswith('<h2 id="more">More</h2>\n<p>Words.</p>')


def test_badges_hold_no_numeral() -> None:
    """Badges are words, so nothing in them has to be bound to a fact."""
    badges = questions.badges({"tag": "core", "likelihood": "rare", "topic": "memory"})
    assert re.sub(r"<[^>]*>", "", badges) == "core likelihood: rare memory"


def test_contents_leave_deeper_out() -> None:
    """The table of contents lists the questions and not what is below each."""
    subject = page(GOOD)
    questions.on_page_content("", subject, None, None)
    assert subject.toc[0].children[0].children == []


@pytest.mark.parametrize("hidden", ["More\n----\n\n", '<h2 id="more">More</h2>\n\n', "- ## More\n\n"])
def test_heading_that_the_rule_cannot_see_is_an_error(hidden: str, caplog: pytest.LogCaptureFixture) -> None:
    """A heading without `#` at the margin would be judged by nobody, so it is an error of the build."""
    read(GOOD.replace("Four", f"{hidden}Four"))
    assert "exam/cost.md: expected headings written with `#`, got another one, #more" in caplog.text
    assert {record.levelname for record in caplog.records} == {"ERROR"}


def test_list_that_cannot_be_used_is_an_error(book: Book, caplog: pytest.LogCaptureFixture) -> None:
    """A build without the check before it names the line and ends in no traceback."""
    book.write("snippets/exam/questions.yml", "tags: [core]\nlikelihoods: {}\n")
    questions.on_pre_build(config(book))
    assert "snippets/exam/questions.yml:2: likelihoods: no list of words" in caplog.text
    assert "am-question" not in read(GOOD)


def gathered(last: str = GOOD) -> str:
    """The practice page of the groups with one question each; `last` is the source of the page on cost."""
    for group in GROUPS:
        read((last if group == "cost" else GOOD).replace("long-cost", f"long-{group}"), f"exam/{group}.md")
    practice, other = page(GOOD, questions.PRACTICE), page(GOOD)
    questions.on_env(TEMPLATES, None, SimpleNamespace(get_file_from_path=lambda _: practice))
    for shown in (practice, other):
        questions.on_page_context({}, shown, None, None)
    assert other.content == "<h1>Practice</h1>"
    return str(practice.content)


def test_practice_gets_every_question() -> None:
    """The practice page holds each question once, in the order of the groups, under ids of its own."""
    html = gathered()
    assert html.startswith("<h1>Practice</h1>")
    cards = re.findall(r'am-card" data-question="([\w-]+)"', html)
    assert cards == [f"long-{group}" for group in GROUPS]
    assert 'id="cost--long-cost"' in html
    assert 'href="cost.html#long-cost-deeper"' in html


def test_same_id_twice_on_the_practice_page_is_refused() -> None:
    """Raw HTML that has an id twice does not reach the page."""
    with pytest.raises(PluginError, match="cost--x"):
        gathered(GOOD.replace("Four bytes each.", '<b id="x">Four</b> <b id="x">bytes</b>'))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<h2 id="a">', '<h2 id="cost--a">'),
        ('<a href="#a">', '<a href="cost.html#a">'),
        ('<a href="../masks.html#a">', '<a href="../masks.html#a">'),
        ('<use href="#a" />', '<use href="#cost--a" />'),
        ('<g clip-path="url(#a)">', '<g clip-path="url(#cost--a)">'),
        ('<p aria-labelledby="a b">', '<p aria-labelledby="cost--a cost--b">'),
        ('<input id="t" name="n" /><label for="t">', '<input id="cost--t" name="cost--n" /><label for="cost--t">'),
        ('<p title="a > b" id="a">id="a"</p>', '<p title="a > b" id="cost--a">id="a"</p>'),
    ],
)
def test_moved_html_keeps_its_references(html: str, expected: str) -> None:
    """Ids and what refers to them change together; text and other pages' addresses do not."""
    assert questions.moved(html, "cost") == expected
