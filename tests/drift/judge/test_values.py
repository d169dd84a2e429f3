"""When a fresh value, text or figure agrees with the recorded one."""

import pytest

from drift.judge import values


@pytest.mark.parametrize(
    ("old", "new", "tol"),
    [
        (1, 1, None),
        (True, True, None),
        ("a", "a", None),
        (1.0, 1.0 + 9e-7, None),
        (-1e30, -1e30 * (1 + 9e-7), None),
        (0.0, -0.0, None),
        (0.5, 0.6, 0.1),
        (0.6, 0.5, 0.1),
        (3, 5, 2),
        (3, 3.05, 0.1),
    ],
)
def test_agree_values_within_tolerance(old: object, new: object, tol: float | None) -> None:
    """Exact kinds agree exactly, floats within 1e-6 of themselves, and anything numeric within its tolerance."""
    assert values.agree(old, new, tol)
    assert values.agree(new, old, tol)


@pytest.mark.parametrize(
    ("old", "new", "tol"),
    [
        (1, 2, None),
        (10**15, 10**15 + 1, None),
        (1, 1.0, None),
        (1, True, None),
        (True, 1, None),
        (False, 0.0, 1),
        ("1", 1, None),
        ("a", "b", None),
        (1.0, 1.0 + 2e-6, None),
        (0.0, 1e-300, None),
        (1e-9, 2e-9, None),
        (0.5, 0.601, 0.1),
        (1.0, float("nan"), 0.1),
        (float("nan"), float("nan"), None),
    ],
)
def test_agree_values_that_differ(old: object, new: object, tol: float | None) -> None:
    """A value of another kind, beyond the tolerance, or near zero where nothing is relative, does not agree."""
    assert not values.agree(old, new, tol)
    assert not values.agree(new, old, tol)


@pytest.mark.parametrize(
    ("old", "new", "tol", "same"),
    [
        ("a 1.0\n", "a 1.0\n", None, True),
        ("a 1.0", "a 1.1", None, False),
        ("a 1.0", "a 1.1", 0.1, True),
        ("a 1.0", "a 1.2", 0.1, False),
        ("a 1.0", "b 1.0", 0.1, False),
        ("a 1.0", "a  1.0", 0.1, False),
        ("a 1.0 2.0", "a 1.0", 0.1, False),
        (" -0.0000   9.9999", "  0.0000  10.0000", 0.001, True),
        ("-0.0 |", "0.0 |", 0.1, True),
        ("[-0.01  1.0]", "[ 0.01  1.0]", 0.1, True),
        ("a  9.9", "a 10.0", 0.1, True),
        ("a 9.9", "a  10.0", 0.1, False),
        ("  9.9 b", " 10.0 c", 0.1, False),
        ("1 2", "12", 100.0, False),
        ("1.0\n2.0", "1.05\n1.95", 0.1, True),
        ("1e-3", "2e-3", 0.1, True),
        ("−0.5", "-0.45", 0.1, True),
        ("-0.5", "0.5", 0.1, False),
        (".5", ".55", 0.1, True),
        ("nan", "nan", 0.1, True),
        ("nan", "0.5", 0.1, False),
        ("1e999", "1e998", 0.1, False),
    ],
)
def test_same_text_numbers_may_move_within_a_tolerance(old: str, new: str, tol: float | None, same: bool) -> None:
    """Without a tolerance text agrees exactly; with one, everything but the numbers does."""
    assert values.same_text(old, new, tol) is same


SVG = (
    '<svg width="400pt"><style>a{{b:c}}</style><defs><path id="{id}" d="M 0 0 L {x} 5"/></defs>'
    '<rect fill="{fill}" width="{w}" style="fill: red; opacity: {shade}"/><use href="#{id}"/><text>{text}</text></svg>'
)
PARTS = {"id": "m0123456789", "x": "10.00", "fill": "#1e5000", "w": "5", "shade": "0.48", "text": "0.93"}


def svg(**parts: str) -> str:
    return SVG.format(**{**PARTS, **parts})


@pytest.mark.parametrize("parts", [{}, {"x": "10.09"}, {"w": "5.1"}, {"id": "mabcdef0123"}, {"shade": "0.484"}])
def test_same_artifact_geometry_within_a_tenth_agrees(parts: dict[str, str]) -> None:
    """A line that moved by a hair, and ids made by hashing, show the same picture."""
    assert values.same_artifact("a.svg", svg(), svg(**parts))


