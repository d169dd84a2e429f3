"""The checks of the labs, measured: wrong answers made from the solutions are refused, and for a reason that holds."""

from __future__ import annotations

import ast

import pytest
import torch

from attention_src.labs.verdict import Verdict
from tools.lab_mutants import measure
from tools.lab_mutants.measure import Judged, score
from tools.lab_mutants.operators import Mutant, mutants
from tools.lab_mutants.oracle import broken
from tools.lab_mutants.sources import LABS, TARGETS, answer, definitions

# `python -m tools.lab_mutants` judges all of them, some four thousand.
MOST = 64
AT_LEAST = 40
BY_NAME = {target.name: target for target in TARGETS}


@pytest.fixture(autouse=True)
def one_thread():
    """Small inputs; a check does the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_wrong_answers_are_refused_for_a_reason_that_holds(lab: str) -> None:
    """All of them are refused, and nine in ten for what they were found to lack without the check."""
    found = score(lab, MOST, seconds=2.0)
    wrong = len(found.judged)
    assert wrong >= AT_LEAST
    assert [f"{each.mutant.change}: {each.mutant.source}" for each in found.accepted] == []
    right = wrong - len(found.misjudged)
    assert right >= 0.9 * wrong, [(each.mutant.change, each.verdict.message) for each in found.misjudged]


@pytest.mark.parametrize("name", BY_NAME)
def test_solution_lacks_nothing(name: str) -> None:
    """What is compared with itself is equivalent, or the oracle would call every change wrong."""
    target = BY_NAME[name]
    assert broken(target, answer(target, [*definitions(target)])) == set()


def changed(name: str, before: str, after: str) -> Mutant:
    """A solution with a piece of its source exchanged."""
    source = "\n\n".join(ast.unparse(part) for part in definitions(BY_NAME[name]))
    assert before in source
    return Mutant(after, ast.parse(source.replace(before, after)).body)


LACKS = {
    "another order of a sum": ("mix", "weight * value[i]", "value[i] * weight", set()),
    "another way to say it": ("split_heads", ".transpose(1, 2)", ".permute(0, 2, 1, 3)", set()),
    "values": ("row_weights", "math.sqrt(len(query))", "1.0", {"values"}),
    "shape": ("padding_mask", "[:, None, :]", "", {"shape"}),
    "type": ("split_heads", ".transpose(1, 2)", ".transpose(1, 2).tolist()", {"type"}),
    "dtype": ("join_heads", ".flatten(start_dim=2)", ".flatten(start_dim=2).double()", {"dtype"}),
    "gradient": ("look", "scores.softmax(dim=-1)", "scores.softmax(dim=-1).detach()", {"gradient"}),
    "changes": ("masked_mean", "x.masked_fill(", "x.masked_fill_(", {"changes", "gradient"}),
    "numbers as tensors": ("gaps", ".abs().max().item()", ".abs().max()", set()),
    "raises": ("reverse_real", "ids.gather(", "ids.no_such_thing(", {"raises"}),
    "end": ("mix", "mixed = []", "mixed = []\n    while True: pass", {"end"}),
    "layers": ("MyClassifier", "padding_idx=0", "padding_idx=1", {"layers", "gradient"}),
}


@pytest.mark.parametrize("name", LACKS)
def test_oracle_says_what_a_change_breaks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The properties by which a reason is confirmed are found by running the changed answer."""
    monkeypatch.setattr("tools.lab_mutants.oracle.SECONDS", 0.5)
    target, before, after, lacks = LACKS[name]
    mutant = changed(target, before, after)
    assert broken(BY_NAME[target], answer(BY_NAME[target], mutant.parts)) == lacks


def test_reason_that_does_not_hold_is_counted_as_wrong() -> None:
    """A verdict that names another mistake, or another property, is not confirmed."""
    target = BY_NAME["row_weights"]
    mutant = changed("row_weights", "math.sqrt(len(query))", "1.0")
    true, other = (measure.import_module("attention_src.labs.loop_mistakes").WEIGHT_MISTAKES[n] for n in (0, 1))
    lacks = frozenset({"values"})
    assert Judged(target, mutant, lacks, Verdict("w", False, "named", mistake=true)).right_reason
    assert not Judged(target, mutant, lacks, Verdict("w", False, "named", mistake=other)).right_reason
    assert not Judged(target, mutant, lacks, Verdict("w", False, "no gradient reaches q")).right_reason
    assert not Judged(target, mutant, lacks, Verdict("w", True, "right")).right_reason


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_changes_are_many_and_each_is_another(lab: str) -> None:
    """No two have the same source, and none has the solution's."""
    found = [
        (target.name, mutant.source)
        for target in TARGETS
        if target.lab == lab
        for mutant in mutants(definitions(target))
    ]
    solutions = {
        (target.name, "\n\n".join(map(ast.unparse, definitions(target)))) for target in TARGETS if target.lab == lab
    }
    assert len(found) == len(set(found)) >= 200
    assert not solutions & set(found)
