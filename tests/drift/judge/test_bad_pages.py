"""What an author can get wrong in a page: `check` names the file and the line, and writes nothing."""

import pytest

PYTHON = '```python\n--8<-- "a/one.py:count"\n```'

# Text added to the page; the line of it (from 0) that has to be named; what has to be said.
ADDED = {
    "unknown snippet": ("[1](fact:a/onee.share)", 0, ["no snippet 'a/onee'", "one of: a/one"]),
    "unknown fact": ("[1](fact:a/one.shar)", 0, ["a/one has no recorded fact 'shar'", "one of: share"]),
    "fact in a folder that does not exist": ("[1](fact:one.share)", 0, ["no snippet 'one'", "one of: a/one"]),
    "included snippet that does not exist": (PYTHON.replace("one", "two"), 1, ["no snippet 'a/two'", "one of: a/one"]),
    "section that does not exist": (
        PYTHON.replace("count", "counts"),
        1,
        ["snippets/a/one.py has no section 'counts'", "expected one of: count", "made in  snippets/a/one.py"],
    ),
    "include with a trailing space": (
        '```text\n--8<-- "a/one.out:count" \n```',
        1,
        ["an include that MkDocs would show as text", "with nothing after the quotes", "count\" '"],
    ),
    "include with one quote": ('```text\n--8<-- "a/one.out:count\n```', 1, ["that MkDocs would show as text"]),
    "include by line numbers": ('```python\n--8<-- "a/one.py:1:3"\n```', 1, ["a file and a section", "a/one.py:1:3"]),
    "include of a whole file": ('```python\n--8<-- "a/one.py"\n```', 1, ["hidden code", "a/one.py:section"]),
    "include of another kind of file": ('```text\n--8<-- "a/one.facts.json"\n```', 1, ["(.py)", "(.out)"]),
    "include in prose": ('--8<-- "a/one.out:count"', 0, ["an include outside a fence"]),
    "include in a quote in prose": ('> --8<-- "a/one.out:count"', 0, ["that MkDocs would show as text"]),
    "block include": ("--8<--\na/one.out\n--8<--", 0, ["that MkDocs would show as text"]),
    "output in a python fence": ('```python\n--8<-- "a/one.out:count"\n```', 1, ["expected a/one.py", "a/one.out"]),
    "code in a text fence": ('```text\n--8<-- "a/one.py:count"\n```', 1, ["expected a/one.out", "a/one.py"]),
    "code typed into the page": ("```python\nx = 1\n```", 1, ["nobody collects it", "got      x = 1"]),
    "code typed with another name for Python": ("```py\nx = 1\n```", 1, ["nobody collects it"]),
    "code beside an include": (f"{PYTHON[:-3]}x = 1\n```", 2, ["nobody collects it", "x = 1"]),
    "code in a tab": ('=== "A"\n\n    ```python\n    x = 1\n    ```', 3, ["nobody collects it", "x = 1"]),
    "code in a box": ("!!! note\n\n    ```python\n    x = 1\n    ```", 3, ["nobody collects it"]),
    "code in a list": ("- a\n\n    ```python\n    x = 1\n    ```", 3, ["nobody collects it"]),
    "code in a block quote": ("> ```python\n> x = 1\n> ```", 1, ["nobody collects it"]),
    "code in a block quote without spaces": (">```python\n>x = 1\n>```", 1, ["nobody collects it"]),
    "code between tildes": ("~~~python\nx = 1\n~~~", 1, ["nobody collects it"]),
    "code that only looks like another language": ("```python {.console}\nx = 1\n```", 1, ["nobody collects it"]),
    "code whose language has a dot": ("```.python\nx = 1\n```", 1, ["nobody collects it"]),
    "a session": ("```pycon\n>>> 1 + 1\n```", 0, ["a pycon fence is not executed", "a snippet and its output"]),
    "code by indentation": ("    x = 1", 0, ["code by indentation alone", "a fence"]),
    "fence behind a list mark": ('- ```python\n  --8<-- "a/one.py:count"\n  ```', 0, ["behind a list mark"]),
    "fence with an option the site does not know": (PYTHON.replace("python", "python notest"), 0, ["has to say why"]),
    "fence with a head the site does not know": (PYTHON.replace("python", "python x=3"), 0, ["head", "x=3"]),
    "fence indented like code": ("    ```bash\n    ls\n    ```", 0, ["a fence indented like code"]),
    "line left of its fence": ("- a\n\n    ```bash\n  ls\n    ```", 3, ["a line left of its fence"]),
    "fence that is never closed": ("```bash\nls", 0, ["a fence that is never closed"]),
    "fence closed by a longer mark": ("```bash\nls\n````", 0, ["a fence that is never closed"]),
    "empty python fence": ("```python\n```", 0, ["an empty Python fence"]),
    "output typed into the page": ("```text\n0.93\n```", 1, ["nobody printed it", "got      0.93"]),
    "output typed into a fence of no language": ("```\n0.93\n```", 1, ["nobody printed it"]),
    "output typed into a plain fence": ("```plaintext\n0.93\n```", 1, ["nobody printed it"]),
    "fence not run without a reason": ("```{.python notest}\nx = 1\n```", 0, ["has to say why", 'notest="why"']),
    "fence not run for an empty reason": ('```{.python notest=" "}\nx = 1\n```', 0, ["has to say why"]),
    "section shown twice": (PYTHON, 1, ["section 'count' is shown", "snippets/a/one.py:2"]),
    "quote with a title": ('[9,216](fact:a/one.total "t")', 0, ["a quote that is not understood"]),
    "quote as a reference": ("[9,216][t]\n\n[t]: fact:a/one.total", 2, ["a quote that is not understood"]),
    "quote as an address": ("<fact:a/one.total>", 0, ["a quote that is not understood"]),
    "quote in HTML": ('<a href="fact:a/one.total">many</a>', 0, ["a quote that is not understood"]),
    "quote in math": (
        "$x = [9,216](fact:a/one.total)$",
        0,
        ["a quote that is not understood", "outside code and math"],
    ),
    "quote cut by code": ("[9,216` a](fact:a/one.total) b`", 0, ["a quote that is not understood"]),
    "quote behind a minus": ("−[0.5](fact:a/one.loss)", 0, ["a sign, a digit or a unit beside it"]),
    "quote behind digits": (
        "1[0.9321](fact:a/one.share)",
        0,
        ["a sign, a digit or a unit beside it", "got      1[0.9321]"],
    ),
    "quote before digits": ("[0.9321](fact:a/one.share)5", 0, ["a sign, a digit or a unit beside it"]),
    "quote before a power": ("[0.9321](fact:a/one.share)⁸", 0, ["a sign, a digit or a unit beside it"]),
    "quote before a unit": ("[0.9321](fact:a/one.share) %", 0, ["a sign, a digit or a unit beside it", "unit inside"]),
    "quote before a large unit": ("[4.3](fact:a/one.total)\nmillion", 0, ["a sign, a digit or a unit beside it"]),
    "quote before a power of ten": ("[2](fact:a/one.heads) × 10^8", 0, ["a sign, a digit or a unit beside it"]),
    "two quotes swapped": (
        "[9,216](fact:a/one.share) and [0.93](fact:a/one.total)",
        0,
        ["a/one.share is 0.93214", "expected 1", "a/one.total is 9216", "expected 9216.00", "got      0.93"],
    ),
    "one digit": ("[0.9322](fact:a/one.share)", 0, ["a/one.share is 0.93214", "expected 0.9321", "got      0.9322"]),
    "one digit more": ("[0.93210](fact:a/one.share)", 0, ["expected 0.93214"]),
    "thousands in the wrong place": ("[92,16](fact:a/one.total)", 0, ["expected 9216", "got      92,16"]),
    "percent that is not": ("[93.2](fact:a/one.share)", 0, ["expected 0.9"]),
    "power of ten": ("[9.3 × 10^3](fact:a/one.total)", 0, ["expected 9.2 × 10^3"]),
    "sign": ("[0.5](fact:a/one.loss)", 0, ["a/one.loss is -0.5", "expected −0.5", "got      0.5"]),
    "word": ("[king](fact:a/one.word)", 0, ["a/one.word is queen", "expected queen", "got      king"]),
    "number word": ("[three](fact:a/one.heads)", 0, ["a/one.heads is 2", "expected two", "got      three"]),
    "number over two lines": ("[4.4\nGB](fact:a/one.size)", 0, ["a/one.size is 4300000000", "expected 4.3 GB"]),
    "decimal in code": ("the key `0.41`", 0, ["a decimal in inline code that nothing near it shows", "0.41"]),
    "decimal in math": ("the key $x = 0.41$", 0, ["a decimal in math that nothing near it shows"]),
    "whole number in code": (
        "the key `range(41)`",
        0,
        ["a whole number in inline code that nothing near it shows", "41"],
    ),
    "whole number in math": ("the key $x_{41}$", 0, ["a whole number in math that nothing near it shows", "41"]),
    "decimal in display math": ("$$\nx = 0.41\n$$", 1, ["a decimal in math that nothing near it shows"]),
    "lonely backtick": ("a ` b", 0, ["` without a partner", "\\`"]),
    "lonely dollar": ("it costs $5", 0, ["$ without a partner", "\\$"]),
    "display math inside a paragraph": ("so\n$$\nx\n$$", 1, ["$$ without a partner", "a paragraph of its own"]),
    "Markdown in HTML": ("<div>\n`x`\n</div>", 1, ["Markdown inside <div>", "<div markdown>"]),
    "digit as an entity": ("a &#52;1", 0, ["as an entity", "got      &#52;"]),
    "figure that does not exist": ("![no](assets/figures/a/no.svg)", 0, ["no file docs/assets/figures/a/no.svg"]),
    "control character": ("a\x0cb", 0, ["a control character", "'\\x0c'"]),
    "carriage return": ("a\rb", 0, ["a control character", "'\\r'"]),
}


