"""What a snippet may state: facts, tolerances and artifacts."""

import sys
from pathlib import Path

import numpy
import pytest

from drift import facts
from drift.facts import Fact, FactError, Ledger


@pytest.fixture
def ledger(tmp_path: Path):
    """The ledger that calls write to during the test."""
    made = Ledger(tmp_path)
    facts.begin(made)
    yield made
    facts.begin(None)


class Scalar:
    """What a 0-d tensor offers."""

    def __init__(self, *values: float) -> None:
        self.values = values

    def item(self) -> float:
        if len(self.values) != 1:
            raise RuntimeError("only one element can be converted")
        return self.values[0]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (1, 1),
        (1.5, 1.5),
        (True, True),
        ("queen", "queen"),
        (Scalar(0.5), 0.5),
        (numpy.float32(0.5), 0.5),
        (numpy.float64(0.5), 0.5),
        (numpy.int64(3), 3),
        (numpy.bool_(True), True),
        (10**30, 10**30),
    ],
)
def test_fact_scalar_is_kept_as_a_plain_value(ledger: Ledger, value: object, kept: object) -> None:
    """Whatever gives one value is stored as a bool, int, float or str, which JSON can hold."""
    facts.fact("x", value)
    assert ledger.facts == {"x": Fact(kept)}
    assert type(ledger.facts["x"].value) is type(kept)


def test_fact_line_of_the_call_is_kept(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second statement of a name can say where the first stands."""
    monkeypatch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
    facts.fact("x", 1)
    line = test_fact_line_of_the_call_is_kept.__code__.co_firstlineno + 3
    assert ledger.lines == {"x": line}
    with pytest.raises(FactError, match=f"fact 'x' stated twice, first on line {line}"):
        facts.fact("x", 1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "fact 'x': expected a finite number, got nan"),
        (float("-inf"), "fact 'x': expected a finite number, got -inf"),
        (numpy.float32("nan"), "expected a finite number"),
        ([1], "fact 'x': expected a bool, int, float or str, got list"),
        (None, "got NoneType"),
        (1j, "got complex"),
        (Scalar(1, 2), "fact 'x': expected one value, got Scalar: only one element can be converted"),
        ("que]en", r"fact 'x': a quote cannot hold '\]', got 'que\]en'"),
        ("[2, 3]", r"a quote cannot hold '\['"),
        ("a\nb", r"a quote cannot hold '\\n'"),
        ("a\u2028b", "a quote cannot hold"),
        ("", "expected a text that begins and ends with what a reader sees, got ''"),
        (" a", "got ' a'"),
    ],
)
def test_fact_value_that_is_no_scalar_is_refused(ledger: Ledger, value: object, message: str) -> None:
    """NaN, infinities and collections are errors where they are stated."""
    with pytest.raises(FactError, match=message):
        facts.fact("x", value)
    assert not ledger.facts


@pytest.mark.parametrize("name", ["", ".x", "x.", "a b", "a/b", "a)", "é", "x\n", "-x", 3, None])
def test_fact_bad_name_is_refused(name: object) -> None:
    """A name that a quote could not hold is refused, with or without a checker."""
    with pytest.raises(FactError, match="expected letters, digits"):
        facts.fact(name, 1)


@pytest.mark.parametrize("name", ["x", "raw_512.top", "a-b", "9", "A.b.c-d_e"])
def test_fact_good_name_is_accepted(ledger: Ledger, name: str) -> None:
    """Letters, digits and inner points, dashes and underscores make a name."""
    facts.fact(name, 1)
    assert list(ledger.facts) == [name]


@pytest.mark.parametrize("tol", [0, -1, float("nan"), float("inf"), True, "1", [1]])
def test_fact_bad_tolerance_is_refused(tol: object) -> None:
    """A tolerance is a positive finite number."""
    with pytest.raises(FactError, match="fact 'x': expected a positive finite tolerance, got"):
        facts.fact("x", 1.0, tol=tol)
    with pytest.raises(FactError, match="section 'x': expected a positive finite tolerance, got"):
        facts.output_tolerance("x", tol)


@pytest.mark.parametrize("value", ["a", True])
def test_fact_tolerance_of_an_exact_kind_is_refused(value: object) -> None:
    """Words and truths have no distance."""
    with pytest.raises(FactError, match=r"agrees exactly or not at all, got tol=0\.1"):
        facts.fact("x", value, tol=0.1)


def test_output_tolerance_is_kept(ledger: Ledger) -> None:
    """The last tolerance of a section counts."""
    facts.output_tolerance("sweep", 0.1)
    assert ledger.tolerances == {"sweep": 0.1}


def test_artifact_path_lies_in_the_run(ledger: Ledger, tmp_path: Path) -> None:
    """A checked run writes its figures into its own folder, each once."""
    assert facts.artifact("a-1_b.svg") == tmp_path / "a-1_b.svg"
    assert ledger.artifacts == ["a-1_b.svg"]
    with pytest.raises(FactError, match=r"artifact 'a-1_b.svg' made twice by one snippet"):
        facts.artifact("a-1_b.svg")


@pytest.mark.parametrize("name", ["a.png", "A.svg", "../a.svg", "a/b.svg", ".svg", "a.svg\n", "a b.svg", 3])
def test_artifact_bad_name_is_refused(name: object) -> None:
    """A figure is a plain lower-case SVG or JSON file."""
    with pytest.raises(FactError, match=r"expected lower-case letters, digits, '-', '_' and \.svg or \.json"):
        facts.artifact(name)


def test_calls_by_hand_record_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a checker the calls check their arguments, and a figure goes to the current folder."""
    monkeypatch.chdir(tmp_path)
    facts.begin(None)
    facts.fact("x", 1)
    facts.fact("x", 1)
    facts.output_tolerance("s", 1)
    assert facts.artifact("a.svg") == tmp_path / "a.svg"
