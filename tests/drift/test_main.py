"""The command line: what each command prints, its exit code, and what it leaves alone."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from drift.accept import update
from drift.command import DISTRIBUTION, main

PAGE, OUT, FACTS, CODE = "docs/a.md", "snippets/a/one.out", "snippets/a/one.facts.json", "snippets/a/one.py"


def test_check_agreement_gives_zero_and_counts(book) -> None:
    """A project that agrees with itself says how much was looked at."""
    ran = book.drift("check")
    assert (ran.code, ran.out) == (0, "1 snippet, 7 facts, 9 quotes on 1 page: all agree\n")
    assert "1 of 1 snippets unchanged" in ran.err


def test_check_stdout_is_the_same_with_and_without_cache(book) -> None:
    """What differs between runs goes to stderr, so that a log of stdout can be compared."""
    cached, fresh = book.drift("check"), book.drift("check", "--no-cache")
    assert cached.out == fresh.out
    assert "0 of 1 snippets unchanged" in fresh.err


def test_check_problem_gives_one(book) -> None:
    """A disagreement is exit code 1, and the last line counts."""
    book.edit(PAGE, "[two]", "[six]")
    ran = book.drift("check")
    assert ran.code == 1
    assert ran.out.endswith("\n1 snippet, 7 facts, 9 quotes on 1 page: 1 problem\n")


@pytest.mark.parametrize("command", ["check", "update"])
def test_only_pattern_that_matches_nothing_is_refused(book, command: str) -> None:
    """A check of nothing is misuse, and the snippets that exist are named."""
    before = book.hashes()
    ran = book.drift(command, "--only", "b/*")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "drift: --only 'b/*' matches no snippet; there are: a/one\n"
    assert book.hashes() == before


def test_only_one_of_two_patterns_that_matches_nothing_is_refused(book) -> None:
    """Each pattern has to match, or a typing error would go unseen beside a right one."""
    assert book.drift("check", "--only", "a/*", "--only", "b/*").code == 2


def test_only_pattern_runs_what_it_matches(book) -> None:
    """The other snippets count as they are recorded."""
    book.write("snippets/a/two.py", "1 / 0\n")
    report = book.drift("check", "--only", "a/one").out
    assert "ZeroDivisionError" not in report
    assert "snippets/a/two.py  a snippet that no page shows" in report
    assert report.endswith("1 of 2 snippets, 7 facts, 9 quotes on 1 page: 1 problem\n")


def test_only_some_snippets_says_what_was_not_compared(book) -> None:
    """A part that agrees does not say that all agree."""
    book.write("snippets/a/two.py", "from drift import fact\nfact('x', 5)\n")
    book.add("It is [5](fact:a/two.x).")
    assert book.drift("update").code == 0
    ran = book.drift("check", "--only", "a/two")
    counts = "1 of 2 snippets, 1 of 8 facts, 1 of 10 quotes on 1 page"
    assert (ran.code, ran.out) == (0, f"{counts}: no problem found; not compared: 1 record, 7 facts, 9 quotes\n")
    ran = book.drift("update", "--only", "a/two")
    assert (ran.code, ran.out) == (0, "0 files written: no problem found; not compared: 1 record, 7 facts, 9 quotes\n")


@pytest.mark.parametrize(
    ("setting", "accept"),
    [
        ("python -m nox -s update --", "python -m nox -s update -- --only a/one"),
        ("uv run drift update", "uv run drift update --only a/one"),
    ],
)
def test_findings_name_the_command_that_works_here(book, setting: str, accept: str) -> None:
    """A project says how its environment is called, and every finding ends with that."""
    book.write("pyproject.toml", f'[tool.drift]\nupdate = "{setting}"\n')
    book.edit(CODE, "total = 9216", "total = 9217")
    book.edit(PAGE, "[two]", "[six]")
    report = book.refused()
    assert f"    accept   {accept}\n" in report
    assert f"    accept   {setting.removesuffix(' --')}\n" in report
    assert "python -m drift" not in report


@pytest.mark.parametrize("value", ["true", "1", "yes", "True"])
def test_update_where_ci_is_set_is_refused(book, value: str) -> None:
    """A machine does not accept a drift, and writes nothing."""
    book.edit(CODE, "0.93214", "0.5")
    before = book.hashes()
    ran = book.drift("update", CI=value)
    assert (ran.code, book.hashes()) == (2, before)
    assert "update refuses to run where CI is set" in ran.out


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_update_where_ci_is_off_runs(book, value: str) -> None:
    """An empty or negative setting is no CI."""
    assert book.drift("update", CI=value).code == 0


def test_update_shows_a_diff_and_accepts(book) -> None:
    """A changed constant is accepted in the record, the figure and the prose, and the check passes then."""
    book.edit(CODE, "0.93214", "0.55554")
    ran = book.drift("update")
    assert ran.code == 0, ran.out
    for line in (
        "-share 0.93214",
        "+share 0.55554",
        '+    "share": {"value": 0.55554, "line": 10},',
        "docs/assets/figures/a/bar.svg: changed figure",
        "-The share is [0.9321](fact:a/one.share), or [93.2 %](fact:a/one.share).",
        "+The share is [0.5555](fact:a/one.share), or [55.6 %](fact:a/one.share).",
        "+Twice that is [1.111](fact:a/one.double).",
    ):
        assert line in ran.out
    assert ran.out.endswith("4 files written: all agree\n")
    assert book.drift("check").code == 0


def test_update_of_agreement_writes_nothing(book) -> None:
    """Nothing to accept, nothing written."""
    before = book.hashes()
    ran = book.drift("update")
    assert (ran.code, ran.out, book.hashes()) == (0, "0 files written: all agree\n", before)


def test_update_dry_run_shows_and_writes_nothing(book) -> None:
    """The diff can be read before anything is accepted."""
    book.edit(CODE, "0.93214", "0.55554")
    before = book.hashes()
    ran = book.drift("update", "--dry-run")
    assert (ran.code, book.hashes()) == (0, before)
    assert "+share 0.55554" in ran.out
    assert ran.out.endswith("4 files would change\n")


def test_update_what_is_left_is_reported(book) -> None:
    """What only the author can mend stays a problem after an update."""
    book.add("It is 41.")
    ran = book.drift("update")
    assert ran.code == 1
    assert "a number with no fact" in ran.out
    assert ran.out.endswith("0 files written: 1 problem left for you\n")


def test_update_page_edited_meanwhile_is_kept(book, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that its author saved while the snippets ran is not overwritten, and neither is anything else."""
    book.edit(CODE, "0.93214", "0.55554")
    planned = update.plan

    def edit_then_plan(*arguments):
        changes = planned(*arguments)
        book.edit(PAGE, "# A page", "# My page")
        return changes

    monkeypatch.setattr(update, "plan", edit_then_plan)
    records = {name: text for name, text in book.hashes().items() if name != PAGE}
    ran = book.drift("update")
    assert ran.code == 1
    assert "edited while the snippets ran: a.md; nothing was written, run it again" in ran.out
    assert "# My page" in book.read(PAGE)
    assert {name: text for name, text in book.hashes().items() if name != PAGE} == records


