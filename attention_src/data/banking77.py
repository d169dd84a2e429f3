"""Banking77: 10,003 questions to a bank with 77 intents, and `python -m attention_src.data.banking77` to download them.

Published by PolyAI under CC BY 4.0, and not part of this project: the file is downloaded from where they keep it.

Source: Casanueva et al. (2020), "Efficient Intent Detection with Dual Sentence Encoders".
"""

import argparse
import hashlib
import os
import sys
from pathlib import Path

import numpy as np

from attention_src.data.download import fetch
from attention_src.data.rows import Split, read_rows

VARIABLE = "BANKING77_DIR"
FILE = "train.csv"
SIZE = 839_073
SHA256 = "b06e26ac675513959a63135f11b94ea7786ed02da65db93a5650d8838cbc664b"
ADDRESS = (
    "https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/"
    f"57ec275d8078af65b7731c2a98be812d844a6d6b/banking_data/{FILE}"
)
HOW = (
    "Banking77 is not on this machine; `python -m attention_src.data.banking77` downloads it, "
    f"or set {VARIABLE} to a folder that holds its {FILE}"
)
VALIDATION = 2_000


class Banking77(Split):
    """The questions, split.

    Attributes:
        training: 8,003 rows in the order of the file.
        validation: 2,000 rows in the order in which they were drawn.
        intents: The 77 categories, sorted; a label is a position in them.
    """


def has_banking77() -> bool:
    """Say whether the file is where `load_banking77` looks for it.

    Returns:
        True if it is; False if it is not and nobody said that it was.

    Raises:
        FileNotFoundError: `BANKING77_DIR` is set to a folder without the file, which is a mistake and no absence.
    """
    path = _path()
    if path.is_file():
        return True
    if os.environ.get(VARIABLE):
        raise FileNotFoundError(f"{VARIABLE} is set, so expected the file {path}, got none")
    return False


def load_banking77(path: Path | None = None) -> Banking77:
    """Read the questions and split them.

    NumPy's legacy generator with seed 42 permutes the rows.
    The first 2,000 become the validation set; the others go back into the order of the file.

    Args:
        path: The file; by default `train.csv` in `BANKING77_DIR`, or where the download puts it.

    Returns:
        Training rows, validation rows and the names of the intents.

    Raises:
        FileNotFoundError: There is no such file; the message says how to get it.
        ValueError: The file is not the one that was published.
    """
    path = _path() if path is None else path
    if not path.is_file():
        raise FileNotFoundError(f"{path}: expected {FILE}, got no file. {HOW}")
    _check(path)
    rows = read_rows(path)
    order = np.random.RandomState(42).permutation(len(rows))
    drawn, kept = order[:VALIDATION], np.sort(order[VALIDATION:])
    return Banking77(rows.take(kept), rows.take(drawn), tuple(sorted(set(rows.categories))))


def main(arguments: list[str] | None = None) -> int:
    """Download the file to where `load_banking77` looks for it; 0: it is there, 1: it is not."""
    argparse.ArgumentParser(
        prog="python -m attention_src.data.banking77",
        description=f"Download Banking77's {FILE} from {ADDRESS}, check its sum, and keep it in {_path().parent}. "
        f"Set {VARIABLE} to keep it elsewhere.",
    ).parse_args(arguments)
    path = _path()
    try:
        if path.exists():
            _check(path)
            print(f"{path}: already here, and the file that was published")
            return 0
        print(f"Banking77 by PolyAI, CC BY 4.0, {SIZE:,} bytes\n  from {ADDRESS}\n  to   {path}")
        fetch(ADDRESS, path, SHA256, SIZE, _tell)
    except (OSError, ValueError) as error:
        print(f"banking77: {error}", file=sys.stderr)
        print(f"banking77: if you have the file, set {VARIABLE} to its folder", file=sys.stderr)
        return 1
    print("received, and the sum is right")
    return 0


def _path() -> Path:
    """Where the file is, or should be."""
    folder = os.environ.get(VARIABLE)
    if folder:
        return Path(folder) / FILE
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "attention-measured" / "banking77" / FILE


def _check(path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(
            f"{path}: expected the published file with sha256 {SHA256}, got {found}; "
            "remove it and run `python -m attention_src.data.banking77`"
        )


def _tell(received: int) -> None:
    """Show on a terminal how far the download is; a log gets nothing."""
    if sys.stderr.isatty():
        end = "\n" if received >= SIZE else ""
        print(f"\r{received:>9,} of {SIZE:,} bytes", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
