"""The one environment of all nox sessions: where its torch comes from, and whether it is up to date."""

from __future__ import annotations

import hashlib
import json
import ssl
import sys
import threading
import tomllib
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

# On Linux pip's own index gives a CUDA build of several gigabytes; on macOS and Windows it gives a CPU build.
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
STAMP = "complete.json"


def torch_index(environ: Mapping[str, str], platform: str) -> str | None:
    """The index to take torch from, or None for pip's own configuration.

    Args:
        environ: `TORCH_INDEX_URL` overrides the default; the empty string asks for plain pip.
        platform: as `sys.platform`.
    """
    default = CPU_INDEX if platform.startswith("linux") else ""
    return environ.get("TORCH_INDEX_URL", default).strip() or None


def why_unreachable(url: str, timeout: float = 3.0) -> str | None:
    """Ask an index whether it answers; None if it does, else the reason in a few words.

    Args:
        url: an address as pip takes it; only http and https are asked, anything else is left to pip.
        timeout: seconds for everything together. A socket's own timeout does not cover the name look-up,
            which can take much longer without a network, so the question runs in a thread.
    """
    if not url.startswith(("http://", "https://")):
        return None
    answer: list[str | None] = []
    thread = threading.Thread(target=lambda: answer.append(_ask(url, timeout)), daemon=True)
    thread.start()
    thread.join(timeout)
    return answer[0] if answer else f"no answer in {timeout:g} s"


def _ask(url: str, timeout: float) -> str | None:
    request = urllib.request.Request(url.rstrip("/") + "/torch/", method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=timeout):
            return None
    except urllib.error.HTTPError as error:
        error.close()
        return f"HTTP {error.code}"
    except urllib.error.URLError as error:
        # The host is there; whom to trust is for pip to judge, which may know more certificates than Python.
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            return None
        return getattr(error.reason, "strerror", None) or str(error.reason)
    except (OSError, ValueError) as error:
        return str(error)


def fingerprint(root: Path) -> str:
    """A digest of everything that an installed environment depends on.

    That is the lock file, the parts of `pyproject.toml` that decide what is installed and how, and the folder
    itself, since the project is installed in place. The rest of `pyproject.toml` (ruff, pytest) is left out.
    """
    pyproject = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    tables = {name: pyproject.get(name) for name in ("build-system", "project", "dependency-groups")}
    tables["hatch"] = pyproject.get("tool", {}).get("hatch")
    digest = hashlib.sha256((root / "requirements.lock").read_bytes().replace(b"\r\n", b"\n"))
    digest.update(json.dumps([tables, str(root.resolve())], sort_keys=True).encode())
    return digest.hexdigest()


def status(env: Path, wanted: str) -> str:
    """`current`, `outdated` (install over it) or `unusable` (make it anew).

    Without a stamp an installation was interrupted, and what it left cannot be told from what is whole.
    """
    try:
        stamp = json.loads((env / STAMP).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return "unusable"
    if stamp.get("python") != sys.version or not python(env).exists():
        return "unusable"
    return "current" if stamp.get("fingerprint") == wanted else "outdated"


def clear_stamp(env: Path) -> None:
    """Call before anything is installed, so that an interruption leaves no stamp."""
    (env / STAMP).unlink(missing_ok=True)


def write_stamp(env: Path, wanted: str) -> None:
    """Call when everything is installed."""
    partial = env / (STAMP + ".part")
    partial.write_text(json.dumps({"python": sys.version, "fingerprint": wanted}) + "\n", encoding="utf-8")
    partial.replace(env / STAMP)


def scripts(env: Path) -> Path:
    """The folder of the environment's programs."""
    return env / ("Scripts" if sys.platform == "win32" else "bin")


def python(env: Path) -> Path:
    """The environment's interpreter."""
    return scripts(env) / ("python.exe" if sys.platform == "win32" else "python")
