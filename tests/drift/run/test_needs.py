"""Tests of `drift.needs`: a snippet that lacks what it needs is named with its reason, and its record stands."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from drift import FactError, UnmetNeedError, config, needs
from drift.accept import update
from drift.command import main
from drift.judge import check
from drift.measure.matrix import Matrix, to_json
from drift.read import site
from drift.run import launcher

REASON = "the data is not here; python -m get downloads it"
SNIPPET = f"""
import os

from drift import fact, needs

needs("NEEDED" in os.environ, "{REASON}")

# --8<-- [start:say]
import os

print("here is", os.environ["NEEDED"])
# --8<-- [end:say]

fact("length", len(os.environ["NEEDED"]))
"""
PAGE = """
# Page

```python
--8<-- "a/one.py:say"
```

```text
--8<-- "a/one.out:say"
```

The length is [4](fact:a/one.length).
"""


@pytest.fixture(scope="module")
def made(make_project):
    """A project whose one snippet needs a variable, and whose record was accepted where the variable was set."""
    project = make_project('env = ["NEEDED"]')
    project.snippet("one", SNIPPET)
    project.write("docs/page.md", PAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.root)
        patch.delenv("CI", raising=False)
        patch.setenv("NEEDED", "data")
        assert main(["update"]) == 0
    return project


@pytest.fixture
def accepted(made, tmp_path, monkeypatch):
    """A copy of that project, where the variable is not set."""
    shutil.copytree(made.root, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.delenv("CI", raising=False)
    return made.at(tmp_path / "project")


def record(root: Path) -> dict[str, str]:
    """The text of every file of the record, and of the page."""
    paths = [*root.glob("snippets/a/one.*"), *root.glob("docs/*.md")]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_needs_that_are_met_change_nothing(project):
    """With what it needs, a snippet runs as any other."""
    outcome = project.one('from drift import needs\nneeds(True, "nothing is missing")\n')
    assert outcome.counts
    assert outcome.unmet is None


def test_unmet_need_ends_the_run_with_its_reason(project):
    """The run stops there: it has a reason, no problem, and nothing that could be compared."""
    outcome = project.one(SNIPPET)
    assert (outcome.unmet, outcome.problems, outcome.outputs, outcome.facts) == (REASON, [], {}, {})
    assert not outcome.counts


def test_unmet_need_is_not_an_early_exit(project):
    """A snippet that leaves by itself is still an error."""
    outcome = project.one("raise SystemExit(0)\n")
    assert outcome.unmet is None
    assert "exits early" in outcome.problems[0].message


def test_unmet_need_raises_for_what_is_no_condition():
    """The condition is a bool, so that a folder's name or a function is not taken for one."""
    with pytest.raises(FactError, match="expected True or False, got str"):
        needs("BANKING77_DIR", REASON)  # type: ignore[arg-type]
    for reason in ("", "  ", "one\ntwo"):
        with pytest.raises(FactError, match="expected one line"):
            needs(True, reason)
    with pytest.raises(UnmetNeedError, match="not run: the data"):
        needs(False, REASON)


@pytest.mark.usefixtures("accepted")
def test_check_names_what_did_not_run(capsys):
    """The check is green, and says which snippet it could not run and why."""
    assert main(["check"]) == 0
    shown = capsys.readouterr().out
    assert f"1 snippet not run (a/one): {REASON}" in shown
    assert "0 of 1 snippets, 0 of 1 facts, 0 of 1 quotes on 1 page: no problem found" in shown
    assert shown.endswith("not compared: 1 record, 1 fact, 1 quote\n")


def test_check_still_holds_the_prose_to_the_record(accepted, capsys):
    """Without the data the page is compared with the accepted record."""
    page = accepted.root / "docs/page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("[4]", "[5]"), encoding="utf-8")
    assert main(["check"]) == 1
    assert "a quote that is not its fact" in capsys.readouterr().out


@pytest.mark.usefixtures("accepted")
def test_check_compares_where_the_need_is_met(monkeypatch, capsys):
    """With the data, a value that moved is a drift; no result from before stands in for it."""
    assert main(["check"]) == 0
    monkeypatch.setenv("NEEDED", "other data")
    assert main(["check"]) == 1
    shown = capsys.readouterr().out
    assert "fact a/one.length drifted" in shown
    assert "the output of a/one:say drifted" in shown


