"""Replaces names by one name per kind: the encoder always reads "bring me the cup from the kitchen", whatever the object and place.

Names carry no information about the intent, and an unknown name must not affect it. Words that the examples spell out ("dock",
"the light", "a glass of water") are kept. A verb that no example has is replaced by one that is used like it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sayso.domain import Domain
from sayso.intent.normalise import normalise

PLACEHOLDERS = {"room": "kitchen", "furniture": "table", "spot": "corner", "object": "cup", "person": "peter"}


@dataclass(frozen=True, slots=True)
class PlainWord:
    """A word of the plain text, and the words of the sentence that it replaces."""

    text: str
    first: int  # index of the first word
    last: int  # index of the last word


class PlainText:
    """Replaces exact names of the domain by one name per kind."""

    def __init__(self, domain: Domain) -> None:
        parts = {part.strip() for spec in domain.intents.values() for example in spec.wordings for part in re.split(r"\{[^}]*\}", example)}
        literal = " | ".join(map(normalise, sorted(parts)))
        placeholders: dict[str, str] = {}
        for place in domain.places.values():
            placeholders |= {normalise(name): PLACEHOLDERS[place.kind] for name in place.names}
        for thing in domain.objects.values():
            placeholders |= {normalise(name): PLACEHOLDERS["object"] for name in (*thing.names, thing.category)}
        for person_id, person in domain.people.items():
            if person_id != domain.speaker:
                placeholders |= {normalise(name): PLACEHOLDERS["person"] for name in person.names}
        self._placeholders = {
            name: plain
            for name, plain in placeholders.items()
            if name and not (name in literal and re.search(rf"\b{re.escape(name)}\b", literal))
        }
        names = sorted(self._placeholders, key=len, reverse=True)
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None

    def __call__(self, text: str) -> str:
        """The normalised text with its names replaced."""
        return self._pattern.sub(lambda match: self._placeholders[match[0]], text) if self._pattern else text

    def words(self, words: Sequence[str]) -> list[PlainWord]:
        """The plain text word by word; joined by spaces, it equals the plain text of the sentence."""
        text = " ".join(words)
        plain: list[PlainWord] = []
        at = 0  # end of the text processed so far
        for match in self._pattern.finditer(text) if self._pattern else ():
            start, end = text.rfind(" ", 0, match.start()) + 1, text.find(" ", match.end())
            end = len(text) if end < 0 else end
            if start >= at:  # else a second name within a word
                plain += _unchanged(text[at:start], plain)
                name = text[start : match.start()] + self._placeholders[match[0]] + text[match.end() : end]
                first = plain[-1].last + 1 if plain else 0
                plain.append(PlainWord(name, first, first + text[start:end].count(" ")))
                at = end + 1
        return plain + _unchanged(text[at:], plain)


def _unchanged(text: str, before: Sequence[PlainWord]) -> list[PlainWord]:
    first = before[-1].last + 1 if before else 0
    return [PlainWord(word, number, number) for number, word in enumerate(text.split(), first)]
