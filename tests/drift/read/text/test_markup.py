"""What of a page's markup a reader does not see, and what only looks so."""

import pytest

from drift.read.text import blocks, markup
from drift.read.text.mask import Mask


def left(text: str) -> str:
    mask = Mask(text)
    markup.blank("f", mask, blocks.segments(blocks.lines(text)))
    assert len(mask.text) == len(text)
    return " ".join(mask.text.split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](b41)", "[a]( )"),
        ("[a](<b 41>)", "[a]( )"),
        ("[a](b(41)c)", "[a]( )"),
        ('[a](b41 "c 5")', '[a]( "c 5")'),
        ("[a [b] c](41)", "[a [b] c]( )"),
        ("![a](b41){width=400 title='c 5'}", "![a]( ) 'c 5'"),
        ("[a][b41]\n\n[B41]: c42", "[a]"),
        ("[a] [b41]\n\n[b41]: c42 'd 5'", "[a] 'd 5'"),
        ("[41]\n\n[41]: b42", "[41]"),
        ("a[^41]\n\n[^41]: b", "a b"),
        ("https://a.b/41 and <https://a.b/42>", "and"),
        ("<me4@a5.org>", ""),
        ('<a href="41" title="b 5">c</a>', '"b 5" c'),
        ("<img alt=5 src=41>", "5"),
        ("<ol start=5 type=1>", "5"),
        ("<p style='counter-reset: a 5' class=41>", "'counter-reset: a 5'"),
        ("<p style='--x: 41'>", ""),
        ("a&nbsp;b &#8203;", "a b"),
        ("# A {#b41}", "# A"),
        ("a\n{: .b41 }", "a"),
        ("`a`{.b41}", "`a`"),
        ("[a](b){.b41} [c](d41)", "[a]( ) [c]( )"),
    ],
)
def test_blank_what_is_not_shown(text: str, shown: str) -> None:
    """Addresses, labels, attributes and tags go; texts, titles and what is read aloud stay."""
    assert left(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("\\[a](41)", "[a\\](41)", "a](41)", "[a](41 42)", "[a](41", "[a] (41)", "[a\n\nb](41)", "- [a\n- b](41)"),
        *("[a][41]", "a[^41]", "[41]: b c", "[41]: b\n---", "[^41]: b\n---", "][41]\n\n[b]: c"),
        *("ahttps://41", "https:41", "<41@a>", "<me@41>", "a@41", "mailto:41"),
        *("< b 41>", "<b\n\n41>", "- <b\n- 41>", "<41>", "a < b41 c", "<a@b 41>", "<b 'x>41"),
        *("{41}", "a {.b 41} c", "a {.b41} c", "{.b41}", "a\n\n{.b41}", "a\n{.b41}\nc", "# A {#b41} c", "(a){.b41}"),
        *("A {#b41}", "# A{#b41}", "[a][b](41 c)", "[a]](41"),
    ],
)
def test_blank_what_only_looks_like_markup_stays(text: str) -> None:
    """What Python-Markdown would show as text is left to be read."""
    assert "41" in left(text)


@pytest.mark.parametrize("entity", ["&#52;", "&#x34;", "&frac12;", "&sup2;", "&#46;", "&comma;", "&minus;"])
def test_blank_entity_that_is_part_of_a_number_is_named(entity: str) -> None:
    """A digit, a point or a minus written as an entity is refused with what it stands for."""
    text = f"a\n\nb {entity}"
    (problem,) = markup.blank("f", Mask(text), blocks.segments(blocks.lines(text))).problems
    assert (problem.place.line, problem.got) == (3, entity)
