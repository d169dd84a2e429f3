"""Tests of `attention_src.labs.data`; those that need Banking77 are skipped where it is not."""

import pytest
import torch

from attention_src.data.banking77 import HOW, VARIABLE, load_banking77
from attention_src.data.queries import load_queries
from attention_src.labs.data import lab_queries

present = pytest.mark.skipif("not __import__('attention_src').has_banking77()", reason=HOW)


def test_own_queries_are_split_without_loss():
    """Every fourth of the 48 is for validation, none is in both parts, and each keeps its category."""
    ours, queries = load_queries(), lab_queries(own=True)
    assert (len(queries.training), len(queries.validation)) == (36, 12)
    assert queries.validation.texts == ours.texts[3::4]
    assert queries.validation.categories == ours.categories[3::4]
    pairs = [*zip(queries.training.texts, queries.training.categories, strict=True)]
    pairs += zip(queries.validation.texts, queries.validation.categories, strict=True)
    assert sorted(pairs) == sorted(zip(ours.texts, ours.categories, strict=True))
    assert set(queries.training.categories) == set(queries.intents)


def test_own_queries_keep_the_order_of_the_file():
    """The vocabulary depends on the order of the training rows."""
    ours, queries = load_queries(), lab_queries(own=True)
    assert list(queries.training.texts) == [text for n, text in enumerate(ours.texts) if n % 4 != 3]


def test_source_says_which_queries_they_are():
    """A lab prints it, since its numbers depend on it."""
    assert lab_queries(own=True).source == "the project's own 48 queries, 36 for training and 12 for validation"


def test_labels_are_positions_in_the_sorted_intents():
    """As for Banking77: the first intent by name is 0."""
    queries = lab_queries(own=True)
    assert list(queries.intents) == sorted(set(load_queries().categories))
    labels = queries.labels(queries.validation)
    assert labels.dtype == torch.int64
    assert [queries.intents[label] for label in labels] == list(queries.validation.categories)


def test_no_rows_give_no_labels():
    """An empty tensor is int64, too."""
    queries = lab_queries(own=True)
    empty = queries.labels(type(queries.validation)((), ()))
    assert empty.dtype == torch.int64
    assert empty.shape == (0,)


def test_absent_banking77_gives_the_own_queries(tmp_path, monkeypatch):
    """A reader who downloaded nothing gets a lab that runs."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert lab_queries() == lab_queries(own=True)


def test_promised_and_missing_banking77_is_an_error(tmp_path, monkeypatch):
    """The variable names a folder, so falling back in silence would hide a mistake."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=VARIABLE):
        lab_queries()
    assert len(lab_queries(own=True).validation) == 12


@present
def test_present_banking77_is_taken():
    """Both parts, the intents and the labels are those of the data set."""
    data, queries = load_banking77(), lab_queries()
    assert (queries.training, queries.validation, queries.intents) == (data.training, data.validation, data.intents)
    assert queries.source == "Banking77, 8,003 for training and 2,000 for validation"
    assert torch.equal(queries.labels(queries.validation), data.labels(data.validation))
