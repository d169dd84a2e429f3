"""What no page uses, and what no snippet made."""

from drift import config
from drift.judge import unused
from drift.read import site


def found(book) -> list[tuple[str, str]]:
    problems = unused.check(site.read(config.load(book.root)))
    return [(str(problem.place), problem.message) for problem in problems]


def test_check_everything_used_passes(written) -> None:
    """A project that agrees with itself has no leftovers."""
    assert found(written) == []


def test_check_snippet_used_by_a_quote_alone_passes(book) -> None:
    """A snippet may state facts and show nothing."""
    book.write("snippets/a/two.py", "from drift import fact\nfact('x', 5)\n")
    book.add("[5](fact:a/two.x)")
    assert book.drift("update").code == 0
    assert found(book) == []


def test_check_snippet_used_by_its_code_alone_passes(book) -> None:
    """A snippet may show code that prints nothing, and state no fact."""
    book.write("snippets/a/two.py", "# --8<-- [start:x]\ny = 1\n# --8<-- [end:x]\n")
    book.add('```python\n--8<-- "a/two.py:x"\n```')
    assert found(book) == []


def test_check_unused_snippet_is_one_problem(book) -> None:
    """Its sections and facts are not listed one by one."""
    book.write("docs/a.md", "Nothing.\n")
    assert found(book) == [("snippets/a/one.py", "a snippet that no page shows or quotes")]


def test_check_each_unused_part_is_named(book) -> None:
    """Sections, outputs, facts and figures are named where they are made."""
    book.write("docs/a.md", '```python\n--8<-- "a/one.py:count"\n```\n\n[2](fact:a/one.heads)\n')
    assert found(book) == [
        ("snippets/a/one.py:1", "section 'count' prints, and no page shows its output"),
        ("snippets/a/one.py:17", "section 'more' is shown by no page"),
        *(
            (f"snippets/a/one.py:{line}", f"fact '{name}' is quoted by no page")
            for name, line in (("share", 10), ("total", 11), ("size", 12), ("loss", 13), ("word", 15), ("double", 22))
        ),
        ("docs/assets/figures/a/bar.svg", "a figure that no page shows"),
    ]


def test_check_code_that_is_not_run_is_not_shown(book) -> None:
    """A fence with `notest` does not count as showing a section."""
    book.edit("docs/a.md", '```python\n--8<-- "a/one.py:more"', '```{.python notest="why"}\n--8<-- "a/one.py:more"')
    assert found(book) == [("snippets/a/one.py:17", "section 'more' is shown by no page")]


def test_check_figure_made_by_two_snippets_is_named(book) -> None:
    """The second snippet of a chapter would overwrite the first one's figure."""
    book.write("snippets/a/two.py", "from drift import artifact\nartifact('bar.svg').write_text('<svg/>')\n")
    book.drift("update")
    assert ("docs/assets/figures/a/bar.svg", "a figure made by two snippets, a/one and a/two") in found(book)


def test_check_leftover_files_are_named(book) -> None:
    """Records without a snippet and figures without a maker have to go."""
    for name in ("snippets/b/x.out", "snippets/b/x.facts.json", "docs/assets/figures/b/x.svg"):
        book.write(name, "")
    assert found(book) == [
        ("snippets/b/x.out", "a record without its snippet b/x.py"),
        ("snippets/b/x.facts.json", "a record without its snippet b/x.py"),
        ("docs/assets/figures/b/x.svg", "a figure that no snippet made"),
    ]
