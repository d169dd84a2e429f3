"""Tests of `attention_src.data.banking77`; those that need the file are skipped where it is not."""

import subprocess
import sys

import pytest
import torch

from attention_src.data import banking77
from attention_src.data.banking77 import FILE, HOW, SHA256, VARIABLE, has_banking77, load_banking77
from attention_src.data.vocabulary import build_vocabulary, encode

# These tests are skipped for a reader without the file, and fail where BANKING77_DIR promises one.
present = pytest.mark.skipif("not __import__('attention_src').has_banking77()", reason=HOW)


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """Return a cache folder without the file, with no variable that points elsewhere."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "attention-measured" / "banking77"


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Return a small file that stands for the published one, at an address of its own."""
    path = tmp_path / "served.csv"
    path.write_text("text,category\nWhere is it?,one\n", encoding="utf-8")
    monkeypatch.setattr(banking77, "ADDRESS", path.as_uri())
    monkeypatch.setattr(banking77, "SIZE", path.stat().st_size)
    monkeypatch.setattr(banking77, "SHA256", banking77.hashlib.sha256(path.read_bytes()).hexdigest())
    return path


@present
def test_load_splits_as_the_lesson_does():
    """10,003 rows: 2,000 drawn by the legacy permutation, the others back in the file's order."""
    data = load_banking77()
    assert (len(data.training), len(data.validation), len(data.intents)) == (8003, 2000, 77)
    assert data.validation.texts[0] == "Is it possible for me to change my PIN number?"
    assert data.training.texts[0] == "What can I do if my card still hasn't arrived after 2 weeks?"
    assert list(data.intents) == sorted(set(data.training.categories) | set(data.validation.categories))


@present
def test_vocabulary_is_that_of_the_lesson():
    """2,202 entries from the training rows in file order."""
    vocabulary = build_vocabulary(load_banking77().training.texts)
    assert len(vocabulary) == 2202
    first = ["i", "?", "my", ".", "to", "a", "the", "card", "'", "is", "it"]
    assert [vocabulary[token] for token in first] == list(range(2, 13))
    assert [vocabulary[token] for token in ("where", "never", "arrived")] == [62, 248, 274]


@present
def test_validation_ids_are_those_of_the_lesson():
    """The first validation query has eleven known tokens, and 37 pads behind them."""
    data = load_banking77()
    ids = encode(data.validation.texts, build_vocabulary(data.training.texts), 48)
    assert ids.shape == (2000, 48)
    assert ids[0].tolist() == [11, 12, 141, 17, 29, 6, 107, 4, 75, 213, 3] + [0] * 37


@present
def test_labels_are_positions_in_the_sorted_intents():
    """Every label names its row's category."""
    data = load_banking77()
    labels = data.labels(data.validation)
    assert labels.shape == (2000,)
    assert labels.dtype == torch.int64
    assert [data.intents[label] for label in labels] == list(data.validation.categories)


def test_load_says_how_to_get_a_missing_file(nowhere):
    """The error names the file that was expected and the command that fetches it."""
    with pytest.raises(FileNotFoundError, match=r"python -m attention_src\.data\.banking77") as caught:
        load_banking77()
    assert str(nowhere / FILE) in str(caught.value)
    assert VARIABLE in str(caught.value)


def test_load_refuses_another_file(tmp_path):
    """A file that somebody edited would give other numbers without a word."""
    path = tmp_path / FILE
    path.write_text("text,category\nWhere is it?,one\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"{FILE}: expected the published file with sha256 {SHA256}, got "):
        load_banking77(path)


def test_has_banking77_is_false_where_nobody_promised_it(nowhere):
    """No variable and no download: absent, which is no mistake."""
    assert has_banking77() is False
    nowhere.mkdir(parents=True)
    (nowhere / FILE).write_text("", encoding="utf-8")
    assert has_banking77() is True


def test_has_banking77_raises_where_the_variable_is_wrong(tmp_path, monkeypatch):
    """A variable that names a folder without the file is a mistake, in CI above all."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"{VARIABLE} is set, so expected the file .*{FILE}, got none"):
        has_banking77()
    (tmp_path / FILE).write_text("", encoding="utf-8")
    assert has_banking77() is True


def test_command_downloads_once(nowhere, published, capsys):
    """The first call fetches the file, the second finds it."""
    assert banking77.main([]) == 0
    assert (nowhere / FILE).read_bytes() == published.read_bytes()
    assert "received, and the sum is right" in capsys.readouterr().out
    published.unlink()
    assert banking77.main([]) == 0
    assert "already here" in capsys.readouterr().out


def test_command_writes_where_the_variable_says(tmp_path, published, monkeypatch):
    """The file goes where it will be looked for."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    assert banking77.main([]) == 0
    assert (tmp_path / "mine" / FILE).read_bytes() == published.read_bytes()


@pytest.mark.usefixtures("published")
def test_command_keeps_a_file_that_is_not_the_published_one(nowhere, capsys):
    """It says what is wrong, and overwrites nothing that somebody may need."""
    nowhere.mkdir(parents=True)
    (nowhere / FILE).write_text("mine", encoding="utf-8")
    assert banking77.main([]) == 1
    assert "expected the published file" in capsys.readouterr().err
    assert (nowhere / FILE).read_text(encoding="utf-8") == "mine"


def test_command_refuses_a_wrong_sum(nowhere, published, capsys):
    """What was served is not what was published: nothing is kept."""
    published.write_text("text,category\nWhere is he?,one\n", encoding="utf-8")
    assert banking77.main([]) == 1
    assert "expected sha256" in capsys.readouterr().err
    assert list(nowhere.iterdir()) == []


def test_command_says_what_to_do_offline(nowhere, published, capsys):
    """The error names the address, and the way without a network."""
    published.unlink()
    assert banking77.main([]) == 1
    told = capsys.readouterr().err
    assert "cannot be reached" in told
    assert f"set {VARIABLE} to its folder" in told
    assert not (nowhere / FILE).exists()


@pytest.mark.slow
def test_command_runs_as_a_module(tmp_path):
    """`python -m attention_src.data.banking77 --help` says where the file comes from and where it goes."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "attention_src.data.banking77", "--help"],
        capture_output=True,
        text=True,
        env={"XDG_CACHE_HOME": str(tmp_path), "COLUMNS": "1000", "PATH": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "PolyAI-LDN/task-specific-datasets" in done.stdout
    assert str(tmp_path / "attention-measured" / "banking77") in done.stdout
