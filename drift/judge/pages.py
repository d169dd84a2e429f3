"""Judge one page against the records: its fences, its quotes, its numerals, its figures."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from drift.judge import numerals, standalone, styles
from drift.problem import Place, Problem
from drift.read import snippet
from drift.read.fences import Fence, Include
from drift.read.page import Page
from drift.read.site import Site, split_target
from drift.read.text.prose import Quote
from drift.records import record

# What the highlighter colours as Python too, and what it leaves as plain as an output.
TRANSCRIPTS = (
    *("pycon", "python-console", "ipython", "ipython3", "py3", "python2", "py2", "pyi", "numpy", "sage", "cython"),
    *("pyx", "pyrex", "pytb", "py3tb", "starlark", "bazel", "mojo"),
)
PLAIN = ("text", "", "txt", "plain", "plaintext", "output", "out", "none")


def check(site: Site, page: Page) -> list[Problem]:
    """Everything that is wrong with `page`, given what its snippets recorded."""
    return [
        *page.problems,
        *(problem for fence in page.fences for problem in _fence(site, page, fence)),
        *_order(site, page),
        *_hidden_names(site, page),
        *(problem for quote in page.quotes for problem in _quote(site, page, quote)),
        *numerals.check(site, page),
        *_assets(site, page),
    ]


def _fence(site: Site, page: Page, fence: Fence) -> Iterator[Problem]:
    place = page.place(fence.first)
    if fence.notest == "":
        yield Problem(place, "a fence that is not executed has to say why", '{.python notest="why"}', fence.info)
    if fence.lang in TRANSCRIPTS and fence.notest is None:
        yield Problem(place, f"a {fence.lang} fence is not executed", "a snippet and its output", fence.lang)
    # The fence of a notebook's cell is no text of the file: its code is, and it has the line of the cell's head.
    cell = page.notebook and any(include.line == fence.first for include in fence.includes)
    if (fence.is_python or fence.lang in PLAIN) and fence.notest is None and not cell:
        yield from _contents(page, fence)
    for include in fence.includes:
        yield from _include(site, page, fence, include)


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
        yield Problem(place, f"no snippet {stem!r}", _nearest(stem, site.snippets), stem)
        return
    if kind != wanted and fence.notest is None:
        shown = "code in a python fence and output in a text fence"
        yield Problem(place, f"the site shows {shown}", f"{stem}.{wanted}", include.path)
    found = site.snippets[stem]
    if not include.section:
        yield Problem(place, "an include without a section would show the hidden code too", f"{include.path}:section")
        return
    if found.section(include.section) is None:
        sections = [section.name for section in found.sections]
        expected = _nearest(include.section, sections)
        yield Problem(place, f"{found.file} has no section {include.section!r}", expected, source=Place(found.file))
    elif kind == "out" and not site.records[stem].outputs.get(include.section):
        fix = record.ACCEPT.format(id=stem)
        yield Problem(place, f"section {include.section!r} has no recorded output", source=Place(found.file), fix=fix)


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


def _hidden_names(site: Site, page: Page) -> Iterator[Problem]:
    """What a reader copies from the page has to run: no name comes from code that the page hides."""
    defined: dict[str, set[str]] = {}
    for fence, include in page.shown():
        stem, _, kind = include.path.rpartition(".")
        found = site.snippets[stem].section(include.section) if stem in site.snippets else None
        if kind != "py" or found is None or fence.notest is not None or site.snippets[stem].problems:
            continue
        section = standalone.of(site.snippets[stem].code(found), found.first)
        known = defined.setdefault(stem, set())
        for name in sorted(section.needed.keys() - known):
            yield Problem(
                page.place(include.line),
                f"section {include.section!r} uses {name!r}, which no code shown before it on this page defines",
                source=Place(site.snippets[stem].file, section.needed[name]),
                fix="define or import it in a section that the page shows first",
            )
        known |= section.defined


def _quote(site: Site, page: Page, quote: Quote) -> Iterator[Problem]:
    place = page.place(quote.line)
    stem, name = split_target(quote.target)
    if stem not in site.snippets:
        yield Problem(place, f"no snippet {stem!r} behind this quote", _nearest(stem, site.snippets), stem)
        return
    facts = site.records[stem].facts
    source = Place(site.snippets[stem].file, snippet.fact_line(site.snippets[stem], name))
    if name not in facts:
        fix = record.ACCEPT.format(id=stem) if source.line else None
        yield Problem(place, f"{stem} has no recorded fact {name!r}", _nearest(name, facts), name, source, fix)
        return
    value = facts[name].value
    try:
        expected = styles.rewrite(quote.text, value, facts[name].tol)
    except styles.NotANumberError:
        expected = styles.full(value)
    if expected != quote.text:
        message = f"a quote that is not its fact: {quote.target} is {styles.full(value)}"
        yield Problem(place, message, expected, quote.text, source, fix="python -m drift update")


def _assets(site: Site, page: Page) -> Iterator[Problem]:
    accepted = {
        record.artifact_path(site.config, name, filename).resolve()
        for name, loaded in site.records.items()
        for filename in loaded.artifacts
    }
    for path, line in page.assets:
        if not path.is_file():
            yield Problem(page.place(line), f"no file {site.config.relative(path)}")
        elif path.is_relative_to(site.config.figures.resolve()) and path not in accepted:
            yield Problem(page.place(line), f"{site.config.relative(path)} was not made by a snippet")


def _nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, or all of them when there are few."""
    everything = sorted(known)
    near = difflib.get_close_matches(name, everything, n=3, cutoff=0.5)
    return "one of: " + ", ".join(near or everything[:8]) if everything else "a name that exists; there are none yet"
