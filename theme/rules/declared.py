"""Read `snippets/exam/questions.yml`, the one list of the exam's groups, topics and questions.

It lies among the snippets, since one of them counts the questions: pages depend on snippets, never the other way round.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from drift.config import Config
from drift.problem import Place, Problem
from drift.read.frontmatter import LOADER

FILE = "exam/questions.yml"
"""Where the list lies, below the folder of the snippets."""

_ID = re.compile(r"[a-z]+(?:-[a-z]+)*\Z")
_LISTED = {"tag": "tags", "likelihood": "likelihoods"}
_SHAPE = "tags: [...], likelihoods: [...], groups: {group: {topics: [...], questions: {id: {tag, likelihood, topic}}}}"


@dataclass(frozen=True)
class Question:
    """One question as it is declared; what is not given is "", and a problem."""

    id: str
    line: int
    tag: str
    likelihood: str
    topic: str


@dataclass(frozen=True)
class Group:
    """The questions of one page, `docs/exam/<name>.md`."""

    name: str
    line: int
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Declared:
    """Everything that the list says.

    Attributes:
        file: the list, as messages name it.
        tags: what a question may be tagged with.
        groups: in the order in which they are practised.
        problems: what is wrong with it.
    """

    file: str
    tags: tuple[str, ...]
    groups: tuple[Group, ...]
    problems: tuple[Problem, ...]

    def problem(self, line: int, message: str, expected: str | None = None) -> Problem:
        """A finding at one of its lines."""
        return Problem(Place(self.file, line), message, expected)


def read(config: Config) -> Declared:
    """Read the list of a project; nothing is raised for its content."""
    path = config.snippets / FILE
    file = config.relative(path)
    try:
        return parse(file, path.read_text(encoding="utf-8"))
    except OSError:
        return Declared(file, (), (), (Problem(Place(file), "the list of questions is missing", _SHAPE),))
    except UnicodeDecodeError as error:
        return Declared(file, (), (), (Problem(Place(file), f"not UTF-8: {error.reason} at byte {error.start}"),))


def parse(file: str, text: str) -> Declared:
    """Read the list from its text; `file` names it in messages."""
    try:
        root = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        return Declared(file, (), (), (Problem(Place(file, line), f"not YAML: {getattr(error, 'problem', error)}"),))
    reader = _Reader(file)
    tags, groups = reader.read(root)
    return Declared(file, tags, groups, tuple(reader.problems))


@dataclass(frozen=True)
class _Entry:
    """What stands behind a key, and the key's line."""

    line: int
    node: yaml.Node


class _Reader:
    """Walks through the list and collects what is wrong with it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        # Taken once over all groups: a reader's ratings are kept by the id, and counts by the topic.
        self._taken: dict[str, int] = {}

    def read(self, root: yaml.Node | None) -> tuple[tuple[str, ...], tuple[Group, ...]]:
        """The tags and the groups."""
        keys = self._table(root, "the list", dict.fromkeys(("tags", "likelihoods", "groups"), _SHAPE))
        known = {key: self._words(keys[name], name) for key, name in _LISTED.items() if name in keys}
        named = self._table(keys["groups"].node, "groups") if "groups" in keys else {}
        groups = tuple(self._group(name, entry, known) for name, entry in named.items())
        return known.get("tag", ()), groups

    def _group(self, name: str, entry: _Entry, known: dict[str, tuple[str, ...]]) -> Group:
        keys = self._table(entry.node, f"group {name!r}", {"topics": "a list", "questions": "a mapping by ids"})
        topics = self._words(keys["topics"], f"topics of {name!r}") if "topics" in keys else ()
        table = self._table(keys["questions"].node, f"questions of {name!r}") if "questions" in keys else {}
        allowed = {"tag": (), "likelihood": (), **known, "topic": topics}
        questions = tuple(self._question(id_, value, allowed) for id_, value in table.items())
        for topic in topics:
            line = next(item.start_mark.line + 1 for item in keys["topics"].node.value if item.value == topic)
            self._take(f"topic {topic!r}", line)
            if all(question.topic != topic for question in questions):
                self._problem(line, f"no question has the topic {topic!r}")
        return Group(name, entry.line, questions)

    def _question(self, id_: str, entry: _Entry, allowed: dict[str, tuple[str, ...]]) -> Question:
        named = f"question {id_!r}"
        self._take(named, entry.line)
        if not _ID.match(id_):
            self._problem(entry.line, f"{named}: an id that cannot be used", "small letters, hyphens between words")
        expected = {name: f"one of {', '.join(words)}" for name, words in allowed.items()}
        keys = self._table(entry.node, named, expected)
        said = {name: str(keys[name].node.value) if name in keys else "" for name in allowed}
        for name, words in allowed.items():
            if name in keys and words and said[name] not in words:
                self._problem(keys[name].line, f"{named}: unknown {name}", expected[name], said[name])
        return Question(id_, entry.line, said["tag"], said["likelihood"], said["topic"])

    def _table(self, node: yaml.Node | None, named: str, expected: dict[str, str] | None = None) -> dict[str, _Entry]:
        """A mapping by its keys; `expected` names those that it must have, with what stands behind them."""
        line = node.start_mark.line + 1 if node else 1
        if not isinstance(node, yaml.MappingNode):
            self._problem(line, f"{named}: no mapping", f"{{{', '.join(expected or ('name: ...',))}}}")
            return {}
        found: dict[str, _Entry] = {}
        for key, value in node.value:
            name, at = str(key.value), key.start_mark.line + 1
            if name in found:
                self._problem(at, f"{named}: {name!r} is there twice")
            elif expected and name not in expected:
                self._problem(at, f"{named}: unknown key", f"one of {', '.join(expected)}", name)
            else:
                found[name] = _Entry(at, value)
        for name in (expected or {}).keys() - found.keys():
            self._problem(line, f"{named} has no {name}", (expected or {})[name])
        return found

    def _words(self, entry: _Entry, named: str) -> tuple[str, ...]:
        node = entry.node
        if not isinstance(node, yaml.SequenceNode) or not all(isinstance(item, yaml.ScalarNode) for item in node.value):
            self._problem(entry.line, f"{named}: no list of words", "[one, another]")
            return ()
        words = [str(item.value) for item in node.value]
        for word in sorted({word for word in words if words.count(word) > 1}):
            self._problem(entry.line, f"{named}: {word!r} is there twice")
        return tuple(dict.fromkeys(words))

    def _take(self, named: str, line: int) -> None:
        first = self._taken.setdefault(named, line)
        if first != line:
            self._problem(line, f"{named} is declared in another group", got=f"the first one is in line {first}")

    def _problem(self, line: int, message: str, expected: str | None = None, got: str | None = None) -> None:
        self.problems.append(Problem(Place(self.file, line), message, expected, got))
