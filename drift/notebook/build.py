"""A page as a notebook: its prose, its code and the recorded outputs, in a file that runs by itself.

Each snippet of a page has names of its own, in the checker as in the files; a notebook has one place for all.
Where a snippet goes on after another one had its turn, the cells say whose they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from drift.notebook import cell_text, names, needs
from drift.notebook.links import Addresses
from drift.notebook.setup import Options, first_cell, switch
from drift.read import fences, frontmatter, percent
from drift.read.fences import Fence, Include
from drift.read.page import NOTEBOOK, Page
from drift.read.site import Ref, Site
from drift.read.snippet import Section

FORMAT_MINOR = 5
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


@dataclass
class _Cell:
    """Code of one or more sections, or prose."""

    kind: str
    source: str
    sections: list[Ref] = field(default_factory=list)


def runs_code(page: Page) -> bool:
    """Whether a page shows code that is executed, and so can be a notebook."""
    return any(_executed(fence) for fence in page.fences)


def for_reader(site: Site, page: Page, options: Options) -> NotebookNode:
    """The notebook that a reader downloads."""
    cells = _cells(site, page)
    to = Addresses(site.config.docs, page.home, options.site_url, options.pages)
    title = _title(page)
    made: list[NotebookNode] = [
        _markdown(_origin(title, to.page_url(page.home), options.site_name)),
        _code(first_cell(options)),
    ]
    apart = _interleaved(cells)
    code = _code_of_each(cells)
    if apart:
        made[1].source += f"\n\n\n{switch(names.shared(code))}"
    conditions = {} if page.notebook else _conditions(site, code)
    if conditions:
        made[1].source += f"\n\n\n{needs.ready(conditions)}"
    current = ""
    for cell in cells:
        if cell.kind == "markdown":
            text = cell_text.convert(cell.source, to.address, to.image)
            if text and text != f"# {title}":
                made.append(_markdown(text.removeprefix(f"# {title}\n").lstrip("\n")))
            continue
        owner = cell.sections[0][0]
        source = needs.guarded(owner, cell.source) if owner in conditions else cell.source
        if apart and owner != current:
            source, current = f'experiment("{owner}")\n\n{source}', owner
        made.append(_shown(site, cell, source))
    return _notebook(made)


def for_site(site: Site, page: Page) -> NotebookNode:
    """The notebook of a page as the site renders it: prose as it was written, each cell with its place in the file."""
    made: list[NotebookNode] = []
    for cell in _cells(site, page):
        if cell.kind == "markdown":
            made.append(_markdown(cell.source.strip("\n")))
        else:
            made.append(_shown(site, cell, cell.source))
    return _notebook(made)


def render(notebook: NotebookNode) -> str:
    """The text of an `.ipynb` file."""
    text: str = nbformat.writes(notebook)
    return text + "\n"


def _cells(site: Site, page: Page) -> list[_Cell]:
    """The page in pieces: code wherever a fence shows executed sections, prose between."""
    text = _markdown_of(page)
    position = frontmatter.read(page.file, text).end
    blocks, _, _ = fences.find(page.file, re.sub(r"[^\n]", " ", text[:position]) + text[position:])
    cells: list[_Cell] = []
    for fence in blocks:
        if fence.start < position or fence.indent or not (_executed(fence) or _is_output(fence)):
            continue
        cells.append(_Cell("markdown", _expanded(site, text[position : fence.start])))
        position = fence.end
        if _executed(fence):
            sections = [_target(include) for include in fence.includes]
            source = "\n".join(site.snippets[stem].code(_section(site, stem, name)) for stem, name in sections)
            cells.append(_Cell("code", source, sections))
    cells.append(_Cell("markdown", _expanded(site, text[position:])))
    return [cell for cell in _joined(cells) if cell.source.strip()]


def _joined(cells: list[_Cell]) -> list[_Cell]:
    """Prose that only an output stood between is one piece."""
    joined: list[_Cell] = []
    for cell in cells:
        if joined and cell.kind == joined[-1].kind == "markdown":
            joined[-1] = _Cell("markdown", f"{joined[-1].source.rstrip()}\n\n{cell.source.lstrip()}")
        else:
            joined.append(cell)
    return joined


def _expanded(site: Site, text: str) -> str:
    """Prose with the includes of its boxes replaced by what they show."""

    def shown(match: re.Match[str]) -> str:
        stem, section = match["path"].rpartition(".")[0], match["section"]
        if stem not in site.snippets or site.snippets[stem].section(section) is None:
            return match[0]
        kept = site.records[stem].outputs.get(section, "").rstrip("\n")
        code = site.snippets[stem].code(_section(site, stem, section))
        lines = (code if match["path"].endswith(".py") else kept).split("\n")
        return "\n".join(match["space"] + line if line else line for line in lines)

    return re.sub(r'^(?P<space>[ \t]*)--8<-- "(?P<path>[^":]+):(?P<section>[^"]+)"[ \t]*$', shown, text, flags=re.M)


def _interleaved(cells: list[_Cell]) -> bool:
    """Whether a snippet goes on after another one had its turn, and may meet that one's names and random numbers."""
    turns = [stem for stem, _ in groupby(stem for cell in cells for stem, _ in cell.sections)]
    return len(turns) > len(set(turns))


