"""Roles that other things than a name fill: all of what was spoken of, and the place beside something."""

from __future__ import annotations

from dataclasses import replace

from sayso.representation import Description, Relation, RelationName
from sayso.types import Role

SOMEWHERE = "somewhere"  # pronoun of a place that is described by what is there: "beside the laptop"


def all_of(role: Role, fixtures: tuple[Description, ...]) -> Role:
    """The role; "them" after "the fridge and the wardrobe" is both."""
    described = role.description
    if described is None or described.pronoun != "them" or role.kind != "place" or len(fixtures) < 2:
        return role
    return replace(role, description=replace(described, parts=fixtures, joined="and", candidates=()))


def somewhere(name: str, relation: RelationName, landmark: Description, words: str, start: int) -> Role:
    """The role of a place that is described by a thing or a place beside it, in those words from that character on."""
    marks = landmark.parts[:2] if relation == "between" and landmark.parts else (landmark,)
    place = Description(words, landmark.start, landmark.end, pronoun=SOMEWHERE, relations=(Relation(relation, marks),))
    return Role(name, words, start, landmark.end, kind="place", description=place)
