"""Numbers as prose writes them: read the style of a quote, and write a value in that style.

A quote is right when writing its fact in the quote's own style gives the quote's own text.
Checking and updating are therefore the same function, and no rounding rule exists twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal

from drift.facts import Value

MINUS = "−"
SPACES = " \u00a0\u2009\u202f"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
TO_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
WORDS = [
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]

_PERCENT = dict.fromkeys(("%", "percent", "per cent"), Decimal("0.01"))
_COUNTS = dict(
    zip(("thousand", "million", "billion", "trillion"), (Decimal(1000**n) for n in (1, 2, 3, 4)), strict=True)
)
_BYTES = {"B": 1, "byte": 1, "bytes": 1, "kB": 1000, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4}
_BINARY = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
SCALES = _PERCENT | _COUNTS | {unit: Decimal(size) for unit, size in (_BYTES | _BINARY).items()}

_EXACT = Context(prec=400)
_NUMBER = re.compile(
    rf"""(?P<sign>[-+{MINUS}]?)
    (?P<whole>\d{{1,3}}(?P<group>[,{SPACES}'’])\d{{3}}(?:(?P=group)\d{{3}})*|\d+)
    (?:\.(?P<fraction>\d+))?
    (?:(?P<e>[eE])(?P<esign>[-+]?)(?P<edigits>\d+)
      |(?P<times>[{SPACES}]?[×·][{SPACES}]?)10(?:\^\{{?(?P<caret>[-+{MINUS}]?\d+)\}}?|(?P<super>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?
    (?P<gap>[{SPACES}]*)(?P<unit>{"|".join(sorted(map(re.escape, SCALES), key=len, reverse=True))})?\Z""",
    re.VERBOSE | re.ASCII,
)
_EMPHASIS = re.compile(r"(?P<open>[*_`]*)(?P<body>.*?)(?P<close>[*_`]*)\Z", re.DOTALL)


class NotANumberError(ValueError):
    """The text of a quote is not a number in a style that the checker knows."""


@dataclass(frozen=True)
class Style:
    """How a number was written: everything about the text but its value."""

    sign: str
    group: str
    decimals: int
    exponent: str
    exponent_digits: int
    exponent_sign: str
    gap: str
    unit: str


def read_style(text: str) -> Style:
    """The style of a number such as `0.9321`, `9,216`, `93.2 %`, `15 million`, `4.3 GB`, `1.3e8` or `−0.5`.

    Raises:
        NotANumberError: the text is something else.
    """
    match = _NUMBER.match(text)
    if match is None:
        raise NotANumberError(f"{text!r} is not a number in a known style")
    exponent, digits, sign = "", 0, ""
    if match["e"]:
        exponent, digits, sign = match["e"], len(match["edigits"]), match["esign"]
    elif match["caret"]:
        exponent = match["times"] + ("10^{" if "^{" in text else "10^")
    elif match["super"]:
        exponent = match["times"] + "10⁰"
    return Style(
        sign=match["sign"],
        group=match["group"] or "",
        decimals=len(match["fraction"] or ""),
        exponent=exponent,
        exponent_digits=digits,
        exponent_sign=sign,
        gap=match["gap"] if match["unit"] else "",
        unit=match["unit"] or "",
    )


def write(value: int | float | Decimal, style: Style) -> str:
    """`value` in `style`: its decimals, separators, exponent and unit.

    Rounded half to even, from the exact value; a zero carries no sign.
    """
    number = Decimal(value)
    if style.unit:
        number = _EXACT.divide(number, SCALES[style.unit])
    # `abs` would round to 28 digits.
    size = number.copy_abs()
    body = _scientific(size, style) if style.exponent else _plain(size, style)
    # An exponent shows the first digit of any number; decimals may show none of a small one.
    is_zero = not number or (not style.exponent and not re.search(r"[1-9]", body))
    sign = ""
    if number < 0 and not is_zero:
        sign = style.sign if style.sign in ("-", MINUS) else MINUS
    elif style.sign == "+":
        sign = "+"
    return sign + body + style.gap + style.unit


def rewrite(text: str, value: Value, tol: float | None = None) -> str:
    """The text that a quote should have: `value` in the style of `text`; emphasis marks and line breaks stay.

    Words are quoted by a fact that is a word, a bool, or a small whole number (`two`).
    Behind a `±` stands the tolerance `tol`, rounded up; a fact without one has nothing to say there.

    Raises:
        NotANumberError: the fact is a number and the text is not.
    """
    wrapped = _EMPHASIS.match(text)
    assert wrapped is not None  # the pattern matches every string
    body = wrapped["body"]
    if isinstance(value, (bool, str)):
        new = body if _flat(body) == str(value) else str(value)
    elif _flat(body).lower() in WORDS and isinstance(value, int) and 0 <= value < len(WORDS):
        new = WORDS[value].capitalize() if body[:1].isupper() else WORDS[value]
    else:
        written = _with_tolerance(_flat(body), value, tol)
        new = body if written == _flat(body) else written
    return wrapped["open"] + new + wrapped["close"]


def step(text: str, value: int | float | Decimal) -> Decimal:
    """What one unit of the last digit of `text` is worth: 0.01 in `0.93`, 0.001 in `93.2 %`, a million in `15 million`.

    With an exponent that depends on the `value` which is shown.

    Raises:
        NotANumberError: the text is not a number in digits.
    """
    wrapped = _EMPHASIS.match(text)
    assert wrapped is not None  # the pattern matches every string
    style = read_style(_flat(wrapped["body"]))
    scale = SCALES[style.unit] if style.unit else Decimal(1)
    power = -style.decimals
    if style.exponent:
        shown = Context(prec=style.decimals + 1, rounding=ROUND_HALF_EVEN).plus(_EXACT.divide(Decimal(value), scale))
        power += shown.adjusted() if shown else 0
    return scale.scaleb(power)


def full(value: Value) -> str:
    """A fact's value as messages show it: floats to nine significant digits, which name any float32."""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.9g}"
    return text if "." in text or "e" in text else f"{text}.0"


def _flat(text: str) -> str:
    """A soft line break inside a quote reads as a space."""
    return re.sub(r"[ \t]*\r?\n[ \t]*", " ", text)


def _with_tolerance(text: str, value: int | float, tol: float | None) -> str:
    """A value in the style of `0.93`, of `0.93 ± 0.02`, or of `93 ± 2 %`, where both numbers have the one unit."""
    shown, mark, beside = text.partition("±")
    if not mark:
        return write(value, read_style(text))
    left, right = shown.rstrip(SPACES), beside.lstrip(SPACES)
    style, spread = read_style(left), read_style(right)
    if tol is None:
        return write(value, replace(style, gap=style.gap or spread.gap, unit=style.unit or spread.unit))
    shared = spread.unit if not style.unit else ""
    number = write(value, replace(style, gap="", unit=shared) if shared else style).removesuffix(shared)
    return text[: len(text) - len(text.lstrip())] + number + text[len(left) : len(text) - len(right)] + _up(tol, right)


def _up(tol: float, text: str) -> str:
    """A tolerance in the style of `text`, rounded up: a fresh run never differs by more than what is shown."""
    unit = step(text, tol)
    steps = _EXACT.divide(Decimal(repr(tol)), unit).to_integral_value(ROUND_CEILING)
    return write(_EXACT.multiply(steps, unit), read_style(text))


def _plain(number: Decimal, style: Style) -> str:
    rounded = number.quantize(Decimal(1).scaleb(-style.decimals), ROUND_HALF_EVEN, context=_EXACT)
    whole, _, fraction = f"{rounded:f}".partition(".")
    if style.group:
        whole = f"{int(whole):,}".replace(",", style.group)
    return whole + ("." + fraction if fraction else "")


def _scientific(number: Decimal, style: Style) -> str:
    context = Context(prec=style.decimals + 1, rounding=ROUND_HALF_EVEN)
    rounded = context.plus(number)
    power = rounded.adjusted() if rounded else 0
    mantissa = f"{rounded.scaleb(-power, context=_EXACT):.{style.decimals}f}"
    if style.exponent in ("e", "E"):
        sign = "-" if power < 0 else style.exponent_sign.replace("-", "")
        return f"{mantissa}{style.exponent}{sign}{abs(power):0{style.exponent_digits}d}"
    if style.exponent.endswith("10⁰"):
        return mantissa + style.exponent[:-1] + str(power).translate(TO_SUPERSCRIPT)
    return mantissa + style.exponent + str(power) + ("}" if style.exponent.endswith("{") else "")
