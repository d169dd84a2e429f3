"""The built site, served on loopback, and a browser that looks at it."""

from __future__ import annotations

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from accessibility import serious
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, sync_playwright

from drift import config
from drift.read import snippet
from tools.browser import find_browser

ROOT = Path(__file__).resolve().parents[2]
# Chromium loads two pages of its address bar in every window, which nobody sees and which cost as much as one of
# ours. The last list of features counts, so it holds those that Playwright turns off, as far as they touch pages.
FEATURES = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch"
)
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    f"--disable-features={FEATURES}",
]
# Each scheme and each width is loaded once and looked at by axe, which takes seconds on a long page; then the scheme
# is changed as a reader does, with the page open.
LOADED: list[tuple[Any, int]] = [("light", 1280), ("dark", 390)]
OTHER: dict[Any, Any] = {"light": "dark", "dark": "light"}
INDEX = "search/search_index.json"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
Once = Callable[[str, Callable[[Path], object]], Path]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `page_path` runs once for each page, one that takes `axe_path` for each that axe looks at."""
    if "page_path" in metafunc.fixturenames:
        metafunc.parametrize("page_path", expected_pages())
    if "axe_path" in metafunc.fixturenames:
        metafunc.parametrize("axe_path", axe_pages())


@functools.cache
def axe_pages() -> list[str]:
    """The pages that axe looks at: all that are written, and of the generated code pages two extremes.

    Those come from one template, and axe takes seconds for the colours of a long listing.
    """
    by_length = sorted(snippet.discover(config.load(ROOT)), key=lambda item: len(item.text))
    code = [f"code/{item.id}.html" for item in (by_length[0], by_length[-1])]
    return [path for path in expected_pages() if not path.startswith("code/") or path in code]


@functools.cache
def expected_pages() -> list[str]:
    """Every page that a build has to make: each Markdown file, snippet and notebook, the list, and a bad address."""
    project = config.load(ROOT)
    written = [path.relative_to(project.docs).with_suffix(".html") for path in project.docs.rglob("*.md")]
    found = snippet.discover(project)
    code = [f"code/{item.id}.html" for item in found]
    notebooks = [f"{item.id}.html" for item in found if item.is_notebook]
    return sorted([*(path.as_posix() for path in written), *code, *notebooks, "experiments.html", "404.html"])


@dataclass(frozen=True)
class Site:
    """A built site: its folder, and the address it is served at."""

    folder: Path
    root: str


@dataclass(frozen=True)
class Visit:
    """What was found on one page: requests to others, errors, and by setting the overflow and axe's findings."""

    outside: list[str]
    errors: list[str]
    overflow: dict[str, int]
    violations: list[str]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def build(target: Path, repository: str = "") -> Path:
    """Build the site strictly into `target`."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)]
    environment = os.environ | {"REPOSITORY": repository, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return target


def serve(folder: Path) -> tuple[str, Callable[[], None]]:
    """Serve `folder` on a free port; gives the address, and what ends it."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return f"http://127.0.0.1:{server.server_port}/", stop


@pytest.fixture(scope="session")
def built(once: Once) -> Path:
    """The site as it is built without any setting."""
    return once("site", build)


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[Site]:
    """The same, served."""
    root, stop = serve(built)
    yield Site(built, root)
    stop()


@pytest.fixture(scope="session")
def pages() -> list[str]:
    """The paths of all pages."""
    return expected_pages()


