"""The environment that snippets run in, and what of it a result depends on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import site
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from drift.config import Config
from drift.run import inherit

# Of the variables that the checker was started with, a run gets these and the declared ones.
# They say where the system's programs and libraries are.
PASSED = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
)

# The same on every machine: UTF-8 text, one language, one time zone, no window system, no person's matplotlib
# settings, no date in figures.
FIXED = {
    "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8",
    "PYTHONUTF8": "1",
    "MPLBACKEND": "Agg",
    "MATPLOTLIBRC": os.devnull,
    "SOURCE_DATE_EPOCH": "0",
    "NO_COLOR": "1",
    "TERM": "dumb",
}

# Variables that C code and Python itself read, which nobody sees: declared, they belong to every result's key.
UNSEEN = re.compile(
    r"(?:ATEN|BLIS|CUBLAS|CUDA|DNNL|GOMP|KMP|MKL|MPS|NPY|NUMEXPR|OMP|ONEDNN|OPENBLAS|PYTORCH|TORCH|VECLIB)_"
    r"|PYTHON|LD_|DYLD_|LC_|LANG"
)

CAPABILITIES = ("default", "avx2", "avx512")

# ATen, MKL, oneDNN and OpenBLAS each choose their own kernels, so each has to be held back: a machine that has
# no more than AVX2 would use none of the wider ones.
INSTRUCTION_SETS: dict[str, dict[str, str]] = {
    "default": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
    },
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
    },
    "avx512": {
        "ATEN_CPU_CAPABILITY": "avx512",
        "MKL_ENABLE_INSTRUCTIONS": "AVX512",
        "ONEDNN_MAX_CPU_ISA": "AVX512_CORE",
        "OPENBLAS_CORETYPE": "SkylakeX",
    },
}


@dataclass(frozen=True)
class Environment:
    """One way to run snippets.

    Attributes:
        threads: of the numerical libraries, in each snippet's process.
        capability: one of `CAPABILITIES`; None leaves the choice to the libraries.
        hash_seed: for `PYTHONHASHSEED`, which orders sets of strings.
        zone: for `TZ`.
        date: seconds since 1970 that the clock shows when a run begins.
        backwards: whether folders list their files in the other order than the system's.
    """

    threads: int = 1
    capability: str | None = None
    hash_seed: int = 0
    zone: str = "UTC0"
    date: int = 946_684_800  # the first second of the year 2000
    backwards: bool = False

    @property
    def name(self) -> str:
        """How a table calls it: `2 threads, avx2, hash 7`."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{threads}, {self.capability or capabilities()[-1]}, hash {self.hash_seed}"


# What a change of these must not change is a property of the snippet; accepting holds it.
ANOTHER = Environment(threads=2, hash_seed=1, zone="XYZ-9:45", date=1_029_675_723, backwards=True)


def variables(config: Config, environment: Environment) -> dict[str, str]:
    """All variables of a run in `environment`, but for the folders of its own that it gets (`HOME`, `TMPDIR`)."""
    env = {name: os.environ[name] for name in PASSED if name in os.environ}
    if site.ENABLE_USER_SITE:  # packages there are found through HOME otherwise
        env["PYTHONUSERBASE"] = site.getuserbase()
    env.update(
        FIXED,
        MPLCONFIGDIR=str(config.cache / "matplotlib"),
        TZ=environment.zone,
        PYTHONHASHSEED=str(environment.hash_seed),
    )
    threads = str(environment.threads)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        env[name] = threads
    if environment.threads > 1:
        env["OMP_WAIT_POLICY"] = "PASSIVE"  # where others work, too, threads that spin while they wait take minutes
    if environment.capability is not None:
        env.update(INSTRUCTION_SETS[environment.capability])
    return env | config.declared() | inherit.passed(os.environ)


def watched(config: Config) -> dict[str, str]:
    """The variables whose reading makes a result depend on them, with their values ("" stands for none, too)."""
    values = {**os.environ, **config.declared()}
    return {name: values.get(name, "") for name in dict.fromkeys((*PASSED, *config.env))}


def fingerprint(config: Config, environment: Environment) -> dict[str, object]:
    """Everything outside the project's own files that every result depends on, as plain JSON values."""
    env = variables(config, environment)
    watched_ones = {*inherit.INHERITED, "PATH", "MPLCONFIGDIR", *config.env}
    kept = {name: value for name, value in env.items() if name not in watched_ones or UNSEEN.match(name)}
    return {
        "python": sys.version,
        "platform": [sys.platform, platform.machine(), os.cpu_count()],
        "cpu": list(cpu()),
        "packages": versions(config.preload),
        "lock": _digest(config.lock),
        "variables": dict(sorted(kept.items())),
        "declared": sorted(config.env),
        "environment": asdict(environment),
        "preload": list(config.preload),
    }


def capabilities() -> tuple[str, ...]:
    """The values of `ATEN_CPU_CAPABILITY` that this machine's processor can run; one elsewhere than on x86."""
    flags = set(cpu())
    found = ["default"]
    if {"avx2", "fma"} <= flags:
        found.append("avx2")
        if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
            found.append("avx512")
    return tuple(found)


@cache
def cpu() -> tuple[str, ...]:
    """The processor's vendor and vector instructions, sorted; its architecture where Linux does not say."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return (platform.machine(), platform.processor())
    flags = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    vendor = re.search(r"^(?:vendor_id|CPU implementer)\s*:(.*)$", text, re.MULTILINE)
    wanted = re.compile(r"avx|amx|fma|sse4|asimd|sve|bf16|i8mm|f16c")
    names = {flag for flag in (flags[1].split() if flags else []) if wanted.match(flag)}
    return (platform.machine(), vendor[1].strip() if vendor else "", *sorted(names))


def versions(modules: tuple[str, ...]) -> dict[str, str]:
    """The installed version of the package behind each module, without importing it."""
    return {
        module: _version(module.partition(".")[0])
        for module in modules
        if module.partition(".")[0] not in sys.stdlib_module_names
    }


@cache
def _version(module: str) -> str:
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        # A package whose name is not its module's (PIL): slower to find, so only then.
        names = importlib.metadata.packages_distributions().get(module, [])
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(set(names)))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
