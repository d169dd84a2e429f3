"""The checker on a project of two files, made here: it agrees, and then three things change."""

import os
from pathlib import Path

mark = "--8" + "<--"
Path("snippets/dice").mkdir(parents=True)
Path("docs").mkdir()
Path("pyproject.toml").write_text("[tool.drift]\n", encoding="utf-8")
Path("snippets/dice/sum.py").write_text(
    f"""# {mark} [start:sum]
ways = sum(a + b == 7 for a in range(1, 7) for b in range(1, 7))
print("chance of a seven", round(ways / 36, 4))
# {mark} [end:sum]

from drift import fact

fact("chance", ways / 36)
""",
    encoding="utf-8",
)
Path("docs/dice.md").write_text(
    f"""# Two dice

```python
{mark} "dice/sum.py:sum"
```

```text
{mark} "dice/sum.out:sum"
```

Two dice show a total of seven with a chance of [0.167](fact:dice/sum.chance).
""",
    encoding="utf-8",
)
os.environ.pop("CI", None)
os.environ["COLUMNS"] = "100"

# --8<-- [start:agree]
import subprocess
import sys
from pathlib import Path

snippet = Path("snippets/dice/sum.py")
page = Path("docs/dice.md")


def drift(command):
    run = subprocess.run([sys.executable, "-m", "drift", command], capture_output=True, text=True)
    print(run.stdout.strip())
    print("exit code", run.returncode)


# --8<-- [end:agree]
import contextlib
import io

with contextlib.redirect_stdout(io.StringIO()):
    drift("update")


# --8<-- [start:check]
drift("check")
# --8<-- [end:check]


# --8<-- [start:sentence]
def replace(path, old, new):
    path.write_text(path.read_text().replace(old, new))


replace(page, "0.167", "0.168")
drift("check")
# --8<-- [end:sentence]
replace(page, "0.168", "0.167")

# --8<-- [start:code]
replace(snippet, "a + b == 7", "a * b == 7")
drift("check")
# --8<-- [end:code]
replace(snippet, "a * b == 7", "a + b == 7")

# --8<-- [start:unbound]
replace(page, "# Two dice\n", "# Two dice\n\nThere are 36 ways to throw them.\n")
drift("check")
# --8<-- [end:unbound]
replace(page, "There are 36 ways to throw them.\n", "")

# --8<-- [start:update]
replace(snippet, "a + b == 7", "a + b == 6")
drift("update")
# --8<-- [end:update]
