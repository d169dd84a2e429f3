"""How long the site takes to build and to preview, beside plain MkDocs on the same pages.

Everything happens in a copy of the repository. What is compared runs in turns, so that a busy minute meets all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from drift import config
from drift.notebook import build
from drift.read import site
from drift.read.page import Page
from drift.read.site import Site
from tools import environment

ROOT = Path(__file__).resolve().parents[1]
# What a copy does not need, or would make anew.
LEFT_OUT = (".git", ".nox", "site", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", "shown")
PLAIN = "plain MkDocs"
PAGE = "scaling"
# What a plain site has no use for: our own plugin, and the one for notebooks, which are Markdown there.
OURS = ("drift", "mkdocs-jupyter")
PATIENCE = 600  # seconds


def plain_settings(text: str) -> str:
    """Settings for plain MkDocs that extend `mkdocs.yml`: the same theme, extensions and pages, nothing of ours."""
    settings = yaml.load(text, Loader=_Tolerant)
    plugins = [entry for entry in settings["plugins"] if _name(entry) not in OURS]
    changed = {
        "INHERIT": "mkdocs.yml",
        "docs_dir": "plain",
        "strict": False,
        "hooks": [],
        "plugins": plugins,
        "nav": _as_markdown(settings["nav"]),
        "extra_css": [],
        "extra_javascript": [],
    }
    return yaml.safe_dump(changed, sort_keys=False)


class _Tolerant(yaml.SafeLoader):
    """Reads MkDocs' settings, in which some values have tags of its own."""


def _untagged(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node)
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None


_Tolerant.add_multi_constructor("!", _untagged)


def _name(entry: object) -> str:
    return str(next(iter(entry))) if isinstance(entry, Mapping) else str(entry)


def _as_markdown(nav: Any) -> Any:
    """A navigation in which notebooks are pages of Markdown."""
    if isinstance(nav, str):
        return nav.replace(".ipynb", ".md")
    if isinstance(nav, Mapping):
        return {title: _as_markdown(below) for title, below in nav.items()}
    return [_as_markdown(entry) for entry in nav]


def plain_pages(whole: Site) -> dict[str, str]:
    """The pages that the build makes, as an author of plain MkDocs would write them, by path."""
    pages = {f"code/{name}.md": _code(whole, name) for name in whole.snippets}
    pages |= {f"{page.notebook}.md": _notebook(whole, page) for page in whole.pages if page.notebook}
    listed = "\n".join(f"- [{name}](code/{name}.md)" for name in whole.snippets)
    return {**pages, "experiments.md": f"# Experiments\n\n{listed}\n"}


def _notebook(whole: Site, page: Page) -> str:
    """A notebook with its outputs as a page of Markdown."""
    parts: list[str] = []
    for cell in build.for_site(whole, page).cells:
        parts.append(cell.source if cell.cell_type == "markdown" else f"````python\n{cell.source}\n````")
        parts += [f"````text\n{output.text}\n````" for output in cell.get("outputs", [])]
    return "\n\n".join(parts) + "\n"


def _code(whole: Site, name: str) -> str:
    """The page of one snippet: its facts in a table, its source and its outputs in fences."""
    record = whole.records[name]
    rows = "\n".join(f"| `{fact}` | `{value.value}` |" for fact, value in record.facts.items())
    outputs = "\n\n".join(f"````text\n{text}\n````" for text in record.outputs.values())
    front = "---\nsearch:\n  exclude: true\n---"
    facts = f"| Fact | Value |\n| --- | --- |\n{rows}"
    source = f"````python\n{whole.snippets[name].text}\n````"
    return f"{front}\n\n# {name}.py\n\n## Facts\n\n{facts}\n\n## Source\n\n{source}\n\n## Outputs\n\n{outputs}\n"


def table(seconds: Mapping[str, Sequence[float]]) -> str:
    """The medians, and the median of each round's ratio to plain MkDocs in that round."""
    lines = [f"{'':40} {'seconds':>8}  {'times plain':>11}"]
    for name, times in seconds.items():
        ratio = statistics.median(time / plain for time, plain in zip(times, seconds[PLAIN], strict=True))
        lines.append(f"{name:40} {statistics.median(times):8.2f}  {ratio:11.2f}")
    return "\n".join(lines)


def changed_sentence(text: str, mark: str) -> str:
    """A page with one more sentence at its end."""
    return f"{text.rstrip()}\n\nA sentence that was not here before, {mark}.\n"


