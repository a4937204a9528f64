"""Words about a door, a lamp or a table against where the home has it: "the bathroom door" is not the front door.

Furniture stays where the domain says, so that a look would settle nothing: a place that the words put somewhere else is not meant. A thing
that opens has a door: "the wardrobe door" is the wardrobe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sayso.domain.model import Domain
from sayso.domain.wording import ARTICLES, called, listed
from sayso.representation import Description, Relation
from sayso.types import Clause, IntentBelief, Role

MOST = 3  # places in a sentence
_PARTS = ("door", "doors", "drawer", "drawers")  # of what opens
_AT = ("in", "at", "on", "from")  # relations to the place that holds another
_AFTER = re.compile(r"\W*(?:(?:that|which) (?:leads?|goes|opens) )?(?:in|into|inside|to|of|at|from) (?:the |my |our )?(?P<place>\w.*)")


def where_they_stand(domain: Domain, belief: IntentBelief) -> IntentBelief:
    """The belief with only those places that stand where the words say; a clause for which there is none has a note that says so."""
    heard = tuple(replace(each, clauses=tuple(_standing(domain, clause) for clause in each.clauses)) for each in belief.hearings)
    return replace(belief, clauses=tuple(_standing(domain, clause) for clause in belief.clauses), hearings=heard)


def _standing(domain: Domain, clause: Clause) -> Clause:
    roles, left = [], clause.left_over
    for role in clause.roles:
        if role.kind != "place" or role.description is None or not _all_places(domain, role.description):
            roles.append(role)
            continue
        beside = _said_after(domain, clause, role)
        named = [*_named_in(domain, role.description), *([beside] if beside else [])]
        if not named and not role.description.relations:
            roles.append(role)
            continue
        marks = [mark for relation in role.description.relations for mark in _marks(relation) if mark in domain.places]
        known = _of_what_opens(domain, role, named)
        if known is None:
            fitting = tuple(pair for pair in role.candidates if _agrees(domain, pair[0], role.description, named))
            if not fitting and (named or not _may_be_meant(domain, role, role.description)):
                return replace(clause, modifiers=replace(clause.modifiers, note=_unknown(domain, clause, role, beside)))
            if not fitting:  # "the cabinet over the sink", and the only one is elsewhere: is it meant?
                known, strange = _elsewhere(role, role.description)
                roles.append(known)
                left = (*left, *strange)
                continue
            known = replace(role, entity=fitting[0][0], score=fitting[0][1], candidates=fitting) if named else role
        explained = {word for place in (*named, *marks) for name in domain.places[place].known_as(place) for word in name.split()}
        left = tuple(word for word in left if word.removesuffix("'s") not in explained)
        roles.append(known)
    return replace(clause, roles=tuple(roles), left_over=left)


def _all_places(domain: Domain, described: Description) -> bool:
    candidates = described.candidates
    return bool(candidates) and not described.parts and all(entity in domain.places for entity, _ in candidates)


def _named_in(domain: Domain, described: Description) -> list[str]:
    """The places that words before the noun name: "bathroom" of "the bathroom door", if they are no part of its own name."""
    said = {word.removesuffix("'s") for word in described.unknown}
    part = described.head in _PARTS  # "the couch table" is a kind of table, and "the couch door" would be the couch's
    return [place for place, spec in domain.places.items() if (part or spec.kind == "room") and said & set(spec.known_as(place))]


def _said_after(domain: Domain, clause: Clause, role: Role) -> str:
    """The place in words after the role that nothing else explains: "the door in the kitchen"; empty for none."""
    _, found, after = clause.text.partition(role.text)
    match = _AFTER.match(after) if found else None
    door = role.description is not None and role.description.head in _PARTS
    if match is None or (not door and after.split()[0] in ("to", "from", "into")):  # "… to the sink" is another role
        return ""
    words = match["place"].split()
    for place in domain.places:
        for name in domain.places[place].known_as(place):
            if words[: len(name.split())] == name.split() and set(name.split()) <= set(clause.left_over):
                return place
    return ""


def _of_what_opens(domain: Domain, role: Role, named: list[str]) -> Role | None:
    """The role, filled by the thing whose door the words name: "the wardrobe door", "the door of the wardrobe"."""
    described = role.description
    if described is None or described.head not in _PARTS:
        return None
    marks = [mark for relation in described.relations if relation.name in _AT and not relation.negated for mark in _marks(relation)]
    opening = next((place for place in (*named, *marks) if domain.able(place, "opens")), "")
    if not opening:
        return None
    found = ((opening, 1.0),)
    end = max(role.end, described.end)
    return Role(role.name, described.text, min(role.start, described.start), end, opening, role.kind, 1.0, found)


def _marks(relation: Relation) -> Iterator[str]:
    return (mark.candidates[0][0] for mark in relation.landmarks if mark.candidates)


def _agrees(domain: Domain, place: str, described: Description, named: list[str]) -> bool:
    """Whether the place stands where the words say, as far as rooms and furniture tell."""
    around = set(domain.containing(place))
    return around.issuperset(named) and all(_may_hold(domain, place, relation, around) for relation in described.relations)


def _may_hold(domain: Domain, place: str, relation: Relation, around: set[str]) -> bool:
    marks = [mark for mark in _marks(relation) if mark in domain.places]
    if relation.negated or len(marks) < len(relation.landmarks) or place in marks:
        return True
    if relation.name in _AT:
        return marks[0] in around
    if domain.places[place].kind == "room":
        return relation.name != "between"  # "the area between the sinks" is no room
    rooms = [mark for mark in marks if domain.places[mark].kind == "room"]
    if relation.name == "between" and rooms:  # nothing of the home stands between two rooms, such as the door from one to the other
        return False
    return bool(rooms) or all(domain.room_of(mark) == domain.room_of(place) for mark in marks)


def _may_be_meant(domain: Domain, role: Role, described: Description) -> bool:
    """Whether the only one may be meant, though it is said to stand beside something else: not a door, of which any home has others."""
    beside = all(relation.name not in ("in", "at", "from", "between") for relation in described.relations)
    return beside and len(role.candidates) == 1 and domain.places[role.entity].kind != "room" and described.head not in _PARTS


def _elsewhere(role: Role, described: Description) -> tuple[Role, tuple[str, ...]]:
    """The role without where its place is said to be, and the words for that, which count as unknown."""
    marks = (mark for relation in described.relations for mark in relation.landmarks)
    strange = tuple(word for mark in marks for word in (mark.head or mark.text).split())
    return replace(role, description=replace(described, relations=(), unknown=(*described.unknown, *strange))), strange


def _unknown(domain: Domain, clause: Clause, role: Role, beside: str) -> str:
    """Say “I know no door in the kitchen, only the front door.”."""
    described = role.description
    text = described.text if described is not None else role.text
    if beside:
        text = f"{text}{clause.text.partition(role.text)[2]}"
    bare = next((text.removeprefix(article) for article in ARTICLES if text.startswith(article)), text)
    known = listed([called(domain, entity) for entity, _ in role.candidates[:MOST]])
    return f"I know no {bare}, only {known}."
