"""How prose writes a number: the style of a quote, and a value written in it."""

import pytest

from drift.judge import styles
from drift.judge.styles import NotANumberError

RIGHT = [
    ("0.9321", 0.93214),
    ("0.93", 0.932),
    ("1", 0.93214),
    ("0.9322", 0.93219),
    ("9216", 9216),
    ("9,216", 9216),
    ("9 216", 9216),
    ("9\u202f216", 9216),
    ("9'216", 9216),
    ("1,234,567", 1234567),
    ("93.2 %", 0.932),
    ("93.2%", 0.932),
    ("93 percent", 0.932),
    ("93 per cent", 0.932),
    ("0 %", 0.001),
    ("15 million", 15_000_000),
    ("15.4 million", 15_363_000),
    ("1.3 billion", 1_300_000_000),
    ("2 thousand", 2000),
    ("2 trillion", 2 * 10**12),
    ("4.3 GB", 4_300_000_000),
    ("16.8 MB", 16_777_216),
    ("16 MiB", 16_777_216),
    ("512 bytes", 512),
    ("8 kB", 8000),
    ("8 KB", 8000),
    ("1.3e8", 130_000_000),
    ("1.3E8", 130_000_000),
    ("1.3e+08", 130_000_000),
    ("1.3e-8", 1.3e-8),
    ("1.3e-08", 1.3e-8),
    ("1.3 × 10^8", 130_000_000),
    ("1.3×10^8", 130_000_000),
    ("1.3 × 10^{8}", 130_000_000),
    ("1.3 · 10⁸", 130_000_000),
    ("1.3 × 10⁻⁸", 1.3e-8),
    ("1.3 × 10^-8", 1.3e-8),
    ("2.0e3", 1999),
    ("1.0e1", 9.99),
    ("−0.5", -0.5),
    ("-0.5", -0.5),
    ("+0.5", 0.5),
    ("0.0", -0.04),
    ("0.00", 0.0),
    ("−1.3e8", -130_000_000),
    ("0e0", 0),
    ("−1e-9", -1e-9),
    ("1 × 10⁰", 1),
    ("-1.0 × 10^{2}", -100),
    ("**0.93**", 0.932),
    ("`0.93`", 0.932),
    ("_0.93_", 0.932),
    ("15\nmillion", 15_000_000),
    ("15 \r\n  million", 15_000_000),
    ("queen", "queen"),
    ("*queen*", "queen"),
    ("a new\nline", "a new line"),
    ("True", True),
    ("`False`", False),
    ("two", 2),
    ("Two", 2),
    ("zero", 0),
    ("Twelve", 12),
]


@pytest.mark.parametrize(("text", "value"), RIGHT)
def test_rewrite_right_text_stays(text: str, value: object) -> None:
    """A text that shows its fact is its own rewriting."""
    assert styles.rewrite(text, value) == text


WRONG = [
    ("0.9322", 0.93214, "0.9321"),
    ("0.9320", 0.93214, "0.9321"),
    ("0.5", -0.5, "−0.5"),
    ("−0.5", 0.5, "0.5"),
    ("-0.0", -0.04, "0.0"),
    ("+0.5", -0.5, "−0.5"),
    ("93.2", 0.932, "0.9"),
    ("0.932 %", 0.932, "93.200 %"),
    ("9.216", 9216, "9216.000"),
    ("921,6", 9216, None),
    ("9,21", 9216, None),
    ("09216", 9216, "9216"),
    ("13e7", 130_000_000, "1e8"),
    ("0.13e9", 130_000_000, "1.30e8"),
    ("1.3e9", 130_000_000, "1.3e8"),
    ("1.3e-8", 130_000_000, "1.3e8"),
    ("1.3e8", 1.3e-8, "1.3e-8"),
    ("1.3 × 10⁹", 130_000_000, "1.3 × 10⁸"),
    ("4.3 MB", 4_300_000_000, "4300.0 MB"),
    ("4.3 GiB", 4_300_000_000, "4.0 GiB"),
    ("15 million", 16_000_000, "16 million"),
    ("queen", "king", "king"),
    ("Queen", "queen", "queen"),
    ("`True`", False, "`False`"),
    ("true", True, "True"),
    ("1", True, "True"),
    ("2", "two", "two"),
    ("two", 3, "three"),
    ("TWO", 2, "Two"),
    ("1", 2, "2"),
]


