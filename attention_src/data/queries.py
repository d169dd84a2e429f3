"""A few questions to a bank, written for this project, so that examples run without a download."""

from importlib.resources import as_file, files

from attention_src.data.rows import Rows, read_rows


def load_queries() -> Rows:
    """Read the 48 queries that come with the package.

    Returns:
        The queries, with what each is about as its category.

    Raises:
        ValueError: The file was changed and is not what is expected any more.
    """
    with as_file(files("attention_src") / "data" / "queries.csv") as path:
        return read_rows(path)
