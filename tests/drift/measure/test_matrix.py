"""How far results spread over thread counts and instruction sets."""

import json

import pytest
from rich.console import Console

from drift import config
from drift.facts import Fact
from drift.measure import matrix
from drift.measure.spread import Spread, round_up, spread
from drift.problem import Place, Problem
from drift.read import snippet
from drift.run.environment import INSTRUCTION_SETS, Environment, capabilities
from drift.run.outcome import Outcome


def of_fact(*values: object, tol: float | None = None) -> Spread:
    """The spread of one fact that has these values in the environments c0, c1, ..."""
    environments = {
        f"c{number}": {"a/one": Outcome("a/one", facts={"n": Fact(value, tol)})}  # type: ignore[arg-type]
        for number, value in enumerate(values)
    }
    (found,) = spread(environments)
    return found


def of_output(*texts: str, tol: float | None = None) -> Spread:
    """The spread of one section that printed these texts in the environments c0, c1, ..."""
    tolerances = {} if tol is None else {"x": tol}
    environments = {
        f"c{number}": {"a/one": Outcome("a/one", outputs={"x": text}, tolerances=tolerances)}
        for number, text in enumerate(texts)
    }
    (found,) = spread(environments)
    return found


def test_spread_of_equal_numbers_is_nothing() -> None:
    """A number that is the same everywhere agrees and needs no advice."""
    found = of_fact(0.5, 0.5, 0.5)
    assert (found.ok, found.spread, found.value, found.advice) == (True, 0.0, 0.5, "")
    assert (found.snippet, found.kind, found.name) == ("a/one", "fact", "n")


def test_spread_of_floats_in_the_last_digit_agrees() -> None:
    """What float32 cannot resolve is no disagreement."""
    found = of_fact(0.5, 0.5000001)
    assert found.ok
    assert found.spread == pytest.approx(1e-7)


@pytest.mark.parametrize(
    ("values", "tol", "ok", "advice"),
    [
        ((0.995, 0.996), None, False, "tol=0.001 measured; or state fewer digits"),
        ((0.885, 0.894, 0.89), None, False, "tol=0.009 measured; or state fewer digits"),
        ((0.885, 0.894), 0.005, False, "tol=0.009 measured; or state fewer digits"),
        ((0.885, 0.894), 0.01, True, ""),
        ((0.885, 0.886), 0.02, True, "tol=0.001 measured"),
        ((0.885, 0.885), 0.02, True, "no tolerance needed here"),
        ((3, 4), None, False, "tol=1 measured"),
        ((3, 4), 1, True, ""),
        ((3, 3), None, True, ""),
    ],
)
def test_spread_of_numbers_against_the_tolerance(values, tol, ok: bool, advice: str) -> None:
    """Numbers agree when the lowest and the highest do, and the advice gives the tolerance that was measured."""
    found = of_fact(*values, tol=tol)
    assert (found.ok, found.advice, found.tol) == (ok, advice, tol)
    assert found.spread == pytest.approx(max(values) - min(values))


def test_spread_takes_the_two_ends_not_the_distance_from_one() -> None:
    """A record made in any environment has to hold in any other."""
    assert of_fact(0.0, 0.01, -0.01, tol=0.01).ok is False
    assert of_fact(0.0, 0.01, -0.01, tol=0.02).ok is True


def test_spread_names_the_first_cells_that_disagree() -> None:
    """The detail gives both values, and the environments say where."""
    found = of_fact(1.0, 1.0, 2.0)
    assert (found.environments, found.detail) == (("c0", "c2"), "1.0 / 2.0")
    assert found.value == 1.0


@pytest.mark.parametrize(("values", "ok"), [(("queen", "king"), False), ((True, True), True), ((True, False), False)])
def test_spread_of_words_and_claims(values, ok: bool) -> None:
    """Words and claims are the same or not; there is no distance."""
    found = of_fact(*values)
    assert (found.ok, found.spread) == (ok, None)
    assert found.value in values


