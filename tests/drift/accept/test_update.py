"""Accepting a run: numbers are rewritten where they stand, and nothing else of a page changes."""

from pathlib import Path

import pytest

from drift.accept import update
from drift.accept.update import Change, ChangedMeanwhileError
from drift.facts import Fact
from drift.read.page import parse
from drift.records.record import Record
from drift.run.outcome import Outcome

FACTS = {
    "share": Fact(0.55554),
    "other": Fact(0.77777),
    "total": Fact(1234567),
    "loss": Fact(-0.25),
    "word": Fact("king"),
    "heads": Fact(3),
    "many": Fact(41),
    "true": Fact(True),
}
RECORDS = {"a/one": Record("a/one", facts=FACTS)}


def test_from_outcome_accepts_everything() -> None:
    """The last line break of an output is the block's, not the text's."""
    made = update.from_outcome(
        Outcome("a/one", {"x": "1\n2\n", "y": "", "z": "3"}, {"f": Fact(1)}, {"x": 0.1}, {"a.svg": ""})
    )
    assert made.outputs == {"x": "1\n2", "z": "3"}
    assert (made.facts, made.tolerances, made.artifacts) == ({"f": Fact(1)}, {"x": 0.1}, {"a.svg": ""})


def rewritten(text: str) -> str:
    return update.rewritten(parse(Path("/p/docs/a.md"), "docs/a.md", text), RECORDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0.9321](fact:a/one.share)", "[0.5555](fact:a/one.share)"),
        ("[0.9](fact:a/one.share) [0.9](fact:a/one.other)", "[0.6](fact:a/one.share) [0.8](fact:a/one.other)"),
        ("[0.5](fact:a/one.other), 0.5", "[0.8](fact:a/one.other), 0.5"),
        ("äöü 数字 🙂 [93.2 %](fact:a/one.share) é", "äöü 数字 🙂 [55.6 %](fact:a/one.share) é"),
        ("[9,216](fact:a/one.total)", "[1,234,567](fact:a/one.total)"),
        ("[9.2e3](fact:a/one.total)", "[1.2e6](fact:a/one.total)"),
        ("[9.2 × 10³](fact:a/one.total)", "[1.2 × 10⁶](fact:a/one.total)"),
        ("[9.2 million](fact:a/one.total)", "[1.2 million](fact:a/one.total)"),
        ("[9.2\nmillion](fact:a/one.total)", "[1.2 million](fact:a/one.total)"),
        ("[1.2\nmillion](fact:a/one.total)", "[1.2\nmillion](fact:a/one.total)"),
        ("[−0.5](fact:a/one.loss) [-0.5](fact:a/one.loss)", "[−0.2](fact:a/one.loss) [-0.2](fact:a/one.loss)"),
        ("[0.50](fact:a/one.loss)", "[−0.25](fact:a/one.loss)"),
        ("**[0.9321](fact:a/one.share)**", "**[0.5555](fact:a/one.share)**"),
        ("[**0.9321**](fact:a/one.share)", "[**0.5555**](fact:a/one.share)"),
        ("[`0.9321`](fact:a/one.share)", "[`0.5555`](fact:a/one.share)"),
        ("[_queen_](fact:a/one.word)", "[_king_](fact:a/one.word)"),
        (
            "[Two](fact:a/one.heads) or [two](fact:a/one.heads)",
            "[Three](fact:a/one.heads) or [three](fact:a/one.heads)",
        ),
        ("[`False`](fact:a/one.true)", "[`True`](fact:a/one.true)"),
        ("![to [0.9](fact:a/one.share)](a.svg)", "![to [0.6](fact:a/one.share)](a.svg)"),
        ("| [0.9](fact:a/one.share) |", "| [0.6](fact:a/one.share) |"),
        ("a\r\n[0.9](fact:a/one.share)\r\nb\r\n", "a\r\n[0.6](fact:a/one.share)\r\nb\r\n"),
        ("\ufeff[0.9](fact:a/one.share)", "\ufeff[0.6](fact:a/one.share)"),
    ],
)
def test_rewritten_quote_has_its_fact_in_its_own_style(old: str, new: str) -> None:
    """A quote is replaced by offset; its style, its emphasis and everything around it stay."""
    assert rewritten(old) == new


