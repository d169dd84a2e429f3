"""What a page's prose claims: quotes and numerals, each at its line and offset."""

import pytest

from drift.read import fences
from drift.read.text import prose


def read(text: str) -> prose.Prose:
    return prose.read("f", text, fences.find("f", text)[0])


def numerals(text: str, where: str = "prose") -> list[str]:
    return [numeral.text for numeral in read(text).numerals if numeral.where == where]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a 0.93 b", ["0.93"]),
        ("9,216", ["9,216"]),
        ("9,21", ["9", "21"]),
        ("1.000,5", ["1.000", "5"]),
        ("1_000", ["1", "000"]),
        ("12:30", ["12", "30"]),
        ("1/3", ["1", "3"]),
        ("1-5", ["1", "5"]),
        ("1–5", ["1", "5"]),
        ("-5 −5 –5 +5", ["-5", "-5", "-5", "+5"]),
        ("(−5)", ["-5"]),
        ("a-5", ["5"]),
        ("f(x)-5", ["5"]),
        (".5 and 5.", [".5", "5"]),
        ("...5", [".5"]),
        ("1e-6 1E6 1.5e+3", ["1e-6", "1E6", "1.5e+3"]),
        ("50% 3× 4.3GB 5th", ["50", "3", "4.3", "5"]),
        ("10⁸ 10⁻³", ["10⁸", "10⁻³"]),
        ("10^8", ["10", "8"]),
        ("½ 2½", ["½", "2", "½"]),
        ("٣ ３", ["٣", "３"]),
        ("Ⅷ ① ②", ["Ⅷ", "①", "②"]),
        ("x² y₃ f(x)²", []),
        ("² alone", ["²"]),
        ("float32 bf16 B10 H100 GPT", []),
        ("v0.93 top0.93", ["0.93", "0.93"]),
        ("x3 3x5 3x", ["3", "3", "5", "3"]),
        ("0x1F 0b101", ["0x1F", "0b101"]),
        ("1.2", ["1.2"]),
        ("4.5.6 v1.20.3", ["4.5.6", "1.20.3"]),
        ("三 or 十 or 〇 or 五百", ["三", "十", "〇", "五", "百"]),
        ("2-D 3D 4-d 12D", ["2", "3", "4", "12"]),
    ],
)
def test_read_numerals_in_every_form(text: str, found: list[str]) -> None:
    """A number is found with its sign, its separators and its exponent; letters before digits make a name."""
    assert numerals(text) == found


def test_read_numeral_has_its_line_and_offset() -> None:
    """A problem can point at the number, also behind other characters and other line ends."""
    text = "äö 🙂\r\n\r\nso 0.93\r\n"
    (numeral,) = read(text).numerals
    assert (numeral.line, text[numeral.start :][:4]) == (3, "0.93")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[0.93](fact:a/b.c)", [("0.93", "a/b.c")]),
        ("[9,\n216](fact:a/b.c)", [("9,\n216", "a/b.c")]),
        ("[9\r\nGB](fact:a/b.c)", [("9\r\nGB", "a/b.c")]),
        ("[`True`](fact:a/b.c)", [("`True`", "a/b.c")]),
        ("**[1](fact:a/b.c)** _[2](fact:a/b.d)_", [("1", "a/b.c"), ("2", "a/b.d")]),
        ("![to [1](fact:a/b.c) m](x.svg)", [("1", "a/b.c")]),
        ("[see [1](fact:a/b.c)](x.html)", [("1", "a/b.c")]),
        ("| [1](fact:a/b.c) | [2](fact:a/b.c) |", [("1", "a/b.c"), ("2", "a/b.c")]),
        ("[](fact:a/b.c)", [("", "a/b.c")]),
        ("`[1](fact:a/b.c)`", []),
        ("<!-- [1](fact:a/b.c) -->", []),
        ("```text\n[1](fact:a/b.c)\n```", []),
        ("\\[1](fact:a/b.c)", []),
        ("[1\n\n](fact:a/b.c)", []),
    ],
)
def test_read_quotes_with_text_and_target(text: str, found: list[tuple[str, str]]) -> None:
    """A quote is found wherever prose can stand, and an example of the syntax is none."""
    result = read(text)
    assert [(quote.text, quote.target) for quote in result.quotes] == found
    assert all(text[quote.start : quote.end] == quote.text for quote in result.quotes)
    assert numerals(text) == (["1"] if text.startswith(("\\", "[1\n")) else [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$x = [1](fact:a/b.c)$", "[1](fact:a/b.c)$"),
        ("[1 `x](fact:a/b.c) y`", "[1 `x](fact:a/b.c) y`"),
        ("[1](fact:a/b.c 't')", "fact:a/b.c 't')"),
        ("[1][x]\n\n[x]: fact:a/b.c", "fact:a/b.c"),
        ("<fact:a/b.c>", "fact:a/b.c>"),
        ("[1] (fact:a/b.c)", "fact:a/b.c)"),
        ("[1](fact:a/b.c" + "d" * 80, "fact:a/b.c" + "d" * 50),
    ],
)
def test_read_quote_that_is_not_understood_is_named(text: str, shown: str) -> None:
    """What names a fact and is no quote is an error, with the text as it stands."""
    result = read(f"\n{text}")
    (problem,) = [p for p in result.problems if p.message == "a quote that is not understood"]
    assert (problem.place.line, problem.got, result.quotes) == (2 + text.count("\n\n") * 2, shown, ())


