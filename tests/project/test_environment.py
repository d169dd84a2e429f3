"""The shared environment: where torch comes from, and when an installation counts as done."""

from __future__ import annotations

import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools import environment

PYPROJECT = """\
[build-system]
requires = ["hatchling"]
[project]
name = "example"
dependencies = ["numpy"]
[dependency-groups]
tests = ["pytest"]
[tool.ruff]
line-length = 100
"""


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, environment.CPU_INDEX),
        ("darwin", {}, None),
        ("win32", {}, None),
        ("linux", {"TORCH_INDEX_URL": ""}, None),
        ("linux", {"TORCH_INDEX_URL": " "}, None),
        ("linux", {"TORCH_INDEX_URL": "https://mirror.example/cpu"}, "https://mirror.example/cpu"),
        ("darwin", {"TORCH_INDEX_URL": "https://mirror.example/cpu"}, "https://mirror.example/cpu"),
    ],
)
def test_torch_index_follows_platform_and_setting(platform: str, environ: dict[str, str], expected: str | None) -> None:
    """Linux takes the CPU index unless the setting says otherwise; elsewhere only the setting counts."""
    assert environment.torch_index(environ, platform) == expected


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that the machine uses would answer for the servers of these tests."""
    monkeypatch.setenv("no_proxy", "*")


class _Index(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(200 if self.path == "/whl/torch/" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def index() -> Iterator[str]:
    """The address of a server that knows torch under /whl only."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Index) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("ending", ["/whl", "/whl/"])
def test_probe_index_that_answers(index: str, ending: str) -> None:
    """An index that has torch is reachable, with or without a slash at the end."""
    assert environment.why_unreachable(index + ending) is None


def test_probe_index_without_torch(index: str) -> None:
    """An address that answers but has no torch is not an index to take torch from."""
    assert environment.why_unreachable(index + "/elsewhere") == "HTTP 404"


def test_probe_closed_port() -> None:
    """A refused connection is reported in the system's words, without waiting."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    began = time.monotonic()
    reason = environment.why_unreachable(f"http://127.0.0.1:{port}", timeout=5)
    assert reason
    assert "refused" in reason
    assert time.monotonic() - began < 4


def test_probe_server_that_never_answers() -> None:
    """A server that accepts and stays silent costs the timeout and no more."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        reason = environment.why_unreachable(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=0.2)
    assert reason
    assert time.monotonic() - began < 2


def test_probe_slow_name_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    """The timeout covers the name look-up, which a socket's timeout does not."""
    over = threading.Event()

    def look_up(*_args: object, **_kwargs: object) -> list[object]:
        over.wait(10)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    began = time.monotonic()
    assert environment.why_unreachable("https://index.invalid", timeout=0.2) == "no answer in 0.2 s"
    assert time.monotonic() - began < 2
    over.set()


def test_probe_untrusted_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host whose certificate Python does not know is there; whether to trust it is left to pip."""

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise urllib.error.URLError(ssl.SSLCertVerificationError("unable to get local issuer certificate"))

    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    assert environment.why_unreachable("https://index.invalid") is None


def test_probe_folder_is_left_to_pip(tmp_path: Path) -> None:
    """An index that is a folder is not asked over the network."""
    assert environment.why_unreachable(tmp_path.as_uri()) is None


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a lock file."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "requirements.lock").write_bytes(b"numpy==2.4.6\n")
    return folder


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["numpy"]', '["numpy", "torch"]'),
        ('["pytest"]', '["pytest", "hypothesis"]'),
        ('["hatchling"]', '["hatchling>=2"]'),
        ("[tool.ruff]", "[tool.hatch.build]\ndev-mode-dirs = ['.']\n[tool.ruff]"),
        ("[tool.ruff]", '[project.entry-points."mkdocs.plugins"]\ndrift = "d:P"\n[tool.ruff]'),
    ],
)
def test_fingerprint_changes_with_what_is_installed(root: Path, old: str, new: str) -> None:
    """Dependencies, groups, the build and entry points each need a new installation."""
    before = environment.fingerprint(root)
    assert PYPROJECT.count(old) == 1
    (root / "pyproject.toml").write_text(PYPROJECT.replace(old, new))
    assert environment.fingerprint(root) != before


def test_fingerprint_changes_with_the_lock(root: Path) -> None:
    """Another version in the lock file needs a new installation."""
    before = environment.fingerprint(root)
    (root / "requirements.lock").write_bytes(b"numpy==2.4.7\n")
    assert environment.fingerprint(root) != before


def test_fingerprint_changes_with_the_folder(root: Path) -> None:
    """A project that was moved is not the one that its environment points to."""
    before = environment.fingerprint(root)
    assert environment.fingerprint(root.rename(root.with_name("moved"))) != before


def test_fingerprint_ignores_other_tables_and_line_ends(root: Path) -> None:
    """A linter's setting and a checkout with CRLF install the same."""
    before = environment.fingerprint(root)
    (root / "pyproject.toml").write_text(PYPROJECT.replace("100", "110"))
    (root / "requirements.lock").write_bytes(b"numpy==2.4.6\r\n")
    assert environment.fingerprint(root) == before


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """A folder with an interpreter, installed from fingerprint `one`."""
    folder = tmp_path / "env"
    environment.scripts(folder).mkdir(parents=True)
    environment.python(folder).touch()
    environment.write_stamp(folder, "one")
    return folder


def test_status_complete_installation(env: Path) -> None:
    """What was installed from the same files is current."""
    assert environment.status(env, "one") == "current"


def test_status_other_fingerprint(env: Path) -> None:
    """What was installed from other files can be installed over."""
    assert environment.status(env, "two") == "outdated"


def test_status_interrupted_installation(env: Path) -> None:
    """An installation that began and did not end leaves an environment to make anew."""
    environment.clear_stamp(env)
    assert environment.status(env, "one") == "unusable"
    environment.clear_stamp(env)


def test_status_interrupted_stamp(env: Path) -> None:
    """Half a stamp is none."""
    stamp = env / environment.STAMP
    stamp.write_text(stamp.read_text()[:20])
    assert environment.status(env, "one") == "unusable"


def test_status_no_environment(tmp_path: Path) -> None:
    """A fresh clone has no environment."""
    assert environment.status(tmp_path / "env", "one") == "unusable"


def test_status_other_python(env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment belongs to one build of Python."""
    monkeypatch.setattr(sys, "version", "3.99.0 (main)")
    assert environment.status(env, "one") == "unusable"


def test_status_python_gone(env: Path) -> None:
    """An environment whose interpreter was removed from the system cannot be used."""
    environment.python(env).unlink()
    assert environment.status(env, "one") == "unusable"