@pytest.mark.parametrize("name", ADDED)
def test_check_bad_text_is_named_with_its_line(book, name: str) -> None:
    """Each mistake is reported at the line it stands on, with what is expected, and no file changes."""
    text, line, said = ADDED[name]
    begins = book.add(text)
    report = book.refused()
    assert f"docs/a.md:{begins + line}  " in report
    for part in said:
        assert part in report


# Every place of a page that can hold a number, with an unbound 41 on the given line.
PLACES = {
    "sentence": ("There are 41 of them.", 0),
    "table cell": ("| a | b |\n| --- | --- |\n| x | 41 |", 2),
    "table head": ("| a | 41 |\n| --- | --- |\n| x | y |", 0),
    "table cell without borders": ("a | b\n--- | ---\n41 | x", 2),
    "caption": ("![x](assets/figures/a/bar.svg)\n\n*The bar reaches 41.*", 2),
    "alt text": ("![A bar up to 41.](assets/figures/a/bar.svg)", 0),
    "title of an image": ('![A bar](assets/figures/a/bar.svg "up to 41")', 0),
    "heading": ("## The bar reaches 41", 0),
    "heading that begins with a number": ("## 41 bars", 0),
    "underlined heading": ("The bar reaches 41\n---", 0),
    "box": ("!!! note\n    It is 41.", 1),
    "title of a box": ('!!! note "It is 41"\n    Yes.', 0),
    "folded box": ('??? note "It is"\n    This is 41.', 1),
    "tab": ('=== "A"\n\n    It is 41.', 2),
    "title of a tab": ('=== "Up to 41"\n\n    Yes.', 0),
    "list": ("- a\n- of 41", 1),
    "numbered list": ("1. of 41", 0),
    "nested list": ("- a\n    - b\n        - of 41", 2),
    "number that looks like a list's in a paragraph": ("The number is\n41. That is all.", 1),
    "number with a bracket, which makes no list": ("41) of them", 0),
    "footnote": ("A[^1].\n\n[^1]: Of 41.", 2),
    "block quote": ("> It is 41.", 0),
    "continued block quote": ("> It is\nthen 41.", 1),
    "definition list": ("Bar\n:   It is 41.", 1),
    "block of HTML": ("<div>\nIt is 41.\n</div>", 1),
    "row of an HTML table": ("<table><tr><td>41</td></tr></table>", 0),
    "inline HTML": ("a <b>41</b>", 0),
    "tooltip": ('<abbr title="41 bars">bars</abbr>', 0),
    "image in HTML": ('<img src="assets/figures/a/bar.svg" alt="up to 41">', 0),
    "image in HTML without quotes": ("<img alt=41>", 0),
    "unknown attribute": ('<meter value="41"></meter>', 0),
    "text of a link": ("[a bar of 41](https://example.org/)", 0),
    "title of a link": ('[a](https://example.org/ "41 bars")', 0),
    "title of a reference": ('[a][b]\n\n[b]: https://example.org/ "41 bars"', 2),
    "label that is not defined": ("[a][41]", 0),
    "definition that is none": ("[41]: not an address", 0),
    "address that is none": ("[a](41 bars)", 0),
    "escaped link": ("\\[a\\](41)", 0),
    "bold": ("**41** bars", 0),
    "italic": ("*41* bars", 0),
    "bold with underscores": ("__41__ bars", 0),
    "italic with underscores": ("_41_ bars", 0),
    "behind an underscore": ("bars_41_x", 0),
    "strange braces": ("a {.x 41} b", 0),
    "attributes in a sentence": ("a {width=41} b", 0),
    "attributes on a line of their own": ("{width=41}", 0),
    "between angles": ("3a < 41 and 41 > b", 0),
    "in a comment that the site shows": ("a <!-- b\n\n41 --> c", 2),
    "between comments": ("<!-- a --> 41 <!-- b -->", 0),
    "between comments in code": ("`<!--` 41 `-->`", 0),
    "behind an empty comment": ("<!--> 41 -->", 0),
    "between dollars": ("\\$5a to 41\\$", 0),
    "between escaped backticks": ("\\`41\\`", 0),
    "caption of a fence": ('```bash title="all 41"\nls\n```', 0),
    "reason of a fence": ('```{.python notest="takes 41 lines"}\nx\n```', 0),
    "year of no citation": ("a length (with 2048, 41)", 0),
    "measured in something": ("41% or 41× or 41d", 0),
    "behind x": ("x41 faster", 0),
    "size": ("7x41 bars", 0),
    "ordinal": ("the 41st bar", 0),
    "range": ("7–41 bars", 0),
    "fraction": ("7/41", 0),
    "negative": ("−41", 0),
    "exponent": ("7^41", 0),
}


