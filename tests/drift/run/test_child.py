"""One snippet in its own process: what is captured, and how each way to go wrong is told."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from drift.problem import Problem
from drift.run.outcome import Outcome

START, END = "# --8<-- [start:{}]\n", "# --8<-- [end:{}]\n"


def sec(name: str, code: str) -> str:
    return START.format(name) + code + END.format(name)


FINE = {
    "print": sec("x", "print('a')\nprint('b', end='')\n"),
    "two": sec("x", "n = 1\nprint(n)\n") + "n += 1\n" + sec("y", "print(n)\n"),
    "silent": sec("x", "n = 1\n"),
    "stdout": sec("x", "import sys\n_ = sys.stdout.write('w\\n')\n"),
    "descriptor": sec("x", "import os\n_ = os.write(1, b'raw\\n')\n"),
    "program": sec(
        "x",
        "import subprocess\nif True:\n    print('before')\n    _ = subprocess.run(['echo', 'told'])\n"
        "    print('after')\n",
    ),
    "c_code": sec("x", "import ctypes\nc = ctypes.CDLL(None)\n_ = c.puts(b'from C')\n") + sec("y", "print('y')\n"),
    "crlf_out": sec("x", "print('a\\r\\nb  ')\n"),
    "spaces": sec("x", "print('  a  ')\nprint()\n"),
    "unicode": sec("x", "print('−½ ✓')\n"),
    "named_main": sec("x", "print(__name__, __file__.rpartition('/')[2])\nimport sys\nprint(sys.argv == [__file__])\n"),
    "main_module": sec("x", "import sys\nn = 5\nprint(sys.modules['__main__'].n)\n"),
    "path": sec("x", "import sys\nfrom pathlib import Path\nprint(sys.path[0] == str(Path(__file__).parent))\n"),
    "helper": sec("x", "from _helper import value\nprint(value)\n"),
    "cwd": sec("x", "import os\nprint(os.listdir('.'))\n") + "open('left.txt', 'w').close()\n",
    "environment": sec(
        "x",
        "import os\nnames = 'OMP MKL OPENBLAS'.split()\n"
        "print([os.environ[f'{n}_NUM_THREADS'] for n in names], os.environ['PYTHONHASHSEED'])\n"
        "print(hash('drift') == hash('drift'), os.environ.get('PYTHONWARNINGS'))\n",
    ),
    "future": "from __future__ import annotations\n" + sec("x", "def f(a: Missing): ...\nprint(f.__annotations__)\n"),
    "doc": '"""Text of the module."""\n' + sec("x", "'''a bare text'''\nprint(__doc__)\n"),
    "edited": sec(
        "x",
        "import inspect\ndef f():\n    return 1\nimport linecache\nlinecache.checkcache()\n"
        "print(inspect.getsource(f), end='')\n",
    ),
    "source": sec("x", "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f), end='')\n"),
    "dataclass": sec("x", "from dataclasses import dataclass\n@dataclass\nclass A:\n    n: int\nprint(A(1))\n"),
    "pickles": sec("x", "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)\n"),
    "executor": sec(
        "x",
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
        "print(pool.submit(lambda: 7).result())\n",
    ),
    "daemon": sec(
        "x", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nprint(1)\n"
    ),
    "leftover": sec("x", "import subprocess\np = subprocess.Popen(['sleep', '60'])\nprint('left')\n"),
    "forked": sec("x", "import os\npid = os.fork()\nif pid: _ = os.waitpid(pid, 0)\n")
    + sec("y", "if pid: print('parent')\n"),
    "facts": "from drift import fact, output_tolerance\n"
    "fact('int', 3)\nfact('float', 0.1, tol=0.02)\nfact('text', 'queen')\nfact('yes', True)\n"
    + sec("x", "print(0.5)\n")
    + "output_tolerance('x', 0.1)\n",
    "artifact": "from drift import artifact\n"
    "artifact('f.svg').write_bytes(b'<svg>\\r\\n</svg>')\nopen('other.svg', 'w').close()\n",
    "bytes_left": sec("x", "import sys\n_ = sys.stdout.write('no line end')\n") + sec("y", "print('y')\n"),
}

# What one run may do to itself without harm to others, or to the report of it.
HARMS = {
    "harm_builtins": "import builtins\nfor n in 'open print len isinstance dict vars str sorted'.split():\n"
    "    setattr(builtins, n, None)\n",
    "harm_environ": "import os\nos.environ.clear()\n",
    "harm_cwd": "import os\nos.chdir('/')\n",
    "harm_cwd_gone": "import os\nos.rmdir(os.getcwd())\n",
    "harm_stdout": "import sys\nsys.stdout.close()\n",
    "harm_no_stdout": "import sys\nsys.stdout = None\n",
    "harm_descriptors": "import os\nos.closerange(0, 4096)\n",
    "harm_recursion": "import sys\nfor n in range(5, 60):\n    try:\n        sys.setrecursionlimit(n + 9)\n"
    "    except RecursionError:\n        continue\n    break\n",
    "harm_modules": "import sys\nkept = {n: sys.modules[n] for n in ('sys', 'builtins')}\n"
    "sys.modules.clear()\nsys.modules.update(kept)\n",
    "harm_meta_path": "import sys\nsys.meta_path.clear()\nsys.path.clear()\n",
    "harm_signals": "import signal\nfor s in (2, 15, 10, 17): signal.signal(s, signal.SIG_IGN)\n",
    "harm_warnings": "import warnings\nwarnings.simplefilter('error')\n",
    "harm_seed": "import random\nrandom.seed(1)\n",
    "harm_json": "import json\njson.encoder = None\n",
    "harm_trace": "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\n",
}

# name: (snippet, line of the problem, message, what `got` contains)
WRONG: dict[str, tuple[str, int, str, str]] = {
    "raises": (
        "def f():\n    return {}['k']\n" + sec("x", "print(1)\nf()\n"),
        2,
        "KeyError: 'k'",
        "snippets/a/raises.py:5 in <module>\n    f()\n  snippets/a/raises.py:2 in f",
    ),
    "raises_elsewhere": (
        "import json\n\njson.loads('{')\n",
        3,
        "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        "more, the last decoder.py:",
    ),
    "raises_in_helper": (
        "import _helper\n_helper.fail()\n",
        2,
        "RuntimeError: helped",
        "snippets/a/_helper.py:4 in fail",
    ),
    "chained": (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('told') from e\n",
        4,
        "ValueError: told",
        "ZeroDivisionError: division by zero\nwhich led to:",
    ),
    "type_error": (
        "import sys\nprint(sys.undefined)\n",
        2,
        "AttributeError: module 'sys' has no attribute 'undefined'",
        "",
    ),
    "endless_recursion": ("def f():\n    f()\nf()\n", 2, "RecursionError: maximum recursion depth exceeded", "more"),
    "does_not_compile": ("x = 1\nreturn x\n", 2, "SyntaxError: 'return' outside function", ""),
    "exits": (
        sec("x", "print(1)\n") + "import sys\nsys.exit()\n" + sec("y", "print(2)\n") + sec("z", "print(3)\n"),
        5,
        "exits early, with SystemExit(None); never ran: y, z",
        "",
    ),
    "exits_at_end": (sec("x", "print(1)\n") + "raise SystemExit(0)\n", 4, "exits early, with SystemExit(0)", ""),
    "exits_hard": (
        "import os\n\n" + sec("x", "def f():\n    os._exit(3)\nf()\n"),
        6,
        "its process ended with exit code 3 before the snippet did, in section 'x'",
        "",
    ),
    "exits_hard_zero": ("import os\nos._exit(0)\n", 2, "its process ended with exit code 0 before the snippet did", ""),
    "exits_hard_after_a_fork": (
        "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n    os._exit(3)\n",
        3,
        "its process ended with exit code 3 before the snippet did",
        "",
    ),
    "segfault": (
        "import ctypes\n" + sec("x", "def f():\n    ctypes.string_at(0)\nf()\n"),
        4,
        "its process was killed by SIGSEGV, in section 'x'",
        "",
    ),
    "killed": (
        "import os\nos.kill(os.getpid(), 9)\n",
        2,
        "its process was killed by SIGKILL (the system does that when memory runs out)",
        "",
    ),
    "interrupted": ("raise KeyboardInterrupt\n", 1, "KeyboardInterrupt", ""),
    "stdin": ("input()\n", 1, "EOFError: EOF when reading a line", ""),
    "stray": ("x = 1\nprint('lost')\n", 2, "prints outside every section, where no page shows it", "lost"),
    "stray_thread": (
        "import threading\n"
        "def late():\n    threading.main_thread().join()\n    print('late')\nthreading.Thread(target=late).start()\n",
        0,
        "prints after the last statement, where no page shows it",
        "late",
    ),
    "stderr": (
        sec("x", "import sys\nprint(1)\nprint('oh', file=sys.stderr)\n"),
        4,
        "section 'x' writes to stderr",
        "oh",
    ),
    "stderr_raw": ("import os\nos.write(2, b'raw')\n", 2, "writes to stderr", "raw"),
    "stderr_program": ("import os\n_ = os.system('echo sh >&2')\n", 2, "writes to stderr", "sh"),
    "warning": (
        "import warnings\n" + sec("x", "def f():\n    warnings.warn('soon gone')\nf()\n"),
        4,
        "section 'x' writes to stderr",
        "snippets/a/warning.py:4: UserWarning: soon gone",
    ),
    "compile_warning": ("x = 1\ny = 1\nx is 5\n", 3, "writes to stderr", "SyntaxWarning"),
    "thread_raises": (
        "import threading\ndef f():\n    1 / 0\nt = threading.Thread(target=f)\nt.start()\nt.join()\n",
        3,
        "writes to stderr",
        "ZeroDivisionError",
    ),
    "coroutine": ("async def f():\n    pass\nf()\n", 3, "writes to stderr", "was never awaited"),
    "coroutine_kept": ("async def f():\n    pass\n\nc = f()\n", 4, "writes to stderr", "was never awaited"),
    "coroutine_in_function": (
        "async def f():\n    pass\ndef g():\n    return [f()]\nx = g()\n",
        4,
        "writes to stderr",
        "was never awaited",
    ),
    "del_raises": (
        "class A:\n    def __del__(self):\n        1 / 0\na = A()\n",
        3,
        "writes to stderr",
        "ZeroDivisionError",
    ),
    "del_raises_in_cycle": (
        "class A:\n    def __del__(self):\n        1 / 0\na = A()\na.a = a\ndel a\n",
        3,
        "writes to stderr",
        "ZeroDivisionError",
    ),
    "del_in_helper": ("import _dying\n", 0, "writes to stderr", "ZeroDivisionError"),
    "atexit_prints": (
        "import atexit\n_ = atexit.register(print, 'bye')\n",
        0,
        "prints after the last statement, where no page shows it",
        "bye",
    ),
    "atexit_raises": (
        "import atexit\n\ndef f():\n    1 / 0\n_ = atexit.register(f)\n",
        4,
        "writes to stderr",
        "ZeroDivisionError",
    ),
    "finalizer": (
        "import weakref\nclass A: pass\na = A()\n_ = weakref.finalize(a, print, 'gone')\n",
        0,
        "prints after the last statement, where no page shows it",
        "gone",
    ),
    "generator": (
        "def f():\n    try:\n        yield\n    finally:\n        print('closed')\nx = f()\nnext(x)\n",
        0,
        "prints after the last statement, where no page shows it",
        "closed",
    ),
    "unraisable_hook": (
        "import sys\nclass A:\n    def __del__(self): 1 / 0\nsys.unraisablehook = lambda a: print('hook')\na = A()\n",
        0,
        "prints after the last statement, where no page shows it",
        "hook",
    ),
    "task_forgotten": (
        "import asyncio\nasync def f():\n    lost = asyncio.get_running_loop().create_future()\n"
        "    lost.set_exception(ValueError('lost'))\nasyncio.run(f())\n",
        5,
        "writes to stderr",
        "ValueError: lost",
    ),
    "nan": (
        "from drift import fact\nn = float('nan')\n\nfact('n', n)\n",
        4,
        "fact 'n': expected a finite number, got nan",
        "",
    ),
    "fact_twice": (
        "from drift import fact\nfact('n', 1)\nfact('n', 1)\n",
        3,
        "fact 'n' stated twice, first on line 2",
        "",
    ),
    "not_utf8": (
        sec("x", "import os\n_ = os.write(1, b'\\xff')\n"),
        2,
        "section 'x' prints bytes that are not UTF-8: invalid start byte at byte 0",
        "",
    ),
    "ansi": (sec("x", "print('\\x1b[1mbold')\n"), 2, "section 'x' prints ANSI escapes, which a page cannot show", ""),
    "control": (
        sec("x", "print('10 %\\r20 %')\n"),
        2,
        "section 'x' prints the control character '\\r', which a page cannot show",
        "",
    ),
    "marker": (
        sec("x", "print('--8' + '<--')\n"),
        2,
        "section 'x' prints a literal --8<--, which an include would take for a marker",
        "",
    ),
    "truncates": (
        sec("x", "import os\nprint('a' * 50)\nos.ftruncate(1, 0)\n"),
        4,
        "cuts off what was printed before",
        "",
    ),
    "artifact_unwritten": (
        "from drift import artifact\nartifact('f.svg')\n",
        2,
        "artifact 'f.svg' was never written",
        "",
    ),
    "artifact_large": (
        "from drift import artifact\nartifact('f.svg').write_text('x' * 500_000)\n",
        2,
        "artifact 'f.svg' is too large: 488 KiB, at most 400 KiB",
        "",
    ),
    "artifact_bytes": (
        "from drift import artifact\nartifact('f.svg').write_bytes(b'\\xff')\n",
        2,
        "artifact 'f.svg' is not UTF-8: invalid start byte at byte 0",
        "",
    ),
}

Ran = Callable[[str], Outcome]


@pytest.fixture(scope="module")
def ran(make_project) -> Ran:
    """Every snippet of this module, run at once: each must be told of as if it were alone."""
    project = make_project()
    project.snippet("_dying", "class A:\n    def __del__(self):\n        1 / 0\n\na = A()\n")
    project.snippet("_helper", "value = 'from beside'\n\ndef fail():\n    raise RuntimeError('helped')\n")
    for name, text in {**FINE, **HARMS, **{name: wrong[0] for name, wrong in WRONG.items()}}.items():
        project.root.joinpath(f"snippets/a/{name}.py").write_text(text, encoding="utf-8")
    outcomes = project.run()
    return outcomes.__getitem__


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that nobody collects does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def only(outcome: Outcome) -> Problem:
    """The problem of an outcome that has exactly one."""
    assert len(outcome.problems) == 1, outcome.problems
    return outcome.problems[0]


@pytest.mark.parametrize("name", WRONG)
def test_child_problem_names_line_and_reason(ran: Ran, name: str) -> None:
    """Each way to go wrong gives one problem, at the line of the snippet, with its reason."""
    _, line, message, got = WRONG[name]
    problem = only(ran(name)) if name != "type_error" else ran(name).problems[0]
    assert (problem.place.file, problem.place.line) == (f"snippets/a/{name}.py", line)
    assert problem.message == message
    assert got in (problem.got or "")


@pytest.mark.parametrize(
    ("name", "outputs"),
    [
        ("print", {"x": "a\nb"}),
        ("two", {"x": "1\n", "y": "2\n"}),
        ("silent", {"x": ""}),
        ("stdout", {"x": "w\n"}),
        ("descriptor", {"x": "raw\n"}),
        ("program", {"x": "before\ntold\nafter\n"}),
        ("c_code", {"x": "from C\n", "y": "y\n"}),
        ("crlf_out", {"x": "a\nb  \n"}),
        ("spaces", {"x": "  a  \n\n"}),
        ("unicode", {"x": "−½ ✓\n"}),
        ("named_main", {"x": "__main__ named_main.py\nTrue\n"}),
        ("main_module", {"x": "5\n"}),
        ("path", {"x": "True\n"}),
        ("helper", {"x": "from beside\n"}),
        ("cwd", {"x": "[]\n"}),
        ("environment", {"x": "['1', '1', '1'] 0\nTrue None\n"}),
        ("future", {"x": "{'a': 'Missing'}\n"}),
        ("doc", {"x": "Text of the module.\n"}),
        ("edited", {"x": "def f():\n    return 1\n"}),
        ("source", {"x": "def f():\n    return 1\n"}),
        ("dataclass", {"x": "A(n=1)\n"}),
        ("pickles", {"x": "True\n"}),
        ("executor", {"x": "7\n"}),
        ("daemon", {"x": "1\n"}),
        ("leftover", {"x": "left\n"}),
        ("forked", {"x": "", "y": "parent\n"}),
        ("facts", {"x": "0.5\n"}),
        ("bytes_left", {"x": "no line end", "y": "y\n"}),
    ],
)
def test_child_output_is_what_the_section_printed(ran: Ran, name: str, outputs: dict[str, str]) -> None:
    """Whatever prints, in whatever way, its text is the output of the section that it printed in."""
    assert ran(name).problems == []
    assert ran(name).outputs == outputs


@pytest.mark.parametrize("name", HARMS)
def test_child_that_ruins_its_process_is_still_told_of(ran: Ran, name: str) -> None:
    """A snippet may spoil its own process in any way: others run as before, and its own result arrives."""
    assert ran(name).problems == []
    assert ran("print").problems == []


def test_child_facts_and_tolerances_arrive(ran: Ran) -> None:
    """Facts keep value, kind and tolerance."""
    found = {name: (fact.value, fact.tol) for name, fact in ran("facts").facts.items()}
    assert found == {"int": (3, None), "float": (0.1, 0.02), "text": ("queen", None), "yes": (True, None)}
    assert found["yes"][0] is True
    assert ran("facts").tolerances == {"x": 0.1}


def test_child_artifact_is_text_and_other_files_are_not_collected(ran: Ran) -> None:
    """What `artifact` named is collected with `\\n` line ends; another file is not."""
    assert ran("artifact").problems == []
    assert ran("artifact").artifacts == {"f.svg": "<svg>\n</svg>"}


def test_child_failure_keeps_what_was_printed_before(ran: Ran) -> None:
    """The sections that ran have their output, also the one that failed."""
    assert ran("raises").outputs == {"x": "1\n"}
    assert ran("exits").outputs == {"x": "1\n"}


def test_child_failure_in_another_file_names_it_too(ran: Ran) -> None:
    """The place is the snippet's line, the source the line of the file that raised."""
    source = only(ran("raises_in_helper")).source
    assert source is not None
    assert (source.file, source.line) == ("snippets/a/_helper.py", 4)


