"""Tests of `attention_src.data.queries` and of the file that comes with the package."""

from collections import Counter
from importlib.resources import files

import pytest

from attention_src.data.banking77 import HOW, _path, has_banking77
from attention_src.data.queries import load_queries
from attention_src.data.rows import read_rows
from attention_src.data.tokens import tokenize


def test_load_queries_reads_the_packaged_file():
    """48 queries, six of each of eight kinds, none twice."""
    queries = load_queries()
    assert len(queries) == len({text.lower() for text in queries.texts}) == 48
    assert set(Counter(queries.categories).values()) == {6}
    assert len(set(queries.categories)) == 8


def test_queries_are_short_and_of_different_lengths():
    """All fit into 48 tokens, and few lengths are alike, so that padding is uneven."""
    lengths = {len(tokenize(text)) for text in load_queries().texts}
    assert max(lengths) <= 48
    assert len(lengths) > 10


def test_queries_come_with_a_note_on_their_licence():
    """Whoever finds the file finds its terms beside it."""
    note = (files("attention_src") / "data" / "README.md").read_text(encoding="utf-8")
    assert "MIT" in note
    assert "`queries.csv`" in note


def test_queries_are_not_taken_from_banking77():
    """Not one of ours is in the published files, whatever its case, marks and spacing."""
    if not has_banking77():
        pytest.skip(HOW)
    ours = {tuple(tokenize(text)) for text in load_queries().texts}
    for path in sorted(_path().parent.glob("*.csv")):
        assert not ours & {tuple(tokenize(text)) for text in read_rows(path).texts}
