"""What conditions speak of, and what their pronouns mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.representation import Condition, Description, Relation
from sayso.types import Role

_THINGS, _PERSONS, _PLACES = ("it", "that", "they", "them", "this"), ("he", "she", "him", "her", "they"), ("there",)


def condition_roles(domain: Domain, conditions: Sequence[Condition]) -> tuple[Role, ...]:
    """What conditions speak of, so that "it" in the clause can mean it: "if the phone is in the bedroom bring it to me"."""
    found = []
    for condition in conditions:
        if condition.subject is not None and condition.subject.candidates:
            found.append(role_of("theme", condition.subject, _kind(domain, condition.subject)))
        if condition.relation is None:
            continue
        mark = condition.relation.landmarks[0]
        if _is_place(domain, mark):
            found.append(role_of("source", mark, "place"))
        elif condition.event and mark.candidates:  # "if you see anna tell her that dinner is ready"
            found.append(role_of("theme", mark, _kind(domain, mark)))
    return tuple(found)


def resolved(conditions: Sequence[Condition], roles: Sequence[Role]) -> tuple[Condition, ...]:
    """The conditions with what their pronouns mean in the clause: "unless it's already there put the sponge in the sink"."""
    thing, person = _filler(roles, "object", ("theme",)), _filler(roles, "person", ("recipient", "theme"))
    place = _filler(roles, "place", ("goal", "source", "theme"))
    return tuple(_resolved(condition, thing, person, place) for condition in conditions)


def _resolved(condition: Condition, thing: Description | None, person: Description | None, place: Description | None) -> Condition:
    subject, relation, attribute = condition.subject, condition.relation, condition.attribute
    if subject is not None and subject.pronoun in _THINGS and thing is not None:
        subject = thing
    elif subject is not None and subject.pronoun in _PERSONS and person is not None:
        subject = person
    if relation is None and attribute in _PLACES and place is not None:
        relation, attribute = Relation("at", (place,)), ""
    elif relation is not None:
        relation = replace(relation, landmarks=tuple(_meant(mark, thing, place) for mark in relation.landmarks))
    return replace(condition, subject=subject, relation=relation, attribute=attribute)


def _meant(landmark: Description, thing: Description | None, place: Description | None) -> Description:
    if landmark.pronoun in _PLACES or landmark.text == "there":
        return place or landmark
    return thing or landmark if landmark.pronoun in _THINGS and landmark.text != "that" else landmark


def _filler(roles: Sequence[Role], kind: str, names: Sequence[str]) -> Description | None:
    """What fills the first of these roles with an entity of that kind."""
    found = (role for name in names for role in roles if role.name == name and role.kind == kind and role.candidates)
    role = next(found, None)
    if role is None:
        return None
    bare = Description(role.text, role.start, role.end, head=role.text.split()[-1] if role.text else "", candidates=role.candidates)
    return role.description or bare


def _is_place(domain: Domain, phrase: Description) -> bool:
    return bool(phrase.candidates) and phrase.candidates[0][0] in domain.places


def _kind(domain: Domain, phrase: Description) -> str:
    best = phrase.candidates[0][0] if phrase.candidates else ""
    return next((kind for kind, known in domain.by_kind.items() if best in known), "object")


def role_of(name: str, phrase: Description, kind: str) -> Role:
    """The role that a noun phrase fills."""
    entity, score = phrase.candidates[0] if phrase.candidates else ("", 0.0)
    return Role(name, phrase.text, phrase.start, phrase.end, entity, kind, score, phrase.candidates, description=phrase)
