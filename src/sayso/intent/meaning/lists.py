"""The closed word lists of joins.yaml, and the longest phrase of a list at a position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sayso.yaml_source import read_plain


class PhraseList:
    """Finds which phrase of a list begins at a word; a phrase may stand for a name."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        """Index the phrases by their first word, longest first.

        Args:
            phrases: phrase → what it stands for.
        """
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase, name in phrases.items():
            words = tuple(phrase.split())
            self._by_first.setdefault(words[0], []).append((words, name))
        for same in self._by_first.values():
            same.sort(key=lambda entry: -len(entry[0]))

    def at(self, text: Sequence[str], start: int, end: int) -> tuple[int, str]:
        """Number of words of the longest phrase at `start` and what it stands for; 0 for none."""
        for words, name in self._by_first.get(text[start], ()) if start < end else ():
            if start + len(words) <= end and tuple(text[start : start + len(words)]) == words:
                return len(words), name
        return 0, ""

    def length(self, text: Sequence[str], start: int, end: int) -> int:
        """Number of words of the longest phrase at `start`."""
        return self.at(text, start, end)[0]


@lru_cache(maxsize=8)
def tables(file: str) -> dict[str, Any]:
    """The content of a YAML file of this folder."""
    loaded: dict[str, Any] = read_plain(Path(__file__).with_name(file))
    return loaded


def listed(text: str) -> list[str]:
    """The phrases of a list with semicolons."""
    return [phrase.strip() for phrase in text.split(";")]


def phrases(text: str) -> PhraseList:
    """A list with semicolons; each phrase stands for itself."""
    return PhraseList({phrase: phrase for phrase in listed(text)})


def named(groups: Mapping[str, str]) -> PhraseList:
    """Several lists with semicolons; each phrase stands for the name of its list."""
    return PhraseList({phrase: name for name, text in groups.items() for phrase in listed(text)})


def pairs(text: str) -> dict[str, str]:
    """A list of pairs, "came come; left leave"."""
    found = (pair.split() for pair in listed(text))
    return dict(found)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """All words of these texts."""
    return frozenset(word for text in texts for word in text.split())
