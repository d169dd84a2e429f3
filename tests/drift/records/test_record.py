"""Records on disk: what is written reads back, and what was written by another hand is refused."""

import os
from pathlib import Path

import pytest

from drift import config
from drift.facts import Fact
from drift.records import record

FULL = record.Record(
    "a/one",
    outputs={"one": "x\n\n  y", "two": "é 1.0 "},
    facts={"i": Fact(3), "f": Fact(0.1 + 0.2, 0.5, 12), "b": Fact(True), "s": Fact('a "b" é'), "n": Fact(-0.0)},
    tolerances={"one": 0.01},
    artifacts={"b.svg": "<svg>é</svg>", "a.svg": "<svg/>"},
    made_from={"snippets/a/one.py": "0123456789abcdef"},
)


@pytest.fixture
def settings(tmp_path: Path) -> config.Config:
    """A project without records."""
    for name in ("docs", "snippets/a", "docs/assets/figures/a"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.drift]\n")
    return config.load(tmp_path)


def save(settings: config.Config, made: record.Record) -> None:
    record.out_path(settings, made.snippet).write_bytes(record.render_outputs(made.outputs).encode())
    record.facts_path(settings, made.snippet).write_bytes(record.render_facts(made).encode())
    for name, text in made.artifacts.items():
        record.artifact_path(settings, made.snippet, name).write_bytes(text.encode())


def test_load_gives_back_what_was_saved(settings: config.Config) -> None:
    """Outputs keep their spaces and empty lines, floats their last bit, and types their kind."""
    save(settings, FULL)
    found = record.load(settings, "a/one")
    assert (found.outputs, found.facts, found.tolerances) == (FULL.outputs, FULL.facts, FULL.tolerances)
    assert (found.artifacts, found.problems, found.exists) == (FULL.artifacts, [], True)
    assert [type(fact.value) for fact in found.facts.values()] == [int, float, bool, str, float]


def test_load_lines_are_where_outputs_begin(settings: config.Config) -> None:
    """A drift can name the line of the record."""
    save(settings, FULL)
    lines = record.out_path(settings, "a/one").read_text().split("\n")
    found = record.load(settings, "a/one")
    assert {name: lines[line - 1] for name, line in found.lines.items()} == {"one": "x", "two": "é 1.0 "}


def test_load_nothing_is_no_record(settings: config.Config) -> None:
    """A snippet that was never accepted has an empty record without problems."""
    found = record.load(settings, "a/one")
    assert (found.exists, found.problems, found.facts) == (False, [], {})


def test_render_is_one_fact_a_line_and_final_newline() -> None:
    """A changed fact is a changed line in a diff."""
    text = record.render_facts(FULL)
    assert '    "f": {"value": 0.30000000000000004, "tol": 0.5, "line": 12},\n' in text
    assert f'  "artifacts": ["a.svg", "b.svg"],\n  "seal": "{record.seal(FULL)}"\n}}\n' in text
    assert '  "made_from": {\n    "snippets/a/one.py": "0123456789abcdef"\n  },\n' in text


def test_render_outputs_is_what_mkdocs_includes() -> None:
    """The header stands outside of every section, and a last empty line is a line."""
    assert record.render_outputs({"a": "x", "b": "y\n"}) == (
        "# What the snippet of this name printed. Written by `python -m drift update`.\n"
        "# --8<-- [start:a]\nx\n# --8<-- [end:a]\n"
        "# --8<-- [start:b]\ny\n\n# --8<-- [end:b]\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "TypeError"),
        ("{}", "KeyError: 'facts'"),
        ('{"facts": {"x": 1}, "tolerances": {}, "artifacts": []}', "TypeError"),
        ('{"facts": {"x": {}}, "tolerances": {}, "artifacts": []}', "KeyError: 'value'"),
        ('{"facts": {"x": {"value": null}}, "tolerances": {}, "artifacts": []}', "got NoneType"),
        ('{"facts": {"x": {"value": NaN}}, "tolerances": {}, "artifacts": []}', "got nan"),
        ('{"facts": {"x": {"value": 1e999}}, "tolerances": {}, "artifacts": []}', "got inf"),
        ('{"facts": {"x": {"value": 1, "tol": -1}}, "tolerances": {}, "artifacts": []}', "got -1"),
        ('{"facts": {"x": {"value": "a", "tol": 1}}, "tolerances": {}, "artifacts": []}', "agrees exactly"),
        ('{"facts": {"x y": {"value": 1}}, "tolerances": {}, "artifacts": []}', "fact name 'x y'"),
        ('{"facts": {}, "tolerances": {"x": "wide"}, "artifacts": []}', "got 'wide'"),
        ('{"facts": {}, "tolerances": {}, "artifacts": ["../x.svg"]}', "expected names of files"),
        ('{"facts": {}, "tolerances": {}, "artifacts": [3]}', "TypeError"),
    ],
)
def test_load_broken_facts_are_named(settings: config.Config, text: str, message: str) -> None:
    """A file that the checker did not write is a problem of that file, and states nothing."""
    record.facts_path(settings, "a/one").write_text(text)
    found = record.load(settings, "a/one")
    (problem,) = found.problems
    assert problem.place.file == "snippets/a/one.facts.json"
    assert problem.message.startswith("the record cannot be read: ")
    assert message in problem.message
    assert problem.fix == "python -m drift update --only a/one"
    assert (found.facts, found.tolerances, found.artifacts) == ({}, {}, {})


