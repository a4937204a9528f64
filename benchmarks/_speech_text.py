"""Scores of heard texts: word errors, errors among known words, values of slots."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from sayso.domain import Domain
from sayso.speech.whisper_texts import spoken


@dataclass(frozen=True, slots=True)
class WordErrors:
    """Words to insert, delete or replace, of so many said; adds up over sentences."""

    errors: int = 0
    words: int = 0

    def __add__(self, other: WordErrors) -> WordErrors:
        return WordErrors(self.errors + other.errors, self.words + other.words)

    @property
    def rate(self) -> float | None:
        """The word error rate in percent; None of no words."""
        return 100.0 * self.errors / self.words if self.words else None


def word_errors(said: str, heard: str) -> WordErrors:
    """Levenshtein's distance in words."""
    truth = spoken(said).split()
    return WordErrors(Levenshtein.distance(truth, spoken(heard).split()), len(truth))


def known_word_errors(said: str, heard: str, unknown: Collection[str]) -> WordErrors:
    """The errors among the words that the domain has: what became of the unknown ones, and words inserted beside them, doesn't count."""
    truth, guess = spoken(said).split(), spoken(heard).split()
    strange = {at for at, word in enumerate(truth) if word in unknown}
    beside = strange | {at + 1 for at in strange}
    errors = 0
    for edit in Levenshtein.editops(truth, guess):
        errors += edit.src_pos not in (beside if edit.tag == "insert" else strange)
    return WordErrors(errors, len(truth) - len(strange))


class SlotReader:
    """Text → the values of an intent's roles that it names; where values overlap, the longest wins."""

    def __init__(self, domain: Domain, intent: str) -> None:
        self._values = {spoken(value): name for name, role in domain.intents[intent].roles.items() for value in role.values}
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(self._values, key=len, reverse=True)))})\b")

    def __call__(self, text: str) -> dict[str, str]:
        """Role → value; of a role that the text names twice, the first."""
        found: dict[str, str] = {}
        for match in self._pattern.finditer(spoken(text)):
            found.setdefault(self._values[match[0]], match[0])
        return found


def same_slots(wanted: Mapping[str, str], found: Mapping[str, str]) -> bool:
    """Whether exactly the wanted slots are found, with their values."""
    return {name: spoken(value) for name, value in wanted.items()} == dict(found)


def right_text_at(said: str, heard: Sequence[str]) -> int | None:
    """The place of the right text in the list, from 0; None if it is missing."""
    return next((at for at, text in enumerate(heard) if spoken(text) == spoken(said)), None)
