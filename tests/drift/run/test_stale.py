"""Nothing passes from the cache that would fail if it ran: every kind of input, changed after a first run.

All snippets of a table are run once, everything that they read is changed, and they are run again: with the cache,
and without. Both must give the same.
"""

import json
import os
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from drift.run import tracked
from drift.run.outcome import Outcome

# What changes, in the folder of each snippet: `old` becomes `new`, in bytes of the same number.
HEAD = """
import os, sys
from pathlib import Path
here = Path({here!r})
"""

# name: what prints something about the files in `here`, which `change` alters.
WATCHED = {
    # Existence: `late.txt` appears, `early.txt` goes.
    "exists": "print(os.path.exists(here / 'late.txt'), os.path.exists(here / 'early.txt'))",
    "path_exists": "print((here / 'late.txt').exists(), (here / 'early.txt').is_file())",
    "lexists": "print(os.path.lexists(here / 'late.txt'))",
    "isfile": "print(os.path.isfile(here / 'late.txt'))",
    "isdir": "print(os.path.isdir(here / 'late'))",
    "is_dir": "print((here / 'late').is_dir())",
    "access": "print(os.access(here / 'late.txt', os.R_OK))",
    "stat_fails": "try:\n    os.stat(here / 'late.txt')\n    print('there')\nexcept OSError:\n    print('not')",
    "open_fails": "try:\n    open(here / 'late.txt')\n    print('there')\nexcept OSError:\n    print('not')",
    "import_fails": "sys.path.insert(0, str(here))\ntry:\n    import late\n    print('there')\n"
    "except ImportError:\n    print('not')",
    # Size and time: `data.txt` grows.
    "getsize": "print(os.path.getsize(here / 'data.txt'))",
    "stat_size": "print(os.stat(here / 'data.txt').st_size)",
    "path_stat": "print((here / 'data.txt').stat().st_size)",
    "lstat": "print(os.lstat(here / 'data.txt').st_size)",
    "glob_sizes": "print(sum(path.stat().st_size for path in here.glob('*.txt')))",
    "scandir_sizes": "print(sorted(entry.stat().st_size for entry in os.scandir(here)))",
    "stat_in_folder": "handle = os.open(here, os.O_RDONLY)\nprint(os.stat('data.txt', dir_fd=handle).st_size)",
    "mtime": "print(os.path.getmtime(here / 'data.txt'))",
    "path_mtime": "print((here / 'data.txt').stat().st_mtime_ns)",
    "mode": "print(oct(os.stat(here / 'data.txt').st_mode))",
    "executable": "print(os.access(here / 'data.txt', os.X_OK))",
    "filecmp": "import filecmp\nprint(filecmp.cmp(here / 'data.txt', here / 'twin.txt'))",
    # Links: `link` leads elsewhere.
    "readlink": "print(os.path.basename(os.readlink(here / 'link')))",
    "path_readlink": "print((here / 'link').readlink().name)",
    "realpath": "print(os.path.basename(os.path.realpath(here / 'link')))",
    "resolve": "print((here / 'link').resolve().name)",
    "through_link": "print((here / 'link').read_text())",
    "samefile": "print(os.path.samefile(here / 'link', here / 'data.txt'))",
    "islink": "print(os.path.islink(here / 'turns'))",
    # Listings.
    "listdir": "print(sorted(os.listdir(here)))",
    "iterdir": "print(sorted(path.name for path in here.iterdir()))",
    "walk": "print(sorted(name for _, _, names in os.walk(here) for name in names))",
    "rglob": "print(sorted(path.name for path in here.rglob('*.txt')))",
    "glob": "import glob\nprint(sorted(map(os.path.basename, glob.glob(str(here) + '/*'))))",
    "scandir_kinds": "print(sorted((entry.name, entry.is_dir()) for entry in os.scandir(here)))",
    # Content, in further ways than `test_watch` has.
    "mmap": "import mmap\nwith open(here / 'data.txt') as f:\n"
    "    print(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[:])",
    "in_folder": "handle = os.open(here, os.O_RDONLY)\n"
    "print(os.read(os.open('data.txt', os.O_RDONLY, dir_fd=handle), 9))",
    "memmap": "import numpy\nprint(bytes(numpy.memmap(here / 'data.txt', mode='r')))",
    "fromfile": "import numpy\nprint(bytes(numpy.fromfile(here / 'data.txt', dtype='u1')))",
    "zip_import": "sys.path.insert(0, str(here / 'packed.zip'))\nimport packed\nprint(packed.n)",
    "git_head": "print((here / '.git/HEAD').read_text())",
    "cached_code": "sys.path.insert(0, str(here))\nimport compiled\nprint(compiled.n)",
    "dbm": "import dbm.dumb\nwith dbm.dumb.open(str(here / 'table'), 'r') as table:\n    print(table['n'])",
    # Outside the project.
    "outside": "print((here.parents[2] / 'outside/data.txt').read_text())",
    "outside_exists": "print((here.parents[2] / 'outside/late.txt').exists())",
    "outside_listing": "print(sorted(os.listdir(here.parents[2] / 'outside')))",
    "outside_module": "sys.path.insert(0, str(here.parents[2] / 'outside'))\nimport elsewhere\nprint(elsewhere.n)",
    "outside_late_module": "sys.path.insert(0, str(here.parents[2] / 'outside'))\n"
    "try:\n    import late\n    print('there')\nexcept ImportError:\n    print('not')",
    # Declared variables.
    "variable": "print(os.environ['DECLARED'])",
    "variable_get": "print(os.environ.get('DECLARED'))",
    "variable_in": "print('DECLARED_LATER' in os.environ)",
    "variable_getenv": "print(os.getenv('DECLARED'))",
    "variable_bytes": "print(os.environb[b'DECLARED'])",
    "variable_copy": "print(os.environ.copy().get('DECLARED_LATER'))",
    "variable_items": "print(dict(os.environ.items()).get('DECLARED'))",
    "variable_length": "print(len(os.environ))",
    "variable_text": "print('new' in repr(os.environ))",
    "variable_expanded": "print(os.path.expandvars('$DECLARED'))",
    # Databases.
    "sqlite": "import sqlite3\nprint(sqlite3.connect(here / 'base.db').execute('select n from t').fetchall())",
    "sqlite_attached": "import sqlite3\nbase = sqlite3.connect(':memory:')\n"
    "_ = base.execute('attach ? as other', (str(here / 'base.db'),))\n"
    "print(base.execute('select n from other.t').fetchall())",
    "sqlite_address": "import sqlite3\nbase = sqlite3.connect(f'file:{here}/base.db?mode=ro', uri=True)\n"
    "print(base.execute('select n from t').fetchall())",
    # Programs.
    "system": "_ = os.system(f'cat {here}/data.txt')",
    "shell": "import subprocess\nprint(subprocess.run(f'cat {here}/*.txt', shell=True, capture_output=True).stdout)",
    "popen": "print(os.popen(f'cat {here}/data.txt').read())",
    "program": "import subprocess\nprint(subprocess.run(['cat', 'data.txt'], cwd=here, capture_output=True).stdout)",
    "posix_spawn": "_ = os.waitpid(os.posix_spawn('/bin/cat', ['cat', here / 'data.txt'], os.environ), 0)",
    "exec": "pid = os.fork()\nif not pid:\n    os.execv('/bin/cat', ['cat', str(here / 'data.txt')])\n"
    "_ = os.waitpid(pid, 0)",
    "asyncio": "import asyncio\nasync def f():\n"
    "    run = await asyncio.create_subprocess_exec('cat', here / 'data.txt', stdout=-1)\n"
    "    print((await run.communicate())[0])\nasyncio.run(f())",
    "python_helper": "import subprocess\n"
    "print(subprocess.run([sys.executable, here / 'script.py'], capture_output=True, text=True).stdout)",
    "python_module": "import subprocess\n"
    "print(subprocess.run([sys.executable, '-m', 'helper'], cwd=here, capture_output=True, text=True).stdout)",
    "python_code": "import subprocess\n"
    "print(subprocess.run([sys.executable, '-c', 'import helper'], cwd=here, capture_output=True, text=True).stdout)",
    "python_isolated": "import subprocess\n"
    "print(subprocess.run([sys.executable, '-I', here / 'script.py'], capture_output=True, text=True).stdout)",
    "python_without_variables": "import subprocess\n"
    "print(subprocess.run([sys.executable, here / 'script.py'], env={}, capture_output=True, text=True).stdout)",
    "python_that_starts_one": "import subprocess\n"
    "print(subprocess.run([sys.executable, here / 'starts.py'], capture_output=True, text=True).stdout)",
    # No pool: one that ends may have just begun another worker, which then never gets to say that it is watched.
    "spawn": "sys.path.insert(0, str(here))\nimport multiprocessing, worker\n"
    "if __name__ == '__main__':\n"
    "    one = multiprocessing.get_context('spawn').Process(target=worker.show, args=(str(here),))\n"
    "    one.start()\n    one.join()\n",
    "forked_pool": "sys.path.insert(0, str(here))\nimport multiprocessing, worker\n"
    "with multiprocessing.get_context('fork').Pool(1) as pool:\n    print(pool.map(worker.read, [str(here)]))",
    # C.
    "ctypes": "import ctypes\nc = ctypes.CDLL(None)\nbuffer = ctypes.create_string_buffer(9)\n"
    "handle = c.open(str(here / 'data.txt').encode(), 0)\n_ = c.read(handle, buffer, 9)\nprint(buffer.value)",
    "xattr": "print(os.getxattr(here / 'data.txt', 'user.n') if 'user.n' in os.listxattr(here / 'data.txt') else None)",
}

