"""Words → word pieces, by the tokenizer of the sentence encoder, which the parser shares."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

MAX_TOKENS = 128  # as in the training of all-MiniLM-L6-v2; longer texts are cut


def word_pieces(path: Path) -> tuple[Any, int]:
    """The tokenizer of a file, which neither pads nor cuts, and the number of pieces after which its encoder wants a text to be cut.

    A file is read once per process, and again only if it has changed.

    Raises:
        Exception: the file cannot be read; the library's errors have no common base class.
    """
    status = path.stat()
    return _read(path.absolute(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, modified: int, size: int) -> tuple[Any, int]:  # noqa: ARG001 - keys of the cache
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(path))
    limit = (tokenizer.truncation or {}).get("max_length", MAX_TOKENS)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, min(limit, MAX_TOKENS)


def cut(ids: list[int], limit: int) -> list[int]:
    """At most that many pieces; the last one, [SEP], stays."""
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]
