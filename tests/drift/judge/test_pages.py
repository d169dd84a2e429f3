"""Judging one page against the records; `test_bad_pages.py` has what an author can type wrong."""

import pytest

from drift.problem import Place


def said(book, text: str) -> list[tuple[int, str]]:
    return [(problem.place.line, problem.message) for problem in book.judge(text)]


BOTH = '```python\n--8<-- "a/one.py:count"\n```\n\n```text\n--8<-- "a/one.out:count"\n```\n'


def test_check_page_without_claims_passes(written) -> None:
    """Words need no proof."""
    assert written.judge("# A\n\nOnly words.\n") == []


def test_check_empty_lines_beside_an_include_pass(written) -> None:
    """A fence may have air."""
    assert written.judge(BOTH.replace("\n--8", "\n\n--8")) == []


def test_check_line_that_is_no_include_is_reported_once(written) -> None:
    """What is not understood is not also called typed text."""
    assert said(written, '```text\n--8<-- "a/one.out:count" \n```') == [
        (2, "an include that MkDocs would show as text")
    ]


def test_check_wrong_quote_says_everything(written) -> None:
    """Both values, the fact in full, the line that made it and the command are in the problem."""
    (problem,) = written.judge("\n[0.9322](fact:a/one.share)")
    assert problem.place == Place("docs/b.md", 2)
    assert problem.message == "a quote that is not its fact: a/one.share is 0.93214"
    assert (problem.expected, problem.got) == ("0.9321", "0.9322")
    assert problem.source == Place("snippets/a/one.py", 10)
    assert problem.fix == "python -m drift update"


def test_check_unknown_fact_that_the_code_states_says_update(written, book) -> None:
    """A fact that the snippet states and no record holds yet is accepted by the command."""
    book.edit("snippets/a/one.py", 'fact("heads", 2)', 'fact("heads", 2)\nfact("new", 1)')
    (problem,) = book.judge("[1](fact:a/one.new)")
    assert problem.message == "a/one has no recorded fact 'new'"
    assert problem.fix == "python -m drift update --only a/one"
    (problem,) = written.judge("[1](fact:a/one.new)")
    assert problem.fix is None


def test_check_unbound_number_shows_its_sentence(written) -> None:
    """The text around the number, without the targets of quotes, tells which one is meant."""
    (problem,) = written.judge("Of [9,216](fact:a/one.total) there are 41.")
    assert problem.got == "Of [9,216] there are 41."
    assert problem.expected == "[41](fact:chapter/snippet.name), or '41' with a reason under literals"


def test_check_long_line_is_shortened(written) -> None:
    """A sentence of any length makes a problem of one line."""
    (problem,) = written.judge("word " * 100 + "41")
    assert problem.got is not None
    assert len(problem.got) <= 100
    assert "41" in problem.got
    assert problem.got.startswith("...")


@pytest.mark.parametrize(
    ("declared", "text", "ok"),
    [
        ("41", "41", True),
        ("41", "−41", False),
        ("-41", "−41", True),
        ("−41", "-41", True),
        ("41", "41.0", False),
        ("0.5", "`0.5`", True),
        ("0.5", "$0.5$", True),
        ("9,000", "9,000", True),
        ("9000", "9,000", False),
        ("10⁸", "10⁸", True),
        ("10", "10⁸", False),
        ("4", "41", False),
        ("41", "41 %", False),
        ("2017", "[Vaswani et al. (2017)](https://a.org)", False),
    ],
)
def test_check_literal_covers_its_own_text_only(written, declared: str, text: str, ok: bool) -> None:
    """A declaration holds for the number as written, and has to be used."""
    problems = written.judge(f"---\nliterals:\n  {declared}: why\n---\n\n{text}\n")
    assert (problems == []) is ok, problems


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("`0.93214`", []),
        ("$0.93214$", []),
        ("`0.9321`", ["a decimal in inline code that nothing near it shows"]),
        ("$-0.93214$", ["a decimal in math that nothing near it shows"]),
        ("`0.932`", ["a decimal in inline code that nothing near it shows"]),
    ],
)
def test_check_decimal_in_code_or_math_needs_an_output(written, text: str, messages: list[str]) -> None:
    """The whole number has to stand in an output or, for code, in code that the page shows."""
    assert [m for _, m in said(written, f"{BOTH}\n{text}\n")] == messages
    assert len(said(written, text)) == 1


