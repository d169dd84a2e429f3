"""The MkDocs plugin on a small site of its own, which has nothing to do with attention."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from authoring import seal
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError

from drift.config import Config
from drift.read import snippet
from drift.records import record
from drift.records.record import Record

MKDOCS = """\
site_name: Dice
use_directory_urls: false
strict: true
theme: {name: null, custom_dir: theme}
not_in_nav: /code/
nav: [index.md, deep/page.md]
validation: {links: {anchors: warn, unrecognized_links: warn}}
markdown_extensions:
  - admonition
  - tables
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.snippets: {base_path: [!relative $config_dir/snippets], check_paths: true}
  - pymdownx.superfences
plugins:
  - drift: {colors: {"#000000": currentColor}}
"""
SNIPPET = """\
from drift import fact, artifact
# --8<-- [start:roll]
total = 3 + 4
print("total", total)
# --8<-- [end:roll]
for name in ("two", "six"):
    fact(f"seen.{name}", total)
fact("total", total)
fact("mean", total / 2, tol=0.005)
"""
FACTS = """\
{"facts": {"seen.two": {"value": 7, "line": 7}, "seen.six": {"value": 7, "line": 7}, "total": {"value": 7, "line": 8},
 "mean": {"value": 3.4567891234, "tol": 0.005, "line": 9}}, "tolerances": {}, "artifacts": ["dice.svg"]}
"""
OUT = "# --8<-- [start:roll]\ntotal 7\n# --8<-- [end:roll]\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path id="a" stroke="#000000"/></svg>'
PAGE = """\
# Dice

They show [7](fact:dice/sum.total), on the mean [3.46](fact:dice/sum.mean).

```python
--8<-- "dice/sum.py:roll"
```

```text
--8<-- "dice/sum.out:roll"
```

![A die with [7](fact:dice/sum.total) on it](assets/figures/dice/dice.svg)

