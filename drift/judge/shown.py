"""Judge what a page shows of snippets: its fences, their includes, and whether a reader can run what is shown."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from drift.judge import hidden
from drift.problem import Place, Problem
from drift.read import fences
from drift.read.fences import Fence, Include
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text.prose import numerals_in
from drift.records import record

# What the highlighter colours as Python too, and what it leaves as plain as an output.
TRANSCRIPTS = (
    *("pycon", "python-console", "ipython", "ipython3", "py3", "python2", "py2", "pyi", "numpy", "sage", "cython"),
    *("pyx", "pyrex", "pytb", "py3tb", "starlark", "bazel", "mojo"),
)
PLAIN = ("text", "", "txt", "plain", "plaintext", "output", "out", "none")
# What an author types: commands, configuration and the source of other things. Anything else may be an output.
SOURCE = frozenset(
    (
        *("bash", "sh", "shell", "zsh", "fish", "powershell", "ps1", "bat", "batch", "make", "makefile", "dockerfile"),
        *("yaml", "yml", "toml", "ini", "cfg", "conf", "markdown", "md", "html", "css", "js", "javascript", "ts"),
        *("typescript", "jinja", "c", "cpp", "cuda", "rust", "go", "java", "latex", "tex", "sql"),
    )
)

_INCLUDE_MARK = re.compile(r"-+8<-+")
# Python-Markdown turns a tab into spaces and drops or breaks lines at the others.
_ALTERED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\x85\u2028\u2029]")


def check(site: Site, page: Page) -> Iterator[Problem]:
    """Everything that is wrong with the fences of `page`, given what its snippets recorded."""
    for fence in page.fences:
        yield from _fence(site, page, fence)
    yield from _unknown(site, page)
    yield from _order(site, page)
    yield from hidden.check(site, page)


def _fence(site: Site, page: Page, fence: Fence) -> Iterator[Problem]:
    place = page.place(fence.first)
    if fence.notest == "":
        yield Problem(place, "a fence that is not executed has to say why", '{.python notest="why"}', fence.info)
    if _is_transcript(fence.lang) and fence.notest is None:
        yield Problem(place, f"a {fence.lang} fence is not executed", "a snippet and its output", fence.lang)
    # The fence of a notebook's cell is no text of the file: its code is, and it has the line of the cell's head.
    cell = page.notebook and any(include.line == fence.first for include in fence.includes)
    if (fence.is_python or fence.lang in PLAIN) and fence.notest is None and not cell:
        yield from _contents(page, fence)
    elif fence.lang not in SOURCE and fence.notest is None and not cell:
        yield from _numbers(page, fence)
    for include in fence.includes:
        yield from _include(site, page, fence, include)


def _unknown(site: Site, page: Page) -> Iterator[Problem]:
    """Snippets that the page names and that do not exist, each once, where it is first named."""
    named: dict[str, list[int]] = {}
    for _, include in page.shown():
        stem, _, kind = include.path.rpartition(".")
        if kind in ("py", "out"):
            named.setdefault(stem, []).append(include.line)
    for quote in page.quotes:
        named.setdefault(split_target(quote.target)[0], []).append(quote.line)
    for stem in named.keys() - site.snippets.keys():
        also = f", which this page shows or quotes {len(named[stem])} times" if len(named[stem]) > 1 else ""
        yield Problem(page.place(min(named[stem])), f"no snippet {stem!r}{also}", nearest(stem, site.snippets), stem)


def _is_transcript(lang: str) -> bool:
    """Whether a fence looks like Python to its reader, and is not the one kind that is executed."""
    return lang in TRANSCRIPTS or bool(re.match(r"i?py(?:thon|con)?[\d.]*\Z", lang) and lang not in fences.PYTHON)


def _numbers(page: Page, fence: Fence) -> Iterator[Problem]:
    """A fence in a language that could be an output's holds no number that was typed."""
    included = {include.line for include in fence.includes}
    for number, line in enumerate(fence.body, fence.first + 1):
        if number not in included and numerals_in(line):
            message = f"a {fence.lang} fence with numbers typed into it, which may be an output that nobody printed"
            expected = f'a snippet and its output, or {{.{fence.lang} notest="why"}}'
            yield Problem(page.place(number), message, expected, line.strip())
            return


def _contents(page: Page, fence: Fence) -> Iterator[Problem]:
    """A fence that claims to be code or output holds includes and nothing else."""
    kind = "Python" if fence.is_python else "text"
    included = {include.line for include in fence.includes}
    typed = [n for n, line in enumerate(fence.body, fence.first + 1) if line.strip() and n not in included]
    if typed and not any(problem.place.line in typed for problem in page.problems):
        ending = "py" if fence.is_python else "out"
        reason = "nobody collects it" if fence.is_python else "nobody printed it"
        yield Problem(
            page.place(typed[0]),
            f"a {kind} fence with text typed into it: {reason}",
            f'--8<-- "chapter/snippet.{ending}:section", or {{.{fence.lang or "text"} notest="why"}}',
            fence.body[typed[0] - fence.first - 1].strip(),
        )
    elif not typed and not fence.includes:
        yield Problem(page.place(fence.first), f"an empty {kind} fence")


