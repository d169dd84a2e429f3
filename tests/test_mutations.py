"""Every number of the site, changed in turn: each change is reported at its line, and nothing else is.

No snippet runs here: a page is judged against the records, and a record against the run that it describes.
To be quick, one reading of a page holds changes in many of its quotes; each has to be reported by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from whole import whole

from drift import config
from drift.facts import Fact
from drift.judge import claims, pages, runs
from drift.judge.styles import WORDS
from drift.judge.values import FIGURE_RESOLUTION, NUMBER
from drift.read import fences, page, percent
from drift.read.page import Page
from drift.read.site import split_target
from drift.read.text.prose import Quote
from drift.records.record import Record
from drift.run.outcome import Outcome

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load(ROOT)
OTHER = str.maketrans("0123456789⁰¹²³⁴⁵⁶⁷⁸⁹", "1234567890¹²³⁴⁵⁶⁷⁸⁹⁰")
DIGIT = re.compile(r"[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]")


PAGES = [found.file for found in whole().pages]
QUOTING = [found.file for found in whole().pages if "](fact:" in found.text]
CLAIMING = [found.file for found in whole().pages if "](claim:" in found.text]
SNIPPETS = [
    path.relative_to(SETTINGS.snippets).as_posix().removesuffix(".facts.json")
    for path in sorted(SETTINGS.snippets.rglob("*.facts.json"))
]


def page_named(file: str) -> Page:
    return next(found for found in whole().pages if found.file == file)


def numbers(found: Page) -> tuple[Quote, ...]:
    """The quotes of a page that are their facts' values; the others are claims."""
    return tuple(quote for quote in found.quotes if not quote.claim)


def reread(found: Page, text: str) -> Page:
    """The page, if its file held `text`."""
    if found.notebook:
        return page.parse_notebook(found.notebook, found.path, found.file, text, found.home)
    return page.parse(found.path, found.file, text)


def changed(text: str) -> list[str]:
    """What a quote of this text must not become: each digit another, the sign turned, another word."""
    found = [text[: m.start()] + m[0].translate(OTHER) + text[m.end() :] for m in DIGIT.finditer(text)]
    word = text.strip("*_`")
    if not found:
        other = WORDS[(WORDS.index(word.lower()) + 1) % len(WORDS)] if word.lower() in WORDS else f"{word}x"
        return [text.replace(word, other)]
    turned = word[1:] if word[0] in "-−" else f"−{word.removeprefix('+')}"
    return [*found, text.replace(word, turned)]


def reported(found: Page, edits: dict[Quote, str]) -> Counter[tuple[int, str | None]]:
    """Line and text of every quote that is reported, of the page with other texts in some of its quotes."""
    text = found.text
    for quote in sorted(edits, key=lambda quote: quote.start, reverse=True):
        text = text[: quote.start] + edits[quote] + text[quote.end :]
    problems = pages.check(whole(), reread(found, text))
    return Counter((problem.place.line, problem.got) for problem in problems)


@pytest.mark.parametrize("file", PAGES)
def test_page_agrees_with_the_records(file: str) -> None:
    """Before anything is changed, nothing is reported."""
    assert pages.check(whole(), page_named(file)) == []


def test_site_quotes_its_facts() -> None:
    """The tests below are about something: the site has quotes, on several pages."""
    assert sum(len(page_named(file).quotes) for file in QUOTING) > 100
    assert len(QUOTING) > 3