def share_environment(env: Path, root: Path) -> None:
    """Have nox find what is installed in `env` in the copy at `root` too.

    Its folders are links, its stamp is the copy's own: over a stamp of another folder nox would install the copy, and
    the repository that is timed would be left with an environment that leads to a folder that is gone.
    """
    there = root / ".nox" / "env"
    there.mkdir(parents=True)
    for path in env.iterdir():
        if path.name != environment.STAMP:
            (there / path.name).symlink_to(path)
    stamp = json.loads((env / environment.STAMP).read_text(encoding="utf-8"))
    stamp["fingerprint"] = environment.fingerprint(root)
    (there / environment.STAMP).write_text(json.dumps(stamp), encoding="utf-8")


class Copy:
    """A copy of the repository, in which everything is timed."""

    def __init__(self, root: Path, nox: str) -> None:
        self.root, self.nox = root, nox
        self.count = 0
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
        share_environment(Path(sys.prefix), root)
        whole = site.read(config.load(root))
        shutil.copytree(root / "docs", root / "plain")
        for uri, text in plain_pages(whole).items():
            path = root / "plain" / uri
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        settings = plain_settings((root / "mkdocs.yml").read_text(encoding="utf-8"))
        (root / "plain.yml").write_text(settings, encoding="utf-8")
        self.page = root / "docs" / f"{PAGE}.md"
        self.text = self.page.read_text(encoding="utf-8")

    def edit(self) -> str:
        """Change a sentence; give a word of it that stands nowhere else."""
        self.count += 1
        mark = f"edit{'abcdefghijklmnopqrstuvwxyz'[self.count % 26]}{'x' * self.count}"
        self.page.write_text(changed_sentence(self.text, mark), encoding="utf-8")
        return mark

    def run(self, *command: str) -> float:
        """Seconds that a command takes.

        Raises:
            SystemExit: it failed; what it printed is the message.
        """
        started = time.perf_counter()
        result = subprocess.run(command, cwd=self.root, env=_environment(), capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
        return time.perf_counter() - started

    def plain(self) -> float:
        """A build by plain MkDocs."""
        return self.run(sys.executable, "-m", "mkdocs", "build", "-f", "plain.yml", "-d", "plain-site")

    def cold(self) -> float:
        """A whole build with nothing of an earlier one."""
        shutil.rmtree(self.root / ".drift" / "shown", ignore_errors=True)
        return self.warm()

    def warm(self) -> float:
        """A whole build after another."""
        return self.run(sys.executable, "-m", "mkdocs", "build", "--strict")

    def docs(self) -> float:
        """`nox -s docs` after one changed sentence: the check and the build."""
        self.edit()
        return self.run(self.nox, "-m", "nox", "-s", "docs")

    def previews(self, rounds: int) -> list[float]:
        """Seconds from a changed sentence to the page that shows it, in one preview."""
        port = _free_port()
        address = f"127.0.0.1:{port}"
        command = [sys.executable, "-m", "mkdocs", "serve", "-a", address]
        with subprocess.Popen(command, cwd=self.root, env=_environment(), stderr=subprocess.DEVNULL) as server:
            try:
                show = f"http://{address}/{PAGE}.html"
                _wait(lambda: _fetch(show) != "")
                return [self._preview(show) for _ in range(rounds)]
            finally:
                server.terminate()

    def _preview(self, show: str) -> float:
        started = time.perf_counter()
        mark = self.edit()
        _wait(lambda: mark in _fetch(show))
        return time.perf_counter() - started


def _environment() -> dict[str, str]:
    return os.environ | {"NO_MKDOCS_2_WARNING": "1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _fetch(address: str) -> str:
    """A page's text; "" while nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            text: str = answer.read().decode("utf-8")
            return text
    except OSError:
        return ""


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        if time.monotonic() > end:
            raise SystemExit(f"the preview did not show a changed page within {PATIENCE} s")
        time.sleep(0.05)


def main(arguments: Sequence[str] | None = None) -> None:
    """Time everything and print a table."""
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run (default: 5)")
    parser.add_argument("--nox", default=sys.executable, help="the Python that has nox (default: this one)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "copy", options.nox)
        cases: dict[str, Callable[[], float]] = {
            PLAIN: copy.plain,
            "whole build, nothing kept": copy.cold,
            "whole build, nothing changed": copy.warm,
            "nox -s docs after a changed sentence": copy.docs,
        }
        for case in cases.values():
            case()  # compiles, and fills what is kept
        seconds: dict[str, list[float]] = {name: [] for name in cases}
        for number in range(options.rounds):
            for name, case in cases.items():
                seconds[name].append(case())
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        seconds["preview of a changed sentence"] = copy.previews(options.rounds)
    print(table(seconds))


if __name__ == "__main__":
    main()
