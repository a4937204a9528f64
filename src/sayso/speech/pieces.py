"""The 32,768 pieces of text that Moonshine writes: parts of words, capital letters, punctuation and digits."""

from __future__ import annotations

import re
from pathlib import Path

from sayso.domain.numbers import number_words
from sayso.errors import ModelError

SPACE = "▁"
SIZE = 32_768
_BYTES = 259  # the pieces below are <unk>, <s>, </s> and the single bytes: characters for which there is no piece
_LETTERS = re.compile(r"[^a-z0-9' ]+")


def read_pieces(path: Path) -> list[str]:
    """Every piece as plain text, by its token: lower case, without punctuation except apostrophes; a space begins a new word.

    The file holds each piece after its length in bytes; a length from 128 on takes two bytes: 128 + its rest, and its 128ths.

    Raises:
        ModelError: the file is not such a list.
    """
    content, pieces, place = path.read_bytes(), [], 0
    while place < len(content):
        length, place = content[place], place + 1
        if length >= 128 and place < len(content):
            length, place = length - 128 + 128 * content[place], place + 1
        pieces.append(content[place : place + length])
        place += length
    if len(pieces) != SIZE or place != len(content):
        raise ModelError(f"{path} is not Moonshine's list of {SIZE} pieces")
    return [_plain(piece, token) for token, piece in enumerate(pieces)]


class MoonshinePieces:
    """The pieces, and which of them begin a given text."""

    def __init__(self, plain: list[str]) -> None:
        """`plain` as from `read_pieces`."""
        self.plain = plain
        self._tokens: dict[str, list[int]] = {}
        for token, piece in enumerate(plain):
            if piece.strip():
                self._tokens.setdefault(piece, []).append(token)
        self._longest = max(map(len, self._tokens), default=0)

    def beginning(self, text: str) -> list[int]:
        """The tokens of the pieces with which the text begins."""
        return [token for length in range(1, min(len(text), self._longest) + 1) for token in self._tokens.get(text[:length], ())]


def in_words(word: str) -> tuple[str, ...]:
    """A written word as it is spoken: "8" → ("eight",), "cup" → ("cup",)."""
    return tuple(number_words(int(word)).split()) if word.isdecimal() and len(word) <= 6 else (word,)


def _plain(piece: bytes, token: int) -> str:
    text = piece.decode("utf-8", errors="replace") if token >= _BYTES else ""
    text = text.replace(SPACE, " ").lower().replace("’", "'").replace("-", " ").replace("–", " ")
    return _LETTERS.sub("", text)
