"""Pages that are not rendered again: never a stale one, whatever changes."""

from __future__ import annotations

import logging
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from authoring import Book, seal
from markdown import Markdown
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from drift import config as project
from drift.mkdocs.kept import Sources
from drift.mkdocs.view import Shown
from drift.read import site as sites

SETTINGS = """\
site_name: Book
use_directory_urls: false
strict: true
theme: {name: null, custom_dir: theme}
not_in_nav: /code/
watch: [helpers]
hooks: [hook.py]
validation: {links: {anchors: warn, unrecognized_links: warn, not_found: ignore}}
markdown_extensions:
  - attr_list
  - tables
  - toc: {permalink: false}
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.snippets: {base_path: [!relative $config_dir/snippets]}
  - pymdownx.superfences
plugins:
  - drift: {index: list.md, notebooks: books, colors: {"#000000": currentColor}}
"""
HOOK = """\
from pathlib import Path

def on_page_markdown(markdown, **_):
    return markdown + (Path(__file__).parent / "word.txt").read_text()
"""
# Five that are written, the list of snippets, and the page of the one that there is.
PAGES = 7
TEMPLATE = "{{ page.title }}{{ page.content }}{% for item in page.toc %}{{ item.id }}{{ item.title }}{% endfor %}"


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Book:
    """A small project with a site, as it was accepted."""
    book = Book.begin(tmp_path_factory.mktemp("kept") / "book")
    book.write("snippets/a/one.py", '"""What it shows."""\n\n' + book.read("snippets/a/one.py"))
    svg = "docs/assets/figures/a/bar.svg"
    book.edit(
        svg,
        'xmlns="http://www.w3.org/2000/svg"',
        'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 1" stroke="#000000"',
    )
    seal(book.root)
    book.write("mkdocs.yml", SETTINGS)
    book.write("hook.py", HOOK)
    book.write("theme/main.html", TEMPLATE)
    book.write("helpers/style.css", "")
    book.write("word.txt", '\nA word.\n\n--8<-- "a/_note.md"\n')
    book.write("docs/other.md", "# Other\n\nSee [the page](a.md#a-page), or [another](later.md).\n")
    book.write("docs/code.md", '# Code\n\n```python\n--8<-- "a/one.py:count"\n```\n')
    book.write("docs/output.md", '# Output\n\n```text\n--8<-- "a/one.out:count"\n```\n')
    book.write("docs/figure.md", "# A figure\n\n![a bar](assets/figures/a/bar.svg)\n")
    # The check refuses includes like these on a page; what a plugin adds to it is none of its business.
    book.write("snippets/a/_inner.md", "A note.\n")
    book.write("snippets/a/_note.md", '--8<-- "a/_inner.md"\n')
    return book


@pytest.fixture
def book(accepted: Book, tmp_path: Path) -> Book:
    """A copy of it, built once, so that every page is kept."""
    made = accepted.copy(tmp_path / "book")
    show(made)
    return made


