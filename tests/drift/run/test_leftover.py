"""What a killed check, or a run that let a process go, leaves behind is removed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from drift.run import leftover


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_folder_of_a_killed_check_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next check removes it, and leaves alone the folder of a check that lives."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = "from drift.run import leftover; print(leftover.new_folder()[0], flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        leftover.remove_abandoned(tmp_path)
        assert folder.is_dir()
        process.kill()
    leftover.remove_abandoned(tmp_path)
    assert not folder.exists()


def test_folder_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    """A name alone is no reason to remove a folder."""
    (tmp_path / "drift-notes").mkdir()
    leftover.remove_abandoned(tmp_path)
    assert (tmp_path / "drift-notes").is_dir()


RUNAWAYS = {
    "session": "import subprocess\n"
    "process = subprocess.Popen(['sleep', '62.5'], start_new_session=True)\npid = process.pid\n",
    "daemon": "import os, time\nr, w = os.pipe()\nif not os.fork():\n    os.setsid()\n    pid = os.fork()\n"
    "    if pid:\n        os.write(w, str(pid).encode())\n        os._exit(0)\n    time.sleep(60)\n    os._exit(0)\n"
    "os.wait()\npid = int(os.read(r, 20))\n",
    "elsewhere": "import subprocess\npid = subprocess.Popen(['sleep', '62.5'], cwd='/', start_new_session=True).pid\n",
}


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("name", RUNAWAYS)
def test_process_that_left_its_session_is_ended(project, name: str) -> None:
    """A process in a session of its own does not outlive the run."""
    outcome = project.one(RUNAWAYS[name] + "from drift import artifact\nartifact('p.json').write_text(str(pid))\n")
    assert outcome.problems == []
    end = time.monotonic() + 5
    while alive(int(outcome.artifacts["p.json"])):
        assert time.monotonic() < end
        time.sleep(0.05)