def test_check_decimal_in_math_is_not_proved_by_code(book) -> None:
    """Code that sets a value has not computed it."""
    book.edit("snippets/a/one.py", 'print("share", share)', "print()")
    book.drift("update")
    code = BOTH.split("\n\n")[0]
    assert said(book, f"{code}\n\n`0.93214`") == []
    assert [m for _, m in said(book, f"{code}\n\n$0.93214$")] == ["a decimal in math that nothing near it shows"]


def test_check_output_without_its_code_is_allowed(written) -> None:
    """A page may show an output alone."""
    assert written.judge('```text\n--8<-- "a/one.out:count"\n```\n') == []


@pytest.mark.parametrize("language", ["pycon", "py3", "ipython", "numpy", "pyi", "python2", "cython"])
def test_check_other_names_of_python_are_refused(written, language: str) -> None:
    """What the highlighter colours as Python was executed, or says why not."""
    assert said(written, f"```{language}\nx\n```") == [(1, f"a {language} fence is not executed")]
    assert said(written, f'```{{.{language} notest="why"}}\nx\n```') == []


@pytest.mark.parametrize("language", ["bash", "yaml", "markdown", "toml", "html"])
def test_check_other_languages_are_free(written, language: str) -> None:
    """Commands and settings are no outputs of a snippet."""
    assert said(written, f"```{language}\nx 41\n```") == []


def test_check_sections_of_two_snippets_may_alternate(book) -> None:
    """Order matters within a snippet only."""
    book.write("snippets/a/two.py", "# --8<-- [start:x]\ny = 1\n# --8<-- [end:x]\n")
    one, two = (f'```python\n--8<-- "a/{ref}"\n```\n' for ref in ("one.py:count", "two.py:x"))
    more = one.replace("count", "more")
    assert said(book, f"{one}\n{two}\n{more}") == []
    assert [line for line, _ in said(book, f"{two}\n{more}\n{one}")] == [10, 6]


def test_check_name_of_another_snippet_is_not_at_hand(book) -> None:
    """Each file runs by itself, so its code needs its own names."""
    book.write("snippets/a/two.py", "# --8<-- [start:x]\nprint(share)\n# --8<-- [end:x]\n")
    text = '```python\n--8<-- "a/one.py:count"\n```\n\n```python\n--8<-- "a/two.py:x"\n```\n'
    assert said(book, text) == [(6, "section 'x' uses 'share', which no code shown before it on this page defines")]


def test_check_code_that_is_not_run_needs_no_names(written) -> None:
    """A fence that says why it is not executed is not part of what is copied."""
    assert written.judge('```{.python notest="part of the code"}\n--8<-- "a/one.py:more"\n```\n') == []


def test_check_figure_of_another_hand_is_named(book) -> None:
    """A picture in the figures' folder that no snippet made shows numbers that nobody checks."""
    book.write("docs/assets/figures/a/hand.svg", "<svg/>")
    assert said(book, "![A](assets/figures/a/hand.svg)") == [
        (1, "docs/assets/figures/a/hand.svg was not made by a snippet")
    ]


def test_check_figure_from_elsewhere_is_free(book) -> None:
    """A drawing outside of that folder is the author's own."""
    book.write("docs/assets/logo.svg", "<svg/>")
    assert book.judge("![A](assets/logo.svg)") == []


def test_check_many_snippets_name_the_nearest(book) -> None:
    """Of many names those that look alike are offered."""
    for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"):
        book.write(f"snippets/a/{name}.py", "x = 1\n")
    (problem,) = book.judge("[1](fact:a/gama.x)")
    assert problem.expected is not None
    assert problem.expected.startswith("one of: a/gamma")
    assert "epsilon" not in problem.expected


