"""How a quote tells its fact."""

import pytest

from drift.facts import Fact
from drift.mkdocs.quotes import tolerance


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (Fact(0.5, 0.02), "± 0.02"),
        (Fact(7, 2), "± 2"),
        (Fact(7), "exact"),
        (Fact(True), "exact"),
        (Fact("queen"), "exact"),
        (Fact(0.5), "to one part in a million"),
    ],
)
def test_tolerance_says_how_near_a_run_comes(fact: Fact, text: str) -> None:
    """A float without a tolerance is not called exact, since its last bits are not compared."""
    assert tolerance(fact) == text
