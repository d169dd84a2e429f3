"""A page's prose, sentence by sentence."""

from pathlib import Path

import pytest

from drift.read import page


def said(text: str) -> list[tuple[str, int, bool]]:
    """Text, line and whether it is bound, of each sentence of a page."""
    found = page.parse(Path("/docs/a.md"), "docs/a.md", text)
    return [(one.text, one.line, one.bound) for one in found.sentences]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", [("One.", 1, False), ("Two!", 1, False), ("Three?", 1, False)]),
        ("One goes\non. Two.", [("One goes on.", 1, False), ("Two.", 2, False)]),
        ("One.\nTwo.\n\nThree.", [("One.", 1, False), ("Two.", 2, False), ("Three.", 4, False)]),
        ("## A title\n\nText.", [("A title", 1, False), ("Text.", 3, False)]),
        ("- an item\n- another. And more.", [("an item", 1, False), ("another.", 2, False), ("And more.", 2, False)]),
        ("See e.g. Bahdanau et al. and Fig. A for it.", [("See e.g. Bahdanau et al. and Fig. A for it.", 1, False)]),
        ("It is 3.5 wide. *So* it is.", [("It is 3.5 wide.", 1, False), ("*So* it is.", 1, False)]),
        ('He said "no." Then he left.', [('He said "no."', 1, False), ("Then he left.", 1, False)]),
        ("It is [5](fact:a/b.c). More.", [("It is 5.", 1, True), ("More.", 1, False)]),
        ("[It wins](claim:a/b.c) here. More.", [("It wins here.", 1, True), ("More.", 1, False)]),
        ("A [link](b.md) and ![a picture](c.svg).", [("A link and a picture.", 1, False)]),
        ("`code` $x$\n\n```bash\nls\n```\n\n---", []),
        ("Text with `x. Y`. Then.", [("Text with `x. Y`.", 1, False), ("Then.", 1, False)]),
    ],
)
def test_find_sentences(text: str, found: list[tuple[str, int, bool]]) -> None:
    """Where each begins, and whether something in it is bound; what is no prose is none."""
    assert said(text) == found


def test_find_ends_with_its_block() -> None:
    """A sentence without a mark ends where its block does."""
    assert said("One\n\n| two | [3](fact:a/b.c) |\n| --- | --- |\n| four | five |\n\nSix")[-1] == ("Six", 7, False)