# What the checker fixes, or does not pass on: another value changes nothing, with the cache or without.
FIXED = {
    "undeclared": "print(os.environ.get('UNDECLARED'))",
    "undeclared_in_all": "print('UNDECLARED' in os.environ.copy())",
    "undeclared_in_system": "import posix\nprint(b'UNDECLARED' in posix.environ)",
    "undeclared_in_c": "import ctypes\nc = ctypes.CDLL(None)\nc.getenv.restype = ctypes.c_char_p\n"
    "print(c.getenv(b'UNDECLARED'))",
    "python_path": "print('/somewhere' in sys.path)",
    "zone": "import time\nprint(time.tzname, time.localtime(0).tm_hour)",
    "zone_of_datetime": "from datetime import datetime\nprint(datetime.fromtimestamp(0))",
    "locale": "import locale\nprint(locale.setlocale(locale.LC_ALL, ''), locale.localeconv()['decimal_point'])",
    "language": "import gettext\nprint(os.environ['LANG'], os.environ.get('LANGUAGE'))",
    "home": "print(os.listdir(os.path.expanduser('~')), list(Path.home().iterdir()))",
    "width": "import shutil\nprint(shutil.get_terminal_size())",
    "hash": "print(hash('text'))",
    "encoding": "print(sys.stdout.encoding, sys.getfilesystemencoding(), open(os.devnull).encoding)",
    "warnings": "print(sys.warnoptions, sys.flags.optimize, sys.flags.dev_mode)",
    "today": "from datetime import date\nprint(date.today())",
    "now": "from datetime import UTC, datetime\nprint(datetime.now().date(), datetime.now(UTC).date())",
    "datetime_today": "from datetime import datetime\nprint(datetime.today().date())",
    "utcnow": "import warnings\nwarnings.simplefilter('ignore')\nfrom datetime import datetime\n"
    "print(datetime.utcnow().date())",
    "seconds": "import time\nprint(int(time.time()) // 86_400, time.time_ns() // 86_400_000_000_000)",
    "strftime": "import time\nprint(time.strftime('%Y-%m-%d'), time.ctime()[:10], time.asctime()[:10])",
    "localtime": "import time\nprint(time.localtime().tm_year, time.gmtime().tm_yday)",
    "clock": "import time\nprint(int(time.clock_gettime(time.CLOCK_REALTIME)) // 86_400)",
    "log": "import logging\nrecord = logging.LogRecord('n', 20, 'p', 1, 'm', (), None)\n"
    "print(logging.Formatter('%(asctime)s').format(record)[:10])",
    "date_header": "from email.utils import formatdate\nprint(formatdate()[:16])",
    "date_in_program": "import subprocess\nprint(subprocess.run([sys.executable, '-c', "
    "'import datetime; print(datetime.date.today())'], capture_output=True, text=True).stdout)",
    "zone_in_program": "import subprocess\nprint(subprocess.run(['date', '+%Z'], capture_output=True).stdout)",
}


