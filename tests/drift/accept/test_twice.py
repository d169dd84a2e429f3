"""What is accepted runs twice: what hangs on circumstances is refused, with both values."""

import pytest

from drift.accept import twice
from drift.facts import Fact
from drift.read.snippet import Snippet
from drift.run.outcome import Outcome

CODE = "snippets/a/one.py"

# What a snippet could say that another run does not: the code of a section, and what the refusal has to name.
ANOTHER_EACH_TIME = {
    "address": "print(object())",
    "uuid": "import uuid\nprint(uuid.uuid4())",
    "uuid_of_time": "import uuid\nprint(uuid.uuid1())",
    "random": "import random\nprint(random.random())",
    "urandom": "import os\nprint(os.urandom(4).hex())",
    "secrets": "import secrets\nprint(secrets.token_hex(4))",
    "torchless_random": "import random\nprint(random.sample(range(10**6), 2))",
    "process": "import os\nprint(os.getpid())",
    "time": "import time\nprint(time.time())",
    "clock": "import time\nprint(time.perf_counter())",
    "date": "from datetime import date\nprint(date.today())",
    "weekday": "from datetime import datetime\nprint(datetime.now().strftime('%A'))",
    "year": "import time\nprint(time.strftime('%Y'))",
    "zone": "import time\nprint(time.tzname)",
    "hour": "from datetime import datetime\nprint(datetime.fromtimestamp(0))",
    "hash": "print(hash('text'))",
    "set": "print({'spam', 'ham', 'eggs', 'bacon', 'tea', 'toast', 'jam', 'milk'})",
    "folder": "import os\nprint(os.getcwd())",
    "home": "from pathlib import Path\nprint(Path.home())",
    "temporary": "import tempfile\nprint(tempfile.gettempdir())",
    "variables": "import os\nprint(sorted(os.environ.items()))",
    "threads": "import os\nprint(os.environ['OMP_NUM_THREADS'])",
    "order": "import os\nfor n in 'abc':\n    open(n, 'w').close()\nprint(os.listdir('.'))",
    "scanned": "import os\nfor n in 'abc':\n    open(n, 'w').close()\nprint([e.name for e in os.scandir('.')])",
    "globbed": "import glob\nfor n in 'abc':\n    open(n, 'w').close()\nprint(glob.glob('*'))",
    "walked": "import os\nfor n in 'abc':\n    open(n, 'w').close()\nprint([names for *_, names in os.walk('.')])",
}


@pytest.fixture(scope="module")
def refused(make_project) -> dict[str, list[str]]:
    """What a second run of each of these says, by name."""
    from drift import config
    from drift.judge import check
    from drift.read import site

    project = make_project()
    for name, code in ANOTHER_EACH_TIME.items():
        path = project.root / f"snippets/a/s_{name}.py"
        path.write_text(f"# --8<-- [start:x]\n{code}\n# --8<-- [end:x]\n")
    whole = site.read(config.load(project.root))
    outcomes = check.run(whole.config, list(whole.snippets.values()))
    assert [problem for outcome in outcomes.values() for problem in outcome.problems] == []
    problems = twice.check(whole, outcomes)
    return {
        name: [problem.message for problem in problems if problem.place.file == f"snippets/a/s_{name}.py"]
        for name in ANOTHER_EACH_TIME
    }


@pytest.mark.parametrize("name", ANOTHER_EACH_TIME)
def test_output_that_another_run_does_not_give_is_refused(refused, name: str) -> None:
    """Whatever hangs on the moment, the seed, the folder or the machine's settings is found by a second run."""
    assert refused[name] == [f"section 'x' prints something else when it is {twice.HOW}"]


def test_update_refuses_what_two_runs_give_differently(book) -> None:
    """Nothing is written, and output and fact are named with both values."""
    book.edit(CODE, 'print("share", share)', 'import uuid\nprint("share", uuid.uuid4())')
    book.edit(CODE, 'fact("total", total)', 'import os\nfact("total", os.getpid())')
    report = book.refused("update")
    assert "snippets/a/one.py:2  section 'count' prints something else when it is run again" in report
    assert report.count("expected share ") == report.count("got      share ") == 1
    assert "snippets/a/one.py:13  fact 'total' is another one when it is run again" in report
    assert report.endswith("nothing was written\n")


def test_update_runs_only_what_would_change_twice(book) -> None:
    """A record that stays needs no second look, and the time that one takes is told."""
    book.write("snippets/a/two.py", "from drift import fact\nfact('x', 5)\n")
    book.add("It is [5](fact:a/two.x).")
    ran = book.drift("update")
    assert ran.code == 0
    assert "1 record would change; each runs again" in ran.err
    assert "second run: " in ran.err
    assert "each runs again" not in book.drift("update").err


def test_update_dry_run_runs_nothing_twice(book) -> None:
    """Looking at a difference accepts nothing."""
    book.edit(CODE, "0.93214", "0.55554")
    ran = book.drift("update", "--dry-run")
    assert (ran.code, "again" in ran.err) == (0, False)


def test_update_allows_what_a_tolerance_covers(book) -> None:
    """A spread that the snippet declares is no difference."""
    book.edit(CODE, "share = 0.93214", "import os\nshare = 0.93214 + 0.001 * int(os.environ['OMP_NUM_THREADS'])")
    report = book.refused("update")
    assert "fact 'share' is another one" in report
    assert "artifact 'bar.svg' is another one" in report


FOUND = Snippet("a/one", None, CODE, "", (), ())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"facts": {"n": Fact(1.0, 0.1, 3)}}, {"facts": {"n": Fact(1.05, 0.1, 3)}}, None),
        ({"facts": {"n": Fact(1.0, 0.1, 3)}}, {"facts": {"n": Fact(1.5, 0.1, 3)}}, "fact 'n' is another one"),
        ({"facts": {"n": Fact(1.0, None, 3)}}, {"facts": {}}, "fact 'n' is another one"),
        (
            {"outputs": {"x": "1.0"}, "tolerances": {"x": 0.1}},
            {"outputs": {"x": "1.05"}, "tolerances": {"x": 0.1}},
            None,
        ),
        ({"outputs": {"x": "1.0"}}, {"outputs": {"x": "1.05"}}, "section 'x' prints something else"),
        ({"artifacts": {"a.json": "1"}}, {"artifacts": {"a.json": "2"}}, "artifact 'a.json' is another one"),
        ({"tolerances": {"x": 0.1}}, {"tolerances": {"x": 0.2}}, "output tolerances are others"),
    ],
)
def test_compare_names_the_kind_of_difference(first, second, message: str | None) -> None:
    """Each kind of result is compared, within its tolerance."""
    found = list(twice.compare(FOUND, Outcome("a/one", **first), Outcome("a/one", **second)))
    assert [problem.message.partition(" when")[0] for problem in found] == ([message] if message else [])
