"""Tests of notebooks written as text: they are snippets and pages at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from authoring import Book

from drift import config
from drift.read import page, percent, site

NOTEBOOK = """\
# ---
# title: A notebook
# description: A sum.
# literals:
#   7: days of a week
# ---

# %% [markdown]
# # A notebook
#
# A week has 7 days.
#
# ??? tip "Hint"
#
#     The share is [0.93](fact:a/one.share).

# %% sum
total = 17 + 19
print("total", total)

# %% tags=["remove-cell"]
from drift import fact

fact("total", total)

# %% [markdown]
# The total is [36](fact:nb/sums.total).

# %% twice
print("twice", 2 * total)
"""
FILE = "snippets/nb/sums.py"


@pytest.fixture(scope="module")
def accepted(written: Book, tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A project with a notebook, accepted; read it, do not change it."""
    made = written.copy(tmp_path_factory.mktemp("accepted") / "book")
    made.write(FILE, NOTEBOOK)
    ran = made.drift("update")
    assert ran.code == 0, ran
    return made


@pytest.fixture
def book(accepted: Book, tmp_path: Path) -> Book:
    """A copy of it, to be changed."""
    return accepted.copy(tmp_path / "book")


def test_notebook_is_a_snippet_with_its_cells_as_sections(book: Book) -> None:
    """Each named cell has a record of what it printed, under its name."""
    assert "# --8<-- [start:sum]\ntotal 36\n# --8<-- [end:sum]\n" in book.read("snippets/nb/sums.out")
    assert "[start:twice]\ntwice 72\n" in book.read("snippets/nb/sums.out")
    assert '"total": {"value": 36, "line": 24}' in book.read("snippets/nb/sums.facts.json")


def test_notebook_is_a_page_below_the_docs_folder(book: Book) -> None:
    """Its home is where it would lie as a page, its text is the file's own."""
    found = site.read(config.load(book.root)).pages[-1]
    assert (found.file, found.notebook) == (FILE, "nb/sums")
    assert found.home == book.root / "docs" / "nb" / "sums.ipynb"
    assert found.text == NOTEBOOK


def test_offsets_and_lines_are_those_of_the_file(book: Book) -> None:
    """What is found in the page lies where the file has it, however the cells before it look."""
    found = site.read(config.load(book.root)).pages[-1]
    assert [NOTEBOOK[quote.start : quote.end] for quote in found.quotes] == ["0.93", "36"]
    lines = NOTEBOOK.split("\n")
    assert [quote.text in lines[quote.line - 1] for quote in found.quotes] == [True, True]
    assert [lines[numeral.line - 1] for numeral in found.numerals] == ["# A week has 7 days."]
    assert [(lines[fence.first - 1], fence.includes[0].section) for fence in found.fences] == [
        ("# %% sum", "sum"),
        ("# %% twice", "twice"),
    ]
    assert lines[found.literals["7"].line - 1] == "#   7: days of a week"


def test_windows_line_ends_keep_the_offsets(book: Book) -> None:
    """A file with carriage returns is read alike, and its quotes lie where it has them."""
    text = NOTEBOOK.replace("\n", "\r\n")
    found = page.parse_notebook("nb/sums", book.root / FILE, FILE, text, book.root / "docs/nb/sums.ipynb")
    assert [text[quote.start : quote.end] for quote in found.quotes] == ["0.93", "36"]
    assert found.problems == ()