def test_check_digits_finer_than_the_tolerance(book) -> None:
    """A quote shows what a fresh run may not change, says that it is rough, or shows the tolerance."""
    book.edit(
        "snippets/a/one.facts.json", '{"value": 0.93214, "line": 10}', '{"value": 0.93214, "tol": 0.02, "line": 10}'
    )
    (problem,) = book.judge("It is [0.93](fact:a/one.share).\n")
    assert problem.message == "digits that the fact does not hold: a/one.share may move by 0.02"
    assert (problem.expected, problem.got) == ("0.9, or 0.93 ± 0.02", "0.93")
    for text in ("[0.9](fact:a/one.share)", "[0.93 ± 0.02](fact:a/one.share)", "about [93 ± 2 %](fact:a/one.share)"):
        assert book.judge(f"It is {text}.\n") == []
    book.edit("snippets/a/one.facts.json", '"tol": 0.02', '"tol": 0.1')
    assert book.judge("It is [0.9](fact:a/one.share).\n")
    assert book.judge("It is about [0.9](fact:a/one.share).\n") == []


SHOWN = [
    "![A bar](assets/x.png)",
    "![A bar](<assets/x.png> 'a title')",
    "![A bar][bar]\n\n[bar]: assets/x.png",
    "![A [0.93](fact:a/one.share) bar](assets/x.png){width=5}",
    "![](https://example.org/badge)",
    "![](https://img.shields.io/badge/speed.svg)",
    "![](data:image/png;base64,AAAA)",
    '<img src="assets/x.png" alt="A bar">',
    "<img alt='A bar' src=assets/x.webp>",
    '<picture><source srcset="assets/x.avif"></picture>',
    '<iframe src="https://example.org/plot"></iframe>',
    '<object data="assets/plot.svg"></object>',
    '<embed src="assets/x.gif">',
    '<video poster="assets/x.jpg"></video>',
    "![](assets/plot.svg)",
]


@pytest.mark.parametrize("text", SHOWN)
def test_check_picture_that_no_snippet_made(book, text: str) -> None:
    """Whatever shows a picture needs a snippet or a reason, however it is written."""
    book.write("docs/assets/plot.svg", '<svg xmlns="http://www.w3.org/2000/svg"><text>41</text></svg>')
    (problem,) = book.judge(f"text\n\n{text}\n")
    assert (problem.place.line, problem.message) == (3, "a picture that no snippet made, whose numbers nobody checks")
    reason = f'---\npictures:\n  "{problem.got}": a drawing by hand\n---\n\n'
    assert book.judge(f"{reason}{text}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "![A bar](assets/figures/a/bar.svg)",
        '<img src="assets/figures/a/bar.svg" alt="A bar">',
        "![](assets/line.svg)",
        "[a link](assets/x.png)",
        "`![A bar](assets/x.png)`",
        "```markdown\n![A bar](assets/x.png)\n```",
        "<!-- ![A bar](assets/x.png) -->",
        "\\![A bar] (assets/x.png)",
    ],
)
def test_check_picture_that_needs_no_reason(book, text: str) -> None:
    """A snippet's figure, a drawing without a word, and what is no picture."""
    book.write("docs/assets/line.svg", '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0 L5 5"/></svg>')
    assert book.judge(f"{text}\n") == []


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("pictures:\n  a.png: why", "a reason for the picture 'a.png', which this page does not show"),
        ("pictures:\n  a.png:", "pictures: expected addresses and reasons"),
        ("pictures: [a.png]", "pictures: expected addresses and reasons"),
    ],
)
def test_check_reason_for_no_picture(book, front: str, message: str) -> None:
    """A declaration that declares nothing is named."""
    assert [problem.message for problem in book.judge(f"---\n{front}\n---\n\ntext\n")] == [message]


@pytest.mark.parametrize("target", ["x" * 5000 + ".svg", "assets/loop.svg", "\0.svg"])
def test_check_picture_with_a_name_that_no_file_can_have(book, target: str) -> None:
    """A name that is too long, and a link in a circle, are findings."""
    (book.root / "docs/assets/loop.svg").symlink_to("loop.svg")
    assert any("no file" in problem.message for problem in book.judge(f"![a]({target})\n"))