BESIDE = ["1{}", "−{}", "<b>−</b>{}", "{}.5", "{} %", "{}&#37;", "{} million", "{}$\\times 10^3$"]


@pytest.mark.parametrize("form", BESIDE)
def test_read_quote_that_is_a_part_of_a_number_is_named(form: str) -> None:
    """A sign, a digit or a unit outside of the brackets makes another number of what is checked inside."""
    result = read("so " + form.format("[5](fact:a/b.c)"))
    (problem,) = [p for p in result.problems if p.message.startswith("a quote with a sign, a digit or a unit")]
    assert problem.place.line == 1
    assert problem.got is not None
    assert "[5](fact:a/b.c)" in problem.got


AMONG = ["top-{}", "{}−{}", "f(x)-{}", "{}s", "- {}", "| {} |", "**{}**", "{} or 10", "{} times"]


@pytest.mark.parametrize("form", AMONG)
def test_read_quote_among_words_is_fine(form: str) -> None:
    """A hyphen in a word, a difference of two quotes, and what follows in a sentence make no other number."""
    assert read(form.format(*["[5](fact:a/b.c)"] * 2)).problems == ()


@pytest.mark.parametrize(
    ("text", "where", "found"),
    [
        ("`0.93`", "code", ["0.93"]),
        ("`f(-0.93, 1e-6, .5, 7)`", "code", ["-0.93", "1e-6", ".5", "7"]),
        ("`x[0].y1.z` `torch==2.13.0` `a.5`", "code", []),
        ("`python3.11` `1_000.5` `x0.93`", "code", ["1_000.5", "0.93"]),
        ("``a`0.93``", "code", ["0.93"]),
        ("$0.93$", "math", ["0.93"]),
        ("$\\approx0.93 - 0.5$", "math", ["0.93", "0.5"]),
        ("$x_{0.5}^{-1.5} 12 3{,}000 0{,}93$", "math", ["0.5", "-1.5", "12", "3{,}000", "0{,}93"]),
        ("$$\n0.93\n$$", "math", ["0.93"]),
        ("\\(0.93\\)", "math", ["0.93"]),
        ("\\[0.93\\]", "math", ["0.93"]),
        ("\\begin{align*}0.93\\end{align*}", "math", ["0.93"]),
    ],
)
def test_read_decimals_in_code_and_math(text: str, where: str, found: list[str]) -> None:
    """Decimals and whole numbers from three up are read in code and formulas."""
    assert numerals(text, where) == found
    assert numerals(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $7",
        "x$a$ and b$",
        "$ a $",
        "$a `b` c$",
        "$a\n\nb$",
        "| $a | b$ |\n| --- | --- |",
        "- $a\n- b$",
        "# $a\nb$",
        "$$a$$ b",
        "a $$\nb\n$$",
        "$$\na\n\nb\n$$",
        "\\(a",
        "a\\)",
        "`a",
        "``a`",
        "a\n\nb`",
        "- `a\n- b`",
        "1. `a\n2. b`",
        "| `a |\n| b` |",
        "> `a\n\nb`",
        "!!! `note\nb`",
    ],
)
def test_read_mark_without_partner_is_an_error(text: str) -> None:
    """Where a backtick or a dollar pairs with nothing in its block, what is code is anybody's guess."""
    assert any("without a partner" in problem.message for problem in read(text).problems)


