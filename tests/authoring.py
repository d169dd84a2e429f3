"""A documentation project of one chapter that agrees with itself, for tests that break it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from drift import config
from drift.command import main
from drift.judge import pages
from drift.problem import Problem
from drift.read import page, site
from drift.read.page import Page
from drift.records import record

SNIPPET = '''# --8<-- [start:count]
share = 0.93214
total = 9216
print("share", share)
print(f"total {total:,}")
# --8<-- [end:count]

from drift import artifact, fact

fact("share", share)
fact("total", total)
fact("size", 4_300_000_000)
fact("loss", -0.5)
fact("heads", 2)
fact("word", "queen")

# --8<-- [start:more]
double = 2 * share
print("double", double)
# --8<-- [end:more]

fact("double", double)

artifact("bar.svg").write_text(
    f"""<svg xmlns="http://www.w3.org/2000/svg">
<rect x="0" y="0" width="{share * 10:.2f}" height="1"/>
<text>{share}</text>
</svg>
""",
    encoding="utf-8",
)
'''

PAGE = """---
title: A page
literals:
  7: days of a week
---

# A page

```python
--8<-- "a/one.py:count"
```

```text
--8<-- "a/one.out:count"
```

The share is [0.9321](fact:a/one.share), or [93.2 %](fact:a/one.share).
The total is [9,216](fact:a/one.total), and a week has 7 days.

| what | value |
| --- | --- |
| size | [4.3 GB](fact:a/one.size) |
| loss | [−0.5](fact:a/one.loss) |

![The bar ends at [0.9321](fact:a/one.share).](assets/figures/a/bar.svg)

*The word is [queen](fact:a/one.word); there are [two](fact:a/one.heads) heads.*

```python
--8<-- "a/one.py:more"
```

```text
--8<-- "a/one.out:more"
```

Twice that is [1.864](fact:a/one.double).
"""


@dataclass(frozen=True)
class Ran:
    """What a command gave: its exit code, and what it printed to stdout and stderr."""

    code: int
    out: str
    err: str


def seal(root: Path, snippet: str = "a/one") -> None:
    """Make a record that was written by hand one that the checker could have written on another machine."""
    settings = config.load(root)
    loaded = record.load(settings, snippet)
    record.facts_path(settings, snippet).write_text(record.render_facts(loaded), encoding="utf-8")


class Book:
    """A project below `root` with the page `docs/a.md` and the snippet `snippets/a/one.py`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    @classmethod
    def begin(cls, root: Path) -> Book:
        """Write the project and accept its records."""
        book = cls(root)
        book.write("pyproject.toml", "[tool.drift]\ntimeout = 20\n")
        book.write("snippets/a/one.py", SNIPPET)
        book.write("docs/a.md", PAGE)
        ran = book.drift("update")
        assert ran.code == 0, ran
        return book

    def copy(self, root: Path) -> Book:
        """The same project elsewhere, cache included."""
        shutil.copytree(self.root, root)
        return Book(root)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the root, as it is."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return file

    def read(self, path: str) -> str:
        """A file's text with the line ends it has."""
        return (self.root / path).read_bytes().decode("utf-8")

    def edit(self, path: str, old: str, new: str) -> int:
        """Replace the only `old` in a file; give the line it stood on."""
        text = self.read(path)
        assert text.count(old) == 1, f"{path} holds {text.count(old)} of {old!r}"
        self.write(path, text.replace(old, new))
        return text[: text.index(old)].count("\n") + 1

    def add(self, text: str, path: str = "docs/a.md") -> int:
        """Append a paragraph to a page; give the line it begins on."""
        before = self.read(path)
        self.write(path, f"{before}\n{text}\n")
        return before.count("\n") + 2

    def hashes(self) -> dict[str, str]:
        """A hash of every file but the checker's cache."""
        return {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".drift" not in path.parts
        }

    def drift(self, *arguments: str, **variables: str) -> Ran:
        """Run the command in the project's folder, without `CI` in the environment unless it is given."""
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.root),
            _environment(**variables),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = main(list(arguments))
        return Ran(code, out.getvalue(), err.getvalue())

    def refused(self, *arguments: str) -> str:
        """What `check` (or another command) reports; it must fail and leave every file as it is."""
        before = self.hashes()
        ran = self.drift(*(arguments or ("check",)))
        assert ran.code == 1, ran
        assert self.hashes() == before
        return ran.out

    def parse(self, text: str) -> Page:
        """A page of this project that holds `text`."""
        return page.parse(self.root / "docs" / "b.md", "docs/b.md", text)

    def judge(self, text: str) -> list[Problem]:
        """What is wrong with a page that holds `text`, given the project's records."""
        return pages.check(site.read(config.load(self.root)), self.parse(text))


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.pop("CI", None)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