def test_child_trace_shows_the_projects_frames_only(ran: Ran) -> None:
    """The checker's own frames are not in it."""
    assert only(ran("raises")).got == (
        "  snippets/a/raises.py:5 in <module>\n    f()\n"
        "  snippets/a/raises.py:2 in f\n    return {}['k']\nKeyError: 'k'"
    )


def test_child_trace_is_short(ran: Ran) -> None:
    """A deep recursion does not print a thousand frames."""
    got = only(ran("endless_recursion")).got or ""
    assert len(got.splitlines()) < 40


def test_child_text_of_error_is_of_one_line_and_without_the_machine(ran: Ran) -> None:
    """Messages hold no absolute path of the checkout in the places that an author reads."""
    assert re.search(r"^snippets/a/warning\.py:4", only(ran("warning")).got or "")


def test_child_type_error_once_is_not_run_again(project) -> None:
    """A TypeError on the first run only is a failure: nothing is ever retried."""
    flag = project.root / "flag"
    outcome = project.one(f"""
        from pathlib import Path
        flag = Path({str(flag)!r})
        if not flag.exists():
            flag.touch()
            raise TypeError("once")
    """)
    assert only(outcome).message == "TypeError: once"


def test_child_leaves_no_process_behind(project) -> None:
    """Processes that a snippet started are gone when the run is."""
    outcome = project.one("""
        import subprocess
        from pathlib import Path
        from drift import artifact
        process = subprocess.Popen(["sleep", "60"])
        artifact("pid.json").write_text(str(process.pid))
    """)
    assert not alive(int(outcome.artifacts["pid.json"]))
