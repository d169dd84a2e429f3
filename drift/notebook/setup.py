"""What a notebook needs before its own code: the packages, and a way to keep experiments apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from textwrap import fill

from drift.notebook import training


@dataclass(frozen=True)
class Options:
    """What a project says about the notebooks it offers.

    Attributes:
        site_name: what the site is called.
        site_url: where the site is, with a slash at its end; "" when that is not known.
        package: the module that the code needs, looked for before anything is installed.
        install: what pip is asked for when it is not there; "" when there is no public place to get it from.
        recorded: names and versions of the packages that the outputs were recorded with.
        pages: the address below `site_url` of each page, by its path below the docs folder.
    """

    site_name: str = ""
    site_url: str = ""
    package: str = ""
    install: str = ""
    recorded: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)


_SWITCH = '''\
def experiment(name, kept={}, state={}, now=[""]):
    """Go on with one experiment, with its own random numbers and its own values of names that others use too."""
    import torch

    kept[now[0]] = {key: globals()[key] for key in experiment.shared if key in globals()}
    state[now[0]] = torch.get_rng_state()
    globals().update(kept.get(name, {}))
    torch.set_rng_state(state.get(name, state[""]))
    now[0] = name


experiment.shared = """
%s
""".split()'''


def switch(shared: Iterable[str]) -> str:
    """The function that puts one experiment's values in the place of another's.

    A name that one experiment uses alone stays where it is, and so does whatever the reader calls by a name of their
    own.

    Args:
        shared: the names that one experiment sets and another one uses.
    """
    return _SWITCH % fill(" ".join(sorted(shared)), 88, break_long_words=False)


def first_cell(options: Options) -> str:
    """The code of the first cell: it installs what is missing, says when the versions are others, and sets them up."""
    lines = ["# Run this cell first. Where everything is there already, it does nothing.", "import importlib.util", ""]
    if options.package:
        lines += [f'if importlib.util.find_spec("{options.package}") is None:']
        if options.install:
            lines += [f'    %pip install --quiet "{options.install}"']
        else:
            lines += [
                "    raise ModuleNotFoundError(",
                f'        "{options.package} is not installed: "',
                '        "run `python -m pip install .` in a copy of the project"',
                "    )",
            ]
    for name, version in options.recorded.items():
        lines += [
            "",
            "from importlib.metadata import version",
            "",
            f'if (found := version("{name}").partition("+")[0]) != "{version}":',
            f'    print("The outputs were recorded with {name} {version}; here is", found)',
        ]
        if name == "torch":
            lines += ["", training.SETUP]
    return "\n".join(lines)
