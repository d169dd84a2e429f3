"""A page's front matter: the literals it declares, with their reasons and lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from drift.problem import Place, Problem
from drift.read.text import number_words

_BLOCK = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)^(?:---|\.\.\.)[ \t]*\r?\n", re.DOTALL | re.MULTILINE)
# What else stands in front matter may be shown (the title) or told to search engines (the description).
_NOT_SHOWN = ("literals", "template", "icon", "hide", "search", "edit_url", "exclude")

# The parser in C, where PyYAML was built with it, is ten times as fast.
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Literal:
    """A number that a page may use without a fact, and why."""

    text: str
    reason: str
    line: int


@dataclass(frozen=True)
class FrontMatter:
    """What stands before a page's first line.

    Attributes:
        end: offset of the first character after it.
        literals: by the number's text.
        pictures: pictures that no snippet made, by their address, with what they show.
        title: what it calls the page; "" when it does not.
        visible: offset and text of values that the site shows (the title), which hold numerals like prose does.
        problems: what could not be read.
    """

    end: int
    literals: dict[str, Literal]
    pictures: dict[str, Literal]
    title: str
    visible: tuple[tuple[int, str], ...]
    problems: tuple[Problem, ...]


def read(file: str, text: str) -> FrontMatter:
    """Read the front matter of a page; `file` names it in messages."""
    match = _BLOCK.match(text)
    if match is None:
        return FrontMatter(0, {}, {}, "", (), ())
    try:
        root = yaml.compose(match["body"], Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 2 + (mark.line if mark else 0)
        return FrontMatter(
            match.end(), {}, {}, "", (), (Problem(Place(file, line), f"front matter is not YAML: {error}"),)
        )
    if root is None:
        return FrontMatter(match.end(), {}, {}, "", (), ())
    if not isinstance(root, yaml.MappingNode):
        return FrontMatter(
            match.end(), {}, {}, "", (), (Problem(Place(file, 2), "front matter: expected keys and values"),)
        )
    literals: dict[str, Literal] = {}
    visible: list[tuple[int, str]] = []
    problems: list[Problem] = []
    pictures: dict[str, Literal] = {}
    title = ""
    for key, node in root.value:
        if key.value == "title" and isinstance(node, yaml.ScalarNode):
            title = node.value
        if key.value == "literals":
            literals, wrong = read_literals(file, node, 2)
            problems += wrong
        elif key.value == "pictures":
            pictures, wrong = _read_pictures(file, node)
            problems += wrong
        elif key.value not in _NOT_SHOWN:
            visible += [(match.start("body") + start(leaf), leaf.value) for leaf in leaves(node)]
    return FrontMatter(match.end(), literals, pictures, title, tuple(visible), tuple(problems))


def value(text: str, key: str) -> str:
    """One value of a page's front matter as text; "" when there is none, or no front matter that can be read."""
    node = nodes(text).get(key)
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def nodes(text: str) -> dict[str, yaml.Node]:
    """A page's front matter by its keys, none when it cannot be read; a node's line is two less than the page's."""
    match = _BLOCK.match(text)
    try:
        root = yaml.compose(match["body"], Loader=LOADER) if match else None
    except yaml.YAMLError:
        return {}
    return {key.value: node for key, node in root.value} if isinstance(root, yaml.MappingNode) else {}


def leaves(node: yaml.Node) -> list[yaml.ScalarNode]:
    """Every scalar below a node."""
    if isinstance(node, yaml.ScalarNode):
        return [node]
    children = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
    return [leaf for child in children for leaf in leaves(child)]


def start(leaf: yaml.ScalarNode) -> int:
    """The offset of a scalar's first character, behind its quotation mark."""
    return int(leaf.start_mark.index) + (leaf.style in ("'", '"'))


def read_literals(file: str, node: yaml.Node | None, first: int) -> tuple[dict[str, Literal], list[Problem]]:
    """Literals by their text, and what is wrong with them; `first` is the line of the file that YAML calls 0."""
    literals: dict[str, Literal] = {}
    problems: list[Problem] = []
    if node is None:
        return literals, problems
    if not isinstance(node, yaml.MappingNode):
        place = Place(file, node.start_mark.line + first)
        problems.append(Problem(place, "literals: expected a mapping of numbers to reasons", "literals: {48: why}"))
        return literals, problems
    for key, value in node.value:
        place = Place(file, key.start_mark.line + first)
        reason = value.value.strip() if isinstance(value, yaml.ScalarNode) else ""
        text = _normal(key.value) if isinstance(key, yaml.ScalarNode) else ""
        if not re.search(r"\d", text) and number_words.value(text) is None:
            problems.append(Problem(place, f"literal {text!r}: expected a number as the page writes it"))
        elif not reason:
            problems.append(Problem(place, f"literal {text!r} has no reason", f"{text}: why it needs no fact"))
        elif text in literals:
            problems.append(Problem(place, f"literal {text!r} is declared twice"))
        else:
            literals[text] = Literal(text, reason, place.line)
    return literals, problems


def _read_pictures(file: str, node: yaml.Node) -> tuple[dict[str, Literal], list[Problem]]:
    pictures: dict[str, Literal] = {}
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    for key, value in pairs:
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode) and value.value.strip():
            pictures[key.value] = Literal(key.value, value.value.strip(), key.start_mark.line + 2)
    if pairs and len(pictures) == len(pairs):
        return pictures, []
    expected = "pictures: {assets/x.png: what it shows, and why no snippet makes it}"
    return pictures, [
        Problem(Place(file, node.start_mark.line + 2), "pictures: expected addresses and reasons", expected)
    ]


def _normal(text: str) -> str:
    """A number with a unit, if it has one, behind a space."""
    spaced = re.sub(
        r"(?<=\d)(?:[ \u00a0\u2009\u202f]+|(?=[%‰‱°kKMGTmµ]\Z|-?D\Z|[kKMGT]i?B\Z))", " ", text.replace("−", "-")
    )
    return " ".join(spaced.split())
