"""Results of earlier runs: found when everything is as it was, and only then."""

import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drift import config
from drift.problem import Place, Problem
from drift.read import snippet
from drift.run import cache, environment, own_code
from drift.run.cache import Cache
from drift.run.environment import Environment
from drift.run.job import Result, Seen
from drift.run.outcome import Outcome
from drift.run.tracked import digest

TEXT = """
    import core
    from pathlib import Path
    from drift import artifact, fact, output_tolerance
    fact("n", core.n, tol=0.5)
    fact("text", "queen")
    artifact("f.svg").write_text("<svg/>")
    # --8<-- [start:x]
    print(core.n)
    # --8<-- [end:x]
    output_tolerance("x", 0.5)
"""


def entries(project) -> list[Path]:
    """All files of results."""
    return sorted((project.root / ".drift/runs").glob("*/*.json"))


def test_cache_gives_back_what_the_run_gave(project) -> None:
    """A known result is equal in everything to the fresh one."""
    project.write("core.py", "n = 1\n")
    fresh = project.one(TEXT)
    known = project.run()["one"]
    assert (fresh.cached, known.cached) == (False, True)
    assert known.to_json() == fresh.to_json()
    assert fresh.outputs == {"x": "1\n"}


MANY_NEEDS = """
    import core
    import outside
    import os
    from pathlib import Path
    for name in ("optional", "package.extra"):
        try:
            __import__(name)
        except ImportError:
            pass
    root = Path(__file__).parents[2]
    (root / "table.csv").read_text()
    os.listdir(root / "data")
    try:
        (root / "missing.csv").read_text()
    except FileNotFoundError:
        pass
"""