def test_spread_of_a_fact_that_some_cells_do_not_state() -> None:
    """A fact has to be stated whatever the numbers are."""
    environments = {"c0": {"a/one": Outcome("a/one", facts={"n": Fact(1)})}, "c1": {"a/one": Outcome("a/one")}}
    (found,) = spread(environments)
    assert (found.ok, found.environments, found.detail) == (False, ("c0", "c1"), "given by 1 of 2 environments")


def test_spread_of_outputs_shows_the_first_line_that_differs() -> None:
    """Texts agree as a whole; where not, the line is shown."""
    found = of_output("a\n0.99\n", "a\n0.98\n")
    assert (found.ok, found.kind, found.environments) == (False, "output", ("c0", "c1"))
    assert found.detail == "line 2: '0.99' / '0.98'"
    assert of_output("a\n", "a\n").ok


def test_spread_of_outputs_with_a_tolerance() -> None:
    """A declared tolerance holds between any two environments, and an unneeded one is pointed out."""
    assert of_output("0.99\n", "0.98\n", tol=0.01).ok
    assert not of_output("0.99\n", "0.98\n", "1.00\n", tol=0.01).ok
    assert of_output("0.99\n", "0.99\n", tol=0.01).advice == "no tolerance needed here"


def test_spread_of_artifacts() -> None:
    """Files are compared like the check compares them: geometry that moved by a hair is the same figure."""

    def of(*texts: str) -> bool:
        environments = {f"c{n}": {"a/one": Outcome("a/one", artifacts={"f.svg": text})} for n, text in enumerate(texts)}
        return spread(environments)[0].ok

    head = '<svg viewBox="0 0 300 200">'
    assert of(f'{head}<path d="M 1.00 2"/></svg>', f'{head}<path d="M 1.01 2"/></svg>')
    assert not of('<svg><path d="M 1 2"/></svg>', '<svg><path d="M 9 2"/></svg>')
    assert not of("<svg><text>0.99</text></svg>", "<svg><text>0.98</text></svg>")


def test_spread_of_a_run_that_failed_in_one_cell() -> None:
    """A failure is a disagreement of its own, and the other environments are still compared."""
    wrong = Outcome("a/one", problems=[Problem(Place("snippets/a/one.py", 3), "ValueError: no")])
    environments = {
        "c0": {"a/one": Outcome("a/one", facts={"n": Fact(1)})},
        "c1": {"a/one": wrong},
        "c2": {"a/one": Outcome("a/one", facts={"n": Fact(2)})},
    }
    run, fact = spread(environments)
    assert (run.kind, run.ok, run.name, run.detail) == ("run", False, "c1", "snippets/a/one.py:3: ValueError: no")
    assert (fact.ok, fact.environments) == (False, ("c0", "c2"))


@pytest.mark.parametrize(
    ("value", "up"), [(0.0011, 0.002), (0.001, 0.001), (0.009, 0.009), (0.0091, 0.01), (3.0, 3.0), (12.0, 20.0)]
)
def test_round_up_gives_one_digit_not_below(value: float, up: float) -> None:
    """A measured spread is written down with one digit that covers it."""
    assert round_up(value) == up


def test_environments_cover_threads_and_what_the_processor_has() -> None:
    """Every thread count meets every instruction set, with hash seeds that differ; the first is the check's own."""
    found = matrix.environments()
    assert found[0] == Environment()
    assert len(found) == 2 * len(capabilities())
    assert len({environment.hash_seed for environment in found}) == len(found)
    assert {environment.threads for environment in found} == {1, 2}
    assert {environment.capability for environment in found} <= {None, *INSTRUCTION_SETS}
    assert len({environment.name for environment in found}) == len(found)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("x86_64", "AMD", "avx"), ("default",)),
        (("x86_64", "AMD", "avx2", "fma"), ("default", "avx2")),
        (("x86_64", "AMD", "avx2", "avx512f"), ("default",)),
        (("x86_64", "", "avx2", "avx512bw", "avx512dq", "avx512f", "avx512vl", "fma"), ("default", "avx2", "avx512")),
        (("aarch64", "0x41", "asimd"), ("default",)),
    ],
)
def test_capabilities_are_those_of_the_processor(monkeypatch: pytest.MonkeyPatch, flags, expected) -> None:
    """A environment that the processor cannot run is not made."""
    monkeypatch.setattr("drift.run.environment.cpu", lambda: flags)
    assert capabilities() == expected


