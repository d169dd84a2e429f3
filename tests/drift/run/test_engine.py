"""Running many snippets: in parallel, stopped in time, each without harm to the others, and none without need."""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from drift import config
from drift.problem import Problem
from drift.run import engine, launcher, scheduler
from drift.run.environment import Environment

IMPORTS = """
import sys
from pathlib import Path
from drift import config
from drift.read import snippet
from drift.run import engine
"""


def sec(name: str, code: str) -> str:
    return f"# --8<-- [start:{name}]\n{code}# --8<-- [end:{name}]\n"


def only(problems: list[Problem]) -> Problem:
    """The single problem of a list."""
    assert len(problems) == 1, problems
    return problems[0]


# Seconds, with the number of this process behind the point: another worker may be running the same snippets.
NAP = f"61.{os.getpid()}"
HANGS = {
    "asleep": (
        "import time\n\n" + sec("x", "def f():\n    time.sleep(60)\nprint('begun')\nf()\n"),
        5,
        ", in section 'x'",
    ),
    "busy": ("\nwhile True: pass\n", 2, ""),
    "deaf": (
        "import signal, time\nfor s in (2, 10, 15): signal.signal(s, signal.SIG_IGN)\n" + sec("x", "time.sleep(60)\n"),
        4,
        ", in section 'x'",
    ),
    "waiting": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
        0,
        ", after its last statement, with a thread still at work",
    ),
    "program": ("import subprocess\n_ = subprocess.run(['sleep', '" + NAP + "'])\n", 2, ""),
}


@pytest.fixture(scope="module")
def stopped(make_project):
    """The outcomes of snippets that do not end, with one that does."""
    project = make_project("timeout = 0.7")
    for name, (text, _, _) in HANGS.items():
        project.root.joinpath(f"snippets/a/{name}.py").write_text(text)
    project.snippet("fine", sec("x", "print(1)\n"))
    project.snippet("flood", sec("x", "while True:\n    print('water' * 1000)\n"))
    return project.run(jobs=8)


@pytest.mark.parametrize("name", HANGS)
def test_run_hanging_snippet_is_stopped_and_its_line_named(stopped, name: str) -> None:
    """A snippet that runs too long is stopped, wherever it hangs, and its problem says where."""
    _, line, where = HANGS[name]
    problem = only(stopped[name].problems)
    assert problem.message == f"still running after 0.7 s{where}; stopped"
    assert (problem.place.file, problem.place.line) == (f"snippets/a/{name}.py", line)
    assert "timeout" in (problem.fix or "")
    assert stopped[name].seconds < 5


def test_run_hanging_snippet_shows_what_it_printed_last(stopped) -> None:
    """The end of its output helps to see how far it came."""
    assert only(stopped["asleep"].problems).got == "begun"


def test_run_hanging_snippet_leaves_no_program(stopped) -> None:
    """What a stopped snippet had started is stopped too."""
    assert only(stopped["program"].problems)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(NAP.encode() in command for command in running)


def test_run_flood_of_output_is_stopped(stopped) -> None:
    """Endless output fills no disk."""
    problem = only(stopped["flood"].problems)
    assert problem.message == "prints more than 1024 KiB, in section 'x'; stopped"
    assert problem.place.line in (2, 3)


def test_run_other_snippets_do_not_mind_hanging_ones(stopped) -> None:
    """One run reports everything."""
    assert stopped["fine"].problems == []
    assert stopped["fine"].outputs == {"x": "1\n"}


def test_run_snippets_at_once_do_not_see_each_other(project) -> None:
    """Two runs at the same time share neither folder, output, variables nor temporary files."""
    for name, other in (("one", "two"), ("two", "one")):
        project.snippet(
            name,
            f"""
            import os, random, sys, tempfile, time
            os.environ["MINE"] = "{name}"
            sys.leak = "{name}"
            random.seed("{name}")
            open("{name}.txt", "w").close()
            open(tempfile.gettempdir() + "/{name}.txt", "w").close()
            # --8<-- [start:x]
            for _ in range(20):
                print("{name}")
                time.sleep(0.01)
            print(os.listdir("."), os.listdir(tempfile.gettempdir()), os.environ["MINE"], sys.leak)
            # --8<-- [end:x]
            """,
        )
        del other
    found = project.run(jobs=2)
    for name in ("one", "two"):
        assert found[name].problems == []
        assert found[name].outputs == {"x": f"{name}\n" * 20 + f"['{name}.txt'] ['{name}.txt'] {name} {name}\n"}


def test_run_is_parallel(project) -> None:
    """Two snippets that wait for each other both end, given two processes."""
    flags = project.root / "flags"
    flags.mkdir()
    for name, other in (("one", "two"), ("two", "one")):
        project.snippet(
            name,
            f"""
            import time
            from pathlib import Path
            Path({str(flags)!r}, "{name}").touch()
            while not Path({str(flags)!r}, "{other}").exists():
                time.sleep(0.01)
            """,
        )
    assert all(outcome.problems == [] for outcome in project.run(jobs=2).values())


