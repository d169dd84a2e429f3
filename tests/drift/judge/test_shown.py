"""What a page shows of snippets."""

import pytest
from authoring import Book

INCLUDED = '```python\n--8<-- "a/one.py:count"\n```\n\n```text\n--8<-- "a/one.out:count"\n```\n'


@pytest.mark.parametrize(
    "lang",
    [
        *(
            "log",
            "csv",
            "ansi",
            "result",
            "console",
            "json",
            "diff",
            "xml",
            "svg",
            "mermaid",
            "stdout",
            "tsv",
            "dump",
            "yamll",
        ),
        *("{.log}", '{.csv title="a"}', "results", "term", "shell-session"),
    ],
)
def test_check_numbers_in_a_fence_that_may_be_an_output(written: Book, lang: str) -> None:
    """What nobody knows to be source has no number of its own, unless it says why."""
    (problem,) = written.judge(f"text\n\n```{lang}\nname\n0.93 of 7\n```\n")
    assert "which may be an output that nobody printed" in problem.message
    assert (problem.place.line, problem.got) == (5, "0.93 of 7")
    assert written.judge(f"```{lang}\nname float32\n```\n") == []


@pytest.mark.parametrize("lang", ["log", "csv", "console"])
def test_check_numbers_in_a_fence_with_a_reason(written: Book, lang: str) -> None:
    """A reason is enough, and none is not."""
    assert written.judge(f'```{{.{lang} notest="a file that readers have"}}\n0.93\n```\n') == []
    assert written.judge(f"```{{.{lang} notest}}\n0.93\n```\n")


@pytest.mark.parametrize("lang", ["bash", "yaml", "toml", "markdown", "html", "js"])
def test_check_numbers_in_source_are_free(written: Book, lang: str) -> None:
    """Commands and configuration are typed by their nature."""
    assert written.judge(f"```{lang}\nsleep 7\n```\n") == []


@pytest.mark.parametrize("lang", ["python3.11", "python3.12", "py3.11", "ipython", "pycon", "python2.7", "ipy3", "py3"])
def test_check_other_names_for_python_are_refused(written: Book, lang: str) -> None:
    """A fence that looks like Python is executed, or is none."""
    (problem, *_) = written.judge(f"```{lang}\nx = 1\n```\n")
    assert problem.message == f"a {lang} fence is not executed"


OUTPUTS = [
    ("```", "```"),
    ("  ```  ", "```"),
    ("> ```", "```"),
    ("~~~", "~~~"),
    ("````", "````"),
]


@pytest.mark.parametrize(("line", "mark"), OUTPUTS)
def test_check_output_that_would_end_its_fence(book: Book, line: str, mark: str) -> None:
    """A line like the fence's own mark is refused, and a longer mark shows it."""
    printed(book, line)
    page = INCLUDED.replace("```text", f"{mark}text").replace('count"\n```\n', f'count"\n{mark}\n')
    page = page.replace(f'py:count"\n{mark}', 'py:count"\n```')
    (problem,) = book.judge(page)
    assert problem.message == "the output holds the mark that ends its fence"
    assert problem.expected == f"a longer fence, {mark + mark[0]}"
    assert str(problem.source) == "snippets/a/one.out:4"
    longer = mark + mark[0]
    assert (
        book.judge(page.replace(f"{mark}text", f"{longer}text").replace(f'out:count"\n{mark}', f'out:count"\n{longer}'))
        == []
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('--8<-- "a/one.py:count"', "the output holds what the site takes for an include"),
        ('-8<- "a/one.py:count"', "the output holds what the site takes for an include"),
        (';--8<-- "a/one.py:count"', "the output holds what the site takes for an include"),
        ("--8<--", "the output holds what the site takes for an include"),
        ("# ----8<---- [start:x]", "the output holds what the site takes for an include"),
        ("a\tb", "the output holds a tab, which the site shows as spaces"),
        ("\ta", "the output holds a tab, which the site shows as spaces"),
        ("a\x0cb", r"the output holds '\x0c'"),
        ("\x1b[31mred\x1b[0m", r"the output holds '\x1b'"),
        ("a\x02b", r"the output holds '\x02'"),
        ("a\u2028b", r"the output holds '\u2028'"),
        ("a\x85b", r"the output holds '\x85'"),
    ],
)
def test_check_output_that_is_not_shown_as_printed(book: Book, line: str, message: str) -> None:
    """What Markdown would make something else of is refused by name, at its line of the record."""
    printed(book, line)
    (problem,) = book.judge(INCLUDED)
    assert (problem.message, problem.got) == (message, ascii(line))
    assert str(problem.source) == "snippets/a/one.out:4"


@pytest.mark.parametrize(
    "line",
    ["`` ` ``", "``` python", "x ```", "# A heading", "- [1](a.md)", "<b>41</b>", "&nbsp;", "8<", "-8 < -", "ü → ½ 三"],
)
def test_check_output_that_only_resembles_markdown(book: Book, line: str) -> None:
    """A fence shows everything else as it is."""
    printed(book, line)
    assert book.judge(INCLUDED) == []


@pytest.mark.parametrize("line", ['x = """\n```\n"""', 'x = "a\tb"', 'x = "\x0c"', "if total:\n\tx = 1"])
def test_check_code_that_is_not_shown_as_written(book: Book, line: str) -> None:
    """Shown code is held in the same way, since readers copy it."""
    book.edit("snippets/a/one.py", 'print("share", share)', line)
    (problem,) = [p for p in book.judge(INCLUDED) if p.message.startswith("the code holds")]
    assert str(problem.source).startswith("snippets/a/one.py:")


def printed(book: Book, line: str) -> None:
    """Let the recorded output of the section hold one more line."""
    book.edit("snippets/a/one.out", "share 0.93214\n", f"share 0.93214\n{line}\n")