*The caption quotes [7](fact:dice/sum.seen.six).*
"""

Build = Callable[..., Path]


@pytest.fixture
def site(tmp_path: Path) -> Build:
    """Builds a site from its pages and gives the folder; `site(index=..., **files)`."""
    files = {
        "pyproject.toml": "[tool.drift]\n",
        "mkdocs.yml": MKDOCS,
        "theme/main.html": "<title>{{ page.title }}</title>{{ page.content }}",
        "snippets/dice/sum.py": SNIPPET,
        "snippets/dice/sum.facts.json": FACTS,
        "snippets/dice/sum.out": OUT,
        "docs/assets/figures/dice/dice.svg": SVG,
    }

    def make(index: str = PAGE, page: str = "# Other\n", **changed: str) -> Path:
        texts = {**files, "docs/index.md": index, "docs/deep/page.md": page}
        texts.update({name.replace("__", "/").replace("_dot_", "."): text for name, text in changed.items()})
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if not any("facts" in name or "pyproject" in name for name in changed):
            seal(tmp_path, "dice/sum")
        config = load_config(str(tmp_path / "mkdocs.yml"))
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        return tmp_path / "site"

    return make


def failure(site: Build, capture: pytest.LogCaptureFixture, **pages: str) -> str:
    """What a build that has to fail says."""
    with pytest.raises(Abort):
        site(**pages)
    return "\n".join(record.getMessage() for record in capture.records)


def test_quote_becomes_a_link_to_its_fact(site: Build) -> None:
    """The link names value, tolerance, fact and line, and leads to the row."""
    html = (site() / "index.html").read_text()
    link = re.search(r'<a class="drift-fact"[^>]*>3\.46</a>', html)
    assert link is not None
    for part in (
        'href="code/dice/sum.html#fact-mean"',
        'data-value="3.456789"',
        'data-tolerance="± 0.005"',
        'data-fact="dice/sum.mean"',
        'data-source="snippets/dice/sum.py, line 9"',
    ):
        assert part in link[0]


@pytest.mark.parametrize(
    "text",
    [
        "| a |\n| --- |\n| {} |",
        "!!! note\n    In a box {}.",
        "## About {}",
        "- item {}",
        "> said {}",
        "**bold {}**",
        "a [link][r] {}\n\n[r]: ../index.md",
    ],
)
def test_quote_is_found_wherever_it_stands(site: Build, text: str) -> None:
    """Tables, boxes, headings, lists, quotations and emphasis hold quotes as a paragraph does."""
    html = (site(page=text.format("[7](fact:dice/sum.total)")) / "deep/page.html").read_text()
    assert re.search(r'<a class="drift-fact"[^>]*href="\.\./code/dice/sum\.html#fact-total"[^>]*>7</a>', html)


def test_claim_is_a_quiet_link_with_its_comparison(site: Build) -> None:
    """The words stay words; the box gets what the code states and what it gave."""
    html = (site(page="It is [*more* than 3 times as much](claim:dice/sum.mean).") / "deep/page.html").read_text()
    link = re.search(r'<a class="drift-claim"[^>]*><em>more</em> than 3 times as much</a>', html)
    assert link is not None
    for part in (
        'href="../code/dice/sum.html#fact-mean"',
        'data-fact="dice/sum.mean"',
        'data-claim="total / 2"',
        'data-value="3.456789"',
    ):
        assert part in link[0]


def test_claim_that_does_not_hold_fails_the_build(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """A build alone refuses it, since that needs no run."""
    said = failure(site, caplog, page="It is [less than 3 times as much](claim:dice/sum.mean).")
    assert "docs/deep/page.md:1" in said
    assert "a claim that does not hold" in said


def test_claim_of_an_unknown_fact_fails_with_its_place(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """As a quote does."""
    assert "docs/deep/page.md:1" in failure(site, caplog, page="[More](claim:dice/sum.none).")


def test_quote_in_alt_text_is_plain(site: Build) -> None:
    """An attribute can hold no link, so the quote's text stands there."""
    assert 'aria-label="A die with 7 on it"' in (site() / "index.html").read_text()


def test_quote_in_code_is_an_example(site: Build) -> None:
    """In code the syntax is shown, not followed."""
    html = (
        site(page="`[1](fact:no/such.fact)`\n\n```markdown\n[7](fact:no/such.fact)\n```\n") / "deep/page.html"
    ).read_text()
    assert "drift-fact" not in html


