"""The pure parts of the timing of builds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from drift import config
from drift.read import site
from tools import bench, environment

ROOT = Path(__file__).resolve().parents[2]


def test_table_gives_medians_and_ratios_of_the_same_round() -> None:
    """A round on a slow machine counts by its ratio: each run is compared with the plain one beside it."""
    lines = bench.table({bench.PLAIN: [1.0, 10.0, 2.0], "ours": [2.0, 15.0, 4.0]}).splitlines()
    assert lines[1].split()[-2:] == ["2.00", "1.00"]
    assert lines[2].split() == ["ours", "4.00", "2.00"]


def test_plain_settings_hold_nothing_of_ours() -> None:
    """Plain MkDocs keeps the theme and the extensions, and has every page of the navigation, labs as Markdown."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    settings = yaml.safe_load(bench.plain_settings(text))
    names = [entry if isinstance(entry, str) else next(iter(entry)) for entry in settings["plugins"]]
    assert names == ["search", "offline", "mkdocstrings"]
    assert settings["hooks"] == []
    assert settings["INHERIT"] == "mkdocs.yml"
    assert ".ipynb" not in str(settings["nav"])
    assert str(settings["nav"]).count(".md") == text.count(".md\n") + text.count(".ipynb\n") - text.count("index: ")


def test_plain_pages_are_those_that_the_build_makes() -> None:
    """One page for each snippet with its code and its outputs, one for each notebook, and the list."""
    whole = site.read(config.load(ROOT))
    pages = bench.plain_pages(whole)
    notebooks = [name for name, item in whole.snippets.items() if item.is_notebook]
    assert set(pages) == {f"code/{name}.md" for name in whole.snippets} | {f"{name}.md" for name in notebooks} | {
        "experiments.md"
    }
    name = "scaling/saturation"
    assert whole.snippets[name].text in pages[f"code/{name}.md"]
    assert all(text in pages[f"code/{name}.md"] for text in whole.records[name].outputs.values())


@pytest.mark.parametrize("text", ["# A\n\nOne.\n", "# A\n\nOne.\n\n\n"])
def test_changed_sentence_stands_at_the_end(text: str) -> None:
    """The page is as it was but for a paragraph of its own, without a number."""
    assert bench.changed_sentence(text, "edita") == "# A\n\nOne.\n\nA sentence that was not here before, edita.\n"


def test_copy_shares_an_environment_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    """In the copy nox finds it complete, so it installs nothing over the one of the repository."""
    env, copy = tmp_path / "env", tmp_path / "copy"
    python = environment.python(env)
    python.parent.mkdir(parents=True)
    python.write_text("")
    environment.write_stamp(env, "of the repository")
    before = (env / environment.STAMP).read_text()
    copy.mkdir()
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / name, copy / name)
    bench.share_environment(env, copy)
    assert environment.status(copy / ".nox" / "env", environment.fingerprint(copy)) == "current"
    assert (env / environment.STAMP).read_text() == before
