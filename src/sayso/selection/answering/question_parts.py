"""The parts of a question about the home: what is asked about, and where."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.domain.model import Domain
from sayso.meaning.denotation import denotation
from sayso.meaning.world_view import WorldView
from sayso.types import Clause, Role

PERSONS = ("anyone", "anybody", "someone", "somebody", "everyone", "everybody", "people", "person", "persons")
ANYTHING = (*PERSONS, "anything", "something", "everything", "nothing", "stuff", "things")
UNANSWERED = "I understood the question, but I can't answer it."
NO_COMPARISON = "I can't compare things."


def entities_meant(domain: Domain, role: Role | None, view: WorldView) -> list[str]:
    """The entities meant by the role's description, by the belief; all that fit equally."""
    if role is None:
        return []
    described = role.description
    if described is not None and described.restricted:
        found = denotation(domain, described, view).referents
        return list(found[0][0]) if found else []
    if described is not None and described.parts:  # "the lamp and the tv"
        return [part.candidates[0][0] for part in described.parts if part.candidates]
    return list(members_named(role))


def members_named(role: Role | None) -> Iterator[str]:
    """The entities whose name fits best."""
    if role is None or not role.candidates:
        return
    best = role.candidates[0][1]
    yield from (entity for entity, score in role.candidates if score >= best - 1e-6)


def is_anything(role: Role | None) -> bool:
    """Whether it stands for things or people of any kind: "anything on the desk", "many things are on the desk"."""
    return role is not None and not role.candidates and any(word in ANYTHING for word in role.text.removeprefix("many ").split()[:1])


def place_in_question(domain: Domain, clause: Clause) -> str:
    """The place of the question; of "tell me who is in the dining room" all that it speaks of; of "the objects on the desk" the desk."""
    place = clause.role("source") or clause.role("goal") or clause.role("theme")
    if place is not None and place.kind == "place":
        return place.entity
    theme = clause.role("theme")
    relations = theme.description.relations if theme is not None and theme.description is not None else ()
    marks = (mark.candidates[0][0] for relation in relations for mark in relation.landmarks if mark.candidates and not relation.negated)
    return next((mark for mark in marks if mark in domain.places), "")


def is_unknown_kind(role: Role | None) -> bool:
    """Whether the role names a kind of thing that the home doesn't know: "the three blorks"."""
    described = role.description if role is not None else None
    if described is None or described.candidates or described.purpose or described.parts:
        return False
    kind = described.head.split()[-1:]
    return any(word.startswith(each) for word in described.unknown for each in kind)  # "blorks" has the head "blork"


def unknown(role: Role | None) -> str:
    """Say “I don't know “the garage”.”."""
    return f"I don't know “{role.text}”." if role is not None else UNANSWERED