@pytest.mark.parametrize("place", PLACES)
def test_check_number_without_fact_is_named_wherever_it_stands(book, place: str) -> None:
    """A number that nothing binds is an error in every place that a reader sees."""
    text, line = PLACES[place]
    begins = book.add(text)
    report = book.refused()
    assert f"docs/a.md:{begins + line}  a number with no fact" in report
    assert "41](fact:chapter/snippet.name), or '" in report


FORMS = [
    *("0.41", ".41", "41.", "-41", "+41", "1e-41", "4.1e5", "1_041", "1.041,5", "1,041", "41 %", "½", "¾ of", "Ⅷ", "①"),
    *("٤١", "４１", "10⁴¹", "4⁻¹", "0x41", "v0.41", "torch 0.41", "version 0.41", "n=41", "(41)", "#41"),
    *("Fig. 41", "et al. 41", "(2041)", "(in 2017)", "1.000.000", "a 2017 paper", "4 1", "41\u200b", "0.4\u00ad1"),
]


@pytest.mark.parametrize("form", FORMS)
def test_check_number_without_fact_is_named_in_every_form(book, form: str) -> None:
    """However a number is written, it is seen."""
    line = book.add(f"The value is {form} here.")
    assert f"docs/a.md:{line}  a number with no fact" in book.refused()


