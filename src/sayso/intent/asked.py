"""The roles of a question: what is asked about (theme), and the place in the question (source): "is anna in the study?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.representation import Description, Relation
from sayso.types import Role

_PLACED = ("on", "in", "at", "under", "next_to", "behind", "in_front_of")


def question_roles(domain: Domain, phrases: Sequence[Description]) -> tuple[Role, ...]:
    """The roles of a question from its noun phrases, in order."""
    theme: Description | None = None
    place: Description | None = None
    for phrase in phrases:
        bare, landmark = _without_place(domain, phrase)
        if landmark is not None:
            theme, place = theme or bare, place or landmark
        elif _is_place(domain, phrase) and (theme is not None or place is not None):
            place = place or phrase
        elif theme is None and phrase.pronoun not in ("you", "i", "me", "there"):
            theme = phrase
    if theme is not None and place is None and len(phrases) == 1 and _is_place(domain, theme):
        return (_role("theme", theme, "place"), _role("source", theme, "place"))
    found = [_role("theme", theme, _kind(domain, theme))] if theme is not None else []
    return (*found, *([_role("source", place, "place")] if place is not None else []))


def _without_place(domain: Domain, phrase: Description) -> tuple[Description, Description | None]:
    """The phrase without its relation to a place, and that place."""
    for relation in phrase.relations:
        if _at_place(domain, relation):
            rest = tuple(other for other in phrase.relations if other is not relation)
            return replace(phrase, relations=rest), relation.landmarks[0]
    return phrase, None


def _at_place(domain: Domain, relation: Relation) -> bool:
    return relation.name in _PLACED and not relation.negated and _is_place(domain, relation.landmarks[0])


def _is_place(domain: Domain, phrase: Description) -> bool:
    return bool(phrase.candidates) and phrase.candidates[0][0] in domain.places


def _kind(domain: Domain, phrase: Description) -> str:
    best = phrase.candidates[0][0] if phrase.candidates else ""
    return next((kind for kind, known in domain.by_kind.items() if best in known), "object")


def _role(name: str, phrase: Description, kind: str) -> Role:
    entity, score = phrase.candidates[0] if phrase.candidates else ("", 0.0)
    return Role(name, phrase.text, phrase.start, phrase.end, entity, kind, score, phrase.candidates, description=phrase)
