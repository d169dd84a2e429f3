"""What an author can get wrong in a snippet: `check` names its file and line, and writes nothing."""

import pytest

CODE = "snippets/a/one.py"

# Old text, new text, text on the line to be named, what has to be said.
EDITS = {
    "no end marker": (
        "# --8<-- [end:more]\n",
        "",
        "[start:more]",
        ["section 'more' has no end marker", "end of the file"],
    ),
    "end without start": ("# --8<-- [start:more]\n", "", "[end:more]", ["[end:more] closes nothing", "no end here"]),
    "section twice": (
        'fact("double", double)\n',
        'fact("double", double)\n# --8<-- [start:count]\nx = 1\n# --8<-- [end:count]\n',
        "# --8<-- [start:count]\nx = 1",
        ["section 'count' exists twice", "made in  snippets/a/one.py:1"],
    ),
    "section in a section": (
        "share = 0.93214",
        "# --8<-- [start:in]\nshare = 0.93214",
        "[start:in]",
        ["starts inside"],
    ),
    "end of another section": ("[end:count]", "[end:more]", "[end:more]", ["closes nothing", "expected [end:count]"]),
    "indented marker": ("# --8<-- [end:more]", "  # --8<-- [end:more]", "  # --8<-- [end:more]", ["left margin"]),
    "marker with a capital": ("[start:more]", "[start:More]", "[start:More]", ["lower-case letters", "got      More"]),
    "marker that is not understood": ("# --8<-- [start:more]", "# --8<-- start:more", "start:more", ["not understood"]),
    "marker with short scissors": ("# --8<-- [start:more]", "# -8<- [start:more]", "# -8<-", ["not understood"]),
    "section without code": (
        'double = 2 * share\nprint("double", double)',
        "# nothing",
        "[start:more]",
        ["no statement"],
    ),
    "section that cuts a statement": ('fact("word", "queen")', 'fact("word", (', 'fact("word"', ["never closed"]),
    "marker in a statement": (
        'print("double", double)\n# --8<-- [end:more]\n',
        'if double:\n    print("double", double)\n# --8<-- [end:more]\n    pass\n',
        "if double",
        ["cuts this statement in two", "whole top-level statements"],
    ),
    "syntax error": ("total = 9216", "total = = 9216", "total = =", ["syntax error: invalid syntax"]),
    "exception": ("total = 9216", "total = 1 / 0", "total = 1", ["ZeroDivisionError"]),
    "TypeError": ("total = 9216", "total = len(9216)", "total = len", ["TypeError"]),
    "exit": ("total = 9216", "total = 9216\nraise SystemExit(0)", "raise SystemExit", ["exit"]),
    "hard exit": ("total = 9216", "total = 9216\nimport os\nos._exit(0)", "os._exit", ["exit code 0 before"]),
    "stderr": (
        "total = 9216",
        "import sys; total = sys.stderr.write('oh') and 9216",
        "import sys",
        ["to stderr", "oh"],
    ),
    "warning": (
        "total = 9216",
        "import warnings; warnings.warn('oh'); total = 9216",
        "import warn",
        ["stderr", "UserWarning"],
    ),
    "print outside of sections": (
        'fact("heads", 2)',
        'print("hi")\nfact("heads", 2)',
        'print("hi")',
        ["outside every section"],
    ),
    "fact that is not a number": ("-0.5", "float('nan')", 'fact("loss"', ["expected a finite number, got nan"]),
    "fact that is infinite": ("-0.5", "float('inf')", 'fact("loss"', ["expected a finite number, got inf"]),
    "fact of many values": ("-0.5", "[1, 2]", 'fact("loss"', ["expected a bool, int, float or str, got list"]),
    "fact twice": ('fact("heads", 2)', 'fact("loss", 2)', 'fact("loss", 2)', ["stated twice, first on line 13"]),
    "fact with a strange name": ('"heads"', '"head s"', '"head s"', ["fact name 'head s'"]),
    "tolerance of a word": ('"queen"', '"queen", tol=1', '"queen"', ["agrees exactly or not at all"]),
    "tolerance of nothing": ("-0.5", "-0.5, tol=0", "-0.5", ["expected a positive finite tolerance, got 0"]),
    "figure that is never written": (
        'artifact("bar.svg").write_text(',
        'artifact("bar.svg")\n(lambda *a, **k: None)(',
        'artifact("bar.svg")',
        ["never written"],
    ),
    "figure with a strange name": ('"bar.svg"', '"Bar.svg"', '"Bar.svg"', ["artifact 'Bar.svg': expected lower-case"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_check_bad_snippet_is_named_with_its_line(book, name: str) -> None:
    """Each mistake is reported at the line of the snippet, and no file changes."""
    old, new, text, said = EDITS[name]
    book.edit(CODE, old, new)
    line = book.read(CODE).split(text)[0].count("\n") + 1
    report = book.refused()
    assert f"{CODE}:{line}  " in report, report
    for part in said:
        assert part in report


@pytest.mark.parametrize("name", ["exception", "no end marker", "syntax error", "fact that is not a number", "stderr"])
def test_update_bad_snippet_writes_nothing(book, name: str) -> None:
    """A run that failed is never accepted, not even the rest of it."""
    old, new, _, said = EDITS[name]
    book.edit(CODE, old, new)
    book.edit("docs/a.md", "[two]", "[six]")
    report = book.refused("update")
    assert "nothing was written" in report
    assert said[0] in report


def test_check_hanging_snippet_is_stopped(book) -> None:
    """A snippet that does not end is stopped, and its line is named."""
    book.edit("pyproject.toml", "timeout = 20", "timeout = 0.5")
    line = book.edit(CODE, "total = 9216", "total = 9216\nwhile total: pass")
    assert f"{CODE}:{line + 1}  still running after 0.5 s, in section 'count'; stopped" in book.refused()


def test_check_written_output_is_captured(book) -> None:
    """What `sys.stdout.write` prints is output like any other."""
    book.edit(CODE, 'print("share", share)', 'import sys; sys.stdout.write("written\\n")')
    report = book.refused()
    assert "docs/a.md:14  the output of a/one:count drifted" in report
    assert "got      written" in report


def test_check_type_error_on_the_first_run_is_not_retried(book) -> None:
    """A snippet that fails the first time has failed; it is not run again until it passes."""
    count = book.root / "count"
    code = f"import pathlib; p = pathlib.Path({str(count)!r}); p.open('a').write('x'); len(p.stat().st_size > 1 or 7)"
    line = book.edit(CODE, "total = 9216", f"total = 9216; {code}")
    ran = book.drift("check")
    assert f"{CODE}:{line}  TypeError" in ran.out
    assert count.read_text() == "x"


def test_check_drifted_code_names_output_fact_and_figure(book) -> None:
    """One changed constant is reported at each place that shows it, with both values."""
    book.edit(CODE, "share = 0.93214", "share = 0.94214")
    report = book.refused()
    for line, said in ((14, "0.93214"), (17, "fact a/one.share drifted"), (25, "figure"), (34, "double"), (37, "1.8")):
        assert f"docs/a.md:{line}  " in report, line
        assert said in report
    assert "got      share 0.94214" in report


def test_check_unused_snippet_is_named(book) -> None:
    """A snippet that no page shows is an error of its own."""
    book.write("snippets/a/two.py", "x = 1\n")
    assert (
        "snippets/a/two.py  a snippet that no page shows or quotes\n    mend     show it, or delete it"
        in book.refused()
    )


def test_check_hidden_helper_is_no_snippet(book) -> None:
    """Files whose names begin with an underscore are helpers."""
    book.write("snippets/a/_two.py", "1 / 0\n")
    assert book.drift("check").code == 0


def test_check_unused_output_is_none_where_nothing_is_printed(book) -> None:
    """A section that prints nothing needs no output shown; showing one is an error."""
    book.edit(CODE, 'print("double", double)', "str(double)")
    assert book.drift("update").code == 1
    report = book.refused()
    line = book.read("docs/a.md").split("one.out:more")[0].count("\n") + 1
    assert f"docs/a.md:{line}  section 'more' has no recorded output" in report


def test_check_dot_in_a_path_is_named(book) -> None:
    """A fact's name begins after the first dot, so a snippet's path has none."""
    book.write("snippets/a.b/two.py", "x = 1\n")
    assert "snippets/a.b/two.py  a snippet's path must not contain a dot" in book.refused()


def test_check_name_from_hidden_code_is_named(book) -> None:
    """Shown code that changes a variable which only hidden code sets does not run when it is copied."""
    book.edit(CODE, 'fact("heads", 2)', 'fact("heads", 2)\nextra = 0')
    book.edit(CODE, "double = 2 * share", "double = 2 * share\nextra += 1")
    report = book.refused()
    assert "docs/a.md:30  section 'more' uses 'extra', which no code shown before it on this page defines" in report