@pytest.mark.parametrize(
    "text",
    [
        "`[0.9](fact:a/one.share)`",
        "```text\n[0.9](fact:a/one.share)\n```",
        "<!-- [0.9](fact:a/one.share) -->",
        "[0.9](fact:a/one.gone)",
        "[0.9](fact:a/two.share)",
        "[many](fact:a/one.total)",
        "[two](fact:a/one.many)",
        "no quote, 0.9321",
        "",
    ],
)
def test_rewritten_what_is_no_quote_stays(text: str) -> None:
    """Examples, unknown facts and texts that are no numbers are left for the author."""
    assert rewritten(text) == text


def test_accepted_keeps_what_agrees_within_its_tolerance() -> None:
    """Two machines whose values lie within a tolerance do not rewrite one another's record."""
    old = Record("a/one", outputs={"x": "1.00"}, facts={"f": Fact(1.0, 0.1), "g": Fact(2.0)}, tolerances={"x": 0.1})
    outcome = Outcome("a/one", {"x": "1.04\n"}, {"f": Fact(1.05, 0.1), "g": Fact(2.0 + 1e-9)}, {"x": 0.1})
    new = update.accepted(old, outcome)
    assert (new.outputs, new.facts) == (old.outputs, old.facts)


def test_accepted_takes_what_does_not_agree() -> None:
    """What lies beyond its tolerance, or has another tolerance, is taken from the run."""
    old = Record(
        "a/one", outputs={"x": "1.00"}, facts={"f": Fact(1.0, 0.1), "g": Fact(1.0, 0.1)}, tolerances={"x": 0.1}
    )
    outcome = Outcome("a/one", {"x": "1.24\n"}, {"f": Fact(1.2, 0.1), "g": Fact(1.05, 0.2)}, {"x": 0.1})
    new = update.accepted(old, outcome)
    assert new.outputs == {"x": "1.24"}
    assert new.facts == {"f": Fact(1.2, 0.1), "g": Fact(1.05, 0.2)}


def test_accepted_forgets_what_is_no_longer_made() -> None:
    """Facts, outputs and figures that the run did not give are gone from the record."""
    old = Record(
        "a/one", outputs={"x": "1"}, facts={"f": Fact(1)}, artifacts={"a.svg": "<svg/>"}, tolerances={"x": 1.0}
    )
    new = update.accepted(old, Outcome("a/one", {"x": ""}))
    assert (new.outputs, new.facts, new.artifacts, new.tolerances) == ({}, {}, {}, {})


def test_update_keeps_windows_line_ends_of_a_page(book) -> None:
    """A page with CRLF is rewritten with CRLF."""
    book.write("docs/a.md", book.read("docs/a.md").replace("\n", "\r\n"))
    book.edit("snippets/a/one.py", "0.93214", "0.55554")
    before = book.read("docs/a.md")
    assert book.drift("update").code == 0
    after = book.read("docs/a.md")
    expected = before.replace("[0.9321]", "[0.5555]").replace("[93.2 %]", "[55.6 %]").replace("[1.864]", "[1.111]")
    assert after == expected


def test_update_removes_a_figure_that_is_no_longer_made(book) -> None:
    """The file goes with the code that made it."""
    code = book.read("snippets/a/one.py")
    book.write("snippets/a/one.py", code[: code.index('artifact("bar.svg")')])
    book.drift("update")
    assert not (book.root / "docs/assets/figures/a/bar.svg").exists()


def test_apply_keeps_the_permissions_of_a_file(tmp_path: Path) -> None:
    """A file that the group may write stays so, and nothing is left beside it."""
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0o664)
    update.apply([Change(path, "old", "new")])
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o664)
    assert list(tmp_path.iterdir()) == [path]


def test_apply_stale_change_writes_nothing(tmp_path: Path) -> None:
    """One file that is not as expected stops all changes."""
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    second.write_text("edited")
    with pytest.raises(ChangedMeanwhileError, match="edited while the snippets ran: b"):
        update.apply([Change(first, "old", "new"), Change(second, "old", "new")])
    assert (first.read_text(), second.read_text()) == ("old", "edited")


def test_apply_creates_and_removes_files(tmp_path: Path) -> None:
    """A change from nothing makes the file and its folder; a change to nothing removes it."""
    gone, made = tmp_path / "gone", tmp_path / "new" / "made"
    gone.write_text("x")
    update.apply([Change(gone, "x", None), Change(made, None, "y")])
    assert (gone.exists(), made.read_text()) == (False, "y")
