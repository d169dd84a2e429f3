"""The rule for exam questions: each fault is reported at its own line, in the list or on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from authoring import Book

from drift import config
from drift.problem import Problem
from drift.read import site
from theme.rules import questions

LIST = """tags: [core, extra]
likelihoods: [certain, likely, even]
groups:
  cost:
    topics: [memory]
    questions:
      long-text: {tag: core, likelihood: even, topic: memory}
  formula:
    topics: [shapes]
    questions:
      all-shapes: {tag: extra, likelihood: likely, topic: shapes}
"""
PAGE = """---
title: Cost
---

# Cost

## How much memory? {#long-text}

The length is given.
{: .am-given }

A lot, see [below](#long-text-deeper).

### Deeper {#long-text-deeper}

Four bytes each.
"""
AT = {"list": "snippets/exam/questions.yml", "page": "docs/exam/cost.md"}


@pytest.fixture
def course(tmp_path: Path) -> Book:
    """A project with two groups of one question each, which agree with their pages."""
    book = Book(tmp_path)
    book.write("pyproject.toml", "[tool.drift]\n")
    book.write(AT["list"], LIST)
    book.write(AT["page"], PAGE)
    book.write("docs/exam/formula.md", PAGE.replace("long-text", "all-shapes"))
    book.write("docs/exam/theory.md", "# Theory\n\n## One {#long-text}\n\n??? tip\n\n    Words.\n")
    return book


def found(course: Book) -> list[Problem]:
    """What the rule finds."""
    return sorted(questions.problems(site.read(config.load(course.root))))


def told(course: Book) -> list[str]:
    """The same as text: place, message, expected and got."""
    return [f"{found.place} {found.message} | {found.expected} | {found.got}" for found in found(course)]


def test_questions_that_agree_are_accepted(course: Book) -> None:
    """A list and its pages that agree are no problem, and a page beside them may have sections of its own."""
    assert found(course) == []


WORDS = "{tag: core, likelihood: even, topic: memory}"
ENTRY = f"      long-text: {WORDS}\n"
BROKEN_LIST = {
    "no tag": ("tag: core, ", "", "long-text", "question 'long-text' has no tag | one of core, extra"),
    "unknown tag": ("tag: core", "tag: cor", "long-text", "unknown tag | one of core, extra | cor"),
    "no likelihood": ("likelihood: even, ", "", "long-text", "has no likelihood | one of certain, likely, even"),
    "unknown likelihood": (
        *("likelihood: even", "likelihood: often", "long-text"),
        "question 'long-text': unknown likelihood | one of certain, likely, even | often",
    ),
    "no topic": (", topic: memory", "", "long-text", "question 'long-text' has no topic | one of memory"),
    "unknown topic": ("topic: memory", "topic: time", "long-text", "unknown topic | one of memory | time"),
    "unused topic": ("[memory]", "[memory, time]", "topics:", "no question has the topic 'time'"),
    "topic twice": ("[memory]", "[memory, memory]", "topics:", "topics of 'cost': 'memory' is there twice"),
    "unknown key": ("tag: core", "tag: core, level: high", "long-text", "unknown key | one of tag, likelihood, topic"),
    "key twice": ("tag: core", "tag: core, tag: extra", "long-text", "question 'long-text': 'tag' is there twice"),
    "a number in an id": ("long-text:", "text2:", "text2", "'text2': an id that cannot be used | small letters"),
    "no words": (WORDS, "core", "long-text", "question 'long-text': no mapping | {tag, likelihood, topic}"),
    "no section": ("long-text:", "other-text:", "other-text", "question 'other-text' is declared and has no section"),
    "no page": ("  cost:", "  price:", "  price:", "group 'price': its page docs/exam/price.md is missing"),
    "no topics": ("    topics: [memory]\n", "", "    questions:", "group 'cost' has no topics | a list"),
    "no list": ("[memory]", "{memory: 1}", "topics:", "topics of 'cost': no list of words"),
    "no likelihoods": ("likelihoods: [certain, likely, even]\n", "", "tags:", "the list has no likelihoods"),
    "not YAML": ("[memory]", "[memory", "    questions:", "not YAML"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), BROKEN_LIST.values(), ids=BROKEN_LIST)
def test_broken_declaration_is_reported_at_its_line(course: Book, old: str, new: str, line: str, message: str) -> None:
    """Each fault of the list is reported with its line, what was expected and what came."""
    text = LIST.replace(old, new, 1)
    assert text != LIST
    course.write(AT["list"], text)
    number = next(number for number, shown in enumerate(text.splitlines(), 1) if line in shown)
    assert any(text.startswith(f"{AT['list']}:{number} ") and message in text for text in told(course)), told(course)


def test_missing_list_is_reported(course: Book) -> None:
    """Without the list nothing is declared, and the finding says what belongs into it."""
    (course.root / AT["list"]).unlink()
    assert "snippets/exam/questions.yml the list of questions is missing | tags: " in told(course)[-1]


def test_question_declared_twice_is_reported(course: Book) -> None:
    """YAML keeps the last of two entries; the second one is named."""
    course.write(AT["list"], LIST.replace(ENTRY, ENTRY * 2))
    assert [str(problem.place) for problem in found(course)] == ["snippets/exam/questions.yml:8"]
    assert found(course)[0].message == "questions of 'cost': 'long-text' is there twice"


def test_id_and_topic_in_two_groups_are_reported(course: Book) -> None:
    """Ratings are kept by id and counts by topic over all groups."""
    text = LIST.replace("all-shapes", "long-text").replace("shapes", "memory")
    course.write(AT["list"], text)
    course.write("docs/exam/formula.md", PAGE)
    assert told(course) == [
        f"{AT['list']}:9 topic 'memory' is declared in another group | None | the first one is in line 5",
        f"{AT['list']}:11 question 'long-text' is declared in another group | None | the first one is in line 7",
    ]


def test_page_without_sections_is_reported(course: Book) -> None:
    """A page that asks nothing lacks what is declared."""
    course.write(AT["page"], "# Cost\n")
    assert [problem.message for problem in found(course)] == ["question 'long-text' is declared and has no section"]


DEEPER = "### Deeper {#long-text-deeper}\n\nFour bytes each.\n"
ANSWER = "A lot, see [below](#long-text-deeper)."
BROKEN_PAGE = {
    "not declared": ("## How", "## What? {#what}\n\nSo.\n\n## How", "## What?", "question 'what' has a section and"),
    "no id": ("## How", "## Why so?\n\nSo.\n\n## How", "## Why", "question 'why-so' has a section and is not"),
    "tight heading": ("## How", "##Why so?\n\nSo.\n\n## How", "##Why", "question 'why-so' has a section and is not"),
    "no answer": (ANSWER, "", "## How", "question 'long-text' has no answer in words"),
    "answer in a comment": (ANSWER, "<!-- A lot, a > b. -->", "## How", "question 'long-text' has no answer in words"),
    "answer of a tag": (ANSWER, '<b class="lot"></b> &nbsp;', "## How", "question 'long-text' has no answer in words"),
    "answer of an image": (ANSWER, "![A [lot](fact:a.b)](a.svg)", "## How", "question 'long-text' has no answer in"),
    "answer of a target": (ANSWER, "[a]: https://a.example", "## How", "question 'long-text' has no answer in words"),
    "answer of a rule": (ANSWER, "---", "## How", "question 'long-text' has no answer in words"),
    "answer given twice": (ANSWER, "A lot.\n{: .am-given }", "## How", "question 'long-text' has no answer in words"),
    "empty fence": (ANSWER, "```text\n```", "## How", "question 'long-text' has no answer in words"),
    "no Deeper": (DEEPER, "", "## How", "expected one heading `### Deeper {#long-text-deeper}` | 1 | 0"),
    "two Deeper": (DEEPER, DEEPER * 2, "## How", "expected one heading `### Deeper {#long-text-deeper}` | 1 | 2"),
    "empty Deeper": ("Four bytes each.", "", "### Deeper", "question 'long-text' has nothing below `### Deeper`"),
    "other heading": ("Four", "### More\n\nFour", "### More", "not its `### Deeper` | no other than #long-text-deeper"),
    "footnote": ("each.", "each.[^a]\n\n[^a]: Said elsewhere.", "[^a]:", "a footnote, which would become part"),
    "in front matter": ("title: Cost", "title: Cost\nquestions: {}", "questions:", "'questions' in the front matter"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), BROKEN_PAGE.values(), ids=BROKEN_PAGE)
def test_broken_section_is_reported_at_its_line(course: Book, old: str, new: str, line: str, message: str) -> None:
    """Each fault of a page is reported with its line and the question's id, and is the only one."""
    text = PAGE.replace(old, new, 1)
    assert text != PAGE
    course.write(AT["page"], text)
    number = next(number for number, shown in enumerate(text.splitlines(), 1) if shown.startswith(line))
    (problem,) = told(course)
    assert problem.startswith(f"{AT['page']}:{number} ")
    assert message in problem


@pytest.mark.parametrize(
    "answer", ["$x$", "```text\nx\n```", '<!-- a -->`a` <b title=">">', "- 1", "| a |\n| - |\n| b |"]
)
def test_short_answer_is_an_answer(course: Book, answer: str) -> None:
    """A formula, code or a number says something."""
    course.edit(AT["page"], ANSWER, answer)
    assert found(course) == []


def test_section_twice_is_reported(course: Book) -> None:
    """Two answers to one question are an error, even when one declaration would do for both."""
    line = course.add("## Again? {#long-text}\n\nSo.\n\n### Deeper {#long-text-deeper}\n\nSo.", AT["page"])
    assert told(course) == [
        f"{AT['page']}:{line} question 'long-text': two sections have this id | None | one in line 7"
    ]


def test_heading_in_a_fence_is_no_section(course: Book) -> None:
    """A line of code, of a comment or of the front matter that looks like a heading is none."""
    fenced = "# Cost\n\n```console\n## How {#long-text}\n```\n\n<!--\n## How {#how}\n-->\n"
    course.write(AT["page"], PAGE.replace("# Cost\n", fenced).replace("title: Cost\n", "title: Cost\n## no heading\n"))
    assert found(course) == []


def test_questions_on_a_page_of_no_group_are_reported(course: Book) -> None:
    """They would be left out of practice without a word."""
    course.write("docs/exam/more.md", PAGE)
    (problem,) = told(course)
    assert problem.startswith("docs/exam/more.md:14 the answer to a question, on a page that no group names")
    assert "a group 'more' in snippets/exam/questions.yml" in problem


def test_page_with_carriage_returns_is_read_alike(course: Book) -> None:
    """Line ends of another system change neither what is found nor where."""
    course.write(AT["page"], PAGE.replace(ANSWER, "").replace("\n", "\r\n"))
    assert [str(problem.place) for problem in found(course)] == ["docs/exam/cost.md:7"]
