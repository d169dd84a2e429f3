"""Python imports a module of this name when it starts: a program that a run starts begins to be watched."""

import os
import sys

if os.environ.get("DRIFT_WATCHED"):
    # drift/run/at_start/sitecustomize.py: the folder that holds the package is the third above.
    _home = __file__
    for _ in range(4):
        _home = os.path.dirname(_home)  # noqa: PTH120
    sys.path.insert(0, _home)
    from drift.run import joined

    sys.path.remove(_home)
    joined.main()
