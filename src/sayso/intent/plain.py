"""Names out of the way: the encoder reads "bring me the cup from the kitchen" whatever is to be brought from wherever.

What a home calls its things says nothing about the intent, and a name that the head never met should not sway it. Words that the
examples themselves spell out ("dock", "the light", "a glass of water") are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sayso.domain import Domain
from sayso.intent.normalise import normalise

STANDING_FOR = {"room": "kitchen", "furniture": "table", "spot": "corner", "object": "cup", "person": "peter"}


@dataclass(frozen=True, slots=True)
class PlainWord:
    """A word of the plain text, and the words of the sentence that it stands for."""

    text: str
    first: int  # index
    last: int


class PlainText:
    """Replaces exact names of the domain by one name for each kind."""

    def __init__(self, domain: Domain) -> None:
        literal = " | ".join(normalise(re.sub(r"\{[^}]*\}", "|", example)) for spec in domain.intents.values() for example in spec.examples)
        stands: dict[str, str] = {}
        for place in domain.places.values():
            stands |= {normalise(name): STANDING_FOR[place.kind] for name in place.names}
        for thing in domain.objects.values():
            stands |= {normalise(name): STANDING_FOR["object"] for name in (*thing.names, thing.category)}
        for person_id, person in domain.people.items():
            if person_id != domain.speaker:
                stands |= {normalise(name): STANDING_FOR["person"] for name in person.names}
        self._stands = {name: plain for name, plain in stands.items() if name and not re.search(rf"\b{re.escape(name)}\b", literal)}
        names = sorted(self._stands, key=len, reverse=True)
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None

    def __call__(self, text: str) -> str:
        """The normalised text with its names replaced."""
        return self._pattern.sub(lambda match: self._stands[match[0]], text) if self._pattern else text

    def words(self, words: Sequence[str]) -> list[PlainWord]:
        """The plain text of a sentence word by word; its words joined by blanks are the plain text of the sentence."""
        text = " ".join(words)
        plain: list[PlainWord] = []
        at = 0  # in the text: all before it is told
        for match in self._pattern.finditer(text) if self._pattern else ():
            start, end = text.rfind(" ", 0, match.start()) + 1, text.find(" ", match.end())
            end = len(text) if end < 0 else end
            if start >= at:  # else a second name in one word
                plain += _as_they_are(text[at:start], plain)
                name = text[start : match.start()] + self._stands[match[0]] + text[match.end() : end]
                first = plain[-1].last + 1 if plain else 0
                plain.append(PlainWord(name, first, first + text[start:end].count(" ")))
                at = end + 1
        owner = [number for number, word in enumerate(words) for _ in word.split()]  # "after that" is one word of a sentence
        return [PlainWord(word.text, owner[word.first], owner[word.last]) for word in plain + _as_they_are(text[at:], plain)]


def _as_they_are(text: str, before: Sequence[PlainWord]) -> list[PlainWord]:
    first = before[-1].last + 1 if before else 0
    return [PlainWord(word, number, number) for number, word in enumerate(text.split(), first)]
