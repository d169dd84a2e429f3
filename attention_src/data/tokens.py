"""Tokens: the pieces of a text that get an id each."""

import re

_TOKEN = re.compile(r"\w+|[^\w\s]")


def tokenize(text: str) -> list[str]:
    """Split a text into lower-case words and single punctuation marks.

    An apostrophe is a token of its own: "don't" gives `don`, `'` and `t`.

    Args:
        text: Any text; one without words and marks gives no tokens.

    Returns:
        The tokens, in order.

    Raises:
        TypeError: `text` is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    return _TOKEN.findall(text.lower())