def test_list_json_names_value_quotes_and_places(book) -> None:
    """Tools can read every fact with where it is made and quoted."""
    rows = json.loads(book.drift("list", "--json").out)
    assert [row["fact"] for row in rows] == [
        f"a/one.{name}" for name in ("share", "total", "size", "loss", "heads", "word", "double")
    ]
    assert rows[0] == {
        "fact": "a/one.share",
        "value": 0.93214,
        "tol": None,
        "shown": ["0.9321", "93.2 %", "0.9321"],
        "made": "snippets/a/one.py:10",
        "quoted": ["docs/a.md:17", "docs/a.md:17", "docs/a.md:25"],
    }


def test_list_prints_every_fact(book) -> None:
    """The table for people holds the same."""
    ran = book.drift("list")
    assert ran.code == 0
    for word in ("a/one.word", "queen", "exact", "0.93214", "93.2 %"):
        assert word in ran.out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "expected a pyproject.toml with a [tool.drift] table here or above, found none"),
        ("[tool.drift]\ntimeuot = 1", "[tool.drift] does not know 'timeuot'; it has docs, snippets"),
        ("[tool.drift]\ntimeout = 'long'", "[tool.drift] timeout: expected int, got 'long'"),
        ("[tool.drift]\ndocs = 'doc'", "[tool.drift] docs: "),
        ("[tool.drift", "not TOML"),
    ],
)
def test_check_bad_settings_are_misuse(book, table: str, message: str) -> None:
    """Settings that cannot be used end the command before anything runs."""
    book.write("pyproject.toml", table)
    ran = book.drift("check")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize("installed", [True, False])
def test_version_is_that_of_the_installation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """It needs no site and no command, and says so where nothing is installed."""
    expected = f"drift of {DISTRIBUTION} {metadata.version(DISTRIBUTION)}\n"
    if not installed:
        monkeypatch.setattr("drift.command.DISTRIBUTION", "no-such-distribution")
        expected = "drift, without an installation of no-such-distribution\n"
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == expected


def test_main_without_a_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The usage names the commands."""
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "COMMAND" in capsys.readouterr().err


def test_main_runs_as_a_module(book) -> None:
    """`python -m drift check` gives the same as the function, from a folder inside the project."""
    book.edit(PAGE, "[two]", "[six]")
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-m", "drift", "check"],
        cwd=book.root / "docs",
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    assert "docs/a.md:27  a quote that is not its fact: a/one.heads is 2" in ran.stdout
