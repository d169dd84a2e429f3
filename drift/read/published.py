"""What MkDocs publishes beside its pages: the titles and texts of `mkdocs.yml`, the theme's own templates, other files.

`mkdocs.yml` is read for its text only, whatever tags and plugins it uses, so a check needs no MkDocs.
Numbers in it are declared under `extra: drift: literals:`, files that no snippet made under `extra: drift: files:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from drift.config import Config
from drift.problem import Place, Problem
from drift.read import folder, frontmatter
from drift.read.frontmatter import Literal
from drift.read.page import ENDINGS, Page
from drift.read.text import markup, prose

SETTINGS = ("mkdocs.yml", "mkdocs.yaml")
# Scripts, styles and fonts: their numbers are no claims. Pictures are judged where a page shows them.
_SILENT = frozenset((".css", ".js", ".mjs", ".woff", ".woff2", ".ttf", ".otf", ".ico", ".webmanifest"))
PICTURES = frozenset((".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp"))
# Settings that are shown wherever they stand; other values are when they are more than one word.
_SHOWN = ("site_name", "site_description", "site_author", "copyright")
_UNSHOWN = ("markdown_extensions", "hooks", "watch", "validation", "exclude_docs", "not_in_nav", "draft_docs")
_TEMPLATE = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<(script|style|svg)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class Published:
    """What was found.

    Attributes:
        texts: `mkdocs.yml` and templates, each as a page of which only the numerals and literals are known.
        pictures: those below the docs folder that are no figures and not accounted for, unless a page shows them.
        titles: in the navigation: the title, the path it leads to below the docs folder, and its line.
        problems: what cannot be read, and files that nobody accounts for.
    """

    texts: tuple[Page, ...] = ()
    pictures: tuple[Path, ...] = ()
    titles: tuple[tuple[str, str, Place], ...] = ()
    problems: tuple[Problem, ...] = ()


def read(config: Config) -> Published:
    """Read what the site's settings, its theme and its folder publish; only the folder where there are no settings."""
    found = _settings(config)
    return replace(found, problems=(*found.problems, *folder.walk(config.root, config.snippets).problems))


def _settings(config: Config) -> Published:
    path = next((config.root / name for name in SETTINGS if (config.root / name).is_file()), None)
    if path is None:
        return Published(problems=folder.walk(config.root, config.docs).problems)
    file = folder.named(config.root, path)
    text, wrong = folder.read(path, file)
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", -1) + 1
        wrong = Problem(Place(file, line), f"not YAML: {getattr(error, 'problem', error)}")
        root = None
    if wrong is not None or not isinstance(root, yaml.MappingNode):
        return Published(problems=(wrong,) if wrong else ())
    settings = {key.value: value for key, value in root.value if isinstance(key, yaml.ScalarNode)}
    own = _at(settings.get("extra"), "drift")
    literals, problems = frontmatter.read_literals(file, _at(own, "literals"), 1)
    numerals = [numeral for leaf in _shown(settings) for numeral in _numerals(leaf)]
    texts = [_text(path, file, text, literals, numerals), *_templates(config, settings, literals)]
    pictures, files, wrongs = _files(config, file, _at(own, "files"), hidden=_is_unhidden(settings))
    titles = tuple(
        (title.value, target.value, Place(file, title.start_mark.line + 1))
        for title, target in _nav(settings.get("nav"))
    )
    return Published(
        tuple(texts), tuple(pictures), titles, (*problems, *_folder(config, file, settings), *wrongs, *files)
    )


def _folder(config: Config, file: str, settings: dict[str, yaml.Node]) -> Iterator[Problem]:
    """The folder that MkDocs publishes is the one that is checked, and all settings stand in one file."""
    node = settings.get("docs_dir")
    named = node.value if isinstance(node, yaml.ScalarNode) else "docs"
    plain = node is None or node.tag.startswith("tag:yaml.org")
    if not plain or (config.root / str(named)).absolute() != config.docs.absolute():
        place = Place(file, node.start_mark.line + 1 if node else 0)
        shown = folder.named(config.root, config.docs)
        yield Problem(place, "MkDocs publishes another folder than the one that is checked", shown, str(named))
    if node := settings.get("INHERIT"):
        yield Problem(Place(file, node.start_mark.line + 1), "settings from another file, which nobody checks")