def test_run_snippet_with_problems_is_not_run(project) -> None:
    """A snippet that cannot be read keeps its problems and is not run."""
    project.snippet("broken", "# --8<-- [start:x]\nprint(1)\n")
    project.snippet("fine", "x = 1\n")
    found = project.run()
    assert "no end marker" in only(found["broken"].problems).message
    assert found["fine"].problems == []


def test_run_order_is_that_of_the_snippets(project) -> None:
    """Outcomes come in the order given, whatever ended first."""
    for name, seconds in (("a", 0.2), ("b", 0.1), ("c", 0)):
        project.snippet(name, f"import time\ntime.sleep({seconds})\n")
    assert list(project.run(jobs=3)) == ["a", "b", "c"]


def test_run_file_that_hides_a_module_is_a_problem(project) -> None:
    """`random.py` beside a snippet is what `import torch` would get for `random`, when it is run by hand."""
    project.snippet("random", "x = 1\n")
    project.snippet("fine", "x = 1\n")
    for outcome in project.run().values():
        problem = only(outcome.problems)
        assert problem.place.file == "snippets/a/random.py"
        assert problem.message == "hides the module 'random' from every snippet in its folder"


def test_run_progress_tells_each_state(project) -> None:
    """The callback hears of a start, of an end, of a failure, and of what was known."""
    project.snippet("fine", "x = 1\n")
    project.snippet("wrong", "1 / 0\n")
    heard: list[tuple[str, str]] = []
    project.run(progress=lambda name, state, _: heard.append((name, state)), jobs=1)
    assert sorted(heard) == [("a/fine", "done"), ("a/fine", "running"), ("a/wrong", "failed"), ("a/wrong", "running")]
    heard.clear()
    project.run(progress=lambda name, state, _: heard.append((name, state)))
    assert heard == [("a/fine", "cached"), ("a/wrong", "running"), ("a/wrong", "failed")]


def test_run_known_results_start_no_process(project, monkeypatch: pytest.MonkeyPatch) -> None:
    """When every result is known, nothing is launched."""
    project.one(sec("x", "print(1)\n"))
    monkeypatch.setattr(launcher, "launch", None)
    assert project.run()["one"].outputs == {"x": "1\n"}


def test_run_in_the_checker_imports_no_torch(project) -> None:
    """Neither the checker's modules nor a run with a preloaded torch import torch into the checker."""
    project.settings('preload = ["json"]')
    project.snippet("one", "x = 1\n")
    code = (
        IMPORTS + "from drift.measure import matrix\n"
        "found = config.load(Path(sys.argv[1]))\n"
        "assert not engine.run(found, snippet.discover(found))['a/one'].problems\n"
        "assert not {'torch', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(project.root)], check=True)


def test_run_preloaded_module_is_there(project) -> None:
    """A module of `preload` is imported before the snippet runs, once for all."""
    project.settings('preload = ["slow"]')
    project.write("slow.py", "import os\npid = os.getpid()\n")
    for name in ("one", "two"):
        project.snippet(
            name,
            sec("x", "import sys\nprint('slow' in sys.modules)\nimport slow, os\nprint(os.getppid() == slow.pid)\n"),
        )
    assert [outcome.outputs["x"] for outcome in project.run().values()] == ["True\nTrue\n"] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "preload: cannot import 'slow': ModuleNotFoundError: No module named 'slow'"),
        ("1 / 0\n", "preload: cannot import 'slow': ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)\n", "preload: cannot import 'slow': SystemExit: 2"),
        ("import os\nos._exit(5)\n", "preload: the run server ended with exit code 5"),
        ("import time\ntime.sleep(60)\n", "preload: not imported after 1 s"),
    ],
)
def test_run_failing_preload_is_reported(
    project, monkeypatch: pytest.MonkeyPatch, text: str | None, message: str
) -> None:
    """A module that cannot be preloaded fails every snippet that has to run, and says why."""
    if "not imported" in message:
        monkeypatch.setattr(scheduler, "PRELOAD_TIMEOUT", 1)
    project.settings('preload = ["slow"]')
    if text is not None:
        project.write("slow.py", text)
    project.snippet("one", "x = 1\n")
    project.snippet("two", "x = 1\n")
    for outcome in project.run().values():
        assert only(outcome.problems).message == message
        assert only(outcome.problems).place.file == "pyproject.toml"


def test_run_preload_failure_quotes_what_it_printed(project) -> None:
    """What a failing preload wrote to stderr is shown."""
    project.settings('preload = ["slow"]')
    project.write("slow.py", "import os, sys\nprint('no such device', file=sys.stderr, flush=True)\nos.abort()\n")
    problem = only(project.one("x = 1\n").problems)
    assert problem.message == "preload: the run server was killed by SIGABRT"
    assert "no such device" in (problem.got or "")


