"""Encodes a referring phrase as word ids: "the red cup" → (red, cup) → (17, 24)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

LENGTH = 8  # content words; longer phrases are cut
NO_WORD, UNKNOWN = 0, 1
FIRST_WORD = 2
# Words without visual meaning.
SILENT = frozenset(
    ("a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "our", "their", "some", "any", "please", "of")
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def content_words(phrase: str) -> list[str]:
    """The content words in lower case: "The bottle of water, please" → [bottle, water]."""
    return [word for word in _WORD.findall(phrase.lower()) if word not in SILENT]


@dataclass(frozen=True)
class Vocabulary:
    """The network's words by id; any other word has the id UNKNOWN."""

    words: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of ids, including the two special ones."""
        return FIRST_WORD + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}

    def number(self, word: str) -> int:
        """The id of a word; an unlisted plural has its singular's."""
        for form in (word, word.removesuffix("'s"), word.removesuffix("s"), word.removesuffix("es")):
            if form in self._numbers:
                return self._numbers[form]
        return UNKNOWN

    def encode(self, phrase: str) -> NDArray[np.int64]:
        """(LENGTH,) ids of the phrase's content words, padded with NO_WORD."""
        numbers = [self.number(word) for word in content_words(phrase)][:LENGTH]
        return np.array(numbers + [NO_WORD] * (LENGTH - len(numbers)), dtype=np.int64)

    def unknown(self, phrase: str) -> list[str]:
        """The content words of the phrase that are not in the vocabulary."""
        return [word for word in content_words(phrase) if self.number(word) == UNKNOWN]
