"""Tests of cells that are skipped where what they need is missing."""

from __future__ import annotations

from drift.notebook import needs


def test_condition_is_the_call_with_what_stands_before_it() -> None:
    """Imports and assignments before the call come along; the docstring and the checker's functions do not."""
    text = (
        '"""What."""\nimport os\nfrom drift import fact, needs\nhow = "so"\nneeds(os.sep == "/", reason=how)\nx = 1\n'
    )
    assert needs.condition(text) == needs.Condition("import os\nhow = 'so'", "os.sep == '/'", "how")


def test_snippet_without_a_need_has_no_condition() -> None:
    """A snippet that only mentions the word is run everywhere."""
    assert needs.condition('needs = 1\nprint("needs(False)")\n') is None


def test_guard_leaves_texts_of_several_lines_as_they_are() -> None:
    """Lines within a text get no spaces, so that the text stays the same; all others move."""
    source = 'x = """a\nb"""\n\nif x:\n    y = f"""c{x}\nd"""'
    names: dict[str, object] = {"ready": lambda _: True}
    exec(needs.guarded("one", source), names)
    assert (names["x"], names["y"]) == ("a\nb", "ca\nb\nd")