def section(code: str) -> str:
    """A section that holds this code."""
    return f"# --8<-- [start:x]\n{code}\n# --8<-- [end:x]\n"


def before(here: Path) -> None:
    """Everything that the snippets of one folder find at first."""
    here.mkdir(parents=True)
    for name in ("data.txt", "twin.txt", "early.txt", "turns"):
        (here / name).write_text("old")
    (here / "link").symlink_to("data.txt")
    (here / ".git").mkdir()
    (here / ".git/HEAD").write_text("old")
    write_code(here, "old")


def write_code(here: Path, word: str) -> None:
    """Modules, a compiled one, a packed one, and a database, each with a word in it."""
    import dbm.dumb
    import py_compile
    import zipfile

    (here / "helper.py").write_text(f"print({word!r})\n")
    (here / "worker.py").write_text(
        "def read(here):\n    return open(here + '/data.txt').read()\ndef show(here):\n    print(read(here))\n"
    )
    (here / "script.py").write_text("import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\nimport helper\n")
    program = "[sys.executable, __file__.rpartition('/')[0] + '/script.py']"
    (here / "starts.py").write_text(f"import subprocess, sys\nsubprocess.run({program})\n")
    (here / "compiled.py").write_text(f"n = {word!r}\n")
    py_compile.compile(str(here / "compiled.py"), str(here / "compiled.pyc"))
    (here / "compiled.py").unlink()
    with zipfile.ZipFile(here / "packed.zip", "w") as archive:
        archive.writestr("packed.py", f"n = {word!r}\n")
    with dbm.dumb.open(str(here / "table"), "n") as table:
        table["n"] = word
    (here / "base.db").unlink(missing_ok=True)
    with sqlite3.connect(here / "base.db") as base:
        base.execute("create table t (n text)")
        base.execute("insert into t values (?)", (word,))
    base.close()


