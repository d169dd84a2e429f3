"""Which files a run is found to depend on, without anybody declaring them."""

import os
import shutil
from pathlib import Path

import pytest

from drift.run.tracked import ABSENT, Scope, digest, listing


def names(outcome) -> set[str]:
    """The dependencies of an outcome that has no problem."""
    assert outcome.problems == []
    return set(outcome.dependencies)


def test_watch_imports_of_the_project_count(project) -> None:
    """A package, its modules, a module beside the snippet and a lazily imported one count; an unused one does not."""
    project.write(
        "core/__init__.py",
        """
        def __getattr__(name):
            import importlib
            return getattr(importlib.import_module("core." + name), name)
    """,
    )
    project.write("core/used.py", "from core import helper\ndef used(): pass\n")
    project.write("core/helper.py", "")
    project.write("core/unused.py", "")
    project.write("core/late.py", "")
    project.write("snippets/a/_beside.py", "")
    outcome = project.one("""
        from core import used
        import _beside
        def f():
            import core.late
        f()
    """)
    found = {"core/__init__.py", "core/used.py", "core/helper.py", "core/late.py", "snippets/a/_beside.py"}
    assert names(outcome) == found
    assert outcome.dependencies["core/used.py"] == digest(str(project.root / "core/used.py"))


def test_watch_modules_of_a_namespace_package_count(project) -> None:
    """A package without `__init__.py` has no file, its modules have."""
    project.write("space/inner/module.py", "n = 1\n")
    assert names(project.one("import space.inner.module\n")) == {"space/inner/module.py"}


def test_watch_module_that_was_removed_again_counts(project) -> None:
    """What was imported counts even if it is not in `sys.modules` at the end."""
    project.write("gone.py", "")
    assert names(project.one("import sys, gone\ndel sys.modules['gone']\n")) == {"gone.py"}


def test_watch_preloaded_module_counts_for_every_snippet(project) -> None:
    """What the server imported is in every child."""
    project.settings('preload = ["core"]')
    project.write("core.py", "open(__file__.replace('core.py', 'table.csv')).close()\n")
    project.write("table.csv", "1\n")
    project.snippet("two", "x = 1\n")
    assert names(project.one("x = 1\n")) == {"core.py", "table.csv"}
    assert names(project.run()["two"]) == {"core.py", "table.csv"}


def test_watch_extension_module_counts(project) -> None:
    """A module that is not Python source counts too."""
    import _json

    if not getattr(_json, "__file__", None):
        pytest.skip("this Python has its extension modules built in")
    shutil.copy(_json.__file__, project.root / Path(_json.__file__).name.replace("_json", "_json"))
    outcome = project.one(f"""
        import importlib.util
        spec = importlib.util.spec_from_file_location("_json", {str(project.root / Path(_json.__file__).name)!r})
        module = importlib.util.module_from_spec(spec)
        import sys
        sys.modules["other"] = module
    """)
    assert names(outcome) == {Path(_json.__file__).name}


READS = {
    "text": "open(path).read()",
    "bytes": "open(str(path), 'rb').read()",
    "method": "path.read_text()",
    "descriptor": "import os; os.close(os.open(path, os.O_RDONLY))",
    "name_in_bytes": "import os; os.close(os.open(os.fsencode(path), os.O_RDONLY))",
    "from_its_folder": "import os; os.chdir(path.parent); open(path.name).close()",
    "roundabout": "open(path.parent / '..' / path.parent.name / path.name).close()",
    "to_change": "open(path, 'r+').close()",
    "thread": "import threading; t = threading.Thread(target=path.read_text); t.start(); t.join()",
    "copy_of_it": "import shutil; shutil.copy(path, 'copy')",
    "program": "import subprocess; _ = subprocess.run(['cat', path], stdout=subprocess.DEVNULL)",
    "program_there": "import subprocess; _ = subprocess.run(['cat', path.name], cwd=path.parent, stdout=-3)",
    "executed": "exec(open(path).read())",
}


