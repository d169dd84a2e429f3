"""Tests of the preview: it shows a fresh run and accepts nothing."""

import io
from pathlib import Path
from types import SimpleNamespace

from authoring import Book
from rich.console import Console

from drift import config
from drift.mkdocs import preview
from drift.read import site


def refresh(book: Book) -> tuple[dict[str, preview.Record], str]:
    """The records of a preview, and what it printed."""
    stream = io.StringIO()
    records = preview.refresh(site.read(config.load(book.root)), Console(file=stream, width=200, highlight=False))
    return records, stream.getvalue()


def test_refresh_gives_what_the_edit_prints_and_writes_no_record(book: Book) -> None:
    """An edited snippet is run; the new output is in the records in memory, and every file stays as it was."""
    book.edit("snippets/a/one.py", "share = 0.93214", "share = 0.5")
    before = book.hashes()
    records, printed = refresh(book)
    assert records["a/one"].outputs["count"] == "share 0.5\ntotal 9,216"
    assert "docs/a.md" in printed
    assert "drifted" in printed
    assert book.hashes() == before


def test_refresh_keeps_the_record_of_a_snippet_that_fails(book: Book) -> None:
    """A snippet that raises is told, and the preview goes on with what was accepted."""
    book.edit("snippets/a/one.py", "share = 0.93214", "share = 1 / 0")
    records, printed = refresh(book)
    assert records["a/one"].outputs["count"] == "share 0.93214\ntotal 9,216"
    assert "ZeroDivisionError" in printed


def test_write_outputs_lays_files_as_includes_expect_them(book: Book) -> None:
    """The preview's folder has the layout of the snippets folder, and holds nothing of an earlier preview."""
    settings = config.load(book.root)
    stale = settings.cache / "preview" / "gone" / "old.out"
    stale.parent.mkdir(parents=True)
    stale.write_text("old", encoding="utf-8")
    folder = preview.write_outputs(settings, refresh(book)[0])
    assert (folder / "a/one.out").read_text(encoding="utf-8") == book.read("snippets/a/one.out")
    assert not stale.exists()


def test_refresh_keeps_the_record_of_a_snippet_that_lacks_its_data(book: Book) -> None:
    """Where the data is not on this machine, the preview shows what was accepted elsewhere."""
    before = book.read("snippets/a/one.py")
    book.write("snippets/a/one.py", f'from drift import needs\nneeds(False, "get it")\n{before}')
    records, _ = refresh(book)
    assert records["a/one"].outputs["count"] == "share 0.93214\ntotal 9,216"
    assert "share" in records["a/one"].facts


def test_search_of_a_preview_is_that_of_its_first_build(tmp_path: Path) -> None:
    """The index is made once; later builds put it back where the folder was emptied."""
    read: list[object] = []
    index = SimpleNamespace(add_entry_from_context=read.append)
    config = SimpleNamespace(plugins={"material/search": SimpleNamespace(search_index=index)})
    search = preview.Search()
    search.rest(config)
    index.add_entry_from_context("a page")
    assert read == ["a page"]
    (tmp_path / "search").mkdir()
    made = tmp_path / "search" / "search_index.json"
    made.write_text("{}")
    search.keep(tmp_path)
    search.rest(config)
    index.add_entry_from_context("another")
    assert read == ["a page"]
    made.unlink()
    made.parent.rmdir()
    search.keep(tmp_path)
    assert made.read_text() == "{}"
