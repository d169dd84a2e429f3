"""Find what a page's prose claims: its quotes and its numerals, each with its offset in the text.

The text is masked rather than parsed: what is certainly not prose (fences, code, math, addresses, tags) is blanked,
and everything left is read as prose.
A construct that is not known here is therefore checked too much, never too little.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from drift.problem import Place, Problem
from drift.read.fences import Fence
from drift.read.text import beside, blocks, exempt, markup, number_words, sentences, verbatim
from drift.read.text.exempt import Exempt
from drift.read.text.mask import Mask
from drift.read.text.sentences import Sentence
from drift.read.text.verbatim import Region

# The one pattern of a quote: the site, the notebooks and the checker must not differ in what they take for one.
QUOTE = re.compile(
    r"(?<!\\)\[(?P<text>(?:(?!\n[ \t]*\r?\n)[^\[\]])*)\]\((?P<kind>fact|claim):"
    r"(?P<not>(?:(?<=claim:)!)?)(?P<target>[^()\s!]*)\)"
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_FACT = re.compile(r"\b(?:fact|claim):\S+")
_NUMERAL = re.compile(
    r"""(?P<sign>(?<![\w.)\]])[-+−–])?
    (?: # not inside a word, but in 3x5 and behind another number
        (?:(?<![^\W_])|(?<=\b[xX])(?=\d)|(?<=\d[^\W\d_])(?=\d)|(?<=\d)(?=\.))
        (?:0[xXbBoO][0-9a-fA-F]+
          |\d+(?:\.\d+){2,} # a version
          |(?:\d+(?:,\d{3}(?!\d))*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?:[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)
      | # a decimal is no part of a name
        (?<=[^\W\d_])\d+(?:\.\d+)+
    )""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
# A whole number of code or a formula; powers, sizes and indices are numbers too.
_WHOLE = re.compile(r"(?<![\w.])(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d[\d_]*)(?![\w]|\.\d|\{[.,]\})")
# Below this an integer in code or a formula is an index, an axis, a half or a square.
_SMALLEST = 3
_CODE_DECIMAL = re.compile(
    r"(?:(?<![\w.])[-−])?(?:(?<![\w.])|(?<=[^\W\d_])(?<!\b[pP]y)(?<!\bpython))"
    r"(?:\d[\d_]*\.\d[\d_]*(?:[eE][-+]?\d+)?(?![\w.]*\.\d)|\d+[eE][-+]?\d+\b)"
    r"|(?<![\w.)\]}])[-−]?\.\d+(?:[eE][-+]?\d+)?"
)
_MATH_DECIMAL = re.compile(r"(?:(?<![\w.)\]}])[-−])?(?<![\d.])(?:\d+(?:\.|\{[.,]\})\d+|\.\d+|\d+[eE][-+]?\d+\b)")


@dataclass(frozen=True)
class Quote:
    """A `[text](fact:target)`, a `[text](claim:target)`, or of what is not so a `[text](claim:!target)`.

    Attributes:
        start, end: the offsets of its text.
        claim: whether its words say what the fact decides, instead of being its value.
        negated: whether they say that it is not so.
    """

    text: str
    target: str
    line: int
    start: int
    end: int
    claim: bool = False
    negated: bool = False

    @property
    def address(self) -> str:
        """What stands between its round brackets."""
        return f"{'claim' if self.claim else 'fact'}:{'!' if self.negated else ''}{self.target}"

    def marks(self) -> tuple[tuple[int, int], ...]:
        """What of it is no prose: all, but for the words of a claim, which are read like others."""
        stop = self.end + len(self.address) + len("]()")
        return ((self.start - 1, self.start), (self.end, stop)) if self.claim else ((self.start - 1, stop),)


@dataclass(frozen=True)
class Numeral:
    """A number that no quote binds.

    Attributes:
        where: `prose`, `code` (inline), `math`, or `word` for one that prose writes in letters.
        unit: what follows it and changes it.
    """

    text: str
    line: int
    start: int
    where: str
    unit: str = ""

    @property
    def whole(self) -> str:
        """The number with its unit, as a literal names it."""
        return f"{self.text} {self.unit}".strip()


@dataclass(frozen=True)
class Prose:
    """What was found in one page.

    Attributes:
        exempt: numerals that need nothing (years, list numbers, addresses), each with what it is.
        images: where each picture or frame comes from, as the author wrote it, with its line.
        words: the text as it was read, with everything blanked that is no prose, or that a quote binds.
        sentences: what it says, sentence by sentence.
    """

    quotes: tuple[Quote, ...]
    numerals: tuple[Numeral, ...]
    exempt: tuple[Exempt, ...]
    words: str
    sentences: tuple[Sentence, ...]
    images: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]


def read(file: str, text: str, fences: list[Fence], start: int = 0) -> Prose:
    """Read the prose of a page from offset `start` (the end of its front matter)."""
    mask = Mask(text)
    mask.blank([(0, start), *((fence.start, fence.end) for fence in fences)])
    found = blocks.lines(mask.text)
    stretches = blocks.segments(found)
    spans, problems = verbatim.find(file, mask, found, stretches)
    quotes, wrong = _quotes(file, mask, spans)
    problems += wrong
    mask.blank(span for quote in quotes for span in quote.marks())
    numerals = [n for span in spans for n in _decimals(mask, span)]
    mask.blank((span.start, span.end) for span in spans)
    problems += [_not_understood(file, mask, match.start()) for match in _FACT.finditer(mask.text)]
    problems += [
        Problem(
            Place(file, mask.line(line.start)), "code by indentation alone, which nobody collects", "a fence", line.text
        )
        for line in blocks.indented_code(found)
        if mask.text[line.start : line.end].strip()
    ]
    marked = markup.blank(file, mask, stretches)
    problems += marked.problems
    # Readers see the numbers in an address, which is its own source.
    addresses = [Exempt(address, "address") for address in marked.addresses]
    needing_nothing = [*exempt.blank(mask, found), *addresses]
    numerals += _in_prose(mask)
    numerals += [Numeral(words, mask.line(at), at, "word") for at, words, _ in number_words.find(mask.text)]
    numerals.sort(key=lambda numeral: numeral.start)
    images = tuple((source, mask.line(at)) for source, at in marked.images)
    said = tuple(sentences.find(mask, stretches, (quote.start for quote in quotes)))
    return Prose(tuple(quotes), tuple(numerals), tuple(needing_nothing), mask.text, said, images, tuple(problems))


def numerals_in(text: str) -> list[str]:
    """The numerals of a plain text, as `read` would report them for prose without any markup."""
    return [shown for _, shown in _numerals(text)]


def read_plain(text: str) -> list[Numeral]:
    """The numerals of a plain text, without those that need nothing."""
    mask = Mask(text)
    exempt.blank(mask, [])
    return _in_prose(mask)


def _in_prose(mask: Mask) -> list[Numeral]:
    found = []
    for at, shown in _numerals(mask.text):
        found.append(Numeral(shown, mask.line(at), at, "prose", beside.unit(mask.text, at + len(shown))))
    return found


def _numerals(text: str) -> list[tuple[int, str]]:
    """Offset and text of every number; a minus is an ASCII one in the text."""
    found = [(m.start(), m.group()) for span in _lines_with_digits(text) for m in _NUMERAL.finditer(text, *span)]
    for match in _NOT_ASCII.finditer(text):
        # ½, Ⅷ, ①, 三: numbers that are no digits. Powers and indices belong to what stands before them.
        index, char = match.start(), match.group()
        if unicodedata.category(char) in ("No", "Nl") or (
            unicodedata.category(char) == "Lo" and unicodedata.numeric(char, None) is not None
        ):
            raised = _is_script(char) and re.search(r"[\w)\]⁰-⁹₀-₉⁻]\Z", text[max(0, index - 1) : index])
            if not raised:
                found.append((index, char))
    return sorted((start, re.sub("^[−–]", "-", shown)) for start, shown in found)


def _lines_with_digits(text: str) -> Iterator[tuple[int, int]]:
    """Where they begin and end; most lines of a page have none, and the pattern of a number is slow."""
    end = -1
    for digit in _DIGIT.finditer(text):
        if digit.start() > end:
            start = text.rfind("\n", 0, digit.start()) + 1
            end = text.find("\n", digit.start())
            end = len(text) if end < 0 else end
            yield start, end


def _quotes(file: str, mask: Mask, spans: list[Region]) -> tuple[list[Quote], list[Problem]]:
    """The quotes that stand in prose; an example of the syntax in inline code or a comment is none."""
    quotes: list[Quote] = []
    problems: list[Problem] = []
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    for match in QUOTE.finditer(mask.text):
        around = spans[bisect.bisect_right(ends, match.start()) : bisect.bisect_left(starts, match.end())]
        if any(span.kind != "math" and span.start <= match.start() and match.end() <= span.end for span in around):
            continue
        start, end = match.span("text")
        if any(not (start <= span.start and span.end <= end) for span in around):
            problems.append(_not_understood(file, mask, match.start()))
            continue
        marks = match["kind"] == "claim", bool(match["not"])
        quote = Quote(mask.original[start:end], match["target"], mask.line(start), start, end, *marks)
        quotes.append(quote)
        if not quote.claim and beside.changes(mask.text, match.start(), match.end()):
            problems.append(
                Problem(
                    Place(file, quote.line),
                    "a quote with a sign, a digit or a unit beside it, which make another number of it",
                    "sign, digits and unit inside the brackets",
                    " ".join(mask.original[max(0, match.start() - 8) : match.end() + 8].split()),
                )
            )
    return quotes, problems


def _not_understood(file: str, mask: Mask, offset: int) -> Problem:
    return Problem(
        Place(file, mask.line(offset)),
        "a quote that is not understood",
        "[0.93](fact:chapter/snippet.name), outside code and math, on one line but for the text",
        mask.original[offset:].split("\n")[0][:60].strip(),
    )


def _decimals(mask: Mask, span: Region) -> list[Numeral]:
    if span.kind == "comment":
        return []
    decimal = _CODE_DECIMAL if span.kind == "code" else _MATH_DECIMAL
    found = list(decimal.finditer(mask.text, span.start, span.end))
    taken = {place for match in found for place in range(*match.span())}
    found += [
        match
        for match in _WHOLE.finditer(mask.text, span.start, span.end)
        if match.start() not in taken and int(re.sub(r"\D", "", match.group())) >= _SMALLEST
    ]
    return [
        Numeral(match.group().replace("−", "-"), mask.line(match.start()), match.start(), span.kind) for match in found
    ]


def _is_script(char: str) -> bool:
    return unicodedata.decomposition(char).startswith(("<super>", "<sub>"))
