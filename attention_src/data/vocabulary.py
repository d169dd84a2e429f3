"""Vocabulary: which token has which id, and texts as rows of ids."""

from collections import Counter
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from attention_src.data.tokens import tokenize

PAD = 0
UNKNOWN = 1

# No text contains them as tokens, since `<` is a token of its own.
_SPECIAL = {"<pad>": PAD, "<unknown>": UNKNOWN}


def build_vocabulary(texts: Iterable[str]) -> dict[str, int]:
    """Give every token of the texts an id: 0 is padding, 1 an unknown token, then the most frequent token first.

    Tokens that are equally frequent keep the order in which they first appear.

    Args:
        texts: The texts to learn from; their order matters.

    Returns:
        Ids by token, as many as an embedding table needs rows.

    Raises:
        TypeError: `texts` is one str, or holds something else.
    """
    counts = Counter(token for text in _listed(texts) for token in tokenize(text))
    return {**_SPECIAL, **{token: number for number, (token, _) in enumerate(counts.most_common(), len(_SPECIAL))}}


def encode(texts: Iterable[str], vocabulary: Mapping[str, int], length: int | None = None) -> Tensor:
    """Turn texts into a batch of ids, padded on the right.

    A token that the vocabulary lacks becomes 1.
    A text with more than `length` tokens is cut there, without notice.
    A text without tokens becomes a row of padding.

    Args:
        texts: The texts, `B` of them.
        vocabulary: From `build_vocabulary`.
        length: `M`; by default the number of tokens of the longest text.

    Returns:
        Ids, (B, M), int64.

    Raises:
        TypeError: `texts` is one str or holds something else, or `length` is not an int.
        ValueError: `length` is less than 1.
    """
    rows = [[vocabulary.get(token, UNKNOWN) for token in tokenize(text)] for text in _listed(texts)]
    if length is None:
        length = max(map(len, rows), default=0)
    elif isinstance(length, bool) or not isinstance(length, int):
        raise TypeError(f"length must be an int, got {type(length).__name__}")
    elif length < 1:
        raise ValueError(f"length must be at least 1, got {length}")
    padded = [row[:length] + [PAD] * (length - len(row)) for row in rows]
    return torch.tensor(padded, dtype=torch.int64).reshape(len(rows), length)


def _listed(texts: Iterable[str]) -> list[str]:
    """Refuse a single text, which would be read as one text a letter."""
    if isinstance(texts, str):
        raise TypeError("texts must be several texts, got one str; write [text]")
    return list(texts)
