"""What the generated pages say: the page of each snippet, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drift.mkdocs import code_page, index_page
from drift.mkdocs.view import Shown
from drift.problem import Place, Problem
from drift.read.site import Site


@dataclass(frozen=True)
class Seen:
    """The pages of the site as seen from one of them, each named by its path below the docs folder.

    Attributes:
        url: the address of a page, relative to this one.
        title: the title of a page; None while it has none.
    """

    url: Callable[[str], str]
    title: Callable[[str], str | None]

    def links(self, uris: Iterable[str]) -> list[code_page.Link]:
        """Title and address of pages, each once."""
        return [(title, self.url(uri)) for uri in dict.fromkeys(uris) if (title := self.title(uri)) is not None]


def code(shown: Shown, name: str, seen: Seen) -> code_page.CodePage:
    """The page of the snippet `name`."""
    quoted = {fact: places for (owner, fact), places in shown.site.quoted.items() if owner == name}
    return code_page.CodePage(
        snippet=shown.site.snippets[name],
        record=shown.site.records[name],
        shown=seen.links(_uris(shown, _shown(shown, name))),
        quoted={fact: seen.links(_uris(shown, places)) for fact, places in quoted.items()},
    )


def index(shown: Shown, order: Sequence[str], seen: Seen) -> tuple[list[index_page.Group], list[Problem]]:
    """Every snippet under the first page in `order` that shows it, or else quotes it; and what has no purpose."""
    groups: dict[str, list[index_page.Entry]] = {uri: [] for uri in order}
    problems: list[Problem] = []
    for name, item in shown.site.snippets.items():
        try:
            index_page.purpose(item)
        except ValueError as error:
            problems.append(Problem(Place(item.file, 1), str(error)))
            continue
        quoted = [place for (owner, _), found in shown.site.quoted.items() if owner == name for place in found]
        where = [set(_uris(shown, places)) for places in (_shown(shown, name), quoted)]
        first = next((uri for uris in where for uri in order if uri in uris), None)
        if first is not None:
            links = seen.links(_uris(shown, sorted([*_shown(shown, name), *quoted])))
            entry = index_page.Entry(item, shown.site.records[name], seen.url(shown.code_uri(name)), links)
            groups[first].append(entry)
    return [
        index_page.Group(title, seen.url(uri), entries)
        for uri, entries in groups.items()
        if entries and (title := seen.title(uri)) is not None
    ], problems


def missing_includes(site: Site, folders: Sequence[Path]) -> Iterator[Problem]:
    """Every include whose file lies in none of the folders in which the site looks."""
    for page in site.pages:
        for _, include in page.shown():
            if not any((folder / include.path).is_file() for folder in folders):
                message = f"includes {include.path}, which is not there"
                fix = "python -m drift update writes it" if include.path.endswith(".out") else None
                yield Problem(page.place(include.line), message, fix=fix)


def _shown(shown: Shown, name: str) -> list[Place]:
    """Where any section of a snippet is shown."""
    return [place for (owner, _), found in shown.site.code_shown.items() if owner == name for place in found]


def _uris(shown: Shown, places: Iterable[Place]) -> list[str]:
    """The pages in which `places` lie, by their paths below the docs folder."""
    return [shown.uris[place.file] for place in places]
