"""Exam questions: read from the pages in `docs/exam/`, checked, marked up, and gathered on the practice page.

A page of questions declares them in its front matter and answers them in its body. The two are compared here,
and whatever is missing, unknown or there twice stops the build, all of it in one run.
Everything is in the HTML: a script only hides and shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from drift.read import fences, frontmatter

FOLDER = "exam"
GROUPS = ("embeddings", "formula", "variants", "cost")
"""The pages of questions, in the order in which they are practised."""
PRACTICE = f"{FOLDER}/practice.md"
TAGS = ("core", "extra")
LIKELIHOODS = ("certain", "likely", "even", "occasional", "rare")

log = get_plugin_logger("questions")

_ID = re.compile(r"[a-z]+(?:-[a-z]+)*\Z")
_SOURCE_HEADING = re.compile(r"#{2,3}[ \t]+(?P<text>.*?)[ \t]*(?:\{[^{}]*#(?P<id>[\w-]+)[^{}]*\})?[ \t]*#*[ \t]*\Z")
_QUESTION = re.compile(r'<h2\b[^>]*?\bid="(?P<id>[^"]*)"[^>]*>.*?</h2>', re.DOTALL)
_GIVEN = re.compile(r'(?:\s*<p class="am-given">.*?</p>)*', re.DOTALL)
_HEADING = re.compile(r'<h3\b[^>]*?\bid="(?P<id>[^"]*)"[^>]*>.*?</h3>', re.DOTALL)
_TAG = re.compile(r"""<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>""")
_ATTRIBUTE = re.compile(r'(?P<before>\s(?P<name>[\w:-]+)=")(?P<value>[^"]*)(?=")')
_REFERENCES = frozenset(("id", "for", "name", "aria-labelledby", "aria-describedby", "aria-controls"))


@dataclass(frozen=True)
class Declared:
    """What the front matter says of one question."""

    id: str
    line: int
    values: dict[str, str]


@dataclass(frozen=True)
class Question:
    """One question as HTML, in parts: its heading, what else it gives, the short answer, and all from `Deeper` on."""

    declared: Declared
    heading: str
    given: str
    short: str
    deeper: str


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong with a question; a whole page has no `id`."""

    file: str
    line: int
    id: str
    message: str

    def __str__(self) -> str:
        named = f"question {self.id!r}: " if self.id else ""
        return f"{self.file}:{self.line}: {named}{self.message}"