@pytest.fixture(scope="module")
def readers(make_project):
    """The outcomes of snippets that each read a file in another way."""
    project = make_project()
    project.write("data/table.csv", "1\n")
    for name, read in READS.items():
        path = f"Path({str(project.root)!r}, 'data/table.csv')"
        project.snippet(name, f"from pathlib import Path\npath = {path}\n{read}\n")
    return project.run()


@pytest.mark.parametrize("name", READS)
def test_watch_file_that_is_read_counts(readers, name: str) -> None:
    """Every way of reading through Python is seen."""
    assert names(readers[name]) == {"data/table.csv"}


def test_watch_file_read_in_a_forked_process_counts(project) -> None:
    """The workers of a loader read for the run."""
    project.write("data.csv", "1\n")
    outcome = project.one(f"""
        import os
        pid = os.fork()
        if not pid:
            open({str(project.root / "data.csv")!r}).close()
            os._exit(0)
        os.waitpid(pid, 0)
    """)
    assert names(outcome) == {"data.csv"}


def test_watch_symbolic_links_count_under_their_own_name(project, tmp_path) -> None:
    """A link out of the project is a file of the project, and so is a way into it from outside."""
    (tmp_path / "far.csv").write_text("1\n")
    (project.root / "link.csv").symlink_to(tmp_path / "far.csv")
    project.write("near.csv", "1\n")
    (tmp_path / "alias").symlink_to(project.root)
    outcome = project.one(f"""
        open({str(project.root / "link.csv")!r}).close()
        open({str(tmp_path / "alias/near.csv")!r}).close()
    """)
    assert names(outcome) == {"link.csv", "near.csv"}


def test_watch_what_is_no_dependency(project) -> None:
    """Files that the run wrote, its folders, installed packages, the checker's own and devices do not count."""
    project.write(".drift/note.txt", "")
    project.write("core.py", "")
    project.write("made/old.txt", "")
    outcome = project.one(f"""
        import os, sys, json, warnings, traceback
        from pathlib import Path
        import pytest
        root = Path({str(project.root)!r})
        Path(pytest.__file__).read_text()
        (root / ".drift/note.txt").read_text()
        (root / "made/new.txt").write_text("")
        (root / "made/new.txt").read_text()
        (root / "made/old.txt").write_text("new")
        pid = os.fork()
        if not pid:
            (root / "made/forked.txt").write_text("")
            os._exit(0)
        os.waitpid(pid, 0)
        (root / "made/forked.txt").read_text()
        Path("here.txt").write_text("")
        Path("here.txt").read_text()
        (Path.home() / "here.txt").write_text("")
        (Path.home() / "here.txt").read_text()
        os.close(os.open(root / "made", os.O_RDONLY))
        (root / "made").exists()
        open("/dev/null").close()
    """)
    assert names(outcome) == set()
    assert outcome.unkept == ()


def test_watch_file_read_before_it_is_written_counts(project) -> None:
    """Content from before the run is an input, even if the run replaces it."""
    project.write("counter.txt", "1")
    before = digest(str(project.root / "counter.txt"))
    outcome = project.one(f"""
        from pathlib import Path
        path = Path({str(project.root / "counter.txt")!r})
        path.write_text(str(int(path.read_text()) + 1))
    """)
    assert outcome.dependencies == {"counter.txt": before}


def test_watch_listed_folder_counts(project) -> None:
    """Which files there are is an input to who lists them; imports list folders too, and those do not count."""
    project.write("data/one.csv", "")
    project.write("core.py", "")
    outcome = project.one(f"import os, core\nos.listdir({str(project.root / 'data')!r})\n")
    assert outcome.dependencies == {
        "data/": listing(str(project.root / "data")),
        "core.py": digest(str(project.root / "core.py")),
    }