def test_load_broken_json_names_the_line(settings: config.Config) -> None:
    """A merge conflict in the record is found at its line."""
    save(settings, FULL)
    path = record.facts_path(settings, "a/one")
    path.write_text(path.read_text().replace('  "tolerances"', '<<<<<<< HEAD\n  "tolerances"'))
    line = path.read_text().split("\n").index("<<<<<<< HEAD") + 1
    assert record.load(settings, "a/one").problems[0].place.line == line


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("# --8<-- [end:one]", "", 2, "output 'one' has no end marker"),
        ("# --8<-- [start:two]", "more\n# --8<-- [start:two]", 7, "text between outputs"),
        ("[start:two]", "[start:one]", 7, "text between outputs"),
        ("[end:two]", "[end:one]", 7, "output 'two' has no end marker"),
    ],
)
def test_load_broken_output_is_named(settings: config.Config, old: str, new: str, line: int, message: str) -> None:
    """Text that no section holds, a section twice, and a missing end are seen in the record itself."""
    save(settings, FULL)
    path = record.out_path(settings, "a/one")
    path.write_text(path.read_text().replace(old, new))
    problems = record.load(settings, "a/one").problems
    assert (line, message) in [(p.place.line, p.message[: len(message)]) for p in problems]


@pytest.mark.parametrize("which", [record.out_path, record.facts_path])
def test_load_file_in_another_encoding_is_named(settings: config.Config, which) -> None:
    """A byte that is not UTF-8 is a problem, not a crash."""
    save(settings, FULL)
    path = which(settings, "a/one")
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9"))
    assert any("invalid continuation byte" in p.message for p in record.load(settings, "a/one").problems)


def test_load_figure_that_is_missing_or_broken_is_named(settings: config.Config) -> None:
    """Each accepted figure has to be there and readable."""
    save(settings, FULL)
    record.artifact_path(settings, "a/one", "a.svg").unlink()
    record.artifact_path(settings, "a/one", "b.svg").write_bytes(b"\xff")
    found = record.load(settings, "a/one")
    assert [(str(p.place), p.message) for p in found.problems] == [
        ("docs/assets/figures/a/a.svg", "an accepted figure is missing"),
        ("docs/assets/figures/a/b.svg", "not UTF-8: invalid start byte at byte 0"),
    ]
    assert found.artifacts == {}


def test_draft_becomes_a_new_file_in_a_new_folder(tmp_path: Path) -> None:
    """A file that was not there can be read by everybody."""
    path = tmp_path / "new" / "x"
    record.draft(path, b"text").replace(path)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"text", 0o644)


def test_draft_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half-way changes nothing and leaves nothing behind."""
    path = tmp_path / "x"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(Path, "chmod", fail)
    with pytest.raises(OSError, match="full"):
        record.draft(path, b"new")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


def test_drafts_of_a_killed_process_are_removed(settings: config.Config) -> None:
    """A later command removes them, but not those of a command that writes just now."""
    left, young = (record.draft(settings.snippets / "a/one.out", b"") for _ in range(2))
    os.utime(left, (1e9, 1e9))
    record.remove_drafts(settings)
    assert (left.exists(), young.exists()) == (False, True)


HAND_EDITS = {
    "value": (record.facts_path, '"value": 3', '"value": 4'),
    "tolerance": (record.facts_path, '"tol": 0.5', '"tol": 5.0'),
    "line": (record.facts_path, '"line": 12', '"line": 13'),
    "output": (record.out_path, "é 1.0", "é 2.0"),
    "output_tolerance": (record.facts_path, '"one": 0.01', '"one": 0.1'),
    "origin": (record.facts_path, "0123456789abcdef", "fedcba9876543210"),
    "seal": (record.facts_path, '"seal": "', '"seal": "0'),
    "key_twice": (record.facts_path, '    "i": {', '    "i": {"value": 9, "line": 0},\n    "i": {'),
    "spaces": (record.facts_path, '"value": 3', '"value":  3'),
    "figure": (lambda settings, name: record.artifact_path(settings, name, "b.svg"), "é", "è"),
}


@pytest.mark.parametrize("name", HAND_EDITS)
def test_load_record_that_was_edited_by_hand_is_named(settings: config.Config, name: str) -> None:
    """Whatever of a record is edited, its seal is broken, and no run is needed to see it."""
    save(settings, FULL)
    assert record.load(settings, "a/one").problems == []
    which, old, new = HAND_EDITS[name]
    path = which(settings, "a/one")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    (problem,) = record.load(settings, "a/one").problems
    assert problem.message == "the record is not what the checker wrote: it was edited by hand, or by a merge"
    assert (str(problem.place), problem.fix) == ("snippets/a/one.facts.json", "python -m drift update --only a/one")


def test_load_outputs_without_their_facts_is_named(settings: config.Config) -> None:
    """A record is both files; one alone was not written by the checker."""
    save(settings, FULL)
    record.facts_path(settings, "a/one").unlink()
    (problem,) = record.load(settings, "a/one").problems
    assert problem.got == "no such file"


def test_load_record_with_other_line_ends_is_the_same(settings: config.Config) -> None:
    """A checkout on Windows changes line ends, not what a record says."""
    save(settings, FULL)
    for path in [*settings.snippets.rglob("one.*"), *settings.figures.rglob("*.svg")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert record.load(settings, "a/one").problems == []
