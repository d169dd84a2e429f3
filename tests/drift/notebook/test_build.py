"""Tests of pages as notebooks."""

from __future__ import annotations

import io
import math
from contextlib import redirect_stdout
from textwrap import indent

import nbformat
import pytest
import torch
from authoring import Book

from drift import config
from drift.notebook import build
from drift.notebook.setup import Options
from drift.read import site

OTHER = """\
# --8<-- [start:own]
share = "other"
print(share)
# --8<-- [end:own]
"""
SKIPPED = "This cell is skipped (a/two): the data is not here; `fetch` gets it.\n"
PUBLIC = Options(
    site_url="https://x.org/",
    package="nothing_of_this_name",
    install="thing @ git+https://x.org/thing",
    pages={"a.md": "a.html"},
)


def made(book: Book, options: Options = PUBLIC) -> nbformat.NotebookNode:
    """The notebook of the project's page."""
    whole = site.read(config.load(book.root))
    text = build.render(build.for_reader(whole, whole.pages[0], options))
    return nbformat.reads(text, as_version=4)


def code(found: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in found.cells if cell.cell_type == "code"]


def test_cells_are_prose_code_and_recorded_output(book: Book) -> None:
    """The page's order is kept: title and origin, the first cell, then prose and code with what it printed."""
    found = made(book)
    assert [cell.cell_type for cell in found.cells] == ["markdown", "code", "code", "markdown", "code", "markdown"]
    assert found.cells[0].source.startswith("# A page\n\n*Made from [the page of this name](https://x.org/a.html).")
    assert code(found)[1].source.startswith("share = 0.93214")
    assert "".join(output.text for output in code(found)[1].outputs) == "share 0.93214\ntotal 9,216\n"
    assert "The share is 0.9321, or 93.2 %." in found.cells[3].source
    assert "![The bar ends at 0.9321.](data:image/svg+xml;base64," in found.cells[3].source
    assert "Twice that is 1.864." in found.cells[5].source


def test_notebook_is_the_same_every_time(book: Book) -> None:
    """Two builds of one page give one file, so that a diff shows changes only."""
    assert made(book) == made(book)


def test_first_cell_installs_what_is_missing(book: Book) -> None:
    """Where the package is not there, pip is asked for its public place."""
    assert '    %pip install --quiet "thing @ git+https://x.org/thing"' in code(made(book))[0].source


def test_first_cell_without_a_public_place_says_what_to_do(book: Book) -> None:
    """Without an address to install from, the cell stops with the command."""
    source = code(made(book, Options(package="nothing_of_this_name")))[0].source
    with pytest.raises(ModuleNotFoundError, match=r"python -m pip install \."):
        exec(source, {})


def test_first_cell_does_nothing_where_all_is_there(book: Book) -> None:
    """With the package and the recorded versions present, nothing is printed."""
    source = code(made(book, Options(package="drift", recorded={"nbformat": nbformat.__version__})))[0].source
    with redirect_stdout(io.StringIO()) as printed:
        exec(source, {})
    assert printed.getvalue() == ""


def test_first_cell_says_when_versions_differ(book: Book) -> None:
    """Another version than the recorded one is named with both."""
    source = code(made(book, Options(package="drift", recorded={"nbformat": "0.1.2"})))[0].source
    with redirect_stdout(io.StringIO()) as printed:
        exec(source, {})
    assert "recorded with nbformat 0.1.2" in printed.getvalue()
    assert nbformat.__version__ in printed.getvalue()


def test_page_without_an_address_links_to_nothing(book: Book) -> None:
    """Where the site's address is not known, its links are text."""
    book.add("See [the page](a.md) and [its end](#end).")
    linked = "See [the page](https://x.org/a.html) and [its end](https://x.org/a.html#end)."
    assert linked in made(book).cells[-1].source
    assert "See the page and its end." in made(book, Options()).cells[-1].source


def interleaved(book: Book) -> nbformat.NotebookNode:
    """The notebook of a page on which another snippet, with a name of its own, has its turn between two sections."""
    book.write("snippets/a/two.py", OTHER)
    fences = '```python\n--8<-- "a/two.py:own"\n```\n\n```text\n--8<-- "a/two.out:own"\n```\n\n'
    book.edit("docs/a.md", '```python\n--8<-- "a/one.py:more"', fences + '```python\n--8<-- "a/one.py:more"')
    assert book.drift("update").code == 0
    return made(book)


def test_experiments_that_take_turns_are_kept_apart(book: Book) -> None:
    """Run in one place from top to bottom, each cell prints what was recorded, although names are used twice."""
    setup, *cells = code(interleaved(book))
    names: dict[str, object] = {}
    exec(setup.source[setup.source.index("def experiment") :], names)
    for cell in cells:
        with redirect_stdout(io.StringIO()) as printed:
            exec(cell.source, names)
        assert printed.getvalue() == "".join(output.text for output in cell.outputs)
    turns = [cell.source.split("\n")[0] for cell in cells]
    assert turns == ['experiment("a/one")', 'experiment("a/two")', 'experiment("a/one")']


