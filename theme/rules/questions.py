"""The rule for exam questions: what is declared has a section of the right form, and the other way round.

A page of questions, `docs/exam/<group>.md`, has for each question a section `## … {#id}`: what the question gives
(paragraphs with `{: .am-given }`), the short answer, then `### Deeper {#id-deeper}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from drift.problem import Problem
from drift.read import frontmatter
from drift.read.page import Page
from drift.read.site import Site
from drift.read.text.mask import Mask
from theme.rules import declared, headings
from theme.rules.declared import Declared, Group
from theme.rules.headings import Heading

FOLDER = "exam"
"""The folder of the groups' pages, below the docs folder."""

_FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\]\n]+\]:", re.MULTILINE)
_GIVEN = re.compile(r"\s*(?:\S[^\n]*\n)+?\{: *\.am-given *\}[ \t]*(?=\n|\Z)")
# What the site shows without a word: attributes, targets of links, images, tags.
_SILENT = re.compile(
    r"""\{:[^}\n]*\}|^[ ]{0,3}\[[^\]\n]+\]:[^\n]*$
    |!\[(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?)*\](?:\([^)]*\)|\[[^\]]*\])|<[^>]*>""",
    re.MULTILINE | re.VERBOSE,
)


def problems(site: Site) -> Iterator[Problem]:
    """Everything that is wrong with the list of questions, and with the pages that ask them."""
    listed = declared.read(site.config)
    yield from listed.problems
    groups = {site.config.docs / FOLDER / f"{group.name}.md": group for group in listed.groups}
    pages = {page.path: page for page in site.pages}
    for path, group in groups.items():
        if path in pages:
            yield from _page(listed, group, pages[path])
        else:
            message = f"group {group.name!r}: its page {site.config.relative(path)} is missing"
            yield listed.problem(group.line, message)
    for path, page in pages.items():
        yield from _declared_elsewhere(listed, page)
        if path.parent == site.config.docs / FOLDER and path not in groups:
            yield from _answered_elsewhere(listed, page)


def _page(listed: Declared, group: Group, page: Page) -> Iterator[Problem]:
    """What is wrong with the page of a group."""
    prose = headings.prose(page)
    known = {question.id for question in group.questions}
    seen: dict[str, int] = {}
    for heading, end in headings.sections(prose, 2):
        named = f"question {heading.id!r}"
        first = seen.setdefault(heading.id, heading.line)
        if first != heading.line:
            yield Problem(page.place(heading.line), f"{named}: two sections have this id", got=f"one in line {first}")
        elif heading.id not in known:
            expected = f"{heading.id} below {group.name!r} in {listed.file}"
            yield Problem(page.place(heading.line), f"{named} has a section and is not declared", expected)
        else:
            yield from _section(page, prose, heading, end)
    for question in group.questions:
        if question.id not in seen:
            expected = f"a section `## … {{#{question.id}}}` in {page.file}"
            yield listed.problem(question.line, f"question {question.id!r} is declared and has no section", expected)
    for match in _FOOTNOTE.finditer(prose.text):
        message = "a footnote, which would become part of the page's last answer"
        yield Problem(page.place(prose.line(match.start())), message, "what it says, in the text")


def _section(page: Page, prose: Mask, heading: Heading, end: int) -> Iterator[Problem]:
    """What is wrong with one question's section, which goes up to `end`."""
    text, inner = prose.text, [other for other in headings.find(prose) if heading.end <= other.start < end]
    place, named = page.place(heading.line), f"question {heading.id!r}"
    expected = f"{heading.id}-deeper"
    deeper = [other for other in inner if other.level == 3 and other.id == expected]
    for other in inner:
        if other.level == 3 and other.id != expected:
            message = f"{named}: a heading of this level that is not its `### Deeper`"
            yield Problem(page.place(other.line), message, f"no other than #{expected}", f"#{other.id}")
    if len(deeper) != 1:
        yield Problem(place, f"{named}: expected one heading `### Deeper {{#{expected}}}`", "1", str(len(deeper)))
    given = re.match(rf"(?:{_GIVEN.pattern})*", text[heading.end : end])
    start = heading.end + (given.end() if given else 0)
    if not _says_something(text[start : deeper[0].start if deeper else end]):
        yield Problem(place, f"{named} has no answer in words before `### Deeper`")
    if deeper and not _says_something(text[deeper[0].end : end]):
        yield Problem(page.place(deeper[0].line), f"{named} has nothing below `### Deeper`")


def _says_something(markdown: str) -> bool:
    """Whether a reader would see a word, a number or code."""
    return bool(re.search(r"\w", unescape(_SILENT.sub(" ", markdown))))


def _declared_elsewhere(listed: Declared, page: Page) -> Iterator[Problem]:
    """Declarations in front matter, which nothing reads."""
    for key, node in frontmatter.nodes(page.text).items():
        if key in ("questions", "topics"):
            place = page.place(node.start_mark.line + 2)
            yield Problem(place, f"{key!r} in the front matter, where nothing reads it", f"it in {listed.file}")


def _answered_elsewhere(listed: Declared, page: Page) -> Iterator[Problem]:
    """Questions on a page that is no group's, which practice would leave out without a word."""
    for heading in headings.find(headings.prose(page)):
        if heading.level == 3 and heading.id.endswith("-deeper"):
            expected = f"a group {page.path.stem!r} in {listed.file}"
            yield Problem(page.place(heading.line), "the answer to a question, on a page that no group names", expected)
