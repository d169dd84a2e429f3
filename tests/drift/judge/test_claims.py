"""Words that are bound to a fact which decides them."""

import pytest
from authoring import Book

CODE = "snippets/a/one.py"
FACTS = """
fact("wins", share > 0.5)
fact("loses", share < 0.5)
fact("ratio", 1.9)
fact("rough", 1.9, tol=0.05)
fact("wide", 1.9, tol=0.2)
fact("linear", 1.01)
"""


@pytest.fixture
def claimed(book: Book) -> Book:
    """A project that states more facts, all of which a page quotes."""
    book.write(CODE, book.read(CODE) + FACTS)
    names = ("wins", "loses", "ratio", "rough", "wide", "linear")
    book.add("\n".join(f"[{text}](fact:a/one.{name})" for name, text in zip(names, TEXTS, strict=True)))
    ran = book.drift("update")
    assert ran.code == 0, ran
    return book


TEXTS = ("True", "False", "1.9", "1.90 ± 0.05", "1.9 ± 0.2", "1.01")


@pytest.mark.parametrize(
    "text",
    [
        "[It wins.](claim:a/one.wins)",
        "*[It wins](claim:a/one.wins)* over **[two\nlines](claim:a/one.wins)**.",
        "It takes [nearly twice as long](claim:a/one.ratio).",
        "It is [about 2 times](claim:a/one.rough) as long, or [more than half as\nlong again](claim:a/one.wide).",
        "It [grows linearly](claim:a/one.linear).",
        "[More than 90 % of them](claim:a/one.share) agree.",
        "- [It wins](claim:a/one.wins)\n\n| a |\n| --- |\n| [it wins](claim:a/one.wins) |",
        "`[it](claim:a/one.loses)`",
        "[It never loses.](claim:!a/one.loses)",
    ],
)
def test_check_claim_that_holds(claimed: Book, text: str) -> None:
    """A fact that is True, or a number in the band that the words name."""
    claimed.add(text)
    ran = claimed.drift("check")
    assert ran.code == 0, ran.out


WRONG = {
    "false": ("[It loses](claim:a/one.loses)", ["a claim that does not hold: a/one.loses is False", "share < 0.5"]),
    "not false": ("[It never wins](claim:!a/one.wins)", ["a/one.wins is True", "share > 0.5 is False"]),
    "not a number": ("[twice](claim:!a/one.ratio)", ["a claim that a number is not so"]),
    "not a fact": ("[It wins](claim:!a/one.win)", ["a/one has no recorded fact 'win'"]),
    "not in a quote": ("[1.9](fact:!a/one.ratio)", ["a quote that is not understood"]),
    "outside": (
        "[more than twice](claim:a/one.ratio)",
        ["a claim that does not hold: a/one.ratio is 1.9", "more than 2"],
    ),
    "below": ("[nearly twice](claim:a/one.linear)", ["from 1.8 to less than 2"]),
    "within a tolerance": ("[nearly twice](claim:a/one.wide)", ["a/one.wide is 1.9 ± 0.2"]),
    "emphasis": ("[*more* than twice](claim:a/one.ratio)", ["more than twice: more than 2"]),
    "bold": ("[**more** than **twice**](claim:a/one.ratio)", ["more than twice: more than 2"]),
    "entity": ("[more&nbsp;than twice](claim:a/one.ratio)", ["more than twice: more than 2"]),
    "no-break space": ("[more\u00a0than\u202ftwice](claim:a/one.ratio)", ["more than twice: more than 2"]),
    "tag": ("[<em>more</em> than twice](claim:a/one.ratio)", ["more than twice: more than 2"]),
    "no band": ("[longer](claim:a/one.ratio)", ["cannot be checked, with no quantity", "nearly twice"]),
    "negation": ("[not nearly twice](claim:a/one.ratio)", ["a word beside the quantity that changes it (not)"]),
    "text": ("[The queen](claim:a/one.word)", ["a claim whose fact is a text"]),
    "no words": ("[](claim:a/one.wins)", ["a claim without words"]),
    "only spaces": ("[ ](claim:a/one.wins)", ["a claim without words"]),
    "no fact": ("[It wins](claim:a/one.win)", ["a/one has no recorded fact 'win'", "wins"]),
    "no snippet": ("[It wins](claim:a/two.wins)", ["no snippet 'a/two'"]),
    "number in a claim that is true": ("[It wins in 48 cases](claim:a/one.wins)", ["a number with no fact", "48"]),
    "number in words": ("[It wins in nine cases](claim:a/one.wins)", ["a number in words that nothing near it shows"]),
    "number beside the band": (
        "[nearly twice the 48 heads](claim:a/one.ratio)",
        ["a claim with a number that it does not check, 48"],
    ),
    "in math": ("$[x](claim:a/one.wins)$", ["a quote that is not understood"]),
    "with a title": ('[It wins](claim:a/one.wins "t")', ["a quote that is not understood"]),
    "as a reference": ("[It wins][t]\n\n[t]: claim:a/one.wins", ["a quote that is not understood"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_check_claim_that_is_wrong(claimed: Book, name: str) -> None:
    """The finding names the page's line and says what would hold."""
    text, messages = WRONG[name]
    line = claimed.add(text)
    ran = claimed.drift("check")
    assert ran.code == 1
    assert f"docs/a.md:{line}" in ran.out or "as a reference" in name
    assert [message for message in messages if message not in " ".join(ran.out.split())] == []


@pytest.mark.parametrize("flipped", ["share < 0.5", "not share > 0.5", "share > 0.95"])
def test_check_claim_fails_when_its_comparison_is_turned(claimed: Book, flipped: str) -> None:
    """The words cannot stay when the code no longer says so, even after the change was accepted."""
    claimed.add("[It wins.](claim:a/one.wins)")
    claimed.edit(CODE, 'fact("wins", share > 0.5)', f'fact("wins", {flipped})')
    assert "wins" in claimed.drift("check").out
    ran = claimed.drift("update")
    assert ran.code == 1
    assert "a claim that does not hold: a/one.wins is False" in ran.out


def test_update_leaves_the_words_of_a_claim(claimed: Book) -> None:
    """Only numbers are rewritten."""
    claimed.add("It takes [nearly twice as long](claim:a/one.ratio).")
    claimed.edit(CODE, 'fact("ratio", 1.9)', 'fact("ratio", 1.95)')
    assert claimed.drift("update").code == 0
    assert "[nearly twice as long](claim:a/one.ratio)" in claimed.read("docs/a.md")


def test_claim_counts_as_a_use_of_its_fact(book: Book) -> None:
    """A fact that only a claim names is used."""
    book.write(CODE, book.read(CODE) + '\nfact("wins", share > 0.5)\n')
    book.add("[It wins.](claim:a/one.wins)")
    assert book.drift("update").code == 0