def test_experiments_go_on_with_their_own_random_numbers(book: Book) -> None:
    """A draw of another experiment does not move the next draw of this one."""
    setup = code(interleaved(book))[0].source
    names: dict[str, object] = {}
    exec(setup[setup.index("def experiment") :], names)
    for turn in (
        "experiment('one'); import torch; torch.manual_seed(0); first = torch.rand(1)",
        "experiment('two'); import torch; torch.manual_seed(7); torch.rand(3)",
        "experiment('one'); second = torch.rand(1)",
    ):
        exec(turn, names)
    torch.manual_seed(0)
    assert [names["first"], names["second"]] == [torch.rand(1), torch.rand(1)]


def test_switch_keeps_the_names_of_the_reader(book: Book) -> None:
    """What the reader sets or imports between two cells is there after every switch, and nothing is deleted."""
    setup, *cells = code(interleaved(book))
    names: dict[str, object] = {}
    exec(setup.source[setup.source.index("def experiment") :], names)
    with redirect_stdout(io.StringIO()):
        exec(cells[0].source, names)
        exec("import math as np; my_note = 'mine'; total = 1", names)
        for cell in [*cells[1:], *cells]:
            before = {*names}
            exec(cell.source, names)
            assert before <= {*names}
            assert names["my_note"] == "mine"
            assert names["np"] is math


def test_switch_moves_what_two_experiments_have_in_common(book: Book) -> None:
    """`share` is set by both snippets, `double` by one of them and used by no other."""
    source = code(interleaved(book))[0].source
    assert 'experiment.shared = """\nshare\n""".split()' in source


NEEDY = """\
import json as reader

from drift import needs

needs(reader.loads("false"), "the data is not here; `fetch` gets it")

# --8<-- [start:own]
text = '''one
two'''
print(text)
# --8<-- [end:own]
"""


@pytest.mark.parametrize(("there", "printed"), [("false", SKIPPED), ("true", "one\ntwo\n")])
def test_cells_are_skipped_where_what_they_need_is_missing(book: Book, there: str, printed: str) -> None:
    """A cell whose snippet has an unmet need says how to get it; the others run, also after it."""
    book.write("snippets/a/two.py", NEEDY.replace("false", "true"))
    fences = '```python\n--8<-- "a/two.py:own"\n```\n\n```text\n--8<-- "a/two.out:own"\n```\n\n'
    book.edit("docs/a.md", '```python\n--8<-- "a/one.py:more"', fences + '```python\n--8<-- "a/one.py:more"')
    assert book.drift("update").code == 0
    book.write("snippets/a/two.py", NEEDY.replace("false", there))
    setup, *cells = code(made(book))
    names: dict[str, object] = {}
    exec(setup.source[setup.source.index("def experiment") :], names)
    said = []
    for cell in cells:
        with redirect_stdout(io.StringIO()) as out:
            exec(cell.source, names)
        said.append(out.getvalue())
    recorded = ["".join(output.text for output in cell.outputs) for cell in cells]
    assert said == [recorded[0], printed, recorded[2]]
    assert "reader" not in names


def test_experiments_that_follow_each_other_need_no_switch(book: Book) -> None:
    """A page whose snippets come one after the other gets no word about it."""
    assert not any("experiment(" in cell.source for cell in made(book).cells)


def test_site_notebook_keeps_the_prose_as_it_was_written(book: Book) -> None:
    """The notebook that the site renders has the quotes, which the site's own Markdown turns into links."""
    whole = site.read(config.load(book.root))
    found = build.for_site(whole, whole.pages[0])
    assert "[0.9321](fact:a/one.share)" in "".join(cell.source for cell in found.cells)
    assert [cell.metadata.drift for cell in code(found)] == [["a/one.py:count"], ["a/one.py:more"]]


def test_code_in_a_box_stands_in_the_prose(book: Book) -> None:
    """A notebook cannot fold a cell away, so code in a box is shown there as text, with its output."""
    fences = '```python\n--8<-- "a/one.py:more"\n```\n\n```text\n--8<-- "a/one.out:more"\n```\n'
    book.edit("docs/a.md", fences, f'??? tip "More"\n\n{indent(fences, "    ")}')
    text = made(book).cells[-1].source
    assert '```python\ndouble = 2 * share\nprint("double", double)\n```' in text
    assert "```text\ndouble 1.86428\n```" in text


def test_windows_line_ends_give_the_same_notebook(book: Book) -> None:
    """A page with carriage returns is cut at the same places."""
    before = made(book)
    book.write("docs/a.md", book.read("docs/a.md").replace("\n", "\r\n"))
    assert made(book) == before