def after(here: Path) -> None:
    """Change all of it."""
    (here / "data.txt").write_text("newer")
    (here / "data.txt").chmod(0o755)
    os.utime(here / "data.txt", (1e9, 1e9))
    if hasattr(os, "setxattr"):
        os.setxattr(here / "data.txt", "user.n", b"1")
    (here / "twin.txt").write_text("other")
    (here / "early.txt").unlink()
    (here / "late.txt").write_text("")
    (here / "late.py").write_text("")
    (here / "late").mkdir()
    (here / "turns").unlink()
    (here / "turns").symlink_to("twin.txt")
    (here / "link").unlink()
    (here / "link").symlink_to("twin.txt")
    (here / ".git/HEAD").write_text("new")
    write_code(here, "new")


Ran = tuple[dict[str, Outcome], dict[str, Outcome], dict[str, Outcome]]


@pytest.fixture(scope="module")
def ran(make_project) -> Iterator[Ran]:
    """The first outcomes, then, after the change, those with the cache and those without."""
    project = make_project('timeout = 20\nenv = ["DECLARED", "DECLARED_LATER"]')
    outside = project.root.parent / "outside"
    outside.mkdir()
    (outside / "data.txt").write_text("old")
    (outside / "elsewhere.py").write_text("n = 'old'\n")
    for name, code in {**WATCHED, **FIXED}.items():
        here = project.root / "data" / name
        before(here)
        text = HEAD.format(here=str(here)) + section(code)
        project.root.joinpath(f"snippets/a/s_{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DECLARED", "old")
        for name in ("UNDECLARED", "TZ", "LC_ALL", "LANGUAGE", "HOME", "COLUMNS", "PYTHONPATH", "PYTHONHASHSEED"):
            patch.delenv(name, raising=False)
        first = project.run()
        for name in WATCHED:
            after(project.root / "data" / name)
        (outside / "data.txt").write_text("new")
        (outside / "late.txt").write_text("new")
        (outside / "late.py").write_text("")
        (outside / "elsewhere.py").write_text("n = 'new'\n")
        others = {"UNDECLARED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C", "LANGUAGE": "de", "HOME": str(outside)}
        more = {"COLUMNS": "33", "PYTHONPATH": "/somewhere", "PYTHONHASHSEED": "7", "PYTHONWARNINGS": "error"}
        for name, value in {**others, **more, "DECLARED": "new", "DECLARED_LATER": "new"}.items():
            patch.setenv(name, value)
        warm = project.run()
        cold = project.run(use_cache=False)
        yield tuple({name[2:]: found for name, found in outcomes.items()} for outcomes in (first, warm, cold))


