"""The exam's questions as data: what is missing, unknown or there twice stops the build and is named."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import markdown
import pytest
import yaml
from jinja2 import Environment, FileSystemLoader
from mkdocs.exceptions import PluginError

ROOT = Path(__file__).resolve().parents[2]
CONFIG = SimpleNamespace(docs_dir="/somewhere/docs")
TEMPLATES = Environment(loader=FileSystemLoader(ROOT / "theme" / "overrides"))
GOOD = """---
title: Cost
topics: [memory]
questions:
  long-text: {tag: core, likelihood: even, topic: memory}
---

# Cost

## How much memory? {#long-text}

The length is given.
{: .am-given }

A lot, see [below](#long-text-deeper).

### Deeper {#long-text-deeper}

Four bytes each.
"""


def load() -> ModuleType:
    """The hook, which is a file and no module of any package; its dataclasses look it up by name."""
    spec = importlib.util.spec_from_file_location("hook_questions", ROOT / "theme" / "hooks" / "questions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hook_questions"] = module
    spec.loader.exec_module(module)
    return module


questions = load()


@pytest.fixture(autouse=True)
def _new_build() -> None:
    """Each test is a build of its own."""
    questions.on_pre_build(CONFIG)


def page(source: str, uri: str = "exam/cost.md") -> SimpleNamespace:
    """A page as the hook meets it."""
    front = yaml.safe_load(source.split("---\n")[1])
    entries = [SimpleNamespace(children=[SimpleNamespace(children=["Deeper"])])]
    file = SimpleNamespace(src_uri=uri, content_string=source)
    return SimpleNamespace(file=file, meta=front, title=front.get("title"), toc=entries, content="<h1>Practice</h1>")


def read(source: str, uri: str = "exam/cost.md") -> str:
    """The page's HTML after the hook."""
    body = source.split("---\n", 2)[2]
    html = markdown.markdown(body, extensions=["attr_list", "toc", "footnotes", "fenced_code"])
    changed: str = questions.on_page_content(html, page(source, uri), CONFIG, None)
    return changed


def problems(source: str) -> list[str]:
    """What the hook says against a page."""
    read(source)
    return [str(problem) for problem in sorted(questions._build.problems)]


def at(source: str, text: str) -> int:
    """The number of the first line that contains `text`."""
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def test_question_is_marked_up() -> None:
    """A question becomes a section with its badges, what it gives, the short answer, and the rest."""
    html = read(GOOD)
    assert questions._build.problems == []
    assert html.startswith("<h1")
    assert '<section class="am-question" data-question="long-text" data-tag="core" data-likelihood="even"' in html
    order = ["<h2", "am-badges", "am-given", 'class="am-short"', "A lot", 'class="am-deeper"', "<h3", "Four bytes"]
    assert [html.index(text) for text in order] == sorted(html.index(text) for text in order)


def test_badges_hold_no_numeral() -> None:
    """Badges are words, so nothing in them has to be bound to a fact."""
    badges = questions.badges({"tag": "core", "likelihood": "rare", "topic": "memory"})
    assert re.sub(r"<[^>]*>", "", badges) == "core likelihood: rare memory"


def test_contents_leave_deeper_out() -> None:
    """The table of contents lists the questions and not what is below each."""
    subject = page(GOOD)
    questions.on_page_content("", subject, CONFIG, None)
    assert subject.toc[0].children[0].children == []


DECLARED = "  long-text: {tag: core, likelihood: even, topic: memory}\n"
DEEPER = "### Deeper {#long-text-deeper}\n\nFour bytes each.\n"
BROKEN = {
    "no section": (("{#long-text}", "{#other-text}"), "long-text:", "'long-text': declared, but has no section"),
    "no declaration": (("## How", "## What? {#what}\n\n## How"), "## What?", "'what': a section that the front"),
    "no id": (("## How", "## Why so?\n\n## How"), "## Why", "'why-so': a section that the front matter"),
    "no tag": (("tag: core, ", ""), "long-text:", "'long-text': has no tag; expected one of core, extra"),
    "unknown tag": (("tag: core", "tag: cor"), "long-text:", "'long-text': unknown tag 'cor'"),
    "no likelihood": (("likelihood: even, ", ""), "long-text:", "'long-text': has no likelihood; expected one of"),
    "unknown likelihood": (("likelihood: even", "likelihood: maybe"), "long-text:", "unknown likelihood 'maybe'"),
    "no topic": ((", topic: memory", ""), "long-text:", "'long-text': has no topic; expected one of memory"),
    "unknown topic": (("topic: memory", "topic: time"), "long-text:", "'long-text': unknown topic 'time'"),
    "unused topic": (("[memory]", "[memory, time]"), "topics:", "no question has the topic 'time'"),
    "unknown key": (("tag: core", "tag: core, level: high"), "long-text:", "'long-text': unknown key 'level'"),
    "a number in an id": (("  long-text:", "  text2:"), "text2:", "'text2': expected an id of small letters"),
    "declared twice": ((DECLARED, DECLARED * 2), "long-text:", "'long-text': declared twice"),
    "empty answer": (("A lot, see [below](#long-text-deeper).", ""), "## How", "'long-text': has no answer"),
    "no Deeper": ((DEEPER, ""), "## How", "'long-text': expected one heading `### Deeper {#long-text-deeper}`, got 0"),
    "empty Deeper": (("Four bytes each.", ""), "## How", "'long-text': has nothing below `### Deeper`"),
    "other heading": (("Four", "### More\n\nFour"), "## How", "expected no heading of this level but `### Deeper`"),
    "footnote": (("each.", "each.[^a]\n\n[^a]: Said elsewhere."), "## How", "'long-text': a footnote"),
    "no front matter": (("questions:", "asked:"), "---", "expected `topics:` with a list and `questions:`"),
}


@pytest.mark.parametrize(("change", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_question_is_named(change: tuple[str, str], line: str, message: str) -> None:
    """Each fault is reported with the file, its line and the question's id."""
    assert change[0] in GOOD
    source = GOOD.replace(*change, 1)
    found = problems(source)
    where = at(source, line) + message.endswith("declared twice")
    assert any(text.startswith(f"docs/exam/cost.md:{where}: ") and message in text for text in found), found


def test_section_twice_is_named() -> None:
    """Two answers to one question are an error, even when one declaration would do for both."""
    again = GOOD + "\n## Again? {#long-text}\n\nSo.\n\n### Deeper {#long-text-deeper}\n\nSo.\n"
    assert any("'long-text': two sections have this id" in text for text in problems(again))


def test_heading_in_a_fence_is_no_section() -> None:
    """A line number is that of the heading, not of a line of code that looks like it."""
    source = GOOD.replace("# Cost\n", "# Cost\n\n```console\n## How {#long-text}\n```\n")
    source = source.replace("Four bytes each.", "")
    assert problems(source)[0].startswith(f"docs/exam/cost.md:{at(source, '## How much')}: ")


def test_id_on_two_pages_is_named() -> None:
    """An id is taken once for all groups, since practice keeps ratings by it."""
    read(GOOD)
    read(GOOD, "exam/formula.md")
    line = at(GOOD, "long-text:")
    message = f"docs/exam/formula.md:{line}: question 'long-text': the id is taken by docs/exam/cost.md:{line}"
    assert [str(problem) for problem in questions._build.problems] == [message]


def test_questions_elsewhere_are_refused() -> None:
    """A page outside the groups that declares questions would be left out without a word."""
    read(GOOD, "exam/more.md")
    read(GOOD, "cost.md")
    assert [problem.file for problem in questions._build.problems] == ["docs/exam/more.md", "docs/cost.md"]


def test_all_problems_stop_the_build_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """Everything is told in one run: two faults of one page, and the groups that have no page."""
    read(GOOD.replace("core", "cor").replace("Four bytes each.", ""))
    files = SimpleNamespace(get_file_from_path=lambda _: True)
    questions._report(None, CONFIG, files)
    for text in ("unknown tag", "nothing below", "embeddings.md is missing", "formula.md is missing"):
        assert text in caplog.text
    with pytest.raises(PluginError, match=r"questions: 5 problem\(s\)"):
        questions._gather(None, CONFIG, files)
    assert questions._build.practice == ""


def gathered(last: str = GOOD) -> str:
    """The practice page of four groups with one question each; `last` is the source of the page on cost."""
    for group in questions.GROUPS:
        read((last if group == "cost" else GOOD).replace("long-text", f"long-{group}"), f"exam/{group}.md")
    practice, other = page(GOOD, questions.PRACTICE), page(GOOD)
    questions._gather(TEMPLATES, CONFIG, SimpleNamespace(get_file_from_path=lambda _: practice))
    for shown in (practice, other):
        questions.on_page_context({}, shown, CONFIG, None)
    assert other.content == "<h1>Practice</h1>"
    return str(practice.content)


def test_practice_gets_every_question() -> None:
    """The practice page holds each question once, in the order of the groups, under ids of its own."""
    html = gathered()
    assert html.startswith("<h1>Practice</h1>")
    cards = re.findall(r'am-card" data-question="([\w-]+)"', html)
    assert cards == [f"long-{group}" for group in questions.GROUPS]
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


def test_likelihoods_are_counted_over_the_same_pages() -> None:
    """The snippet that counts the questions knows the groups and the words that the build knows."""
    tree = ast.parse((ROOT / "snippets" / "exam" / "likelihood.py").read_text(encoding="utf-8"))
    said = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    assert ast.literal_eval(said["GROUPS"]) == questions.GROUPS
    assert ast.literal_eval(said["LIKELIHOODS"]) == questions.LIKELIHOODS