STABLE = """
    from drift import fact
    fact("n", 1.5)
    # --8<-- [start:x]
    print(1.5)
    # --8<-- [end:x]
"""

UNSTABLE = """
    import os
    from drift import fact
    threads = int(os.environ["OMP_NUM_THREADS"])
    fact("accuracy", 0.99 + threads / 1000)
    fact("order", list({"spam", "eggs", "ham"})[0] + os.environ["PYTHONHASHSEED"])
    # --8<-- [start:x]
    print(threads)
    # --8<-- [end:x]
"""


@pytest.fixture
def two_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matrix of two environments, which is enough to differ."""
    monkeypatch.setattr(matrix, "environments", lambda: [Environment(), Environment(2, "default", 1)])


@pytest.mark.usefixtures("two_environments")
def test_matrix_of_stable_snippets_is_ok(project, capsys: pytest.CaptureFixture[str]) -> None:
    """Without disagreement the exit code is 0, and the second time every result is known."""
    project.snippet("one", STABLE)
    settings = config.load(project.root)
    found = snippet.discover(settings)
    assert matrix.main(settings, found, Console(width=200)) == 0
    out = capsys.readouterr().out
    assert "a/one.n" in out
    assert "no disagreements" in out
    heard: list[str] = []
    matrix.run_matrix(settings, found, lambda _, state, __: heard.append(state))
    assert heard == ["cached"] * 2


@pytest.mark.usefixtures("two_environments")
def test_matrix_of_unstable_snippets_is_not_ok(project, capsys: pytest.CaptureFixture[str]) -> None:
    """What depends on threads or hashes is found, named with its environments, and given a tolerance to write."""
    project.snippet("one", UNSTABLE)
    settings = config.load(project.root)
    assert matrix.main(settings, snippet.discover(settings), Console(width=200)) == 1
    out = capsys.readouterr().out
    for words in ("tol=0.001 measured", "a/one.order", "line 1: '1' / '2'", "2 threads, default, hash 1"):
        assert words in out


@pytest.mark.usefixtures("two_environments")
def test_matrix_as_json(project, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON holds every environment with its versions, and every spread."""
    project.snippet("one", UNSTABLE)
    project.settings('preload = ["pytest"]')
    settings = config.load(project.root)
    assert matrix.main(settings, snippet.discover(settings), Console(), as_json=True) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is False
    environment = data["environments"]["2 threads, default, hash 1"]
    assert (environment["threads"], environment["capability"], environment["hash_seed"]) == (2, "default", 1)
    assert environment["packages"] == {"pytest": pytest.__version__}
    accuracy = next(found for found in data["spreads"] if found["name"] == "accuracy")
    assert accuracy["spread"] == pytest.approx(0.001)


@pytest.mark.slow
def test_matrix_reaches_the_kernels_of_torch(project) -> None:
    """Threads and instruction set of an environment are what torch runs with, after a fork too."""
    project.settings('preload = ["torch"]')
    text = """
        # --8<-- [start:x]
        import torch

        print(torch.get_num_threads(), torch.backends.cpu.get_cpu_capability())
        a = torch.ones(300, 300)
        print((a @ a).sum().item())
        # --8<-- [end:x]
    """
    assert project.one(text, environment=Environment(2, "default", 1)).outputs == {"x": "2 DEFAULT\n27000000.0\n"}