def told(outcome: Outcome) -> str:
    """What a run printed, or what was wrong with it."""
    return outcome.outputs.get("x", "") + "".join(problem.message for problem in outcome.problems)


@pytest.mark.parametrize("name", WATCHED)
def test_changed_input_gives_no_stale_pass(ran: Ran, name: str) -> None:
    """What a snippet found out has changed: the check says what a run without the cache says."""
    first, warm, cold = (outcomes[name] for outcomes in ran)
    assert first.problems == []
    assert told(cold) != told(first), "the change changes nothing, so this test would hold nothing"
    assert told(warm) == told(cold)


@pytest.mark.parametrize("name", FIXED)
def test_fixed_input_changes_nothing(ran: Ran, name: str) -> None:
    """What is the same for every run cannot be read from outside, so a result that is kept stays right."""
    first, warm, cold = (outcomes[name] for outcomes in ran)
    assert first.problems == []
    assert told(cold) == told(first)
    assert told(warm) == told(cold)


def test_fixed_inputs_are_what_the_documentation_says(ran: Ran) -> None:
    """The time zone, the language, the home and the date of a run."""
    first = ran[0]
    assert told(first["zone"]) == "('UTC', 'UTC') 0\n"
    assert told(first["home"]) == "[] []\n"
    assert told(first["today"]) == "2000-01-01\n"
    assert told(first["date_in_program"]) == "2000-01-01\n\n"
    assert told(first["locale"]) == "C.UTF-8 .\n"


PROGRAMS_SEEN = ("python_helper", "python_module", "python_code", "python_that_starts_one", "spawn", "forked_pool")
NOT_KEPT = ("sqlite", "sqlite_attached", "system", "shell", "popen", "program", "exec", "python_isolated", "ctypes")


@pytest.mark.parametrize("name", PROGRAMS_SEEN)
def test_python_program_is_watched_like_the_run(ran: Ran, name: str) -> None:
    """A Python program that a run starts tells what it reads, so the result can be kept."""
    assert ran[0][name].unkept == ()


@pytest.mark.parametrize("name", [*NOT_KEPT, "python_without_variables", "zone_in_program", "undeclared_in_c"])
def test_result_that_cannot_be_watched_is_not_kept(ran: Ran, name: str) -> None:
    """Where nobody can say what was read, the snippet says why and runs at every check."""
    assert ran[0][name].unkept != ()