@pytest.fixture(scope="module")
def with_many_needs(make_project):
    """A project that has run, whose one snippet depends on all kinds of things."""
    project = make_project('env = ["PYTHONPATH"]')
    project.write("installed/outside.py", "")
    project.write("core.py", "n = 1\n")
    project.write("package/__init__.py", "")
    project.write("table.csv", "1\n")
    project.write("data/one.csv", "1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(project.root.parent / "installed"))
        shutil.move(project.root / "installed", project.root.parent)
        assert project.one(MANY_NEEDS).problems == []
    return project


@pytest.mark.parametrize(
    ("change", "known"),
    [
        (lambda p: p.write("core.py", "n = 2\n"), False),
        (lambda p: p.write("core.py", "n = 1\n"), True),
        (lambda p: (p.root / "core.py").touch(), True),
        (lambda p: (p.root / "core.py").unlink(), False),
        (lambda p: p.write("core/__init__.py", "n = 3\n"), False),
        (lambda p: p.write("snippets/a/core.py", "n = 3\n"), False),
        (lambda p: p.write("snippets/a/core/__init__.py", "n = 3\n"), False),
        (lambda p: p.write("optional.py", "n = 3\n"), False),
        (lambda p: p.write("snippets/a/optional.py", "n = 3\n"), False),
        (lambda p: p.write("outside/__init__.py", ""), False),
        (lambda p: p.write("package/extra.py", ""), False),
        (lambda p: p.write("package/other.py", ""), True),
        (lambda p: p.write("table.csv", "2\n"), False),
        (lambda p: p.write("missing.csv", "2\n"), False),
        (lambda p: p.write("data/more.csv", "2\n"), False),
        (lambda p: p.write("unrelated.py", "n = 3\n"), True),
        (lambda p: p.write("docs/index.md", "# Text\n"), True),
        (lambda p: p.write("snippets/a/two.py", "x = 1\n"), True),
        (lambda p: p.snippet("one", (p.root / "snippets/a/one.py").read_text() + "\n# comment\n"), False),
        (lambda p: p.write("requirements.lock", "torch==0\n"), False),
        (lambda p: p.settings('env = ["PYTHONPATH"]\npreload = ["json"]'), False),
        (lambda p: p.settings('env = ["PYTHONPATH"]\ntimeout = 77'), True),
    ],
)
def test_cache_after_a_change(with_many_needs, monkeypatch, tmp_path, change: Callable, known: bool) -> None:
    """A result counts exactly as long as nothing that its run depended on has changed."""
    before = with_many_needs.root
    monkeypatch.setenv("PYTHONPATH", str(before.parent / "installed"))
    shutil.copytree(before, tmp_path / "copy")
    project = with_many_needs.at(tmp_path / "copy")
    assert lookup(project) is not None
    change(project)
    assert (lookup(project) is not None) is known


def lookup(project) -> Outcome | None:
    """The known result of the snippet `one`."""
    settings = config.load(project.root)
    found = next(found for found in snippet.discover(settings) if found.id == "a/one")
    return Cache(settings, Environment()).get(found)


def test_cache_variable_belongs_to_the_snippets_that_read_it(project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Setting a declared variable runs what read it; one that is not declared changes nothing at all."""
    project.settings('env = ["MY_DATA"]')
    project.snippet("reads", "import os\nos.environ.get('MY_DATA')\n")
    project.snippet("not", "import os\nos.environ.get('OTHER')\n")
    project.run()
    for name in ("UNRELATED", "OTHER", "PYTHONPATH", "MKL_CBWR", "LC_TIME"):
        monkeypatch.setenv(name, "1")
    assert {name: outcome.cached for name, outcome in project.run().items()} == {"not": True, "reads": True}
    monkeypatch.setenv("MY_DATA", "small")
    assert {name: outcome.cached for name, outcome in project.run().items()} == {"not": True, "reads": False}
    monkeypatch.delenv("MY_DATA")
    assert project.run()["reads"].cached


def test_cache_declared_variable_of_a_library_is_part_of_every_result(project, monkeypatch) -> None:
    """What C code or Python itself reads nobody sees."""
    project.settings('env = ["MKL_CBWR"]')
    project.one("x = 1\n")
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    assert not project.run()["one"].cached


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (environment, "cpu", lambda: ("x86_64", "another")),
        (environment, "versions", lambda _: {"torch": "0"}),
        (own_code, "version", lambda: "another"),
        (cache, "FORMAT", -1),
        (environment.sys, "version", "4.0"),
    ],
)
def test_cache_machine_is_part_of_a_result(project, monkeypatch, module, name, value) -> None:
    """Processor, packages, Python and the engine's own code are part of the key."""
    project.snippet("one", "x = 1\n")
    settings = config.load(project.root)
    (found,) = snippet.discover(settings)
    before = Cache(settings, Environment()).key(found)
    assert Cache(settings, Environment()).key(found) == before
    monkeypatch.setattr(module, name, value)
    assert Cache(settings, Environment()).key(found) != before


def test_cache_environments_have_their_own_results(project) -> None:
    """What ran with two threads is no result for one."""
    project.one("x = 1\n", environment=Environment(threads=2))
    assert not project.run()["one"].cached
    assert project.run(environment=Environment(threads=2))["one"].cached
    assert not project.run(environment=Environment(capability="default"))["one"].cached
    assert not project.run(environment=Environment(hash_seed=1))["one"].cached


def test_cache_remembers_several_states(project) -> None:
    """Going back to an earlier state of the code runs nothing."""
    project.write("core.py", "n = 1\n")
    assert project.one(TEXT).outputs == {"x": "1\n"}
    project.write("core.py", "n = 2\n")
    assert project.run()["one"].outputs == {"x": "2\n"}
    project.write("core.py", "n = 1\n")
    back = project.run()["one"]
    assert (back.cached, back.outputs) == (True, {"x": "1\n"})


def test_cache_failed_runs_are_not_kept(project) -> None:
    """A failure is run again each time."""
    project.one("1 / 0\n")
    assert entries(project) == []
    assert not project.run()["one"].cached


def test_cache_run_with_gaps_in_its_dependencies_is_not_kept(project) -> None:
    """A fault in watching must not make a result that nothing can invalidate."""
    project.write("core.py", "n = 1\n")
    outcome = project.one("""
        import os
        os.rmdir(os.getcwd())
        try:
            open("relative to nowhere")
        except FileNotFoundError:
            pass
    """)
    assert outcome.problems == []
    assert entries(project) == []


def test_cache_not_used_runs_again_and_keeps_the_new_result(project) -> None:
    """`use_cache=False` runs everything; what comes out is known afterwards, in place of the old."""
    text = """
        import os
        # --8<-- [start:x]
        print(os.getpid())
        # --8<-- [end:x]
    """
    first = project.one(text)
    second = project.run(use_cache=False)["one"]
    assert not second.cached
    assert second.outputs != first.outputs
    assert project.run()["one"].outputs == second.outputs
    assert len(entries(project)) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"1\\n"', b'"7\\n"'),
        lambda _: b"\xff" * 100,
        lambda data: b"\n".join([data.split(b"\n")[0], b"[]"]),
    ],
)
def test_cache_damaged_entry_is_run_again(project, damage: Callable[[bytes], bytes]) -> None:
    """An entry that is cut short or altered is ignored, and replaced."""
    project.write("core.py", "n = 1\n")
    project.one(TEXT)
    (entry,) = entries(project)
    good = entry.read_bytes()
    assert damage(good) != good
    entry.write_bytes(damage(good))
    again = project.run()["one"]
    assert (again.cached, again.outputs) == (False, {"x": "1\n"})
    assert project.run()["one"].cached


def test_cache_entry_of_another_layout_is_ignored(project) -> None:
    """A sound file that does not hold what we expect is run again."""
    project.one("x = 1\n")
    (entry,) = entries(project)
    cache.write_entry(entry, {"something": "else"})
    assert not project.run()["one"].cached


def test_cache_that_cannot_be_written_costs_only_time(project) -> None:
    """A file where the cache's folder should be, or a read-only disk, does not fail a check."""
    project.write(".drift", "")
    assert project.one("x = 1\n").problems == []
    assert not project.run()["one"].cached


