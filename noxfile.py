"""The menu of everything the project does: `nox -l` lists it, `nox -s NAME -- ARGUMENTS` runs one."""

import json
import os
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent
if sys.version_info < (3, 11):  # noqa: UP036 (nox may run on an older one)
    sys.exit(f"Python 3.11 or newer is needed, got {sys.version.split()[0]} ({sys.executable})")
sys.path.insert(0, str(ROOT))  # `nox` does not put the folder on the path, `python -m nox` does

from tools import browser, environment, lock  # noqa: E402

nox.needs_version = ">=2025.5"

# One environment for all sessions, since torch is large. Nox has no option for that, so its sessions ask for
# none (`venv_backend="none"`) and `prepare` makes the shared one.
ENV = ROOT / ".nox" / "env"
LOCK = ROOT / "requirements.lock"
GROUPS = ("docs", "tests", "lint")
QUIET = {"NO_MKDOCS_2_WARNING": "1"}  # Material's notice about its successor, on every build


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Check every number, build the site into site/ and say where to open it."""
    prepare(session)
    check(session)
    build(session, *session.posargs)
    session.log(f"Open {(ROOT / 'site' / 'index.html').as_uri()}")


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """Run every test; `-- --quick` leaves out what is slow, builds the site or starts a browser."""
    prepare(session)
    # The one place that says what is collected; the browser tests build the site themselves.
    fences = ("docs", "-p", "drift.pytest_plugin", "--markdown-docs")
    # A worker for each core; more than a few would only wait for the longest notebook. `-- -n0` does without.
    workers = ("-n", "logical", "--maxprocesses", "8")
    env = {} if "--quick" in session.posargs else chromium(session)
    # The slowest of those that take a second, so that one that grows is seen.
    slowest = ("--durations", "15", "--durations-min", "1")
    run(session, "pytest", "tests", *fences, *workers, *slowest, *session.posargs, env=env)


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """Check style, formatting and types, and report everything that is wrong with them at once."""
    prepare(session)
    failed = []
    for command in (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy", *session.posargs)):
        try:
            run(session, *command)
        except CommandFailed:
            failed.append(" ".join(command))
    if failed:
        session.error(f"failed: {', '.join(failed)}; `nox -s format` mends what ruff can")


@nox.session(name="format", venv_backend="none", default=False)
def mend(session: nox.Session) -> None:
    """Format the code and mend what ruff can mend."""
    prepare(session)
    run(session, "ruff", "check", "--fix-only", ".")
    run(session, "ruff", "format", ".")


@nox.session(venv_backend="none", default=False)
def data(session: nox.Session) -> None:
    """Download Banking77, which some experiments and two labs read, and check its sum."""
    prepare(session)
    run(session, "attention_src.data.banking77", *session.posargs)


@nox.session(venv_backend="none", default=False)
def serve(session: nox.Session) -> None:
    """Show the site while you write it, and run again what an edit touches; nothing is accepted."""
    prepare(session)
    run(session, "mkdocs", "serve", *session.posargs, env=QUIET)


@nox.session(venv_backend="none", default=False)
def update(session: nox.Session) -> None:
    """Run every snippet again and accept what it says, in the records and in the prose."""
    prepare(session)
    run(session, "drift", "update", *session.posargs)


@nox.session(name="check", venv_backend="none", default=False)
def check_alone(session: nox.Session) -> None:
    """Check every number without building the site; `-- --only 'scaling/*'` checks one chapter's snippets."""
    prepare(session)
    check(session, *session.posargs)


@nox.session(venv_backend="none", default=False)
def facts(session: nox.Session) -> None:
    """List every fact: its value, where it is made and where it is quoted."""
    prepare(session)
    run(session, "drift", "list", *session.posargs)


@nox.session(name="drift", venv_backend="none", default=False)
def any_command(session: nox.Session) -> None:
    """Run any command of the checker; `-- show scaling/shapes.agrees`, `-- unbound`, `-- suggest`, `-- tally`."""
    prepare(session)
    run(session, "drift", *session.posargs)


@nox.session(venv_backend="none", default=False)
def matrix(session: nox.Session) -> None:
    """Measure how far each fact spreads over thread counts and CPU capabilities (minutes)."""
    prepare(session)
    run(session, "drift", "matrix", *session.posargs)


@nox.session(venv_backend="none", default=False)
def bench(session: nox.Session) -> None:
    """Time a build and the preview beside plain MkDocs, in a copy (minutes); `-- --rounds 3` for fewer runs."""
    prepare(session)
    run(session, "tools.bench", "--nox", sys.executable, *session.posargs)