def test_reason_names_what_could_not_be_watched(ran: Ran) -> None:
    """A person reads the reason."""
    assert ran[0]["program"].unkept == ("starts a program (cat)",)
    assert ran[0]["sqlite"].unkept == ("opens a database",)
    assert ran[0]["ctypes"].unkept == ("calls C code with ctypes",)


UNSEEN = {
    "network": ("import socket\nsocket.create_connection(('localhost', {port})).close()", "uses the network"),
    "host": ("import socket\nsocket.gethostname()", "asks for the machine's name"),
    "memory": ("open('/proc/self/status').read()", "reads /proc/self/status"),
    "space": ("import shutil\nshutil.disk_usage('/')", "asks for the system's present state"),
    "loads": ("import os\nos.getloadavg()", "asks for the system's present state"),
    "load": ("from pathlib import Path\nPath('/proc/loadavg').read_text()", "reads /proc/loadavg"),
    "in_thread": (
        "import os, threading\nt = threading.Thread(target=os.system, args=('true',))\nt.start(); t.join()",
        "starts a program",
    ),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_input_of_the_moment_is_not_kept(project, name: str) -> None:
    """The network, the machine and its present state are read anew each time."""
    code, reason = UNSEEN[name]
    with socket.create_server(("localhost", 0)) as server:
        outcome = project.one(code.replace("{port}", str(server.getsockname()[1])))
        assert outcome.problems == []
        assert reason in outcome.unkept
        assert not project.run()["one"].cached


ASKED = {
    "uname": "import os\nos.uname()",
    "node": "import platform\nplatform.node()",
    "getuid": "import os\nos.getuid()",
    "expanduser": "import getpass, os\n_ = os.environ.pop('USER', None)\ngetpass.getuser()",
    "affinity": "import os\nlen(os.sched_getaffinity(0))",
    "cpus": "import multiprocessing\nmultiprocessing.cpu_count()",
}


@pytest.mark.parametrize("name", ASKED)
def test_machine_that_was_asked_for_is_part_of_the_result(project, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Another machine, or another user, is another input."""
    project.one(ASKED[name])
    assert project.run()["one"].cached
    for asked in tracked.MACHINE:
        monkeypatch.setitem(tracked._MACHINE, asked, lambda: "another")
    assert not project.run()["one"].cached


def test_file_opened_by_torch_in_c_counts(project) -> None:
    """`torch.from_file` and its like open files past Python."""
    for name in ("one", "two"):
        (project.root / f"{name}.bin").write_bytes(bytes(8))
    text = f"""
        import torch
        # --8<-- [start:x]
        print(torch.from_file({str(project.root / "one.bin")!r}, size=1, dtype=torch.int64))
        print(torch.UntypedStorage.from_file({str(project.root / "two.bin")!r}, shared=False, nbytes=8)[0])
        # --8<-- [end:x]
    """
    first = project.one(text)
    assert first.problems == []
    assert {"one.bin", "two.bin"} <= set(first.dependencies)
    assert project.run()["one"].cached
    (project.root / "two.bin").write_bytes(b"1" * 8)
    assert project.run()["one"].outputs != first.outputs


def test_other_version_of_a_package_runs_again(project) -> None:
    """Packages that are not in the lock file count with their version."""
    site = project.root.parent / "site"
    (site / "mine-1.0.dist-info").mkdir(parents=True)
    (site / "mine-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (site / "mine-1.0.dist-info/top_level.txt").write_text("mine\n")
    (site / "mine.py").write_text("n = 1\n")
    project.settings('env = ["PYTHONPATH"]')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(site))
        assert project.one("import mine\n").problems == []
        (site / "mine.py").write_text("n = 2\n")
        assert not project.run()["one"].cached
    assert json.dumps(project.run()["one"].problems[0].message).count("mine") == 1
