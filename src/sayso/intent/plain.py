"""Names out of the way: the encoder reads "bring me the cup from the kitchen" whatever is to be brought from wherever.

What a home calls its things says nothing about the intent, and a name that the head never met should not sway it. Words that the
examples themselves spell out ("dock", "the light", "a glass of water") are left as they are.
"""

from __future__ import annotations

import re

from sayso.domain import Domain
from sayso.intent.normalise import normalise

STANDING_FOR = {"room": "kitchen", "furniture": "table", "spot": "corner", "object": "cup", "person": "peter"}


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