def test_agreeing_notebook_is_accepted(book: Book) -> None:
    """A check of the whole project finds nothing."""
    assert book.drift("check").code == 0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("is [36]", "is [37]", "snippets/nb/sums.py:27  a quote that is not its fact"),
        ("is [0.93]", "is [0.94]", "snippets/nb/sums.py:15  a quote that is not its fact"),
        ("has 7 days", "has 8 days", "snippets/nb/sums.py:11  a number with no fact"),
        ("17 + 19", "17 + 18", "snippets/nb/sums.py:17  the output of nb/sums:sum drifted"),
        ("2 * total", "3 * total", "snippets/nb/sums.py:29  the output of nb/sums:twice drifted"),
        ('fact("total", total)', 'fact("total", total + 1)', "snippets/nb/sums.py:27  fact nb/sums.total drifted"),
        ('print("twice", 2 * total)', 'print("twice", 2 * hidden)', "nb/sums.py:30"),
        ("# A week", "A week", "a line of a Markdown cell without its '# '"),
        ("# %% twice", "# %% sum", "two cells are called 'sum'"),
        ("# %% twice", "# %%", "a cell's head that is not understood"),
        ("# %% twice", "# %% Twice!", "a cell's head that is not understood"),
        ('tags=["remove-cell"]', 'tags=["hide"]', "a cell's head that is not understood"),
        ("# ---\n# title", "import os\n# ---\n# title", "text before the first cell"),
        ("total = 17", "# --8<-- [start:x]\ntotal = 17", "a section marker in a notebook"),
        ('print("twice", 2 * total)\n', "", "section 'twice' holds no statement"),
        (
            "from drift import fact\n",
            "from drift import fact\nprint('hidden')\n",
            "snippets/nb/sums.py:23  prints outside every section",
        ),
    ],
)
def test_fault_is_reported_where_it_stands(book: Book, old: str, new: str, expected: str) -> None:
    """Whatever a page or a snippet can have wrong, a notebook can, and the line is the file's."""
    book.edit(FILE, old, new)
    assert expected in book.refused().replace(str(book.root), "")


def test_name_from_a_hidden_cell_is_reported(book: Book) -> None:
    """A reader does not get the hidden cells, so a shown one must not need them."""
    book.edit(FILE, 'fact("total", total)', 'fact("total", total)\nhidden = 3')
    book.edit(FILE, "2 * total", "24 * hidden")
    assert "section 'twice' uses 'hidden', which no code shown before it on this page defines" in book.refused()


def test_update_rewrites_the_number_in_the_comment(book: Book) -> None:
    """Accepting a change moves the digits in a Markdown cell, and nothing else."""
    book.edit(FILE, "17 + 19", "17 + 29")
    assert book.drift("update").code == 0
    assert book.read(FILE) == NOTEBOOK.replace("17 + 19", "17 + 29").replace("is [36]", "is [46]")


def test_python_typed_into_a_markdown_cell_is_reported(book: Book) -> None:
    """A fence in the prose of a notebook is not executed, and has to say why."""
    book.edit(FILE, "# A week has 7 days.", "# A week has 7 days.\n#\n# ```python\n# print(7)\n# ```")
    assert "a Python fence with text typed into it" in book.refused()


@pytest.mark.parametrize(("lang", "ending"), [("python", "py"), ("text", "out")])
def test_text_typed_beside_an_include_is_reported(book: Book, lang: str, ending: str) -> None:
    """An include in a Markdown cell does not cover what is typed next to it."""
    fence = f'# ```{lang}\n# --8<-- "a/one.{ending}:count"\n# share 0.99999\n# ```'
    line = book.edit(FILE, "# A week has 7 days.", f"# A week has 7 days.\n#\n{fence}") + 4
    assert (
        f"snippets/nb/sums.py:{line}  a {'Python' if lang == 'python' else 'text'} fence with text typed into it"
        in (book.refused())
    )


def test_mark_of_the_byte_order_is_no_text(book: Book) -> None:
    """Some editors begin a file with a mark; the front matter is read and the offsets hold all the same."""
    book.write(FILE, "\ufeff" + NOTEBOOK)
    assert book.drift("check").code == 0
    found = site.read(config.load(book.root)).pages[-1]
    assert [found.text[quote.start : quote.end] for quote in found.quotes] == ["0.93", "36"]


def test_decimal_in_inline_code_needs_an_output_of_the_notebook(book: Book) -> None:
    """A notebook shows the outputs of its cells, so their numbers may stand in its code spans; others may not."""
    book.edit(FILE, "2 * total", "total / 3.2")
    book.edit(FILE, "# The total is", "# The program prints `11.25` and not `11.26`. The total is")
    assert book.drift("update").code == 1
    out = book.refused()
    assert "11.26" in out
    assert "'11.25'" not in out


def test_plain_snippet_is_no_notebook() -> None:
    """A comment that only looks like a cell's head does not turn a script into a notebook."""
    assert not percent.is_notebook("x = 1\n#%% not a head\n    # %% indented\n")
    assert percent.is_notebook("# %% first\nx = 1\n")