@nox.session(name="lock", venv_backend="none", default=False)
def make_lock(session: nox.Session) -> None:
    """Resolve the dependencies anew and write requirements.lock; `-- -c requirements.lock` keeps what is there."""
    pyproject = nox.project.load_toml(ROOT / "pyproject.toml")
    oldest = pyproject["project"]["requires-python"].removeprefix(">=")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here != oldest:
        session.error(f"a lock must install on Python {oldest}, so make it there; nox runs on {here}")
    wanted = [
        *pyproject["build-system"]["requires"],
        *pyproject["project"]["dependencies"],
        *pyproject["project"]["optional-dependencies"]["drift"],
        *nox.project.dependency_groups(pyproject, *GROUPS),
    ]
    scratch = ROOT / ".nox" / "lock"
    report = scratch / "report.json"
    create(session, scratch)
    # Nothing is installed. The first patch release is asked for, since some packages refuse the early ones; pip
    # can do that for wheels only, and for another folder than the one it runs from.
    asked = ("--only-binary=:all:", "--python-version", f"{oldest}.0", "--target", str(scratch / "nothing"))
    pip(session, scratch, "install", "--dry-run", "--report", str(report), *asked, *wanted, *session.posargs)
    lines = lock.pins(json.loads(report.read_text(encoding="utf-8")))
    LOCK.write_text(lock.render(lines, oldest), encoding="utf-8", newline="\n")
    session.log(f"{LOCK.name} holds {len(lines)} pins; read `git diff {LOCK.name}`, then run `nox -s docs`")


def check(session: nox.Session, *arguments: str) -> None:
    if os.environ.get("CI") and not os.environ.get("BANKING77_DIR"):
        # Everything has to run there. Where the queries cannot be had, the check says what did not.
        session.run(environment.python(ENV), "-m", "attention_src.data.banking77", external=True, success_codes=[0, 1])
    run(session, "drift", "check", *arguments)


def build(session: nox.Session, *arguments: str) -> None:
    run(session, "mkdocs", "build", "--strict", *arguments, env=QUIET)


def run(session: nox.Session, module: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run a module in the shared environment."""
    path = os.pathsep.join([str(environment.scripts(ENV)), os.environ.get("PATH", "")])
    variables = {"VIRTUAL_ENV": str(ENV), "PATH": path, **(env or {})}
    session.run(environment.python(ENV), "-m", module, *arguments, env=variables, external=True)


def prepare(session: nox.Session) -> None:
    """Install the lock file into the shared environment, unless that is done already."""
    wanted = environment.fingerprint(ROOT)
    found = environment.status(ENV, wanted)
    if found == "current":
        return
    environment.clear_stamp(ENV)
    if found == "unusable":
        create(session, ENV)
    install_torch(session, ENV, lock.pin(LOCK.read_text(encoding="utf-8"), "torch"))
    pip(session, ENV, "install", "-r", str(LOCK))
    # The lock holds the build backend too, so that nothing is fetched that is not pinned.
    pip(session, ENV, "install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    environment.write_stamp(ENV, wanted)


def create(session: nox.Session, env: Path) -> None:
    """Make an empty environment; virtualenv comes with nox and needs no `venv` from the system's Python."""
    options = ("--clear", "--no-periodic-update", "--quiet")
    session.run(sys.executable, "-m", "virtualenv", *options, str(env), external=True)


def install_torch(session: nox.Session, env: Path, requirement: str) -> None:
    """Take torch's CPU build where there is one; whatever goes wrong here is left to plain pip."""
    index = environment.torch_index(os.environ, sys.platform)
    if index is None:
        return
    reason = environment.why_unreachable(index)
    if reason is None:
        try:
            # Without dependencies: the lock's versions of those come from pip's own index.
            pip(session, env, "install", "--no-deps", "--index-url", index, requirement)
        except CommandFailed:
            reason = "pip could not install from it"
    if reason is not None:
        session.warn(f"Taking torch from pip's own index, which may be a larger download: {index}: {reason}")


def pip(session: nox.Session, env: Path, *arguments: str) -> None:
    # A user's `pip config set global.user true` would refuse every environment.
    variables = {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    session.run(environment.python(env), "-m", "pip", *arguments, env=variables, external=True)


def chromium(session: nox.Session) -> dict[str, str]:
    """Find a browser for the tests that open the site, or let Playwright fetch one.

    Tests read CHROMIUM; without it they take Playwright's own, and skip where there is none.
    Skipping is for a reader's machine: CI has to see every test run.
    """
    found = browser.find_browser(os.environ)
    if found is not None:
        return {"CHROMIUM": found}
    patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}  # milliseconds
    try:
        run(session, "playwright", "install", "chromium", "--only-shell", env=patience)
    except CommandFailed:
        message = "No browser to open the site with: install Chromium or Chrome, or set CHROMIUM to one."
        if os.environ.get("CI"):
            session.error(message)
        session.warn(f"{message} The tests that need one are skipped.")
    return {}