@pytest.mark.parametrize(
    "parts",
    [
        {"x": "10.2"},
        {"w": "6"},
        {"text": "0.94"},
        {"text": "0.930"},
        {"fill": "#1e5001"},
        {"fill": "#ff0000"},
        {"shade": "0.5"},
        {"id": "n0123456789"},
        {"text": "0.93</text><text>1"},
    ],
)
def test_same_artifact_visible_change_differs(parts: dict[str, str]) -> None:
    """A bar of another length, another colour, another digit and another element are seen."""
    assert not values.same_artifact("a.svg", svg(), svg(**parts))
    assert not values.same_artifact("a.svg", svg(**parts), svg())


BARS = {
    "a picture of size one": ('<svg viewBox="0 0 1 1"><rect width="{}"/></svg>', "0.50", "0.59", "0.5001"),
    "a picture of size ten": ('<svg viewBox="0 0 10 5"><rect width="{}"/></svg>', "5.0", "5.05", "5.002"),
    "a size without a box": ('<svg width="2" height="1"><rect width="{}"/></svg>', "0.50", "0.52", "0.5003"),
    "no size at all": ('<svg><rect width="{}"/></svg>', "0.50", "0.52", "0.5001"),
    "a group drawn larger": (
        '<svg viewBox="0 0 400 400"><g transform="scale(300)"><path d="M0 {}"/></g></svg>',
        "0.5",
        "0.51",
        "0.5002",
    ),
    "a matrix": (
        '<svg viewBox="0 0 400 400"><g transform="matrix(50 0 0 50 0 0)"><path d="M0 {}"/></g></svg>',
        "0.5",
        "0.52",
        "0.501",
    ),
    "a picture in a picture": (
        '<svg viewBox="0 0 400 9"><svg viewBox="0 0 1 1"><rect width="{}"/></svg></svg>',
        "0.50",
        "0.59",
        "0.5001",
    ),
    "inches": ('<svg viewBox="0 0 400 400"><rect width="{}in"/></svg>', "0.50", "0.59", "0.5005"),
    "per cent": ('<svg viewBox="0 0 400 400"><rect width="{}%"/></svg>', "50.00", "50.09", "50.0005"),
    "points": ('<svg viewBox="0 0 400 400"><rect width="{}"/></svg>', "50.00", "50.12", "50.09"),
}


@pytest.mark.parametrize("name", BARS)
def test_same_artifact_geometry_is_compared_with_the_size_of_the_picture(name: str) -> None:
    """A bar that moved by a visible share of the picture is another bar, whatever the units."""
    picture, old, moved, still = BARS[name]
    assert not values.same_artifact("a.svg", picture.format(old), picture.format(moved))
    assert values.same_artifact("a.svg", picture.format(old), picture.format(still))


def test_same_artifact_with_tolerance_frees_geometry_and_bounds_text() -> None:
    """A figure of a measured time may be drawn elsewhere, with labels within the tolerance and nothing else new."""
    assert values.same_artifact("a.svg", svg(), svg(x="90", text="0.95"), 0.05)
    assert not values.same_artifact("a.svg", svg(), svg(text="1.93"), 0.05)
    assert not values.same_artifact("a.svg", svg(), svg(text="0.93</text><text>1"), 0.05)
    assert not values.same_artifact("a.svg", svg(), svg().replace("<rect", "<circle"), 0.05)


def test_same_artifact_huge_hex_colour_agrees_with_itself() -> None:
    """The digits of `#1e5000` read as infinity, which must not make an unchanged figure drift."""
    assert values.same_artifact("a.svg", svg(fill="#1e5000"), svg(fill="#1e5000", x="10.05"))


def test_same_artifact_data_agrees_exactly() -> None:
    """A file of data is compared like an output."""
    assert not values.same_artifact("a.json", "[1.00]", "[1.01]")
    assert values.same_artifact("a.json", "[1.00]", "[1.01]", 0.01)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("a\nb", "a\nc", (2, "b", "c")),
        ("a", "a\nb", (2, "(nothing)", "b")),
        ("a\nb", "a", (2, "b", "(nothing)")),
        ("", "a", (1, "", "a")),
        ("a", "a", (0, "", "")),
    ],
)
def test_first_difference_names_the_line(old: str, new: str, difference: tuple[int, str, str]) -> None:
    """The first line in which two texts differ is given with both sides."""
    assert values.first_difference(old, new) == difference