@pytest.mark.parametrize("file", QUOTING)
def test_quote_as_typed_is_a_quote_as_read(file: str) -> None:
    """No quote is lost between the text of a page and its checker: those in code are examples, all others count."""
    found = page_named(file)
    text = percent.translate(found.notebook, found.text).text if found.notebook else found.text
    for fence in reversed(fences.find(file, text)[0]):
        text = text[: fence.start] + text[fence.end :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    prose = re.sub(r"(`+)[^\n]+?(?<!`)\1(?!`)", "", text)
    assert len(numbers(found)) == prose.count("](fact:")
    assert len(found.quotes) == len(numbers(found)) + prose.count("](claim:")


@pytest.mark.slow
@pytest.mark.parametrize("file", QUOTING)
def test_changed_quote_is_reported_at_its_line(file: str) -> None:
    """Each digit of each number, each sign and each word, changed alone, is reported; its neighbours are not."""
    found = page_named(file)
    quotes = numbers(found)
    choices = {quote: changed(quote.text) for quote in quotes}
    assert all(quote.text not in texts for quote, texts in choices.items())
    made = caught = 0
    for number in range(max(map(len, choices.values()), default=0)):
        for half in (0, 1):
            edits = {q: choices[q][number] for q in quotes[half::2] if number < len(choices[q])}
            expected = Counter((quote.line, text) for quote, text in edits.items())
            assert reported(found, edits) == expected
            made += len(edits)
            caught += sum(expected.values())
    assert made == caught == sum(map(len, choices.values()))
    assert made >= len(quotes)


def neighbours(quotes: tuple[Quote, ...]) -> list[tuple[Quote, Quote]]:
    """Quotes that a reader could not tell apart when they are swapped: next to each other, of one shape."""

    def shape(quote: Quote) -> str:
        return re.sub(r"[0-9]", "9", quote.text) if DIGIT.search(quote.text) else "word"

    pairs, taken = [], set()
    for number, quote in enumerate(quotes):
        if quote in taken:
            continue
        near = quotes[number + 1 : number + 8]
        other = next((q for q in near if q not in taken and q.text != quote.text and shape(q) == shape(quote)), None)
        if other is not None:
            pairs.append((quote, other))
            taken |= {quote, other}
    return pairs


@pytest.mark.parametrize("file", QUOTING)
def test_swapped_quotes_are_both_reported(file: str) -> None:
    """Two quotes of one shape that changed places are reported at both places."""
    found = page_named(file)
    edits: dict[Quote, str] = {}
    for first, second in neighbours(numbers(found)):
        edits |= {first: second.text, second: first.text}
    assert reported(found, edits) == Counter((quote.line, text) for quote, text in edits.items())


def moved(fact: Fact, quote: Quote) -> list[Fact]:
    """Facts of which one has to make a claim false: the comparison turned, or a number far on either side."""
    if isinstance(fact.value, bool):
        return [replace(fact, value=not fact.value)]
    assert not isinstance(fact.value, str), quote
    return [replace(fact, value=factor * fact.value + shift) for factor, shift in ((9.0, 9.0), (0.0, -9.0))]


@pytest.mark.parametrize("file", CLAIMING)
def test_claim_falls_with_its_comparison(file: str) -> None:
    """Each claim, with its fact turned or moved and with its mark of negation turned, is reported."""
    found = page_named(file)
    for quote in (quote for quote in found.quotes if quote.claim):
        stem, name = split_target(quote.target)
        fact = whole().records[stem].facts[name]
        assert claims.judged(quote.text, fact, negated=quote.negated) is None
        assert any(claims.judged(quote.text, other, negated=quote.negated) for other in moved(fact, quote)), quote
        assert claims.judged(quote.text, fact, negated=not quote.negated) is not None, quote


@pytest.mark.parametrize("file", [file for file in PAGES if "literals:" in (ROOT / file).read_text(encoding="utf-8")])
def test_literal_without_its_declaration_is_reported(file: str) -> None:
    """Each declared number is needed: without the declaration, the number is named where it stands."""
    found = page_named(file)
    lines = found.text.split("\n")
    for text in found.literals:
        rest = {key: value for key, value in found.literals.items() if key != text}
        problems = pages.check(whole(), replace(found, literals=rest))
        assert problems, text
        for problem in problems:
            # A literal covers its number as a word too: 3 and three.
            line = lines[problem.place.line - 1].casefold()
            assert text.casefold() in line or problem.message.startswith("a number in words"), problem


def run_of(name: str) -> tuple[Record, Outcome]:
    """A snippet's record, and the run that it describes."""
    found = whole().records[name]
    outputs = {section.name: "" for section in whole().snippets[name].sections}
    outputs |= {section: f"{text}\n" for section, text in found.outputs.items()}
    return found, Outcome(name, outputs, dict(found.facts), dict(found.tolerances), dict(found.artifacts))


def drifts(name: str, outcome: Outcome, **fields: object) -> list[tuple[str, str]]:
    """Place and message of what a run reports against a record with other content."""
    kept = whole().records[name]
    whole().records[name] = replace(kept, **fields)
    try:
        return [(str(problem.place), problem.message) for problem in runs.check(whole(), outcome)]
    finally:
        whole().records[name] = kept


def far(digit: str) -> str:
    """The digit that differs most, which a tolerance may need."""
    return "9" if digit in "01234" else "0"


def other_numbers(text: str, tol: float | None) -> list[str]:
    """The text with a digit of one number changed, once for each number; by more than the tolerance."""
    found = []
    for number in NUMBER.finditer(text):
        for digit in DIGIT.finditer(text, *number.span()):
            new = (
                text[: digit.start()]
                + (digit[0].translate(OTHER) if tol is None else far(digit[0]))
                + text[digit.end() :]
            )
            before, after = (float(NUMBER.match(t, number.start())[0].replace("−", "-")) for t in (text, new))
            if tol is None or abs(before - after) > tol * 1.01:
                found.append(new)
                break
    return found


@pytest.mark.parametrize("name", SNIPPETS)
def test_record_agrees_with_its_own_run(name: str) -> None:
    """Before anything is changed, the run that the record describes agrees with it."""
    assert drifts(name, run_of(name)[1]) == []


@pytest.mark.parametrize("name", SNIPPETS)
def test_changed_output_is_reported_where_it_is_shown(name: str) -> None:
    """A digit changed in any number of any recorded output drifts, and the page that shows it is named."""
    found, outcome = run_of(name)
    for section, text in found.outputs.items():
        place = str(whole().output_shown[name, section][0])
        changes = other_numbers(text, found.tolerances.get(section))
        assert bool(changes) == bool(NUMBER.search(text))
        for new in changes:
            (problem,) = drifts(name, outcome, outputs=found.outputs | {section: new})
            assert problem[0] == place
            assert problem[1].startswith(f"the output of {name}:{section} drifted; recorded in snippets/{name}.out:")


def other_value(fact: Fact) -> Fact:
    """The fact with the nearest value that no longer agrees."""
    value, tol = fact.value, fact.tol
    if isinstance(value, bool):
        return Fact(not value)
    if isinstance(value, str):
        return Fact(value + "x")
    if isinstance(value, int):
        return Fact(value + 1 + int(tol or 0), tol)
    return Fact(value + (1.01 * tol if tol else 2e-6 * abs(value) or 1e-300), tol)


@pytest.mark.parametrize("name", SNIPPETS)
def test_changed_fact_is_reported_where_it_is_quoted(name: str) -> None:
    """Each fact, moved beyond what it may, drifts, and the first page that quotes it is named."""
    found, outcome = run_of(name)
    for fact, stated in found.facts.items():
        (problem,) = drifts(name, outcome, facts=found.facts | {fact: other_value(stated)})
        assert problem[0] == str(whole().quoted[name, fact][0])
        assert problem[1].startswith(f"fact {name}.{fact} drifted")


@pytest.mark.parametrize("name", SNIPPETS)
def test_changed_figure_is_reported_where_it_is_shown(name: str) -> None:
    """Each number that a figure shows as text, changed, drifts, and the page that shows the figure is named."""
    found, outcome = run_of(name)
    for filename, text in found.artifacts.items():
        tol = found.tolerances.get(filename)
        labels = list(re.finditer(r"(?<=>)[^<>]*\d[^<>]*(?=</(?:text|tspan)>)", text))
        if not labels:
            # A figure without numbers has its lines moved instead.
            labels, tol = list(re.finditer(r'(?<= d=")[^"]+', text))[-1:], FIGURE_RESOLUTION
        assert labels, f"{filename} shows nothing"
        for label in labels:
            for new in other_numbers(label[0], tol):
                drawn = text[: label.start()] + new + text[label.end() :]
                (problem,) = drifts(name, outcome, artifacts=found.artifacts | {filename: drawn})
                assert problem[1].startswith(f"the figure docs/assets/figures/{Path(name).parent}/{filename} drifted")
                assert problem[0] in {str(place) for places in whole().asset_shown.values() for place in places}