@dataclass
class Build:
    """What one build has found so far."""

    questions: dict[str, list[Question]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    practice: str = ""


_build = Build()


def on_pre_build(config: MkDocsConfig) -> None:  # noqa: ARG001
    """Forget the build before this one."""
    global _build
    _build = Build()


# After drift has audited the page: what is added here is no author's text.
@event_priority(-60)
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Check a page of questions and mark its questions up; other pages stay as they are."""
    folder, _, name = page.file.src_uri.removesuffix(".md").rpartition("/")
    file = f"{Path(config.docs_dir).name}/{page.file.src_uri}"
    if folder != FOLDER or name not in GROUPS:
        if "questions" in page.meta:
            expected = ", ".join(f"{FOLDER}/{group}.md" for group in GROUPS)
            _build.problems.append(Problem(file, 1, "", f"questions are read from {expected} only"))
        return html
    html, questions, problems = checked(html, file, page.file.content_string)
    for question in questions:
        earlier = _build.places.setdefault(question.declared.id, (file, question.declared.line))
        if earlier[0] != file:
            message = f"the id is taken by {earlier[0]}:{earlier[1]}"
            problems.append(Problem(file, question.declared.line, question.declared.id, message))
    _build.problems += problems
    _build.questions[name], _build.titles[name] = questions, str(page.title)
    for title in page.toc:
        for entry in title.children:
            # "Deeper", once for each question, would be no help in finding one.
            entry.children = []
    return html


@event_priority(50)
def _report(env: Environment, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG001
    """Tell every problem, before a plugin with problems of its own ends the build."""
    if files.get_file_from_path(PRACTICE):
        file = f"{Path(config.docs_dir).name}/{PRACTICE}"
        missing = [group for group in GROUPS if group not in _build.questions]
        _build.problems += [Problem(file, 1, "", f"the page {FOLDER}/{group}.md is missing") for group in missing]
    for problem in sorted(_build.problems):
        log.error(str(problem))


def _gather(env: Environment, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG001
    """Stop a build with problems, or gather all questions, now that every page is rendered."""
    if _build.problems:
        raise PluginError(f"questions: {len(_build.problems)} problem(s), see above")
    if files.get_file_from_path(PRACTICE):
        _build.practice = gathered(env, _build.questions, _build.titles)


on_env = CombinedEvent(_report, _gather)


# After the site's search has read the page, which would find every question twice.
@event_priority(-50)
def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Any) -> None:  # noqa: ARG001
    """Put all questions on the practice page."""
    if page.file.src_uri == PRACTICE:
        page.content = (page.content or "") + _build.practice


def checked(html: str, file: str, source: str) -> tuple[str, list[Question], list[Problem]]:
    """A page's HTML with its questions marked up, its questions, and what is wrong with them.

    Args:
        html: the rendered body.
        file: the page as messages name it.
        source: its Markdown, with the front matter.
    """
    declared, problems = declarations(file, source)
    lines = headings(source)
    known = {question.id: question for question in declared}
    found = list(_QUESTION.finditer(html))
    questions, parts, seen = [], [html[: found[0].start() if found else len(html)]], set()
    for number, heading in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(html)
        body, id_ = html[heading.end() : end], heading["id"]
        line = lines.get(id_, 1)
        if id_ in seen:
            problems.append(Problem(file, line, id_, "two sections have this id"))
        elif id_ not in known:
            problems.append(Problem(file, line, id_, "a section that the front matter does not declare"))
        else:
            question, wrong = split(known[id_], heading[0], body)
            problems += [Problem(file, line, id_, message) for message in wrong]
            questions.append(question)
            parts.append(marked(question))
        seen.add(id_)
    for question in declared:
        if question.id not in seen:
            problems.append(Problem(file, question.line, question.id, "declared, but has no section `## … {#id}`"))
    return "".join(parts), questions, problems


def declarations(file: str, source: str) -> tuple[list[Declared], list[Problem]]:
    """The questions that a page's front matter declares, and what is wrong with the declarations."""
    keys = frontmatter.nodes(source)
    topics, table = keys.get("topics"), keys.get("questions")
    if not isinstance(table, yaml.MappingNode) or not isinstance(topics, yaml.SequenceNode):
        expected = "expected `topics:` with a list and `questions:` with a mapping in the front matter"
        return [], [Problem(file, 1, "", expected)]
    known = {"tag": TAGS, "likelihood": LIKELIHOODS, "topic": tuple(str(topic.value) for topic in topics.value)}
    declared: list[Declared] = []
    problems: list[Problem] = []
    for key, node in table.value:
        line, id_ = key.start_mark.line + 2, str(key.value)
        values = {name.value: value.value for name, value in node.value} if isinstance(node, yaml.MappingNode) else {}
        problems += [Problem(file, line, id_, message) for message in _wrong(id_, values, known)]
        if any(id_ == other.id for other in declared):
            problems.append(Problem(file, line, id_, "declared twice"))
        else:
            declared.append(Declared(id_, line, {name: str(values.get(name, "")) for name in known}))
    used = {question.values["topic"] for question in declared}
    for topic in topics.value:
        if topic.value not in used:
            problems.append(Problem(file, topic.start_mark.line + 2, "", f"no question has the topic {topic.value!r}"))
    return declared, problems


def _wrong(id_: str, values: dict[str, Any], known: dict[str, tuple[str, ...]]) -> Iterator[str]:
    if not _ID.match(id_):
        yield "expected an id of small letters, with hyphens between words"
    for name, allowed in known.items():
        if name not in values:
            yield f"has no {name}; expected one of {', '.join(allowed)}"
        elif values[name] not in allowed:
            yield f"unknown {name} {values[name]!r}; expected one of {', '.join(allowed)}"
    for name in values:
        if name not in known:
            yield f"unknown key {name!r}; expected {', '.join(known)}"


def headings(source: str) -> dict[str, int]:
    """The line of every heading that names its id, or, when it names none, whose text makes one."""
    lines: dict[str, int] = {}
    fenced = fences.lines(source)
    for number, line in enumerate(source.splitlines(), 1):
        heading = None if number in fenced else _SOURCE_HEADING.match(line)
        if heading:
            made = re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading["text"]).strip().lower())
            lines.setdefault(heading["id"] or made, number)
    return lines


