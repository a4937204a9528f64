"""Words with their places in a text, and clauses of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\s,]+|,")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the normalised text, with its character span."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """A clause: its character span, its words, and the words that an elliptic clause omits ("then [go] to the study")."""

    start: int
    end: int
    words: tuple[Word, ...]
    carried: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The clause as a complete sentence, without commas."""
        return " ".join((*self.carried, *(word.text for word in self.words if word.text != ",")))


def words_of(text: str) -> tuple[Word, ...]:
    """The words and commas of a normalised text."""
    return tuple(Word(match[0], *match.span()) for match in _WORD.finditer(text))