def show(book: Book) -> dict[str, bytes]:
    """Build the site; give every file of it."""
    config = load_config(str(book.root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    folder = book.root / "site"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def clean(book: Book) -> dict[str, bytes]:
    """The site as it is built with nothing kept, which changes nothing of what is."""
    shown, aside = book.root / ".drift" / "shown", book.root / ".drift" / "aside"
    shown.rename(aside)
    made = show(book)
    shutil.rmtree(shown)
    aside.rename(shown)
    return made


def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes, from now on, each text that Python-Markdown converts."""
    texts: list[str] = []
    convert = Markdown.convert
    monkeypatch.setattr(Markdown, "convert", lambda self, text: texts.append(text) or convert(self, text))
    return texts


def test_unchanged_pages_are_not_rendered(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second build renders nothing and gives the same site."""
    first = show(book)
    texts = rendered(monkeypatch)
    assert show(book) == first
    assert texts == []


def test_changed_sentence_renders_its_page_alone(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sentence costs is the page it stands on."""
    texts = rendered(monkeypatch)
    book.add("One more sentence.", "docs/other.md")
    assert b"One more sentence." in show(book)["other.html"]
    assert len(texts) == 1


def of_record(path: str, old: str, new: str) -> Callable[[Book], None]:
    """An edit of a record, which then says that it was accepted."""

    def edit(book: Book) -> None:
        book.edit(path, old, new)
        seal(book.root)

    return edit


def of_code(book: Book) -> None:
    """A comment in shown code, which moves what comes after it."""
    book.edit("snippets/a/one.py", 'print("share", share)\n', '# a comment\nprint("share", share)\n')


EDITS: dict[str, Callable[[Book], object]] = {
    "sentence": lambda book: book.add("One more."),
    "front matter": lambda book: book.edit("docs/a.md", "title: A page", "title: The page"),
    "output": of_record("snippets/a/one.out", "share 0.93214", "share of 0.93214"),
    "code": of_code,
    "fact": of_record("snippets/a/one.facts.json", '"double": {"value": 1.86428', '"double": {"value": 1.86432'),
    "figure": of_record("docs/assets/figures/a/bar.svg", 'height="1"', 'height="2"'),
    "included file": lambda book: book.edit("snippets/a/_note.md", "--8<--", "Well.\n\n--8<--"),
    "file included by an included one": lambda book: book.edit("snippets/a/_inner.md", "A note.", "Another note."),
    "name of a page": lambda book: book.edit("docs/other.md", "# Other", "# Another"),
    "page that another one links": lambda book: book.write("docs/later.md", "# Later\n"),
    "navigation": lambda book: book.edit("mkdocs.yml", "site_name", "nav: [other.md, a.md]\nsite_name"),
    "template": lambda book: book.edit("theme/main.html", "{{ page.title }}", "<h1>{{ page.title }}</h1>"),
    "word of another plugin": lambda book: book.edit("word.txt", "A word.", "Another word."),
    "colours": lambda book: book.edit("mkdocs.yml", "currentColor", "red"),
    "folder of code": lambda book: book.edit("mkdocs.yml", "drift: {", "drift: {code: made, "),
    "extension": lambda book: book.edit("mkdocs.yml", "permalink: false", "permalink: true"),
}
# What shows on no page here; the order of the navigation orders files that are written alike.
SILENT = {"navigation"}


@pytest.mark.parametrize("kind", EDITS)
def test_whatever_changes_shows_as_in_a_first_build(book: Book, kind: str) -> None:
    """With all pages kept from before the edit, the site is that of a build with nothing kept, file by file."""
    before = show(book)
    EDITS[kind](book)
    after = show(book)
    assert after == clean(book)
    assert (after != before) is (kind not in SILENT)


def test_many_edits_one_after_another_show_as_in_first_builds(book: Book) -> None:
    """Whichever edits are made and taken back, and whatever was kept of other states, the site is that of now."""
    draw = random.Random(7)
    first = book.copy(book.root.parent / "first")
    for kinds in [draw.sample(sorted(EDITS), draw.randint(0, 4)) for _ in range(6)]:
        for name in ("docs", "snippets", "theme", "mkdocs.yml", "word.txt"):
            restore(first.root / name, book.root / name)
        for kind in kinds:
            EDITS[kind](book)
        assert show(book) == clean(book), kinds


def restore(kept: Path, changed: Path) -> None:
    """Put a file or folder back as it was."""
    if kept.is_dir():
        shutil.rmtree(changed)
        shutil.copytree(kept, changed)
    else:
        shutil.copyfile(kept, changed)


@pytest.mark.parametrize(
    "change",
    [
        lambda book, _: book.write("helpers/style.css", "a {}"),
        lambda book, _: book.edit("hook.py", "word.txt", "./word.txt"),
        lambda _, monkeypatch: monkeypatch.setattr("drift.mkdocs.kept.packages", lambda: ["markdown-9.dist-info"]),
        lambda _, monkeypatch: monkeypatch.setattr("drift.mkdocs.shelf.FORMAT", 0),
    ],
    ids=["watched file", "hook", "package", "layout"],
)
def test_other_tools_render_everything(
    book: Book, monkeypatch: pytest.MonkeyPatch, change: Callable[[Book, pytest.MonkeyPatch], object]
) -> None:
    """A file that the settings watch, another version of a package or another layout leaves nothing to reuse."""
    change(book, monkeypatch)
    texts = rendered(monkeypatch)
    show(book)
    assert len(texts) == PAGES


def test_own_code_is_part_of_the_key(book: Book, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pages that an earlier version of the checker made are made again."""
    other = tmp_path / "drift"
    other.mkdir()
    (other / "x.py").write_text("changed")
    monkeypatch.setattr("drift.mkdocs.kept.HOME", other)
    texts = rendered(monkeypatch)
    show(book)
    assert len(texts) == PAGES


def test_damaged_pages_are_rendered(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept page that was cut short is not shown."""
    before = show(book)
    for path in (book.root / ".drift" / "shown" / "pages").iterdir():
        path.write_bytes(path.read_bytes()[:-5])
    texts = rendered(monkeypatch)
    assert show(book) == before
    assert len(texts) == PAGES


def test_page_with_a_warning_warns_again(book: Book) -> None:
    """A link that leads nowhere stops the second build as it stopped the first."""
    book.write("docs/other.md", "# Other\n\n[away](folder/)\n")
    for _ in range(2):
        with pytest.raises(Abort):
            show(book)


def test_anchors_of_kept_pages_are_known(book: Book) -> None:
    """A link to a section of a page that was not rendered is checked all the same."""
    book.edit("docs/other.md", "a.md#a-page", "a.md#no-such")
    with pytest.raises(Abort):
        show(book)


def test_link_of_a_kept_page_is_checked_again(book: Book) -> None:
    """A section that is gone from another page stops the build, although the page with the link is as it was."""
    book.edit("docs/a.md", "\n# A page\n", "\n# The page\n")
    with pytest.raises(Abort):
        show(book)


def test_figure_of_a_preview_is_part_of_the_key(book: Book) -> None:
    """A preview shows what a run drew just now, which is not the file in the docs folder."""
    whole = sites.read(project.load(book.root))
    found = []
    for text in ("<svg/>", "<svg></svg>"):
        whole.records["a/one"] = replace(whole.records["a/one"], artifacts={"bar.svg": text})
        found.append(Sources(Shown(whole, "code", {}), []).named("![a bar](assets/figures/a/bar.svg)"))
    assert found[0] != found[1]


def test_file_with_an_uncommon_name_counts_for_every_page(book: Book) -> None:
    """A name with a space in it is written in more ways than one."""
    shown = Shown(sites.read(project.load(book.root)), "code", {})
    found = []
    for text in ("one", "two"):
        book.write("snippets/a/a note.md", text)
        found.append(Sources(shown, [book.root / "snippets"]).named("nothing"))
    assert found[0] != found[1]


def test_quiet_build_keeps_nothing_that_it_did_not_hear(book: Book) -> None:
    """`mkdocs build -q` warns of nothing, so a page that should have is rendered by the next build, which stops."""
    book.write("docs/other.md", "# Other\n\n[away](folder/)\n")
    logger = logging.getLogger("mkdocs")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        show(book)
    finally:
        logger.setLevel(level)
    with pytest.raises(Abort):
        show(book)