def _files(
    config: Config, file: str, node: yaml.Node | None, *, hidden: bool
) -> tuple[list[Path], list[Problem], tuple[Problem, ...]]:
    """Pictures, and other files of the docs folder that neither a page nor a snippet accounts for."""
    found = folder.walk(config.root, config.docs, hidden=hidden)
    declared = {key.value: key.start_mark.line + 1 for key, value in _pairs(node) if str(value.value).strip()}
    pictures, problems = [], []
    for path in found.files:
        suffix, name = path.suffix.lower(), path.relative_to(config.docs).as_posix()
        if any(part.startswith(".") for part in path.relative_to(config.docs).parts):
            place = Place(folder.named(config.root, path))
            problems.append(Problem(place, "a hidden file that exclude_docs publishes and nobody checks"))
            continue
        if declared.pop(name, None) or suffix in ENDINGS or suffix in _SILENT or path.is_relative_to(config.figures):
            continue
        if suffix in PICTURES:
            pictures.append(path)
        else:
            message = "a file that the site publishes and nobody checks"
            expected = f"a page or a figure, or {name!r} with a reason under extra: drift: files: in {file}"
            problems.append(Problem(Place(folder.named(config.root, path)), message, expected))
    problems += [
        Problem(Place(file, line), f"a reason for {name!r}, which is not there or needs none")
        for name, line in declared.items()
    ]
    return pictures, problems, found.problems


def _shown(settings: dict[str, yaml.Node]) -> Iterator[yaml.ScalarNode]:
    """Every scalar of the settings that readers may see."""
    for name, node in settings.items():
        if name == "nav":
            yield from (title for title, _ in _nav(node))
        elif name == "extra":
            others = [value for key, value in _pairs(node) if key.value != "drift"]
            yield from (leaf for value in others for leaf in frontmatter.leaves(value) if _is_sentence(leaf))
        elif name not in _UNSHOWN:
            yield from (leaf for leaf in frontmatter.leaves(node) if name in _SHOWN or _is_sentence(leaf))


def _nav(node: yaml.Node | None) -> Iterator[tuple[yaml.ScalarNode, yaml.ScalarNode]]:
    """The titles in the navigation, each with the path that it leads to, which is "" for a section."""
    for item in node.value if isinstance(node, yaml.SequenceNode) else []:
        for title, value in _pairs(item):
            yield title, value if isinstance(value, yaml.ScalarNode) else _blank(title)
            yield from _nav(value)


def _blank(node: yaml.ScalarNode) -> yaml.ScalarNode:
    """An empty scalar at the place of another one."""
    return yaml.ScalarNode(node.tag, "", node.start_mark, node.end_mark)


def _templates(config: Config, settings: dict[str, yaml.Node], literals: dict[str, Literal]) -> Iterator[Page]:
    """The theme's own templates, whose text stands on the pages that use them."""
    node = _at(settings.get("theme"), "custom_dir")
    if not isinstance(node, yaml.ScalarNode):
        return
    for path in folder.walk(config.root, config.root / node.value).files:
        if path.suffix.lower() not in (".html", ".htm", ".xml"):
            continue
        file = folder.named(config.root, path)
        text, _ = folder.read(path, file)
        bare = _TEMPLATE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        seen = _TAG.sub(lambda match: markup.read_aloud(match.group()), bare)
        yield _text(path, file, text, literals, prose.read_plain(seen))


def _text(path: Path, file: str, text: str, literals: dict[str, Literal], numerals: list[prose.Numeral]) -> Page:
    return Page(path, file, "", text, path, literals=literals, numerals=tuple(numerals))


def _numerals(leaf: yaml.ScalarNode) -> Iterator[prose.Numeral]:
    for numeral in prose.read_plain(str(leaf.value)):
        start = frontmatter.start(leaf) + numeral.start
        yield replace(numeral, line=leaf.start_mark.line + numeral.line, start=start)


def _is_sentence(leaf: yaml.ScalarNode) -> bool:
    return " " in str(leaf.value).strip()


def _is_unhidden(settings: dict[str, yaml.Node]) -> bool:
    """Whether the settings publish hidden files, which MkDocs leaves out otherwise."""
    node = settings.get("exclude_docs")
    return isinstance(node, yaml.ScalarNode) and "!" in node.value


def _at(node: yaml.Node | None, key: str) -> yaml.Node | None:
    return next((value for name, value in _pairs(node) if name.value == key), None)


def _pairs(node: yaml.Node | None) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]