@pytest.mark.parametrize(
    "text", ["\\$5 and \\$7", "\\`a", "`a\nb`", "$a\nb$", "`$` and $x$", "US\\$", "a\\\\b", "> `a\n> b`"]
)
def test_read_mark_that_is_escaped_or_paired_is_fine(text: str) -> None:
    """An escaped mark is a character, and a pair may go over a line break."""
    assert read(text).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "$$\nx\n$$",
        "a\n\n$$\nx\n$$\n\nb",
        "a\n\n$$x$$  \n\nb",
        "# A\n$$\nx\n$$",
        "!!! note\n    $$\n    x\n    $$",
        "> $$\n> x\n> $$",
        "- a\n\n    $$\n    x\n    - y\n    $$",
        "\\[\nx\n\\]",
        "\\begin{cases}\nx\n\\end{cases}",
    ],
)
def test_read_display_in_a_paragraph_of_its_own_is_math(text: str) -> None:
    """Where a display is all of its block, the numbers in it are those of a formula."""
    assert read(text).problems == ()
    assert numerals(text.replace("x", "41")) == []
    assert numerals(text.replace("x", "0.5"), "math") == ["0.5"]


@pytest.mark.parametrize(
    "text",
    ["a\n$$\nx\n$$", "$$\nx\n$$\na", "a\n\\[\nx\n\\]", "$$\nx `y`\n$$", "$$x$$ a", "- a\n$$\nx\n$$", "$$\nx\n\ny\n$$"],
)
def test_read_display_beside_other_text_is_not_math(text: str) -> None:
    """A display that shares its block is shown as text: it is refused, or its numbers are read."""
    text = text.replace("x", "41")
    assert read(text).problems or "41" in numerals(text)


def test_read_begins_behind_the_front_matter() -> None:
    """What stands before the offset was read elsewhere."""
    assert [n.text for n in prose.read("f", "1 2 3", [], 2).numerals] == ["2", "3"]


def test_read_numbers_in_fences_are_left_out() -> None:
    """A fence is judged by what it includes."""
    assert numerals("1\n\n```text\n2\n```\n\n3") == ["1", "3"]


def test_read_every_problem_has_its_line() -> None:
    """Problems of one page are found together."""
    problems = read("a\n\n`b\n\n[1](fact:x y)\n\n    code\n\n&#52;\n").problems
    assert sorted((p.place.line, p.message.split(" ")[0]) for p in problems) == [
        (3, "`"),
        (5, "a"),
        (7, "code"),
        (9, "a"),
    ]


def test_read_definition_with_code_behind_it_is_text() -> None:
    """What follows an address on its line, code too, makes a sentence of the line."""
    assert numerals("[41]: a `b`") == ["41"]
    assert numerals("[41]: a") == []


def test_read_addresses_that_are_shown() -> None:
    """A bare address needs nothing, and the site's reader sees its numbers; the target of a link is not shown."""
    found = read("<https://a.org/1706.03762> https://b.org/41 [a](https://c.org/42) <a href='https://d.org/43'>")
    assert found.numerals == ()
    assert found.exempt == (("https://a.org/1706.03762", "address"), ("https://b.org/41", "address"))


def test_numerals_in_plain_text() -> None:
    """A plain text has no markup to be left out."""
    assert prose.numerals_in("1 `2` $3.5$ (Vaswani et al., 2017)") == ["1", "2", "3.5", "2017"]
    found = prose.read_plain("1 `2` torch 2.13.0 CC BY 4.0, 48 GB")
    assert [(n.whole, n.start) for n in found] == [("1", 0), ("2", 3), ("2.13.0", 12), ("48 GB", 30)]