FREE = [
    *("1. One\n2. Two\n3. Last", "> 1. One\n> 2. Two", "- a\n\n    1. One", "!!! note\n    1. One", "* 1. One"),
    *(
        "## 1. One\n\n## 2. Two",
        "## 1. One\n\n### 1.1. Two",
        "(Vaswani et al., 2017), [A](https://a.org)",
        "[Vaswani et al. (2017)](https://a.org)",
        "(Shazeer, 2019a)\n\n- Shazeer (2019), [A](https://a.org)",
    ),
    *("[Bahdanau, Cho and Bengio (2014)](https://a.org)", "CC BY 4.0"),
    *("float32, bf16 and B10", "<https://example.org/41>", "https://example.org/0.41", "[a](b41.html)"),
    *("[a][b4]\n\n[b4]: https://example.org/41", "A[^41].\n\n[^41]: Note.", "`range(2)`", "$x_{2}$", "x² and x₄"),
    *("![x](assets/figures/a/bar.svg){width=41}", "## Part {#part-41}", "<!-- 41 -->", "a\n<!--\n41\n\n41\n-->\n"),
    *('<p style="width: 41px">a</p>', "`0.93214`", "$0.93214$", "```bash\nsleep 41\n```", "\\$ and \\`", "Use `$x`."),
    *('```{.python title="some" notest="needs a GPU"}\nx = 41\n```', "````markdown\n```python\nx = 41\n```\n````"),
    *("> [0.9321](fact:a/one.share)", "a **[0.9321](fact:a/one.share)**", "a-[2](fact:a/one.heads) b"),
    *("`[1](fact:a/one.gone)`", "[0.93](fact:a/one.share)−[0.93](fact:a/one.share)", "x − [0.93](fact:a/one.share)."),
]


@pytest.mark.parametrize("text", FREE)
def test_check_text_that_needs_nothing_passes(book, text: str) -> None:
    """List numbers, citations, versions, identifiers, addresses and whole numbers in code need no fact."""
    book.add(text)
    ran = book.drift("check")
    assert ran.code == 0, ran.out
