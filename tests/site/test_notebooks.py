"""Pages that are notebooks, and the links to notebooks on all pages with code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from nbconvert.exporters.templateexporter import default_filters
from playwright.sync_api import Page
from whole import whole

from drift import config
from drift.mkdocs import downloads
from drift.read import snippet
from theme.rules import navigation

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [item.id for item in snippet.discover(config.load(ROOT)) if item.is_notebook]
TASKS = [name for name in NOTEBOOKS if not name.endswith("-solution")]
CHAPTERS = [entry.path.removesuffix(".md") for entry in navigation.below(ROOT, navigation.CHAPTERS)]
LARGEST = 250_000


def article(built: Path, name: str) -> str:
    """What a page says, without the theme around it."""
    text = (built / f"{name}.html").read_text(encoding="utf-8")
    return text[text.index("<article") : text.index("</article>")]


def test_every_lab_is_in_the_navigation_with_its_solution() -> None:
    """The tests below are about something: labs, each with a solution, and all that the navigation lists."""
    listed = [entry.path for entry in navigation.below(ROOT, navigation.LABS) if entry.path.endswith(".ipynb")]
    assert sorted(listed) == sorted(f"{name}.ipynb" for name in NOTEBOOKS)
    assert TASKS
    assert {f"{name}-solution" for name in TASKS} | set(TASKS) == set(NOTEBOOKS)


def test_notebooks_are_rendered_and_never_executed() -> None:
    """The renderer shows what the checker recorded: it runs nothing, hides no error and keeps no copy of its own."""
    settings = load_config(str(ROOT / "mkdocs.yml")).plugins["mkdocs-jupyter"].config
    assert [settings[name] for name in ("execute", "allow_errors", "cache")] == [False, False, False]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_page_is_small(built: Path, name: str) -> None:
    """A page carries its own content and no style sheet of the renderer's."""
    assert (built / f"{name}.html").stat().st_size <= LARGEST
    assert "<style" not in article(built, name)
    assert "<script" not in article(built, name)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_page_shows_every_cell_like_any_page(built: Path, name: str) -> None:
    """Each shown cell is a highlighted block that leads to its lines, and each output stands below it."""
    item = whole().snippets[name]
    html = article(built, name)
    captions = re.findall(rf'<a href="\.\./code/{name}\.html#section-([-\w]+)">{name}\.py, lines? ', html)
    assert captions == [section.name for section in item.sections]
    recorded = whole().records[name].outputs
    assert html.count('class="language-text drift-output') == sum(bool(text) for text in recorded.values())
    assert "remove-cell" not in html
    assert "from drift" not in html


@pytest.mark.parametrize("name", TASKS)
def test_hints_open_one_by_one(built: Path, name: str) -> None:
    """Each task has hints, and a later one lies in the one before it."""
    html = article(built, name)
    assert html.count("<details") >= 2
    assert re.search(r"<details(?:(?!</details>).)*<details", html, re.DOTALL)


def test_headings_of_a_notebook_are_in_its_table_of_contents(built: Path) -> None:
    """The contents at the side lead to the headings in the page, under the site's own ids."""
    text = (built / "labs" / "loops-solution.html").read_text(encoding="utf-8")
    ids = re.findall(r'<h2 id="([^"]+)"', text)
    assert ids
    assert all(f'href="#{name}" class="md-nav__link"' in text for name in ids)


@pytest.mark.parametrize("name", [*CHAPTERS, *NOTEBOOKS])
def test_page_offers_its_notebook(built: Path, name: str) -> None:
    """The link below the title leads to a notebook that can be read; nothing leads elsewhere without a repository."""
    html = article(built, name)
    found = re.search(r'</h1>\s*<p class="drift-notebook"><a href="([^"]+)" download="[-\w]+\.ipynb">', html)
    assert found is not None
    path = (built / name).parent / found[1]
    assert nbformat.read(path, as_version=4).cells[0].source.startswith("# ")
    assert "Open in Colab" not in html


def test_public_site_opens_notebooks_in_colab(published: Any) -> None:
    """With a repository, a page leads to the notebook on the branch that the workflow writes."""
    link = 'href="https://colab.research.google.com/github/someone/some-name/blob/notebooks/labs/loops.ipynb"'
    assert f"<a {link}>Open in Colab</a>" in article(published.folder, "labs/loops")
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    assert "git push --force origin notebooks" in workflow
    assert "path: site/notebooks" in workflow


def test_public_notebook_installs_the_package_and_links_back(published: Any) -> None:
    """With a repository, the first cell can install the project, and links lead to the site."""
    text = (published.folder / "notebooks" / "masks.ipynb").read_text(encoding="utf-8")
    assert '%pip install --quiet \\"attention-measured @ git+https://github.com/someone/some-name\\"' in text
    assert "(https://someone.github.io/some-name/order.html" in text


def test_public_notebook_page_is_edited_at_its_source(published: Any) -> None:
    """The pencil leads to the text from which the page is made."""
    text = (published.folder / "labs" / "loops.html").read_text(encoding="utf-8")
    assert 'href="https://github.com/someone/some-name/edit/main/snippets/labs/loops.py"' in text


@pytest.mark.parametrize(
    "output",
    [
        nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[]),
        nbformat.v4.new_output("execute_result", data={"text/plain": "3"}),
        nbformat.v4.new_output("display_data", data={"image/png": ""}),
    ],
)
def test_output_that_no_record_holds_is_refused(
    built: Path,  # noqa: ARG001 (the hook has put its templates in place)
    output: nbformat.NotebookNode,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error, a bare result or a picture in a cell stops the build instead of being shown."""
    from mkdocs_jupyter import convert
    from mkdocs_jupyter.config import settings

    def refuse(what: str) -> None:
        raise PluginError(what)

    monkeypatch.setattr(settings, "templates_dir", str(ROOT / "theme" / "notebook"))
    monkeypatch.setitem(default_filters, "site_markdown", lambda text: text)
    monkeypatch.setitem(default_filters, "refuse_output", refuse)
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])]), path)
    with pytest.raises(PluginError):
        convert.nb2html(str(path), allow_errors=False)


def test_skipped_pages_offer_nothing(built: Path) -> None:
    """Pages about the site itself are no notebooks."""
    assert "drift-notebook" not in article(built, "how-it-checks")
    assert "drift-notebook" not in article(built, "index")


@pytest.mark.slow
def test_notebooks_that_are_gone_are_removed(tmp_path: Path) -> None:
    """A notebook whose source was deleted does not stay a page of the preview."""
    stray = tmp_path / "old" / "gone.ipynb"
    stray.parent.mkdir()
    stray.write_text("{}", encoding="utf-8")
    uris = downloads.written(whole(), tmp_path)
    assert not stray.exists()
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb")) == sorted(uris)


@pytest.mark.slow
def test_notebook_that_did_not_change_is_not_written_again(tmp_path: Path) -> None:
    """A preview that watches the folder would build for ever otherwise."""
    downloads.written(whole(), tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.ipynb")}
    downloads.written(whole(), tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.ipynb")} == before


def test_hint_in_a_hint_opens_after_it(open_page: Callable[..., Page]) -> None:
    """A reader sees the second hint's title only when the first one is open, and opens both by keyboard."""
    page = open_page("labs/loops.html")
    outer = page.locator("article > details").first
    inner = outer.locator("details").first
    assert not inner.locator("summary").first.is_visible()
    outer.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert inner.locator("summary").first.is_visible()
    inner.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert inner.get_attribute("open") is not None
