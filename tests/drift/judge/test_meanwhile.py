"""The files that were judged are those that are there."""

import pytest

PAGE, OUT, CODE = "docs/a.md", "snippets/a/one.out", "snippets/a/one.py"

WRITES = {
    "page": ("docs/a.md", "open({path!r}, 'a').write('more')"),
    "record": ("snippets/a/two.out", "open({path!r}, 'w').write('more')"),
    "figure": ("docs/assets/figures/a/bar.svg", "import pathlib; pathlib.Path({path!r}).write_text('<svg/>')"),
    "removed": ("snippets/a/one.facts.json", "import os; os.remove({path!r})"),
    "renamed": ("docs/b.md", "import os; open('x', 'w').close(); os.rename('x', {path!r})"),
    "linked": ("docs/b.md", "import os; os.symlink('/dev/null', {path!r})"),
    "folder": ("docs/new", "import os; os.mkdir({path!r})"),
    "copied": ("docs/b.md", "import shutil; open('x', 'w').close(); shutil.copy('x', {path!r})"),
    "by_descriptor": ("docs/b.md", "import os; os.close(os.open({path!r}, os.O_WRONLY | os.O_CREAT))"),
}


@pytest.mark.parametrize("name", WRITES)
def test_snippet_that_writes_into_the_site_is_refused(book, name: str) -> None:
    """What it writes would be published without having been judged."""
    path, code = WRITES[name]
    line = book.read(CODE).count("\n") + 1
    full = str(book.root / path)
    book.write(CODE, book.read(CODE) + code.format(path=full) + "\n")
    ran = book.drift("check")
    assert ran.code == 1
    assert f"snippets/a/one.py:{line}  writes {path}, which belongs to the site" in ran.out


def test_file_that_changes_while_the_check_runs_is_reported(book) -> None:
    """A program that a snippet starts writes unseen, and so does an author: check again."""
    page = book.root / PAGE
    book.write(CODE, book.read(CODE) + f"import os\n_ = os.system('echo more >> {page}')\n")
    ran = book.drift("check")
    assert ran.code == 1
    assert "docs/a.md  changed while the check ran, so what was judged is not what is there" in ran.out


def test_site_that_stays_as_it_is_agrees(book) -> None:
    """Records that are rewritten before the check starts do not count."""
    book.write(OUT, book.read(OUT))
    assert book.drift("check").code == 0