def _code_of_each(cells: list[_Cell]) -> dict[str, str]:
    """The code of a notebook by the snippets that it comes from."""
    code: dict[str, str] = {}
    for cell in cells:
        for stem, _ in cell.sections[:1]:
            code[stem] = f"{code.get(stem, '')}{cell.source}\n"
    return code


def _conditions(site: Site, stems: Iterable[str]) -> dict[str, needs.Condition]:
    """What the snippets of a chapter need; a lab is a program of its own, and sees to it itself."""
    found = {stem: needs.condition(site.snippets[stem].text) for stem in stems}
    return {stem: condition for stem, condition in found.items() if condition}


def _origin(title: str, url: str | None, site_name: str) -> str:
    source = f"[the page of this name]({url})" if url else "the page of this name"
    place = f" on the site {site_name}" if site_name else ""
    return (
        f"# {title}\n\n"
        f"*Made from {source}{place}.\n"
        "Every output was printed by this code, and every number in the text was checked against it.*"
    )


def _title(page: Page) -> str:
    text = _markdown_of(page)
    found = re.search(r"^# (?P<title>.+)$", text[frontmatter.read(page.file, text).end :], re.MULTILINE)
    return found["title"].strip() if found else page.home.stem


def _shown(site: Site, cell: _Cell, source: str) -> NotebookNode:
    """A code cell with what it printed, and with the sections that it shows in its metadata."""
    made = _code(source, _output(site, cell))
    made.metadata["drift"] = [f"{stem}.py:{section}" for stem, section in cell.sections]
    return made


def _output(site: Site, cell: _Cell) -> str:
    return "".join(f"{text}\n" for stem, name in cell.sections if (text := _recorded(site, stem, name)))


def _recorded(site: Site, stem: str, section: str) -> str:
    return site.records[stem].outputs.get(section, "").removesuffix("\n")


def _markdown_of(page: Page) -> str:
    text = percent.translate(page.notebook, page.text).text if page.notebook else page.text
    return text.replace("\r\n", "\n")


def _executed(fence: Fence) -> bool:
    return fence.is_python and fence.notest is None and bool(fence.includes)


def _is_output(fence: Fence) -> bool:
    return bool(fence.includes) and all(include.path.endswith(".out") for include in fence.includes)


def _target(include: Include) -> Ref:
    return include.path.rpartition(".")[0], include.section


def _section(site: Site, stem: str, name: str) -> Section:
    section = site.snippets[stem].section(name)
    if section is None:
        raise LookupError(f"{site.snippets[stem].file} has no section {name!r}")
    return section


# Not made by nbformat's own functions: those validate each part, and the notebook is validated as a whole.
def _markdown(source: str) -> NotebookNode:
    return NotebookNode(cell_type="markdown", metadata=NotebookNode(), source=source)


def _code(source: str, output: str = "") -> NotebookNode:
    outputs = [NotebookNode(output_type="stream", name="stdout", text=output)] if output else []
    return NotebookNode(cell_type="code", metadata=NotebookNode(), execution_count=None, source=source, outputs=outputs)


def _notebook(cells: list[NotebookNode]) -> NotebookNode:
    """Number the cells, so that the same page gives the same file."""
    count = 0
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
    made: NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=METADATA)
    made.nbformat_minor = FORMAT_MINOR
    nbformat.validate(made)
    return made


def uri(page: Page, docs: Path, folder: str) -> str:
    """Where the notebook of a page lies on the site, below its root."""
    return f"{folder}/{page.home.relative_to(docs).with_suffix(NOTEBOOK).as_posix()}"
