"""How much a check looks at."""

from io import StringIO

from authoring import Book
from rich.console import Console

from drift import config
from drift.read import site
from drift.tell import tally


def counted(book) -> dict[tuple[str, str], int]:
    """The counts of a project by group and kind."""
    found = tally.count(site.read(config.load(book.root)))
    return {(one.what, one.how): one.number for one in found}


def test_count_of_a_project(written) -> None:
    """Pages, snippets, facts and quotes are what is in the files, and a literal counts where it is used."""
    found = counted(written)
    assert found["site", "pages"] == found["site", "snippets"] == 1
    assert found["site", "facts"] == 7
    assert sum(number for (what, _), number in found.items() if what == "quotes") == written.read("docs/a.md").count(
        "(fact:"
    )
    assert found["quotes", "of a text"] == 1
    assert found["numbers in prose", "literal with a reason"] == 1


def test_count_says_what_holds_each_number(book) -> None:
    """What no quote binds stands under what holds it, or under nothing."""
    before = counted(book)
    book.add("1. One.\n2. Two.\n\nIt prints `9216`, not `4711`; about 88. See <https://a.org/3>.")
    after = counted(book)
    moved = {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key, 0)}
    assert moved == {
        ("numbers in inline code", "shown by code nearby"): 1,
        ("numbers in inline code", "nothing"): 1,
        ("numbers in prose", "nothing"): 1,
        ("numbers that need nothing", "count of a list"): 2,
        ("numbers that need nothing", "address"): 1,
    }


def test_count_tells_claims_from_numbers(book: Book) -> None:
    """A claim is no value that a reader sees."""
    before = counted(book)
    book.add("They are [at least twice as many](claim:a/one.heads).")
    after = counted(book)
    assert after["quotes", "claims, by their own words"] == 1
    assert after["quotes", "of a number, exact"] == before["quotes", "of a number, exact"]


def test_count_of_data_that_is_not_committed(book, monkeypatch, tmp_path) -> None:
    """What a snippet took from a folder that a variable names is what would not run without it."""
    (tmp_path / "rows.csv").write_text("1\n", encoding="utf-8")
    monkeypatch.setenv("ROWS", str(tmp_path))
    book.edit("pyproject.toml", "timeout = 20", 'timeout = 20\nenv = ["ROWS"]')
    code = "import os\nfrom pathlib import Path\n_ = Path(os.environ['ROWS'], 'rows.csv').read_text()\n"
    book.write("snippets/a/one.py", book.read("snippets/a/one.py") + code)
    assert book.drift("update").code == 0
    found = counted(book)
    what = "hangs on data that is not committed"
    assert found[what, "snippets"] == 1
    assert found[what, "facts"] == found["site", "facts"]
    assert found[what, "quotes"] == book.read("docs/a.md").count("(fact:")


def test_show_names_a_group_once(written) -> None:
    """A table for people; JSON for programs."""
    stream = StringIO()
    tally.show(Console(file=stream, width=100), tally.count(site.read(config.load(written.root))))
    assert stream.getvalue().count("quotes") == 1
    assert set(tally.as_json(tally.count(site.read(config.load(written.root))))[0]) == {"what", "how", "number"}
