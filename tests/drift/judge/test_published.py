"""What reaches readers beside the pages."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from authoring import Book

SETTINGS = "site_name: A site\nnav:\n  - Home: a.md\n"


def settings(text: str) -> Callable[[Book], None]:
    return lambda book: book.write("mkdocs.yml", SETTINGS + text) and None


def link(path: str, to: str) -> Callable[[Book], None]:
    def make(book: Book) -> None:
        book.write("other/b.md", "41 things\n")
        (book.root / path).parent.mkdir(parents=True, exist_ok=True)
        (book.root / path).symlink_to(to)

    return make


def file(path: str, text: str = "41") -> Callable[[Book], None]:
    return lambda book: book.write("mkdocs.yml", SETTINGS) and book.write(path, text) and None


UNREAD = {
    # folders and links
    "linked folder": (link("docs/more", "../other"), "docs/more", "a link to a folder, whose files nobody checks"),
    "linked folder below": (
        link("docs/x/more", "../../other"),
        "docs/x/more",
        "a link to a folder, whose files nobody",
    ),
    "link in a circle": (link("docs/more", "."), "docs/more", "a link to a folder, whose files nobody checks"),
    "link to itself": (link("docs/more", "more"), "docs/more", "a link to nothing"),
    "link to nothing": (link("docs/b.md", "gone.md"), "docs/b.md", "a link to nothing"),
    "linked snippets": (link("snippets/more", "../other"), "snippets/more", "a link to a folder, whose files nobody"),
    "another folder": (settings("docs_dir: pages\n"), "mkdocs.yml:4", "MkDocs publishes another folder than the one"),
    "a folder by tag": (settings("docs_dir: !ENV [X, docs]\n"), "mkdocs.yml:4", "MkDocs publishes another folder"),
    "settings elsewhere": (settings("INHERIT: ../b.yml\n"), "mkdocs.yml:4", "settings from another file"),
    # files
    "notebook": (file("docs/labs/zz.ipynb"), "docs/labs/zz.ipynb", "a file that the site publishes and nobody checks"),
    "raw html": (file("docs/raw.html"), "docs/raw.html", "a file that the site publishes and nobody checks"),
    "text": (file("docs/raw.txt"), "docs/raw.txt", "a file that the site publishes and nobody checks"),
    "table": (file("docs/a/data.csv"), "docs/a/data.csv", "a file that the site publishes and nobody checks"),
    "pdf": (file("docs/a/a.PDF"), "docs/a/a.PDF", "a file that the site publishes and nobody checks"),
    "data": (file("docs/assets/x.json"), "docs/assets/x.json", "a file that the site publishes and nobody checks"),
    "no ending": (file("docs/RESULTS"), "docs/RESULTS", "a file that the site publishes and nobody checks"),
    "picture": (file("docs/assets/x.png"), "docs/assets/x.png", "a picture that the site publishes and no page shows"),
    "hidden": (
        lambda book: (
            book.write("mkdocs.yml", SETTINGS + "exclude_docs: |\n  !.b.md\n") and book.write("docs/.b.md", "41")
        ),
        "docs/.b.md",
        "a hidden file that exclude_docs publishes and nobody checks",
    ),
    "reason for no file": (
        settings("extra: {drift: {files: {gone.txt: why}}}\n"),
        "mkdocs.yml:4",
        "a reason for 'gone.txt', which is not there or needs none",
    ),
    # texts
    "title": (settings("  - 41 things: a.md\n"), "mkdocs.yml:4", "a number with no fact"),
    "section title": (settings("  - Part:\n    - 41 things: a.md\n"), "mkdocs.yml:5", "a number with no fact"),
    "number of a page": (settings('  - "Lab 2: a": a.md\n'), "mkdocs.yml:4", "a number with no fact"),
    "copyright": (settings("copyright: 41 people\n"), "mkdocs.yml:4", "a number with no fact"),
    "description": (settings("site_description: >\n  All of\n  41 people\n"), "mkdocs.yml:4", "a number with no fact"),
    "author": (settings("site_author: A41 and 41\n"), "mkdocs.yml:4", "a number with no fact"),
    "name": (lambda book: book.write("mkdocs.yml", "site_name: 41\n"), "mkdocs.yml:1", "a number with no fact"),
    "extra": (settings("extra:\n  note: There are 41.\n"), "mkdocs.yml:5", "a number with no fact"),
    "title of a plugin": (
        settings("plugins:\n  - drift:\n      index_title: All 41\n"),
        "mkdocs.yml:6",
        "a number with",
    ),
    "literal for nothing": (
        settings("extra: {drift: {literals: {41: why}}}\n"),
        "mkdocs.yml:4",
        "literal '41' is not used on this page",
    ),
    "not yaml": (settings("a: [\n"), "mkdocs.yml:5", "not YAML"),
    "template": (
        lambda book: (
            book.write("mkdocs.yml", SETTINGS + "theme: {name: m, custom_dir: own}\n")
            and book.write("own/partials/x.html", "{# 1 #}<b>{{ 2 }}</b>\n<script>3</script>\n<p>There are 41.</p>")
        ),
        "own/partials/x.html:3",
        "a number with no fact",
    ),
    "alt text in a template": (
        lambda book: (
            book.write("mkdocs.yml", SETTINGS + "theme: {name: m, custom_dir: own}\n")
            and book.write("own/x.html", '<img width="5" alt="41 bars">')
        ),
        "own/x.html:1",
        "a number with no fact",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_check_refuses_what_is_published_unread(book: Book, name: str) -> None:
    """Whatever MkDocs publishes is read, or refused by its name."""
    change, place, message = UNREAD[name]
    change(book)
    report = book.refused()
    assert f"{place}  {message}" in report
    assert report.count("\n\n") == 1 or name == "number of a page"


AGREEING = {
    "settings": settings(
        "copyright: A. B.\nextra: {a: 41, link: https://a.org/41}\nplugins: [search]\nuse: !ENV [A, 41]\n"
    ),
    "tags": settings("x: !relative $config_dir/a\ny: !!python/name:a.b\n"),
    "literals": settings("copyright: © 2024 me\nextra:\n  drift:\n    literals: {2024: the first year}\n"),
    "declared file": lambda book: (
        book.write("mkdocs.yml", SETTINGS + "extra: {drift: {files: {a/OFL.txt: the licence}}}\n"),
        book.write("docs/a/OFL.txt", "41"),
    ),
    "scripts": file("docs/assets/x.js"),
    "hidden file": file("docs/.b.md"),
    "editor's lock": link("docs/.#a.md", "nobody@nowhere.41"),
    "numbered page": lambda book: (
        book.write("docs/b.md", "# Lab 2: more\n"),
        book.write("mkdocs.yml", SETTINGS + '  - "Lab 2: less": b.md\n'),
    ),
    "folder like a page": lambda book: (book.root / "docs/x.md").mkdir(),
    "folder like a snippet": lambda book: (book.root / "snippets/a/x.py").mkdir(),
    "linked page": lambda book: (book.root / "docs/b.md").symlink_to("../words.md") or book.write("words.md", "# B\n"),
}


@pytest.mark.parametrize("name", AGREEING)
def test_check_accepts_what_it_read(book: Book, name: str) -> None:
    """Settings of any kind are read without MkDocs, and what is not published is left alone."""
    AGREEING[name](book)
    ran = book.drift("check")
    assert ran.code == 0, ran.out


def test_check_number_in_the_navigation_is_its_page(book: Book) -> None:
    """A title that counts counts as its page does."""
    book.write("docs/b.md", "# Lab 1: more\n")
    book.write("docs/c.md", "# Lab 2: more\n")
    book.write("mkdocs.yml", SETTINGS + '  - "Lab 2: less": b.md\n')
    assert "mkdocs.yml:4  a title in the navigation with another number than its page" in book.refused()


def test_check_linked_page_is_read(book: Book) -> None:
    """A page that is a link to a file is a page like others."""
    book.write("words.md", "There are 41.\n")
    (book.root / "docs/b.md").symlink_to("../words.md")
    assert "docs/b.md:1  a number with no fact" in book.refused()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("path", ["docs/b.md", "snippets/a/two.py"])
def test_check_file_that_may_not_be_read(book: Book, path: str) -> None:
    """A file without permission is a finding."""
    Path(book.write(path, "x = 1\n")).chmod(0)
    assert f"{path}  cannot be read: Permission denied" in book.refused()
