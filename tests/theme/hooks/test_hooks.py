"""The build's own hooks: formulas, addresses, names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError, PluginError
from pymdownx.arithmatex import ArithmatexExtension

from theme.hooks import mathml, names, repository

PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="x.md"))


def drawn(tex: str) -> str:
    """What stands between `<semantics>` and its annotation."""
    root = ET.fromstring(mathml.to_mathml(tex, block=True))
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
    return ET.tostring(root[0][0], encoding="unicode")


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        (r"\operatorname{softmax}(x)", "<mi>softmax</mi>"),
        (r"\lfloor i \rfloor", '<mo stretchy="false">⌊</mo>'),
        (r"1{,}024", '<mo lspace="0" rspace="0">,</mo>'),
        (r"-\infty", "<mi>∞</mi>"),
        (r"\textbf{a}", '<mtext style="font-weight: bold">a</mtext>'),
        (r"\begin{aligned}a&=b\end{aligned}", '<mtd columnalign="right"><mi>a</mi></mtd>'),
    ],
)
def test_formula_is_drawn(tex: str, expected: str) -> None:
    """A formula becomes MathML that browsers draw; what the converter misnames is put right."""
    assert expected in drawn(tex)


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        (r"\nosuch x", "nosuch"),
        (r"\frac{1}", "2 parts"),
        (r"{a", "braces"),
        (r"a} {b", "braces"),
        (r"\left( x", "ExtraLeftOrMissingRight"),
        (r"x^^2", "superscripts"),
        (r"a & b", "&"),
        (r"\begin{nosuch}x\end{nosuch}", "nosuch"),
        (r"\begin{align}a&=b\end{align}", "align"),
    ],
)
def test_formula_that_would_be_drawn_wrongly_is_refused(tex: str, message: str) -> None:
    """What the converter lets through or leaves out is an error, not a surprise on the page."""
    with pytest.raises(mathml.FormulaError, match=message):
        mathml.to_mathml(tex, block=True)


def shown(text: str) -> str:
    """The HTML of a page of Markdown, made by Python-Markdown alone; whatever cannot be drawn fails."""

    def fail(errors: list[str]) -> None:
        raise mathml.FormulaError("; ".join(errors))

    extensions = [ArithmatexExtension(generic=True), mathml.FormulaExtension(fail)]
    return Markdown(extensions=extensions).convert(text)


def test_formulas_on_a_page_are_replaced() -> None:
    """Inline formulas stay in their line; a block gets a box that the keyboard can scroll."""
    found = shown("a $x < y$\n\n$$\nz\n$$\n")
    assert "<p>a <math" in found
    assert '<annotation encoding="application/x-tex" data-search-exclude="1">x &lt; y</annotation>' in found
    assert '<div class="drift-scroll am-math" tabindex="0" role="region" aria-label="Formula"><math' in found
    assert "arithmatex" not in found


def test_formulas_that_cannot_be_drawn_are_reported_at_once() -> None:
    """Each is named, and the one between them is not."""
    with pytest.raises(mathml.FormulaError, match=r"^'\\\\first': [^;]*; '\\\\zweite': [^;]*$"):
        shown(r"$\first$ and $x$ and $\zweite$")


def test_formula_error_names_the_page() -> None:
    """In a build the message begins with the page that holds the formula."""
    config = SimpleNamespace(markdown_extensions=[])
    mathml.on_config(config)
    mathml.on_page_markdown("", PAGE)
    with pytest.raises(PluginError, match=r"x\.md: '\\\\first'"):
        Markdown(extensions=[ArithmatexExtension(generic=True), *config.markdown_extensions]).convert(r"$\first$")


def test_formula_in_a_heading_is_refused() -> None:
    """The table of contents would show it as TeX."""
    with pytest.raises(mathml.FormulaError, match="heading"):
        shown("## On $x$")


def configured(value: str) -> Any:
    """A configuration with the setting, as the hook leaves it."""
    config: Any = MkDocsConfig()
    config.load_dict({"site_name": "x", "plugins": ["drift"], "extra": {"repository": value}})
    config.validate()
    repository.on_config(config)
    return config


def test_repository_gives_every_address() -> None:
    """One setting gives the site's address, the repository's, and where pages are edited."""
    config = configured("Someone/some-name")
    assert config.site_url == "https://someone.github.io/some-name/"
    assert config.repo_url == "https://github.com/Someone/some-name"
    assert config.edit_uri == "edit/main/docs/"
    notebooks = config.plugins["drift"].config
    assert notebooks.install == "attention-measured @ git+https://github.com/Someone/some-name"
    assert notebooks.open_in.startswith("https://colab.research.google.com/github/Someone/some-name/blob/notebooks/")


def test_repository_of_an_owners_own_site() -> None:
    """The repository named after its host is served at the root."""
    assert configured("someone/someone.github.io").site_url == "https://someone.github.io/"


def test_repository_unset_gives_none() -> None:
    """Without the setting there is no address at all."""
    config = configured("")
    assert not config.site_url
    assert not config.repo_url
    assert not config.plugins["drift"].config.install
    assert not config.plugins["drift"].config.open_in


@pytest.mark.parametrize("value", ["name", "https://github.com/a/b", "a/b/c", "a b/c"])
def test_repository_in_another_form_is_refused(value: str) -> None:
    """A mistyped setting does not become a broken address."""
    with pytest.raises(ConfigurationError, match="owner/name"):
        configured(value)


def test_search_dialog_gets_a_name() -> None:
    """A screen reader can say what the dialog is; a theme that changed is noticed."""
    assert 'role="dialog" aria-label="Search"' in names.on_post_page(f"<div {names.DIALOG}>", PAGE, None)
    with pytest.raises(PluginError, match=r"x\.md"):
        names.on_post_page("<div>", PAGE, None)
