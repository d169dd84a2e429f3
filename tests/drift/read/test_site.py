"""Reading a whole project once: who shows what."""

import pytest

from drift import config
from drift.judge import check
from drift.judge.check import NothingSelectedError
from drift.problem import Place
from drift.read import site


def test_read_knows_who_shows_what(written) -> None:
    """Code, outputs, quotes and figures are kept by what they show, with every place."""
    whole = site.read(config.load(written.root))
    assert list(whole.snippets) == list(whole.records) == ["a/one"]
    assert whole.code_shown == {
        ("a/one", "count"): [Place("docs/a.md", 10)],
        ("a/one", "more"): [Place("docs/a.md", 30)],
    }
    assert whole.output_shown[("a/one", "count")] == [Place("docs/a.md", 14)]
    assert whole.quoted[("a/one", "share")] == [Place("docs/a.md", line) for line in (17, 17, 25)]
    assert whole.asset_shown == {str(written.root / "docs/assets/figures/a/bar.svg"): [Place("docs/a.md", 25)]}


def test_read_code_that_is_not_run_is_not_shown(book) -> None:
    """A fence with `notest` does not show its section."""
    book.edit("docs/a.md", '```python\n--8<-- "a/one.py:more"', '```{.python notest="why"}\n--8<-- "a/one.py:more"')
    assert ("a/one", "more") not in site.read(config.load(book.root)).code_shown


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("a/one.x", ("a/one", "x")),
        ("a/one.x.y", ("a/one", "x.y")),
        ("a/one", ("a/one", "")),
        (".x", ("", "x")),
        ("", ("", "")),
    ],
)
def test_split_target_at_the_first_dot(target: str, parts: tuple[str, str]) -> None:
    """A snippet's path has no dot, a fact's name may have several."""
    assert site.split_target(target) == parts


def test_select_patterns_match_ids(book) -> None:
    """All without a pattern; with patterns what one of them matches; none at all is an error."""
    for name in ("a/two", "b/three"):
        book.write(f"snippets/{name}.py", "x = 1\n")
    whole = site.read(config.load(book.root))
    assert [s.id for s in check.select(whole, [])] == ["a/one", "a/two", "b/three"]
    assert [s.id for s in check.select(whole, ["a/*"])] == ["a/one", "a/two"]
    assert [s.id for s in check.select(whole, ["*two", "b/*"])] == ["a/two", "b/three"]
    with pytest.raises(
        NothingSelectedError, match=r"--only 'A/\*' matches no snippet; there are: a/one, a/two, b/three"
    ):
        check.select(whole, ["a/*", "A/*"])


def test_judge_snippet_that_was_not_run_counts_as_recorded(book) -> None:
    """What a run did not cover is judged by its record, and the record's own problems are reported."""
    book.edit("snippets/a/one.out", "# --8<-- [end:more]", "# --8<-- [end:more]\nx")
    whole = site.read(config.load(book.root))
    assert [str(problem.place) for problem in check.judge(whole, {})] == ["snippets/a/one.out:9"]
