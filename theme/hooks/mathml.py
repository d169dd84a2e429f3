"""Draw formulas as MathML when the site is built, so that a page needs no script for them.

`pymdownx.arithmatex` marks the formulas, `latex2mathml` converts them.
`FormulaExtension` is an ordinary extension of Python-Markdown; the rest of MkDocs is at the end of this file.
That converter is lenient: an unknown command comes through as text, a missing argument goes unnoticed.
What a browser would show wrongly is repaired here where the meaning is clear, and refused where it is not.
"""

from __future__ import annotations

import html
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

# After blocks kept aside have been put back (30).
PRIORITY = 4
MATHML = "http://www.w3.org/1998/Math/MathML"
FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\s*\\(?P<open>[(\[])(?P<tex>.*?)\\[)\]]\s*</(?P=tag)>', re.DOTALL
)
IN_HEADING = re.compile(r"<(h[1-6])\b(?:(?!</\1>).)*<math\b", re.DOTALL)
ENVIRONMENT = re.compile(r"\\begin\{([^}]*)\}")
# The converter ignores what it does not know, and numbers the rows of `align` from 1 in each formula.
ENVIRONMENTS = ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "array", "cases", "split", "align*")
CHILDREN = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "mroot": 2, "mover": 2, "munder": 2, "munderover": 3}
# Browsers know no `mathvariant` but `normal`, so the others become styles.
STYLES = {
    "bold": "font-weight: bold",
    "bold-italic": "font-weight: bold",
    "italic": "font-style: italic",
    "monospace": "font-family: var(--md-code-font-family)",
    "sans-serif": "font-family: var(--md-text-font-family)",
}


class FormulaError(ValueError):
    """A formula that would not be drawn as it was meant."""


class FormulaExtension(Extension):
    """Draws every marked formula; `fail` is told all that cannot be drawn on a page, one sentence each."""

    def __init__(self, fail: Callable[[list[str]], None]) -> None:
        super().__init__()
        self.fail = fail

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name is Python-Markdown's)
        """Called by Python-Markdown once a page."""
        md.postprocessors.register(_Formulas(self.fail), "formulas", PRIORITY)


class _Formulas(Postprocessor):
    def __init__(self, fail: Callable[[list[str]], None]) -> None:
        super().__init__()
        self.fail = fail

    def run(self, text: str) -> str:
        found, errors = replaced(text)
        if errors:
            self.fail(errors)
        return found


def replaced(content: str) -> tuple[str, list[str]]:
    """A page's HTML with every marked formula drawn, and what cannot be drawn."""
    errors: list[str] = []

    def draw(match: re.Match[str]) -> str:
        tex = html.unescape(match["tex"]).strip()
        try:
            return drawn(tex, block=match["open"] == "[")
        except FormulaError as error:
            errors.append(f"{tex!r}: {error}")
            return match[0]

    content = FORMULA.sub(draw, content)
    if re.search(r'<(?:span|div) class="arithmatex"', content) and not errors:
        errors.append("a formula that was marked and not found again")
    if IN_HEADING.search(content):
        errors.append("a formula in a heading; the table of contents can only show plain text")
    return content, errors


def drawn(tex: str, *, block: bool) -> str:
    """The HTML for one formula; a block stands in a box that scrolls, and that the keyboard reaches."""
    math = to_mathml(tex, block=block)
    if not block:
        return math
    return f'<div class="drift-scroll am-math" tabindex="0" role="region" aria-label="Formula">{math}</div>'


def to_mathml(tex: str, *, block: bool) -> str:
    """The `<math>` element for a formula, with its TeX as an annotation.

    Raises:
        FormulaError: the converter failed, or its result would not show what the formula says.
    """
    tex_for_converter = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{split}", tex)
    _check_source(tex_for_converter)
    try:
        root = ET.fromstring(convert(tex_for_converter, display="block" if block else "inline").replace("&<", "&amp;<"))
    except Exception as error:  # the converter's errors have no common base
        raise FormulaError(f"{type(error).__name__} {error}".strip()) from error
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
    for node in root.iter():
        _check(node)
        _repair(node)
    _wrap_with_source(root, tex)
    root.set("xmlns", MATHML)
    return ET.tostring(root, encoding="unicode")


def _check_source(tex: str) -> None:
    for name in ENVIRONMENT.findall(tex):
        if name not in ENVIRONMENTS:
            raise FormulaError(f"expected one of the environments aligned, {', '.join(ENVIRONMENTS)}, got {name!r}")
    depth = 0
    for brace in re.findall(r"\\.|[{}]", tex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            break
    if depth:
        raise FormulaError("expected as many closing braces as opening ones")


def _check(node: ET.Element) -> None:
    text = node.text or ""
    if "\\" in text or (text == "&" and node.tag == "mi"):
        raise FormulaError(f"the converter does not know {text!r}")
    expected = CHILDREN.get(node.tag)
    if expected is not None and len(node) != expected:
        raise FormulaError(f"<{node.tag}> needs {expected} parts, got {len(node)}")
    if node.tag in ("msup", "msub") and node[1].tag == node.tag and (node[1][0].text or "") == "" and not node[1][0]:
        raise FormulaError("two superscripts or two subscripts in a row")


def _repair(node: ET.Element) -> None:
    """Set right what the converter calls by the wrong name."""
    text = node.text or ""
    if node.tag == "mo" and ((text.isalpha() and len(text) > 1) or text == "∞"):
        # A function's name: as an operator it would stand in wide spaces.
        node.tag = "mi"
        node.attrib.clear()
    elif node.tag == "mi" and len(text) == 1 and unicodedata.category(text) in ("Sm", "Ps", "Pe", "So"):
        node.tag = "mo"
        node.set("stretchy", "false")
    elif node.tag == "mrow" and len(node) == 1 and node[0].tag == "mo" and node[0].text == ",":
        # `1{,}024`: a separator of thousands.
        node[0].attrib.update({"lspace": "0", "rspace": "0"})
    if node.tag == "mspace" and "negative" in node.get("width", ""):
        node.set("width", "-0.167em")
    _restyle(node)


def _restyle(node: ET.Element) -> None:
    variant = node.get("mathvariant")
    if variant is None or variant == "normal":
        return
    if variant not in STYLES:
        raise FormulaError(f"browsers do not draw the alphabet {variant!r}")
    del node.attrib["mathvariant"]
    node.set("style", STYLES[variant])
    if node.tag == "mi" and "italic" not in variant:
        node.set("mathvariant", "normal")


def _wrap_with_source(root: ET.Element, tex: str) -> None:
    """Keep the TeX beside the drawing, for those who copy the formula; the site's search leaves it out."""
    children = list(root)
    for child in children:
        root.remove(child)
    semantics = ET.SubElement(root, "semantics")
    row = children[0] if len(children) == 1 else ET.Element("mrow")
    if len(children) != 1:
        row.extend(children)
    semantics.append(row)
    source = {"encoding": "application/x-tex", "data-search-exclude": "1"}
    ET.SubElement(semantics, "annotation", source).text = tex


_page = ""


def on_config(config: MkDocsConfig) -> None:
    """Add the extension to the site's Markdown."""
    extensions: list[object] = config.markdown_extensions  # type: ignore[assignment]
    extensions.append(FormulaExtension(_fail))


def on_page_markdown(markdown: str, page: Page, **_: object) -> None:  # noqa: ARG001
    """Remember whose formulas are drawn."""
    global _page
    _page = page.file.src_uri


def _fail(errors: list[str]) -> None:
    raise PluginError("formulas that cannot be drawn:\n  " + "\n  ".join(f"{_page}: {error}" for error in errors))
