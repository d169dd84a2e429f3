"""Exam questions: marked up on their own pages, and gathered on the practice page.

What is asked is declared in `snippets/exam/questions.yml`, and `theme.rules.questions` holds the pages to it.
Everything is in the HTML: a script only hides and shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from drift import config as project
from drift.read import page as pages
from theme.rules import declared, headings, questions
from theme.rules.declared import Declared

PRACTICE = f"{questions.FOLDER}/practice.md"

log = get_plugin_logger("questions")

_QUESTION = re.compile(r'<h2\b[^>]*?\bid="(?P<id>[^"]*)"[^>]*>.*?</h2>', re.DOTALL)
_GIVEN = re.compile(r'(?:\s*<p class="am-given">.*?</p>)*', re.DOTALL)
_HEADING = re.compile(r'<h(?P<level>[23])\b[^>]*?\bid="(?P<id>[^"]*)"')
_TAG = re.compile(r"""<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>""")
_ATTRIBUTE = re.compile(r'(?P<before>\s(?P<name>[\w:-]+)=")(?P<value>[^"]*)(?=")')
_REFERENCES = frozenset(("id", "for", "name", "aria-labelledby", "aria-describedby", "aria-controls"))


@dataclass(frozen=True)
class Question:
    """One question as HTML, in parts: its heading, what else it gives, the short answer, and all from `Deeper` on."""

    declared: declared.Question
    heading: str
    given: str
    short: str
    deeper: str


@dataclass
class Build:
    """What one build has found so far: the questions and the title of each group's page."""

    declared: Declared
    questions: dict[str, list[Question]] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    practice: str = ""


_build: Build


def on_pre_build(config: MkDocsConfig) -> None:
    """Forget the build before this one, and read what is declared."""
    global _build
    listed = declared.read(project.load(Path(config.config_file_path).parent))
    for problem in listed.problems:
        log.error(f"{problem.place}: {problem.message}; `python -m drift check` says more")
    _build = Build(listed)


# After drift has audited the page: what is added here is no author's text.
@event_priority(-60)
def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Mark the questions of a group's page up; other pages stay as they are."""
    folder, _, name = page.file.src_uri.removesuffix(".md").rpartition("/")
    group = next((group for group in _build.declared.groups if group.name == name), None)
    if folder != questions.FOLDER or group is None:
        return html
    _compare(html, page)
    html, found = divided(html, {question.id: question for question in group.questions})
    _build.questions[name], _build.titles[name] = found, str(page.title)
    for title in page.toc:
        for entry in title.children:
            # "Deeper", once for each question, would be no help in finding one.
            entry.children = []
    return html


def _compare(html: str, page: Page) -> None:
    """Report headings that the rule did not see: it reads Markdown, where one can be made in other ways than by `#`."""
    source = pages.parse(Path(str(page.file.abs_src_path)), page.file.src_uri, page.file.content_string)
    read = [(heading.level, heading.id) for heading in headings.find(headings.prose(source))]
    for heading in _HEADING.finditer(html):
        if (int(heading["level"]), heading["id"]) not in read:
            log.error(f"{page.file.src_uri}: expected headings written with `#`, got another one, #{heading['id']}")


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG001
    """Gather all questions, now that every page is rendered."""
    if files.get_file_from_path(PRACTICE):
        _build.practice = gathered(env, _build)


# After the site's search has read the page, which would find every question twice.
@event_priority(-50)
def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: Any) -> None:  # noqa: ARG001
    """Put all questions on the practice page."""
    if page.file.src_uri == PRACTICE:
        page.content = (page.content or "") + _build.practice


def divided(html: str, known: dict[str, declared.Question]) -> tuple[str, list[Question]]:
    """A page's HTML with the questions that are declared marked up, and these questions."""
    found = list(_QUESTION.finditer(html))
    borders = [*(heading.start() for heading in found), len(html)]
    parts, marked_up = [html[: borders[0]]], []
    for heading, end in zip(found, borders[1:], strict=True):
        body = html[heading.end() : end]
        if heading["id"] in known:
            marked_up.append(split(known[heading["id"]], heading[0], body))
            parts.append(marked(marked_up[-1]))
        else:
            parts.append(heading[0] + body)
    return "".join(parts), marked_up


def split(question: declared.Question, heading: str, body: str) -> Question:
    """One section in parts."""
    given = _GIVEN.match(body)
    at = given.end() if given else 0
    deeper = re.search(rf'<h3\b[^>]*?\bid="{question.id}-deeper"', body)
    start = deeper.start() if deeper else len(body)
    return Question(question, heading, body[:at], body[at:start], body[start:])


def marked(question: Question) -> str:
    """A question on its own page: the parts in a section, with its badges."""
    id_, values = question.declared.id, values_of(question.declared)
    data = "".join(f' data-{name}="{value}"' for name, value in values.items())
    return (
        f'<section class="am-question" data-question="{id_}"{data} aria-labelledby="{id_}">\n'
        f'{question.heading}\n{badges(values)}\n{question.given}\n<div class="am-short">{question.short}</div>\n'
        f'<div class="am-deeper">{question.deeper}</div>\n</section>\n'
    )


def values_of(question: declared.Question) -> dict[str, str]:
    """What a reader can choose questions by."""
    return {"tag": question.tag, "likelihood": question.likelihood, "topic": question.topic}


def badges(values: dict[str, str]) -> str:
    """Tag, likelihood and topic as words; the site's search leaves them out."""
    shown = (("tag", values["tag"]), ("likelihood", f"likelihood: {values['likelihood']}"), ("topic", values["topic"]))
    spans = " ".join(f'<span class="am-badge am-badge--{name}">{text}</span>' for name, text in shown)
    return f'<p class="am-badges" data-search-exclude>{spans}</p>'


def gathered(env: Environment, build: Build) -> str:
    """All questions as cards, for the practice page; relative links hold, since the pages lie in one folder."""
    cards = [
        {
            "id": question.declared.id,
            "group": group.name,
            **values_of(question.declared),
            "heading": moved(question.heading, group.name),
            "badges": badges(values_of(question.declared)) + moved(question.given, group.name),
            "answer": moved(question.short + question.deeper, group.name),
        }
        for group in build.declared.groups
        for question in build.questions.get(group.name, [])
    ]
    titles = {group.name: build.titles[group.name] for group in build.declared.groups if group.name in build.titles}
    html = env.get_template("partials/practice.html").render(cards=cards, groups=titles, tags=build.declared.tags)
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