@pytest.fixture(scope="session")
def published(once: Once) -> Iterator[Site]:
    """The site as it is built for a repository."""
    folder = once("published", lambda target: build(target, "someone/some-name"))
    root, stop = serve(folder)
    yield Site(folder, root)
    stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium; without one the tests are skipped, except where nobody would notice that they were."""
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=find_browser(os.environ), args=LAUNCH)
        except Error as error:
            if os.environ.get("CI") == "true":
                pytest.fail(f"no browser: {error}")
            pytest.skip(f"no browser: {error.message.splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def fact_page(built: Path, pages: list[str]) -> str:
    """The page that quotes most facts and shows them all; practice hides its answers."""
    shown = [path for path in pages if path != "exam/practice.html"]
    counts = {path: (built / path).read_text(encoding="utf-8").count('class="drift-fact"') for path in shown}
    best = max(counts, key=lambda path: counts[path])
    assert counts[best] > 0
    return best


@pytest.fixture(scope="session")
def short_index(built: Path) -> str:
    """The search index with its first entry alone: each page that is opened reads all of it, to find nothing."""
    index = json.loads((built / INDEX).read_text(encoding="utf-8"))
    return json.dumps(index | {"docs": index["docs"][:1]})


@pytest.fixture
def open_page(site: Site, browser: Browser, short_index: str) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site, or an empty one for ""; keyword arguments go to the browser's context.

    Only with `searching` is there more than one page to be found.
    """
    contexts: list[BrowserContext] = []

    def open_page(path: str, width: int = 1280, searching: bool = False, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce", **options)
        contexts.append(context)
        if not searching:
            shorten(context, short_index)
        page = context.new_page()
        if path:
            page.goto(site.root + path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def shorten(context: BrowserContext, index: str) -> None:
    """Let pages read `index` where they ask for the site's."""
    context.route(f"**/{INDEX}", lambda route: route.fulfill(body=index, content_type="application/json"))


@pytest.fixture
def watch() -> Callable[..., tuple[list[str], list[str]]]:
    """Notes what a page asks of others, and what it logs: `outside, errors = watch(page, own_addresses)`."""

    def watch(page: Page, *own: str) -> tuple[list[str], list[str]]:
        outside: list[str] = []
        errors: list[str] = []
        listen(page, (*own, "data:"), outside, errors)
        return outside, errors

    return watch


@pytest.fixture(scope="session")
def visits(site: Site, browser: Browser, short_index: str) -> Iterator[Callable[[str], Visit]]:
    """Looks at a page in both schemes and both widths, once a session."""
    # One window for all of them: to open one costs as much as to load a page, and the next page finds the theme's
    # files there.
    context = browser.new_context(reduced_motion="reduce")
    shorten(context, short_index)
    page = context.new_page()
    yield functools.cache(lambda path: visit(page, site.root, path))
    context.close()


def visit(page: Page, root: str, path: str) -> Visit:
    """Open one page as a first visitor does, and note what is wrong with it."""
    found = Visit([], [], {}, [])
    stop = listen(page, (root, "data:"), found.outside, found.errors)
    whole = path in axe_pages()
    for scheme, width in LOADED:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        # Pages of code come from one template; the others of them turn narrow and dark with the page open.
        if whole or not found.overflow:
            page.goto(root + path)
        found.overflow[f"{scheme}, {width} px"] = page.evaluate(OVERFLOW)
        if whole:
            found.violations.extend(f"{scheme}, {width} px: {text}" for text in serious(page))
        page.emulate_media(color_scheme=OTHER[scheme])
        found.overflow[f"{OTHER[scheme]}, {width} px"] = page.evaluate(OVERFLOW)
    page.evaluate("localStorage.clear()")
    stop()
    return found


def listen(page: Page, own: tuple[str, ...], outside: list[str], errors: list[str]) -> Callable[[], None]:
    """Note every request that begins with none of `own`, and every message that is no mere information.

    Gives what ends it.
    """

    def request(request: Request) -> None:
        if not request.url.startswith(own):
            outside.append(request.url)

    def message(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            errors.append(message.text)

    def failure(error: Error) -> None:
        errors.append(str(error))

    heard: dict[Any, Callable[..., None]] = {"request": request, "console": message, "pageerror": failure}
    for event, hear in heard.items():
        page.on(event, hear)

    def stop() -> None:
        for event, hear in heard.items():
            page.remove_listener(event, hear)

    return stop