def _include(site: Site, page: Page, fence: Fence, include: Include) -> Iterator[Problem]:
    place = page.place(include.line)
    stem, _, kind = include.path.rpartition(".")
    wanted = "py" if fence.is_python else "out"
    if kind not in ("py", "out"):
        yield Problem(place, "an include shows a snippet's code (.py) or its output (.out)", got=include.path)
        return
    if stem not in site.snippets:
        return  # told once for the page
    if kind != wanted and fence.notest is None:
        shown = "code in a python fence and output in a text fence"
        yield Problem(place, f"the site shows {shown}", f"{stem}.{wanted}", include.path)
    found = site.snippets[stem]
    if not include.section:
        yield Problem(place, "an include without a section would show the hidden code too", f"{include.path}:section")
        return
    if found.section(include.section) is None:
        sections = [section.name for section in found.sections]
        expected = nearest(include.section, sections)
        yield Problem(place, f"{found.file} has no section {include.section!r}", expected, source=Place(found.file))
    elif kind == "out" and not site.records[stem].outputs.get(include.section):
        if (stem, include.section) in site.waiting:
            return
        fix = record.ACCEPT.format(id=stem)
        yield Problem(place, f"section {include.section!r} has no recorded output", source=Place(found.file), fix=fix)
    else:
        yield from _stays_text(site, page, fence, include)


def _stays_text(site: Site, page: Page, fence: Fence, include: Include) -> Iterator[Problem]:
    """What is included reaches the reader as it was written or printed: nothing in it is taken for Markdown."""
    stem, _, kind = include.path.rpartition(".")
    found, loaded = site.snippets[stem], site.records[stem]
    section = found.section(include.section)
    assert section is not None
    texts = []
    if kind == "py":
        texts.append(("code", found.code(section), Place(found.file), section.first))
    if kind == "out" or page.notebook:
        out = site.config.relative(record.out_path(site.config, stem))
        text, first = loaded.outputs.get(include.section, ""), loaded.lines.get(include.section, 1)
        texts.append(("output", text, Place(out), first))
    closing = re.compile(rf"[ \t>]*{re.escape(fence.mark)}[ \t]*\Z")
    for what, text, file, first in texts:
        for number, line in enumerate(text.split("\n"), first):
            if wrong := _misread(line, closing, fence.mark):
                message, expected = wrong
                source = Place(file.file, number)
                yield Problem(page.place(include.line), f"the {what} {message}", expected, ascii(line), source)


def _misread(line: str, closing: re.Pattern[str], mark: str) -> tuple[str, str] | None:
    """What the site would make of an included line other than text, and the way out."""
    if closing.match(line):
        return "holds the mark that ends its fence", f"a longer fence, {mark + mark[0]}"
    if _INCLUDE_MARK.search(line):
        return "holds what the site takes for an include", "output and code without such a mark"
    if odd := _ALTERED.search(line):
        name = {"\t": "a tab, which the site shows as spaces"}.get(odd.group(), f"{odd.group()!a}")
        return f"holds {name}", "printable characters, such as spaces for a tab"
    return None


def _order(site: Site, page: Page) -> Iterator[Problem]:
    """Sections of a snippet appear in the order in which they run, and an output after its code."""
    last: dict[str, tuple[int, str]] = {}
    code = {(i.path.rpartition(".")[0], i.section): i.line for _, i in page.shown() if i.path.endswith(".py")}
    for fence, include in page.shown():
        stem, _, kind = include.path.rpartition(".")
        found = site.snippets[stem].section(include.section) if stem in site.snippets else None
        if found is None or fence.notest is not None:
            continue
        if kind == "py":
            before = last.get(stem, (0, ""))
            if found.first <= before[0]:
                message = f"section {include.section!r} is shown after {before[1]!r} but runs before it"
                if include.section == before[1]:
                    message = f"section {include.section!r} is shown twice on this page"
                place = Place(site.snippets[stem].file, found.first)
                yield Problem(page.place(include.line), message, source=place)
            last[stem] = max(before, (found.first, include.section))
        elif code.get((stem, include.section), 0) > include.line:
            yield Problem(page.place(include.line), f"the output of {include.section!r} is shown before its code")


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, or all of them when there are few."""
    everything = sorted(known)
    near = difflib.get_close_matches(name, everything, n=3, cutoff=0.5)
    return "one of: " + ", ".join(near or everything[:8]) if everything else "a name that exists; there are none yet"