def split(declared: Declared, heading: str, body: str) -> tuple[Question, list[str]]:
    """One section in parts, and what is wrong with it."""
    problems = []
    given = _GIVEN.match(body)
    at = given.end() if given else 0
    expected = f"{declared.id}-deeper"
    deeper = [match for match in _HEADING.finditer(body) if match["id"] == expected]
    others = [match["id"] for match in _HEADING.finditer(body) if match["id"] != expected]
    if len(deeper) != 1:
        problems.append(f"expected one heading `### Deeper {{#{expected}}}`, got {len(deeper)}")
    if others:
        problems.append(f"expected no heading of this level but `### Deeper`, got {others}")
    start, end = deeper[0].span() if deeper else (len(body), len(body))
    if not _says_something(body[at:start]):
        problems.append("has no answer between the question and `### Deeper`")
    if deeper and not _says_something(body[end:]):
        problems.append("has nothing below `### Deeper`")
    if 'class="footnote"' in body:
        problems.append("a footnote of this page would become part of its last answer; write it into the text")
    return Question(declared, heading, body[:at], body[at:start], body[start:]), problems


def _says_something(html: str) -> bool:
    return bool(unescape(re.sub(r"<[^>]*>", "", html)).strip())


def marked(question: Question) -> str:
    """A question on its own page: the parts in a section, with its badges."""
    id_, values = question.declared.id, question.declared.values
    data = "".join(f' data-{name}="{value}"' for name, value in values.items())
    return (
        f'<section class="am-question" data-question="{id_}"{data} aria-labelledby="{id_}">\n'
        f'{question.heading}\n{badges(values)}\n{question.given}\n<div class="am-short">{question.short}</div>\n'
        f'<div class="am-deeper">{question.deeper}</div>\n</section>\n'
    )


def badges(values: dict[str, str]) -> str:
    """Tag, likelihood and topic as words; the site's search leaves them out."""
    shown = (("tag", values["tag"]), ("likelihood", f"likelihood: {values['likelihood']}"), ("topic", values["topic"]))
    spans = " ".join(f'<span class="am-badge am-badge--{name}">{text}</span>' for name, text in shown)
    return f'<p class="am-badges" data-search-exclude>{spans}</p>'


def gathered(env: Environment, questions: dict[str, list[Question]], titles: dict[str, str]) -> str:
    """All questions as cards, for the practice page; relative links hold, since the pages lie in one folder."""
    cards = [
        {
            "id": question.declared.id,
            "group": group,
            **question.declared.values,
            "heading": moved(question.heading, group),
            "badges": badges(question.declared.values) + moved(question.given, group),
            "answer": moved(question.short + question.deeper, group),
        }
        for group in GROUPS
        for question in questions[group]
    ]
    html = env.get_template("partials/practice.html").render(cards=cards, groups=titles, tags=TAGS)
    ids = re.findall(r'\sid="([^"]*)"', html)
    twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    if twice:
        raise PluginError(f"{PRACTICE}: these ids would be there twice: {', '.join(twice)}")
    return html


def moved(html: str, group: str) -> str:
    """HTML of a group's page, for another page of its folder.

    Ids get the group's name in front, and so does what refers to them. A link within the page leads back to it, where
    nothing is hidden.
    """

    def attribute(tag: str, match: re.Match[str]) -> str:
        name, value = match["name"], match["value"]
        if name in _REFERENCES:
            value = " ".join(f"{group}--{id_}" for id_ in value.split())
        elif name == "href" and value.startswith("#"):
            value = f"{group}.html{value}" if tag == "a" else f"#{group}--{value[1:]}"
        else:
            value = value.replace("url(#", f"url(#{group}--")
        return match["before"] + value

    def rewrite(match: re.Match[str]) -> str:
        tag = re.match(r"<(\w+)", match[0])
        return _ATTRIBUTE.sub(lambda found: attribute(tag[1] if tag else "", found), match[0])

    return _TAG.sub(rewrite, html)