def test_check_reports_a_snippet_that_fails_before_its_need(accepted, capsys):
    """An error on the way, such as a variable that names nothing, is a failure and no skip."""
    accepted.snippet("one", SNIPPET.replace('"NEEDED" in os.environ', 'os.environ["NEEDED"] == ""'))
    assert main(["check"]) == 1
    shown = capsys.readouterr().out
    assert "KeyError: 'NEEDED'" in shown
    assert "not run" not in shown


def test_update_leaves_the_record_alone(accepted, capsys):
    """What could not run is not accepted anew, and not deleted either."""
    before = record(accepted.root)
    assert main(["update"]) == 0
    assert record(accepted.root) == before
    assert f"1 snippet not run (a/one): {REASON}" in capsys.readouterr().out
    whole = site.read(config.load(accepted.root))
    assert update.plan(whole, check.run(whole.config, list(whole.snippets.values()))) == []


def test_record_that_is_broken_is_reported_without_a_run(accepted, capsys):
    """A record that nobody can read is a problem with or without the data."""
    (accepted.root / "snippets/a/one.facts.json").write_text("{", encoding="utf-8")
    assert main(["check"]) == 1
    assert "the record cannot be read" in capsys.readouterr().out


def test_unmet_need_is_remembered_until_it_is_met(accepted, monkeypatch):
    """A check without the data starts nothing; once what was missing is there, the snippet runs."""
    accepted.run()
    monkeypatch.setattr(launcher, "launch", None)
    assert accepted.run()["one"].unmet == REASON
    monkeypatch.undo()
    monkeypatch.setenv("NEEDED", "data")
    outcome = accepted.run()["one"]
    assert (outcome.unmet, outcome.outputs) == (None, {"say": "here is data\n"})


def falsify(root: Path) -> None:
    """Write another value into record, output and prose alike."""
    for path, old, new in (
        ("snippets/a/one.facts.json", '"value": 4', '"value": 5'),
        ("snippets/a/one.out", "here is data", "here is ample"),
        ("docs/page.md", "[4]", "[5]"),
    ):
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), encoding="utf-8")


def test_record_falsified_without_the_data_is_found(accepted, capsys):
    """Who has no data to run the snippet still sees that the record is not the checker's."""
    falsify(accepted.root)
    assert main(["check"]) == 1
    assert "snippets/a/one.facts.json  the record is not what the checker wrote" in capsys.readouterr().out


def test_record_older_than_its_code_is_found_without_the_data(accepted, capsys):
    """The snippet was changed, and nobody has seen what it says now."""
    accepted.snippet("one", SNIPPET.replace('"here is"', '"there is"'))
    assert main(["check"]) == 1
    shown = capsys.readouterr().out
    assert "snippets/a/one.py  not run here, and its record is older than its code" in shown
    assert "changed since: snippets/a/one.py" in shown


def test_unmet_need_in_continuous_integration_fails(accepted, monkeypatch, capsys):
    """Where everything has to run, a snippet that did not is a problem, unless the settings allow it."""
    monkeypatch.setenv("CI", "true")
    assert main(["check"]) == 1
    assert "snippets/a/one.py  not run, and CI is set" in capsys.readouterr().out
    accepted.settings('env = ["NEEDED"]\nallow_unmet = ["b/*"]')
    assert main(["check"]) == 1
    accepted.settings('env = ["NEEDED"]\nallow_unmet = ["a/*"]')
    assert main(["check"]) == 0
    assert capsys.readouterr().out.endswith("not compared: 1 record, 1 fact, 1 quote\n")


def test_matrix_names_what_was_not_measured():
    """The reasons stand in the machine-readable form too."""
    assert to_json(Matrix({}, (), {"a/one": REASON}))["unmet"] == {"a/one": REASON}


@pytest.mark.usefixtures("accepted")
def test_matrix_counts_no_disagreement(capsys):
    """A snippet that runs in no cell spreads over nothing."""
    assert main(["matrix"]) == 0
    shown = capsys.readouterr().out
    assert f"1 snippet not run (a/one): {REASON}" in shown
    assert "0 facts" in shown


def test_fence_is_skipped_with_the_reason(accepted):
    """In pytest, the chapter's fence is a skip that says why."""
    command = [sys.executable, "-m", "pytest", "docs", "-p", "drift.pytest_plugin", "--markdown-docs", "-rs"]
    done = subprocess.run([*command, "-p", "no:cacheprovider"], cwd=accepted.root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped" in done.stdout
    assert "python -m get" in done.stdout


def test_run_by_hand_prints_the_reason(accepted):
    """A reader who starts the script sees one line and exit code 1."""
    script = accepted.root / "snippets/a/one.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"not run: {REASON}\n")