def test_cache_is_ignored_by_git(project) -> None:
    """The folder ignores itself."""
    project.one("x = 1\n")
    assert (project.root / ".drift/.gitignore").read_text() == "*\n"


def test_cache_written_at_the_same_time(project) -> None:
    """Threads that write and read one entry never see half of it, and leave no drafts."""
    path = project.root / ".drift/runs/key/entry.json"
    wrong: list[object] = []

    def work(number: int) -> None:
        for _ in range(50):
            cache.write_entry(path, {"text": str(number) * 10_000})
            found = cache.read_entry(path)
            if found is None or len(set(found["text"])) != 1:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [file.name for file in path.parent.iterdir()] == ["entry.json"]


def store(project) -> tuple[Cache, snippet.Snippet, Result]:
    """A cache, a snippet, and a result without dependencies."""
    project.snippet("one", "x = 1\n")
    settings = config.load(project.root)
    (found,) = snippet.discover(settings)
    return Cache(settings, Environment()), found, Result(Outcome(found.id), Seen())


def test_cache_prunes_what_nobody_used_for_a_month(project) -> None:
    """Entries go after thirty days without use; using one keeps it."""
    kept, found, result = store(project)
    kept.put(found, result)
    (entry,) = entries(project)
    old = time.time() - (cache.KEEP_DAYS - 1) * cache.DAY
    os.utime(entry, (old, old))
    assert kept.get(found) is not None
    assert time.time() - entry.stat().st_mtime < cache.DAY
    old = time.time() - (cache.KEEP_DAYS + 1) * cache.DAY
    os.utime(entry, (old, old))
    draft = entry.with_suffix(".tmp")
    draft.touch()
    os.utime(draft, (old, old))
    kept.prune()
    assert list((project.root / ".drift/runs").iterdir()) == []


def test_cache_keeps_the_states_used_last(project) -> None:
    """Of many states of one snippet's dependencies only the latest few are kept."""
    kept, found, _ = store(project)
    for number in range(cache.KEEP_PER_KEY + 3):
        kept.put(found, Result(Outcome(found.id), Seen({("read", "core.py"): str(number)})))
        for age, entry in enumerate(reversed(kept.entries(kept.key(found)))):
            os.utime(entry, (1e9 + age, 1e9 + age))
    assert len(entries(project)) == cache.KEEP_PER_KEY + 3
    newest = {entry.name for entry in kept.entries(kept.key(found))[: cache.KEEP_PER_KEY]}
    for entry in entries(project):
        moved = time.time() - 100 + entry.stat().st_mtime - 1e9
        os.utime(entry, (moved, moved))
    kept.prune()
    assert {entry.name for entry in entries(project)} == newest


def test_cache_hashes_each_file_once_a_check(project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many snippets that share a module do not read it many times."""
    kept, found, result = store(project)
    result.seen.notes = {("read", "core.py"): digest(str(project.write("core.py", "n = 1\n")))}
    kept.put(found, result)
    read: list[str] = []
    monkeypatch.setitem(cache.PRESENT, "read", lambda path: read.append(path) or digest(path))
    for _ in range(3):
        assert kept.get(found) is not None
    assert len(read) == 1


def test_cache_result_with_a_problem_is_not_put(project) -> None:
    """The cache itself refuses a failure."""
    kept, found, result = store(project)
    result.outcome.problems = [Problem(Place("a"), "wrong")]
    kept.put(found, result)
    assert entries(project) == []


def test_cache_is_fast_for_many_snippets(project) -> None:
    """A check of fifty known snippets takes a small part of half a second, whatever they depend on."""
    project.write("core.py", "n = 1\n")
    settings = config.load(project.root)
    for number in range(50):
        project.snippet(f"s{number}", "import core\n")
    found = snippet.discover(settings)
    kept = Cache(settings, Environment())
    notes = {("read", "core.py"): kept.now("read", "core.py")}
    result = Result(Outcome("", outputs={"x": "1\n" * 1000}), Seen(notes))
    for one in found:
        kept.put(one, result)
    begin = time.perf_counter()
    outcomes = project.run()
    assert time.perf_counter() - begin < 0.5
    assert all(outcome.cached for outcome in outcomes.values())


def test_times_order_the_next_run(project) -> None:
    """The longest snippet of the last run starts first."""
    for name, seconds in (("brief", 0), ("long", 0.3)):
        project.snippet(name, f"import time\ntime.sleep({seconds})\n")
    project.run(jobs=1)
    started: list[str] = []
    project.run(jobs=1, use_cache=False, progress=lambda name, state, _: state == "running" and started.append(name))
    assert started == ["a/long", "a/brief"]


def test_entry_is_readable_json_after_its_checksum(project) -> None:
    """A person can look into an entry."""
    project.one("x = 1\n")
    _, body = entries(project)[0].read_text().split("\n", 1)
    assert json.loads(body)["outcome"]["snippet"] == "a/one"