def test_watch_file_outside_the_project_counts(project, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files elsewhere count under their absolute path, below the folder of a variable or not."""
    data = tmp_path / "elsewhere"
    (data / "deep").mkdir(parents=True)
    (data / "deep/rows.csv").write_text("1\n")
    (tmp_path / "other.csv").write_text("1\n")
    project.settings('env = ["MY_DATA", "MY_UNSET"]')
    monkeypatch.setenv("MY_DATA", str(data))
    outcome = project.one(f"""
        import os
        open(os.environ["MY_DATA"] + "/deep/rows.csv").close()
        open({str(tmp_path / "other.csv")!r}).close()
    """)
    assert names(outcome) == {str(data / "deep/rows.csv"), str(tmp_path / "other.csv")}


def test_watch_source_read_for_a_traceback_does_not_count(project) -> None:
    """Showing lines of a file is not reading it; libraries do that unseen."""
    project.write("unused.py", "x = 1\n")
    outcome = project.one(f"import linecache\nlinecache.getline({str(project.root / 'unused.py')!r}, 1)\n")
    assert names(outcome) == set()


def test_watch_edit_during_the_run_is_not_taken_for_what_ran(project) -> None:
    """The hash is that of the content that was imported, not of what an editor saved a moment later."""
    core = project.write("core.py", "n = 1\n")
    ran = digest(str(core))
    text = f"""
        import core
        from pathlib import Path
        Path({str(core)!r}).write_text("n = 2\\n")
        # --8<-- [start:x]
        print(core.n)
        # --8<-- [end:x]
    """
    assert project.one(text).dependencies == {"core.py": ran}
    again = project.run()["one"]
    assert not again.cached
    assert again.outputs == {"x": "2\n"}


def test_watch_edit_of_one_digit_within_a_second_is_run(project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python would take the old bytecode: same size, same second."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    core = project.write("core.py", "n = 1\n")
    text = "# --8<-- [start:x]\nimport core\nprint(core.n)\n# --8<-- [end:x]\n"
    project.one(text)
    before = core.stat()
    core.write_text("n = 2\n")
    os.utime(core, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert project.run()["one"].outputs == {"x": "2\n"}
    assert not list(project.root.rglob("core.*.pyc"))


def test_watch_checker_counts_only_where_a_snippet_uses_it(make_project) -> None:
    """What makes results is in the key; a snippet depends on more of `drift` only if it reads or imports more."""
    import drift
    from drift import config
    from drift.read import snippet
    from drift.run import engine

    root = Path(drift.__file__).parent.parent
    project = make_project()
    text = "from drift import fact\nfact('n', 1)\n"
    project.snippet("plain", text)
    project.snippet("reads", text + "import drift\nopen(drift.__file__.replace('__init__', 'read/site')).close()\n")
    project.snippet("imports", text + "import drift.records.record\n")
    settings = config.load(project.root)
    object.__setattr__(settings, "root", root)
    found = engine.run(settings, snippet.discover(settings), use_cache=False)
    assert names(found["a/plain"]) == set()
    assert names(found["a/reads"]) == {"drift/read/site.py"}
    assert "drift/records/record.py" in names(found["a/imports"])


def test_scope_name_of_paths(tmp_path: Path) -> None:
    """Paths below the root are named from it, others by themselves; what the checker writes and trusts has none."""
    root = tmp_path / "root"
    scope = Scope(str(root), trusted=(str(root / "env/lib"),), excluded=(str(root / "cache"),))
    assert scope.name(str(root / "a/b.py")) == "a/b.py"
    assert scope.name(str(root / "cache/b.py")) is None
    assert scope.name(str(root / "cached/b.py")) == "cached/b.py"
    assert scope.name(str(root / "env/lib/b.py")) is None
    assert scope.name(str(tmp_path / "data/x")) == str(tmp_path / "data/x")
    assert scope.name(str(tmp_path / "rooted/x")) == str(tmp_path / "rooted/x")


def test_digest_of_what_is_not_there(tmp_path: Path) -> None:
    """A missing file, a folder and a missing folder have no content."""
    assert digest(str(tmp_path / "no")) == ABSENT
    assert digest(str(tmp_path)) == ABSENT
    assert listing(str(tmp_path / "no")) == ABSENT


def test_listing_without_pythons_caches(tmp_path: Path) -> None:
    """Running Python in a folder does not change what is in it."""
    (tmp_path / "a.py").touch()
    before = listing(str(tmp_path))
    (tmp_path / "__pycache__").mkdir()
    assert listing(str(tmp_path)) == before
    (tmp_path / "b.py").touch()
    assert listing(str(tmp_path)) != before