def test_run_where_forking_is_not_possible(project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each snippet is then a fresh interpreter, with the same results."""
    monkeypatch.setattr(launcher, "CAN_FORK", False)
    project.settings('preload = ["missing"]\ntimeout = 2')
    project.write("tool.py", "n = 3\n")
    project.snippet(
        "fine", sec("x", "import tool\nprint(tool.n, __name__)\n") + "from drift import fact\nfact('n', 1)\n"
    )
    project.snippet("exits", "import os\nos._exit(4)\n")
    project.snippet("hangs", "import time\n\ntime.sleep(60)\n")
    found = project.run(jobs=3)
    assert found["fine"].problems == []
    assert found["fine"].outputs == {"x": "3 __main__\n"}
    assert {"tool.py"} <= set(found["fine"].dependencies)
    assert "exit code 4" in only(found["exits"].problems).message
    assert only(found["hangs"].problems).place.line == 3
    assert project.run(jobs=3)["fine"].cached


def test_run_modules_of_this_checkout_come_before_installed_ones(project) -> None:
    """Of two packages of a name, a snippet gets the one of the project that is checked."""
    project.write("iniconfig/__init__.py", "where = 'checkout'\n")  # pytest needs one of this name, so it is installed
    assert project.one(sec("x", "import iniconfig\nprint(iniconfig.where)\n")).outputs == {"x": "checkout\n"}


def test_run_environment_reaches_the_snippet(project) -> None:
    """Threads, hash seed and instruction set of an environment reach the snippet's process."""
    text = sec(
        "x",
        "import os\nprint(*(os.environ[n] for n in ('OMP_NUM_THREADS', 'PYTHONHASHSEED', 'ATEN_CPU_CAPABILITY')))\n",
    )
    assert project.one(text, environment=Environment(2, "default", 7)).outputs == {"x": "2 7 default\n"}


def test_run_threads_that_wait_do_not_spin(project) -> None:
    """On a busy machine spinning threads slow a training down by far; one thread has nobody to wait for."""
    text = sec("x", "import os\nprint(os.environ.get('OMP_WAIT_POLICY'))\n")
    assert project.one(text, environment=Environment(2)).outputs == {"x": "PASSIVE\n"}
    assert project.one(text).outputs == {"x": "None\n"}


SLEEPER = "import os, time\nfrom pathlib import Path\nPath({path!r}).write_text(str(os.getpid()))\ntime.sleep(60)\n"


def test_run_interrupted_leaves_nothing_behind(project, tmp_path: Path) -> None:
    """Ctrl-C ends the check with its processes and its temporary files, and keeps the results it has."""
    project.snippet("fast", "x = 1\n")
    flag = project.root / "pid"
    project.snippet("slow", SLEEPER.format(path=str(flag)))
    code = (
        IMPORTS + "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it\n"
        "found = config.load(Path(sys.argv[1]))\n"
        "tell = lambda *event: print(*event, flush=True)\n"
        "engine.run(found, snippet.discover(found), progress=tell, jobs=2)\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(project.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:
        assert process.stdout is not None
        heard = {process.stdout.readline().rpartition(" ")[0] for _ in range(3)}
        assert heard == {"a/fast running", "a/slow running", "a/fast done"}
        wait_for(lambda: flag.exists() and flag.read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) != 0
        assert "KeyboardInterrupt" in process.stderr.read()  # type: ignore[union-attr]
    assert list(scratch.iterdir()) == []
    assert not running(int(flag.read_text()))
    settings = config.load(project.root)
    (settings.snippets / "a/slow.py").unlink()
    assert project.run()["fast"].cached


def test_run_checker_that_is_killed_takes_its_processes_along(project, tmp_path: Path) -> None:
    """Without the checker, the server ends its children and itself, and removes their files."""
    flag = project.root / "pid"
    project.snippet("slow", SLEEPER.format(path=str(flag)))
    code = IMPORTS + "found = config.load(Path(sys.argv[1]))\nengine.run(found, snippet.discover(found))\n"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen([sys.executable, "-c", code, str(project.root)], env=env) as process:
        wait_for(lambda: flag.exists() and flag.read_text())
        process.kill()
    wait_for(lambda: not running(int(flag.read_text())))
    wait_for(lambda: not list(scratch.iterdir()))


def test_run_leaves_no_temporary_files(project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folders of all jobs are removed."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert project.one("open('left', 'w').close()\n").problems == []
    assert list(scratch.iterdir()) == []


def test_run_error_in_the_callback_ends_the_run(project) -> None:
    """A fault of the caller's own comes out, and the processes are ended."""
    project.snippet("one", "import time\ntime.sleep(63.5)\n")

    def fail(*_: object) -> None:
        raise queue.Full

    with pytest.raises(queue.Full):
        project.run(progress=fail)
    assert engine.default_jobs(Environment()) >= 1


def test_default_jobs_leave_room_for_threads() -> None:
    """With more threads each, fewer processes run at a time, and never none."""
    assert engine.default_jobs(Environment(threads=1)) == len(os.sched_getaffinity(0))
    assert engine.default_jobs(Environment(threads=10_000)) == 1


def running(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_for(condition) -> None:
    """Wait until something holds, for ten seconds at most."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