def test_quote_of_an_unknown_fact_fails_with_its_place(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """Every unknown fact and snippet is named in one run, with file and line, in alt text too."""
    said = failure(
        site,
        caplog,
        index="# A\n\n[7](fact:dice/sum.nothing)\n\n![x [7](fact:dice/sum.less)](assets/figures/dice/dice.svg)\n",
        page="# B\n\n\n[7](fact:no/such.total)\n",
    )
    assert "docs/index.md:3: dice/sum has no recorded fact 'nothing'" in said
    assert "docs/index.md:5: dice/sum has no recorded fact 'less'" in said
    assert "docs/deep/page.md:4: no snippet 'no/such'" in said


@pytest.mark.parametrize(
    "quote", ['[7](fact:dice/sum.total "title")', "[7](<fact:dice/sum.total>)", "[7][r]\n\n[r]: fact:dice/sum.total"]
)
def test_quote_that_is_not_understood_fails(site: Build, caplog: pytest.LogCaptureFixture, quote: str) -> None:
    """A quote in a form that stays an ordinary link does not reach the reader."""
    assert "fact:dice/sum.total" in failure(site, caplog, page=quote)


def test_number_that_the_checker_did_not_see_fails(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """The rendered page is read again: what only Markdown's parser makes visible is found."""
    hook = "def on_page_content(html, **_):\n    return html + '<p>48</p>'\n"
    said = failure(site, caplog, mkdocs_dot_yml=MKDOCS + "hooks: [more.py]\n", more_dot_py=hook)
    assert "docs/deep/page.md: a reader sees the number 48" in said


WRONG = {
    "a wrong quote": (
        "docs__index_dot_md",
        PAGE.replace("[7]", "[8]", 1),
        "docs/index.md:3: a quote that is not its fact",
    ),
    "an unbound number": (
        "docs__deep__page_dot_md",
        "# B\n\nIt is 41.\n",
        "docs/deep/page.md:3: a number with no fact",
    ),
    "a typed output": (
        "docs__deep__page_dot_md",
        "```text\n41\n```\n",
        "docs/deep/page.md:2: a text fence with text typed",
    ),
    "an edited record": (
        "snippets__dice__sum_dot_facts_dot_json",
        FACTS.replace('"total": {"value": 7', '"total": {"value": 8'),
        "docs/index.md:3: a quote that is not its fact",
    ),
    "a record and its page edited alike": (
        "snippets__dice__sum_dot_facts_dot_json",
        FACTS.replace('"line": 8', '"line": 7'),
        "snippets/dice/sum.facts.json: the record is not what the checker wrote",
    ),
    "text in a record": (
        "snippets__dice__sum_dot_out",
        OUT + "more\n",
        "snippets/dice/sum.out:4: text between outputs",
    ),
    "a number in a title": (
        "mkdocs_dot_yml",
        MKDOCS.replace("site_name: Dice", "site_name: 41 dice"),
        "mkdocs.yml:1: a number with no fact",
    ),
    "a page that a hook makes": (
        "made_dot_py",
        "from mkdocs.structure.files import File\n"
        "def on_files(files, config):\n    files.append(File.generated(config, 'made.md', content='# M'))\n",
        "docs/made.md: a page that the checker never read",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_build_refuses_what_the_records_refute(site: Build, caplog: pytest.LogCaptureFixture, name: str) -> None:
    """A plain build needs no run to see that a page, a record or a setting is wrong."""
    file, text, message = WRONG[name]
    changed = {file: text}
    if name == "a page that a hook makes":
        changed["mkdocs_dot_yml"] = MKDOCS.replace("\nnav:", "\nhooks: [made.py]\nnav:").replace(
            "/code/", "|\n  /code/\n  made.md"
        )
    if file.startswith("docs__index"):
        changed = {"index": text}
    if file.startswith("docs__deep"):
        changed = {"page": text}
    assert message in failure(site, caplog, **changed)


def test_include_of_a_missing_file_fails_with_its_place(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """An output that was never recorded is named with the line that asks for it, on every page."""
    said = failure(
        site,
        caplog,
        index='```text\n--8<-- "dice/no.out:roll"\n```\n',
        page='\n```python\n--8<-- "dice/no.py:roll"\n```\n',
    )
    assert "docs/index.md:2: includes dice/no.out, which is not there (python -m drift update" in said
    assert "docs/deep/page.md:3: includes dice/no.py, which is not there" in said


def test_include_that_stays_text_fails(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """A space after the closing quote turns an include into text."""
    assert "--8<--" in failure(site, caplog, page='```python\n--8<-- "dice/sum.py:roll" \n```\n')


def test_code_block_names_its_lines(site: Build) -> None:
    """The caption leads to the section within the whole source."""
    html = (site() / "index.html").read_text()
    assert '<a href="code/dice/sum.html#section-roll">dice/sum.py, lines 3–4</a>' in html


def test_output_block_is_told_from_code(site: Build) -> None:
    """An output has its own class and the theme's sign for no copy button."""
    assert re.search(r'<div class="[^"]*drift-output no-copy[^"]*highlight">', (site() / "index.html").read_text())


def test_figure_is_part_of_the_page(site: Build) -> None:
    """The drawing is inlined with the page's colours, and its caption keeps its quotes."""
    html = (site() / "index.html").read_text()
    assert 'stroke="currentColor"' in html
    assert 'id="figure-1-a"' in html
    assert re.search(r'<figcaption>The caption quotes <a class="drift-fact"', html)


def test_figure_that_is_missing_fails(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """A figure that no snippet made is named with its line."""
    assert "docs/deep/page.md:2: no file docs/assets/figures/dice/other.svg" in failure(
        site, caplog, page="\n![x](../assets/figures/dice/other.svg)\n"
    )


def test_code_page_shows_every_line(site: Build) -> None:
    """The source is there whole, each line with its anchor."""
    html = (site() / "code/dice/sum.html").read_text()
    lines = re.findall(r'<span class="drift-line" id="L(\d+)">(.*?)</span>\n', html)
    assert [int(number) for number, _ in lines] == list(range(1, 10))
    assert re.sub(r"<[^>]+>", "", lines[2][1]) == "total = 3 + 4"


def test_code_page_lists_facts_with_lines_and_pages(site: Build) -> None:
    """A row holds value, tolerance, the line that states it (by pattern too), and who quotes it."""
    html = (site() / "code/dice/sum.html").read_text()
    rows = dict(re.findall(r'<tr id="fact-([^"]+)">(.*?)</tr>', html))
    assert set(rows) == {"seen.two", "seen.six", "total", "mean"}
    assert '<a href="#L7">7</a>' in rows["seen.six"]
    assert '<a href="#L9">9</a>' in rows["mean"]
    assert "± 0.005" in rows["mean"]
    assert "exact" in rows["total"]
    assert '<a href="../../index.html">Dice</a>' in rows["total"]
    assert "index.html" not in rows["seen.two"]


def test_code_page_tells_where_it_is_shown_and_how_to_run_it(site: Build) -> None:
    """A reader who lands there finds the chapter and the command."""
    html = (site() / "code/dice/sum.html").read_text()
    assert "<code>python snippets/dice/sum.py</code>" in html
    assert 'parts of it are shown in <a href="../../index.html">Dice</a>' in html
    assert "total 7" in html


def test_code_page_shows_source_as_text(site: Build) -> None:
    """Nothing in a snippet is taken for Markdown or HTML."""
    source = '"""\n```python\n<b>&\n[7](fact:a/b.c)\n<!-- drift:facts -->\n"""\n' + SNIPPET
    html = (site(snippets__dice__sum_dot_py=source) / "code/dice/sum.html").read_text()
    code = html[html.index("drift-listing") : html.index("</code></pre>", html.index("drift-listing"))]
    assert re.sub(r"<[^>]+>", "", code).count("&lt;b&gt;&amp;") == 1
    assert "&lt;!-- drift:facts --&gt;" in code
    assert html.count("<table") == 1


def test_project_without_a_table_fails(site: Build, caplog: pytest.LogCaptureFixture) -> None:
    """The plugin says which file lacks its settings."""
    assert "[tool.drift]" in failure(site, caplog, pyproject_dot_toml="[project]\n")


OFFERING = MKDOCS.replace("colors:", "notebooks: books, notebooks_skip: [deep/*], package: drift, colors:")


def test_page_with_code_offers_its_notebook(site: Build) -> None:
    """Below the title stands a link to a notebook that the build wrote; a page without code has none."""
    folder = site(mkdocs_dot_yml=OFFERING)
    html = (folder / "index.html").read_text()
    link = '<p class="drift-notebook"><a href="books/index.ipynb" download="index.ipynb">Download as notebook</a></p>'
    assert f"</h1>\n{link}" in html
    assert "drift-notebook" not in (folder / "deep/page.html").read_text()
    cells = json.loads((folder / "books/index.ipynb").read_text())["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code", "markdown"]
    assert cells[0]["source"][2] == "*Made from the page of this name on the site Dice.\n"
    assert cells[3]["outputs"][0]["text"] == ["total 7\n"]
    assert sorted(path.name for path in (folder / "books").rglob("*.ipynb")) == ["index.ipynb"]


def test_skipped_page_offers_no_notebook(site: Build) -> None:
    """A pattern takes pages out, and without a folder there are no notebooks at all."""
    code = '# Other\n\n```python\n--8<-- "dice/sum.py:roll"\n```\n'
    folder = site(page=code, mkdocs_dot_yml=OFFERING)
    assert "drift-notebook" not in (folder / "deep/page.html").read_text()
    assert not list(site(page=code, mkdocs_dot_yml=MKDOCS).rglob("index.ipynb"))


def test_notebook_opens_elsewhere_where_the_site_says_so(site: Build) -> None:
    """An address with the notebook's path gives a second link."""
    elsewhere = OFFERING.replace("colors:", 'open_in: "https://colab.example/{path}", colors:')
    html = (site(mkdocs_dot_yml=elsewhere) / "index.html").read_text()
    assert '<a href="https://colab.example/index.ipynb">Open in Colab</a>' in html


def test_preview_tells_a_problem_and_goes_on(
    site: Build, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author sees the page while a number in it is wrong; a build for readers stops at the same page."""
    page = "# Other\n\n[7](fact:dice/sum.nothing)\n"
    assert "nothing" in failure(site, caplog, page=page)
    caplog.clear()
    monkeypatch.setattr("drift.mkdocs.preview.refresh", lambda whole, _console: records(whole.config))
    config = load_config(str(tmp_path / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config)
    assert "quotes fact:dice/sum.nothing" in caplog.text
    assert (tmp_path / "site/deep/page.html").exists()


def test_site_gets_the_styles_of_what_is_written_into_it(site: Build) -> None:
    """A theme that knows nothing of quotes links our style sheet and scripts; a site's own come after them."""
    settings = MKDOCS.replace("theme: {name: null, custom_dir: theme}", "theme: mkdocs\nextra_css: [own.css]")
    folder = site(mkdocs_dot_yml=settings, docs__own_dot_css="")
    html = (folder / "deep/page.html").read_text()
    assert html.index('href="../assets/drift/drift.css"') < html.index('href="../own.css"')
    assert html.index('src="../assets/drift/tips.js"') < html.index('src="../assets/drift/facts.js"')
    styles = (folder / "assets/drift/drift.css").read_text()
    written = set(re.findall(r'class="[^"]*?(drift-[a-z-]+)', (folder / "index.html").read_text()))
    assert "drift-fact" in written
    assert {name for name in written if f".{name}" not in styles} <= {"drift-drawing", "drift-source"}


def test_preview_marks_a_quote_that_is_not_its_fact(
    site: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the page, and only in a preview, a wrong number stands beside what it should say; a right one is as ever."""
    right = "# Other\n\n[7](fact:dice/sum.total) and [7](fact:dice/sum.total)\n"
    assert "drift-wrong" not in (site(page=right) / "deep/page.html").read_text()
    (tmp_path / "docs/deep/page.md").write_text(right.replace("[7]", "[8]", 1))
    monkeypatch.setattr("drift.mkdocs.preview.refresh", lambda whole, _console: records(whole.config))
    config = load_config(str(tmp_path / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config)
    shown = (tmp_path / "site/deep/page.html").read_text()
    wrong = re.findall(r'<a class="drift-fact drift-wrong" data-expected="([^"]*)"[^>]*>([^<]*)</a>', shown)
    assert wrong == [("7", "8")]
    assert shown.count('class="drift-fact"') == 1


def test_dirty_build_is_refused(site: Build, tmp_path: Path) -> None:
    """MkDocs would leave out pages whose titles others need; the message says that nothing is gained by it."""
    site()
    config = load_config(str(tmp_path / "mkdocs.yml"))
    with pytest.raises(PluginError, match="--dirty"):
        config.plugins.on_startup(command="serve", dirty=True)


def records(project: Config) -> dict[str, Record]:
    """The accepted records, without a run."""
    return {found.id: record.load(project, found.id) for found in snippet.discover(project)}
