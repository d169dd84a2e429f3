"""A project that agreed with itself and was edited: pages, records and settings."""

import json

import pytest
from authoring import seal

PAGE, OUT, FACTS, CODE = "docs/a.md", "snippets/a/one.out", "snippets/a/one.facts.json", "snippets/a/one.py"

# File, old text, new text, the place to be named (None: the edited line; or a file and a text on the line), and
# what has to be said.
EDITS = {
    "digit in a sentence": (PAGE, "is [0.9321]", "is [0.9421]", None, ["expected 0.9321", "got      0.9421"]),
    "digit in a table cell": (PAGE, "[4.3 GB]", "[4.8 GB]", None, ["expected 4.3 GB", "got      4.8 GB"]),
    "digit in alt text": (PAGE, "ends at [0.9321]", "ends at [0.9327]", None, ["expected 0.9321", "got      0.9327"]),
    "word in a caption": (PAGE, "[queen]", "[king]", None, ["expected queen", "got      king"]),
    "number word": (PAGE, "[two]", "[six]", None, ["expected two", "got      six"]),
    "digit in a recorded output": (
        OUT,
        "9,216",
        "9,217",
        (PAGE, "one.out:count"),
        [f"recorded in {OUT}:4", "9,217", "9,216"],
    ),
    "line added to an output": (
        OUT,
        "total 9,216",
        "total 9,216\nmore",
        (PAGE, "one.out:count"),
        ["expected more", "(nothing)"],
    ),
    "line taken from an output": (
        OUT,
        "\ntotal 9,216",
        "",
        (PAGE, "one.out:count"),
        ["expected (nothing)", "total 9,216"],
    ),
    "recorded fact": (FACTS, "-0.5", "-0.75", (PAGE, "| loss"), ["expected -0.75", "got      -0.5", f"in  {CODE}:13"]),
    "recorded word": (FACTS, '"queen"', '"king"', (PAGE, "*The word"), ["fact a/one.word drifted", "king", "queen"]),
    "recorded kind of number": (
        FACTS,
        '"value": 2,',
        '"value": 2.0,',
        (PAGE, "*The word"),
        ["expected 2.0", "got      2\n"],
    ),
    "recorded tolerance": (
        FACTS,
        '{"value": 0.93214,',
        '{"value": 0.93214, "tol": 0.1,',
        (PAGE, "The share"),
        ["fact a/one.share drifted; also quoted in docs/a.md:17, docs/a.md:25", "0.93214 ± 0.1"],
    ),
    "recorded section tolerance": (
        FACTS,
        '"tolerances": {}',
        '"tolerances": {"count": 1}',
        CODE,
        ["output tolerances drifted", "{'count': 1}"],
    ),
    "record that is no number": (FACTS, "0.93214", "NaN", FACTS, ["the record cannot be read", "finite number"]),
    "record that is no value": (FACTS, "0.93214", "[1]", FACTS, ["the record cannot be read", "got list"]),
    "record that is no JSON": (FACTS, '"total": {', '"total": ', f"{FACTS}:4", ["the record cannot be read"]),
    "recorded figure elsewhere": (FACTS, '["bar.svg"]', '["../bar.svg"]', FACTS, ["expected names of files"]),
    "figure": ("docs/assets/figures/a/bar.svg", "0.93214", "0.93215", (PAGE, "![The bar"), ["drifted at its line 3"]),
    "bar of a figure": (
        "docs/assets/figures/a/bar.svg",
        "9.32",
        "9.52",
        (PAGE, "![The bar"),
        ["drifted at its line 2"],
    ),
    "text between outputs": (OUT, "# --8<-- [end:count]", "# --8<-- [end:count]\nx", f"{OUT}:6", ["not by hand"]),
    "output without its end": (OUT, "# --8<-- [end:more]\n", "", f"{OUT}:6", ["output 'more' has no end marker"]),
    "output twice": (OUT, "[start:more]", "[start:count]", f"{OUT}:6", ["not by hand"]),
    "unused literal": (PAGE, "7 days", "days", (PAGE, "7"), ["literal '7' is not used on this page"]),
    "literal for nothing": (
        PAGE,
        "7: days of a week",
        "7:",
        None,
        ["literal '7' has no reason", "why it needs no fact"],
    ),
    "literal that is no number": (PAGE, "  7: d", "  sheep: d", None, ["literal 'sheep': expected a number"]),
    "literal twice": (PAGE, "  7: days of a week", "  7: days\n  7: dwarfs", (PAGE, "7: dwarfs"), ["declared twice"]),
    "literals in a list": (PAGE, "literals:\n  7: d", "literals:\n  - 7 d", (PAGE, "7"), ["a mapping of numbers"]),
    "front matter that is no YAML": (PAGE, "title: A", "title: [", f"{PAGE}:3", ["front matter is not YAML"]),
    "front matter that is a text": (PAGE, "title: A page\nliterals:\n  7: days of a week", "a", f"{PAGE}:2", ["keys"]),
    "number in the title": (PAGE, "title: A page", "title: 41 pages", None, ["a number with no fact", "41 pages"]),
    "number in the description": (
        PAGE,
        "title: A",
        "description: 41\ntitle: A",
        f"{PAGE}:2",
        ["a number with no fact"],
    ),
    "number in a tag": (PAGE, "title: A", "tags:\n  - top 41\ntitle: A", f"{PAGE}:3", ["a number with no fact"]),
    "figure that no page shows": (
        PAGE,
        "![The bar ends at [0.9321](fact:a/one.share).](assets/figures/a/bar.svg)",
        "",
        "docs/assets/figures/a/bar.svg",
        ["a figure that no page shows", f"made in  {CODE}"],
    ),
    "output that no page shows": (
        PAGE,
        '```text\n--8<-- "a/one.out:count"\n```',
        "",
        (CODE, "[start:count]"),
        ["section 'count' prints, and no page shows its output"],
    ),
    "section that no page shows": (
        PAGE,
        '```python\n--8<-- "a/one.py:more"\n```',
        "",
        (CODE, "[start:more]"),
        ["section 'more' is shown by no page"],
    ),
    "fact that no page quotes": (
        PAGE,
        "[1.864](fact:a/one.double)",
        "more",
        (CODE, 'fact("double"'),
        ["fact 'double' is quoted by no"],
    ),
    "output before its code": (
        PAGE,
        '```python\n--8<-- "a/one.py:more"\n```\n\n```text\n--8<-- "a/one.out:more"\n```',
        '```text\n--8<-- "a/one.out:more"\n```\n\n```python\n--8<-- "a/one.py:more"\n```',
        (PAGE, "one.out:more"),
        ["the output of 'more' is shown before its code"],
    ),
    "code that is not shown before it is used": (
        PAGE,
        '```python\n--8<-- "a/one.py:count"\n```',
        "",
        (PAGE, "one.py:more"),
        ["section 'more' uses 'share'", f"made in  {CODE}:18", "that the page shows first"],
    ),
    "quote that is no number": (PAGE, "[9,216]", "[many]", None, ["expected 9216", "got      many"]),
    "quote that is empty": (PAGE, "[9,216]", "[]", None, ["expected 9216"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_check_edit_is_named_with_both_values(book, name: str) -> None:
    """Each edit is reported at the line where a reader would meet it, and no file changes."""
    file, old, new, place, said = EDITS[name]
    line = book.edit(file, old, new)
    report = book.refused()
    if isinstance(place, tuple):
        file, text = place
        line, place = book.read(file).split(text)[0].count("\n") + 1, None
    assert f"{place or f'{file}:{line}'}  " in report, report
    for part in said:
        assert part in report


def test_check_swapped_quotes_are_both_named(book) -> None:
    """Two quotes that changed places are two problems of their line."""
    line = book.edit("docs/a.md", "The total is [9,216](fact:a/one.total)", "[queen](fact:a/one.total)")
    other = book.edit("docs/a.md", "The word is [queen]", "The word is [9,216]")
    report = book.refused()
    assert f"docs/a.md:{line}  a quote that is not its fact: a/one.total is 9216" in report
    assert f"docs/a.md:{other}  a quote that is not its fact: a/one.word is queen" in report


def test_check_sections_out_of_order_are_named(book) -> None:
    """Sections run in file order, so a page that shows the second before the first is wrong."""
    book.edit("docs/a.md", '"a/one.py:count"', '"a/one.py:X"')
    book.edit("docs/a.md", '"a/one.py:more"', '"a/one.py:count"')
    line = book.edit("docs/a.md", '"a/one.py:X"', '"a/one.py:more"')
    report = book.refused()
    shown = book.read("docs/a.md").split("\n").index('--8<-- "a/one.py:count"') + 1
    assert f"docs/a.md:{shown}  section 'count' is shown after 'more' but runs before it" in report
    assert f"docs/a.md:{line}  section 'more' uses 'share'" in report


def test_check_accept_command_is_printed(book) -> None:
    """A drift names the command that accepts it."""
    book.edit(OUT, "9,216", "9,217")
    assert "accept   python -m drift update --only a/one" in book.refused()


def test_check_every_problem_is_reported_in_one_run(book) -> None:
    """A wrong quote does not hide a drifted output, nor the other way round."""
    book.edit(OUT, "9,216", "9,217")
    book.edit("docs/a.md", "[two]", "[six]")
    book.add("It is 41.")
    report = book.refused()
    assert [part in report for part in ("9,217", "got      six", "a number with no fact")] == [True, True, True]
    assert "the record is not what the checker wrote" in report
    assert "4 problems" in report


@pytest.mark.parametrize("file", [OUT, FACTS, "docs/assets/figures/a/bar.svg"])
def test_check_missing_record_is_named(book, file: str) -> None:
    """A record file that was deleted is a drift."""
    (book.root / file).unlink()
    report = book.refused()
    assert "python -m drift update --only a/one" in report


def test_check_record_never_accepted_is_named(book) -> None:
    """A new snippet whose records were never written is one problem, not one for each value."""
    for file in (OUT, FACTS):
        (book.root / file).unlink()
    report = book.refused()
    assert f"{CODE}  a snippet whose output was never accepted" in report
    assert "got      11 includes and quotes on 1 page wait for it" in report
    assert "drifted" not in report
    assert report.endswith("1 snippet, 0 facts, 9 quotes on 1 page: 1 problem\n")


def test_check_record_of_a_snippet_that_fails_is_told_with_the_failure(book) -> None:
    """What cannot run gives no record, and nothing that waits for it is told."""
    for file in (OUT, FACTS):
        (book.root / file).unlink()
    book.edit(CODE, "total = 9216", "total = 1 / 0")
    report = book.refused()
    assert "ZeroDivisionError" in report
    assert "never accepted" not in report
    assert "no recorded" not in report


def test_check_new_fact_is_told_once(book) -> None:
    """A fact and a section that the record lacks are a drift each, not one for each place."""
    book.edit(CODE, 'fact("double", double)', 'fact("double", double)\nfact("new", 5)')
    book.add("It is [5](fact:a/one.new), so [5](fact:a/one.new).")
    report = book.refused()
    assert "fact a/one.new drifted" in report
    assert report.endswith(": 1 problem\n")


def test_check_snippet_that_is_not_there_is_told_once_a_page(book) -> None:
    """After a renaming each page says how often it names the old one."""
    line = book.add('[1](fact:a/two.x) [2](fact:a/two.y)\n\n```python\n--8<-- "a/two.py:z"\n```')
    report = book.refused()
    assert f"docs/a.md:{line}  no snippet 'a/two', which this page shows or quotes 3 times" in report
    assert report.endswith(": 1 problem\n")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("snippets/a/two.out", "a record without its snippet a/two.py"),
        ("snippets/a/two.facts.json", "a record without its snippet a/two.py"),
        ("docs/assets/figures/a/old.svg", "a figure that no snippet made"),
        ("docs/assets/figures/a/notes.txt", "a figure that no snippet made"),
    ],
)
def test_check_orphan_is_named(book, file: str, message: str) -> None:
    """A record or a figure that nothing makes any more has to go."""
    book.write(file, "x")
    assert f"{file}  {message}\n    mend     delete it" in book.refused()


@pytest.mark.parametrize("file", ["docs/a.md", OUT, FACTS, CODE, "docs/assets/figures/a/bar.svg"])
def test_check_file_that_is_not_utf8_is_named(book, file: str) -> None:
    """A file in another encoding is a problem of that file, not a crash."""
    book.write(file, book.read(file).encode() + b"\xff\xfe")
    assert f"{file}" in book.refused()


def test_check_page_that_is_not_utf8_says_where(book) -> None:
    """The byte that does not decode is named."""
    book.write("docs/b.md", b"ab\xe9")
    assert (
        "docs/b.md  not UTF-8: unexpected end of data at byte 2\n    mend     save the file as UTF-8" in book.refused()
    )


@pytest.mark.parametrize("name", ["b.markdown", "sub/b.mkd", "B.MD", "b.mdown"])
def test_check_page_with_another_ending_is_read(book, name: str) -> None:
    """Every file that MkDocs takes for a page is checked."""
    book.write(f"docs/{name}", "It is 41.\n")
    assert f"docs/{name}:1  a number with no fact" in book.refused()


def test_check_windows_line_ends_pass(book) -> None:
    """Pages, snippets and records with CRLF say the same."""
    for file in ("docs/a.md", CODE, OUT):
        book.write(file, book.read(file).replace("\n", "\r\n"))
    ran = book.drift("check")
    assert ran.code == 0, ran.out


def test_check_windows_line_ends_keep_line_numbers(book) -> None:
    """A problem in a page with CRLF is reported at the right line."""
    line = book.edit("docs/a.md", "[two]", "[six]")
    book.write("docs/a.md", book.read("docs/a.md").replace("\n", "\r\n"))
    assert f"docs/a.md:{line}  a quote that is not its fact" in book.refused()


def test_check_byte_order_mark_passes(book) -> None:
    """A page that begins with a byte order mark has its front matter read."""
    book.write("docs/a.md", "\ufeff" + book.read("docs/a.md"))
    ran = book.drift("check")
    assert ran.code == 0, ran.out


def test_check_no_page_names_the_unused_snippet(book) -> None:
    """An empty docs folder is not a check of nothing: the snippets are unused."""
    (book.root / "docs/a.md").unlink()
    assert f"{CODE}  a snippet that no page shows or quotes" in book.refused()


def test_check_values_within_a_tolerance_pass(book) -> None:
    """A recorded value that lies within the tolerance its snippet states agrees."""
    book.edit(CODE, 'fact("double", double)', 'fact("double", double, tol=0.01)')
    book.edit("docs/a.md", "[1.864]", "[1.864 ± 0.01]")
    assert book.drift("update").code == 0
    book.edit(FACTS, '"value": 1.86428, "tol"', '"value": 1.8639, "tol"')
    seal(book.root)
    assert book.drift("check").code == 0
    book.edit(FACTS, "1.8639", "1.8757")
    assert "expected 1.8757 ± 0.01" in book.refused()


def test_records_are_written_one_fact_a_line(book) -> None:
    """The record reads well in a diff."""
    lines = book.read(FACTS).split("\n")
    assert '    "share": {"value": 0.93214, "line": 10},' in lines
    assert json.loads("\n".join(lines))["artifacts"] == ["bar.svg"]
