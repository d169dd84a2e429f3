"""What is kept from one build to the next."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from drift.mkdocs.shelf import DAY, KEEP_DAYS, Shelf, of_files


def test_shelf_gives_back_what_was_put(tmp_path: Path) -> None:
    """An entry is found under the same inputs only, whatever of them differs."""
    shelf = Shelf(tmp_path, "common")
    shelf.put("pages", {"content": "é <b>"}, "a.md", {"x": 1})
    assert Shelf(tmp_path, "common").get("pages", "a.md", {"x": 1}) == {"content": "é <b>"}
    assert shelf.get("pages", "b.md", {"x": 1}) is None
    assert shelf.get("pages", "a.md", {"x": 2}) is None
    assert shelf.get("other", "a.md", {"x": 1}) is None
    assert Shelf(tmp_path, "another").get("pages", "a.md", {"x": 1}) is None


@pytest.mark.parametrize("damage", [b"", b"{}", b"no json", b"half"])
def test_damaged_entry_is_made_again(tmp_path: Path, damage: bytes) -> None:
    """A file that was cut or overwritten is as good as none, and is replaced."""
    shelf = Shelf(tmp_path, "")
    made = [shelf.once("texts", lambda: "first", "a")]
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(path.read_bytes()[:-3] if damage == b"half" else damage)
    made += [shelf.once("texts", lambda: "second", "a"), shelf.once("texts", lambda: "third", "a")]
    assert made == ["first", "second", "second"]


def test_nothing_found_is_kept_too(tmp_path: Path) -> None:
    """An audit without findings is not made again."""
    shelf = Shelf(tmp_path, "")
    assert [shelf.once("audits", list, "a"), shelf.once("audits", lambda: ["x"], "a")] == [[], []]


def test_prune_removes_what_no_build_uses(tmp_path: Path) -> None:
    """An entry that was used lately stays."""
    shelf = Shelf(tmp_path, "")
    for name in ("old", "used"):
        shelf.put("texts", name, name)
    old = time.time() - (KEEP_DAYS + 1) * DAY
    for path in tmp_path.rglob("*.json"):
        os.utime(path, (old, old))
    assert shelf.get("texts", "used") == "used"
    shelf.prune()
    assert (shelf.get("texts", "old"), shelf.get("texts", "used")) == (None, "used")


def test_hash_of_files_changes_with_each_of_them(tmp_path: Path) -> None:
    """Content, name and number of files count; what Python compiled does not."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text("1")
    found = [of_files([tmp_path])]
    (tmp_path / "a" / "one.pyc").write_text("compiled")
    assert of_files([tmp_path]) == found[0]
    (tmp_path / "a" / "one.py").write_text("2")
    found.append(of_files([tmp_path]))
    (tmp_path / "two.html").write_text("")
    found.append(of_files([tmp_path]))
    (tmp_path / "two.html").rename(tmp_path / "three.html")
    found.append(of_files([tmp_path]))
    assert len(set(found)) == len(found)