@pytest.mark.parametrize(("text", "value", "expected"), WRONG)
def test_rewrite_wrong_text_is_replaced(text: str, value: object, expected: str | None) -> None:
    """A text that does not show its fact becomes the fact, in the style of the text, or is refused."""
    if expected is None:
        with pytest.raises(NotANumberError, match=f"'{text}' is not a number in a known style"):
            styles.rewrite(text, value)
    else:
        assert styles.rewrite(text, value) == expected
        assert styles.rewrite(expected, value) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "many",
        "two",
        ".5",
        "5.",
        "0,93",
        "1.000,5",
        "1_000",
        "½",
        "٣",
        "０.９",
        "0.9 apples",
        "10⁸",
        "x2",
        "0.9\u200b3",
        "1/3",
        "0.9-",
        "--1",
        "0x10",
        "1,00",
        "1,0000",
        "1 00",
        "50 % of",
        "3rd",
        "0.93<!-- -->",
    ],
)
def test_read_style_text_that_is_no_number_is_refused(text: str) -> None:
    """What the styles do not cover is refused rather than guessed."""
    with pytest.raises(NotANumberError):
        styles.read_style(text)


@pytest.mark.parametrize(
    ("unit", "size"),
    [
        ("%", 0.01),
        ("percent", 0.01),
        ("per cent", 0.01),
        *(("thousand", 1000), ("million", 1000**2), ("billion", 1000**3), ("trillion", 1000**4)),
        *(("B", 1), ("byte", 1), ("bytes", 1), ("kB", 1000), ("KB", 1000)),
        *(("MB", 1000**2), ("GB", 1000**3), ("TB", 1000**4)),
        *(("KiB", 1024), ("MiB", 1024**2), ("GiB", 1024**3), ("TiB", 1024**4)),
    ],
)
def test_rewrite_unit_has_its_size(unit: str, size: float) -> None:
    """Counts and bytes go in steps of a thousand, those with an i in steps of 1024."""
    assert styles.rewrite(f"7.000000 {unit}", 7 * size) == f"7.000000 {unit}"
    assert styles.rewrite(f"7 {unit}", 6 * size) == f"6 {unit}"


@pytest.mark.parametrize(
    ("text", "value", "tol", "expected"),
    [
        ("0.9 ± 0.1", 0.735, 0.084, "0.7 ± 0.1"),
        ("0.735 ± 0.08", 0.735, 0.084, "0.735 ± 0.09"),
        ("0.735 ± 0.1", 0.735, 0.1, "0.735 ± 0.1"),
        ("74 ± 9 %", 0.738, 0.084, "74 ± 9 %"),
        ("70 % ± 1 %", 0.738, 0.084, "74 % ± 9 %"),
        ("176 ± 70", 176, 74, "176 ± 74"),
        ("−0.5±0.1", -0.51, 0.02, "−0.5±0.1"),
        ("**0.5 ± 0.1**", 0.61, 0.02, "**0.6 ± 0.1**"),
        ("0.735 ± 0.084", 0.735, None, "0.735"),
        ("74 ± 9 %", 0.738, None, "74 %"),
    ],
)
def test_rewrite_tolerance_beside_its_value(text: str, value: float, tol: float | None, expected: str) -> None:
    """Behind a ± stands the tolerance, never less than it is."""
    assert styles.rewrite(text, value, tol) == expected


@pytest.mark.parametrize("value", [13, -1, 2.0, True, "2"])
def test_rewrite_number_word_is_for_small_whole_numbers(value: object) -> None:
    """Twelve is the last word; what is no small int has none."""
    try:
        assert styles.rewrite("two", value) != "two"
    except NotANumberError:
        assert not isinstance(value, (bool, str))


def test_write_large_int_keeps_every_digit() -> None:
    """An int is exact, however long."""
    assert styles.rewrite("1", 10**40 + 1) == "1" + "0" * 39 + "1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.125, "0.12"),
        (0.375, "0.38"),
        (2.675, "2.67"),
        (1.005, "1.00"),
        (0.5, "0.50"),
        (1e-9, "0.00"),
        (1e22, "1" + 22 * "0" + ".00"),
    ],
)
def test_write_rounds_the_exact_value_half_to_even(value: float, text: str) -> None:
    """The binary value is rounded, not its shortest decimal form; ties go to the even digit."""
    assert styles.write(value, styles.read_style("0.00")) == text


@pytest.mark.parametrize("style", ["0.0000", "1.000e0", "9,999.00", "1.00 %", "1.00 × 10⁰", "1.000 GB"])
@pytest.mark.parametrize("value", [0, 1, -1, 0.93214, -12345.678, 1e-7, 123456789, 2**63, -5e-324, 1.7e308])
def test_write_is_stable(value: float, style: str) -> None:
    """What was written in a style reads back as that style, so that an update settles in one step."""
    once = styles.write(value, styles.read_style(style))
    assert styles.write(value, styles.read_style(once)) == once


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (2.0, "2.0"),
        (1e30, "1e+30"),
        (16777216.0, "16777216.0"),
        (3, "3"),
        (True, "True"),
        ("a", "a"),
    ],
)
def test_full_value_tells_an_int_from_a_float(value: object, text: str) -> None:
    """Nine digits name any float32, and a float never looks like an int."""
    assert styles.full(value) == text
