"""A clause about several things → one clause for each: "bring me the milk and the bread", "all the books", "turn left twice".

A restricted description ("the cup next to the bread") is replaced by the entities that it may denote, by the belief of the world.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sayso.domain.model import Domain
from sayso.domain.wording import called, capitalised, is_or_are, listed
from sayso.meaning.denotation import Denotation, denotation
from sayso.meaning.long_rooms import beyond_sight, second_look
from sayso.meaning.looks import looks_in
from sayso.meaning.members import kin
from sayso.meaning.untold import is_only_one
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.representation import ADDRESSEE, Description, Relation
from sayso.types import NAME_SCALE, Clause, Role

MOST_PARTS = 12  # actions of one clause
SOMEWHERE = "somewhere"  # pronoun of a place that is described by what is there: "beside the laptop"
LEAST_SHARE = 0.2  # of the likeliest place, from which another place of a landmark counts
LIKELY = 0.5  # P(a thing is where the words say) from which the robot need not ask, once it has looked
MET = 0.75  # P(the person is where the words say) from which the robot need not drive there to see who is meant
_ANY = frozenset(("a", "some", "any"))  # "a cup": whichever is handy
_MY_SIDES = {"left_of": "on my left", "right_of": "on my right", "in_front_of": "in front of me", "behind": "behind me"}


@dataclass(frozen=True, slots=True)
class Distribution:
    """The singular clauses that a clause stands for."""

    parts: tuple[Clause, ...]
    objection: str = ""  # why it denotes nothing, one line for a person
    caution: str = ""  # why to ask before acting: "I know of only one apple."
    remark: str = ""  # what to say besides: "I know only the ceiling fan."
    look: tuple[str, ...] = ()  # what to look for or where to look first: the belief doesn't settle which entity is meant
    meet: tuple[str, ...] = ()  # where to drive to first, to see who is there


@dataclass
class _Findings:
    """What the descriptions of a clause gave besides their members."""

    looked: bool
    objections: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    look: list[str] = field(default_factory=list)
    meet: list[str] = field(default_factory=list)
    free: dict[str, list[str]] = field(default_factory=dict)  # by role, the things of which any will do, best first


def distributed(domain: Domain, clause: Clause, view: WorldView, *, looked: bool = False) -> Distribution:
    """The clause, once for each combination of the members of its roles, times its repetition.

    Args:
        domain: the home.
        clause: with descriptions.
        view: the belief of the world.
        looked: the robot has looked: what the belief rules out isn't there.
    """
    found = _Findings(looked)
    fillings = [_members(domain, _taken_from(domain, role, clause), view, found) for role in clause.roles]
    objection = " ".join(found.objections)
    if not all(fillings):
        return Distribution((clause,), objection or "I know of nothing like that.")
    times = max(1, clause.modifiers.repeat)
    count = math.prod(map(len, fillings)) * times
    if count > MOST_PARTS:
        return Distribution((clause,), f"That would be {count} tasks; I can take {MOST_PARTS} at a time.")
    parts = _each_their_own([replace(clause, roles=tuple(roles)) for roles in product(*fillings)], found) * times
    cautions = dict.fromkeys((*found.objections, *found.cautions, *_only_on_top(domain, clause)))
    cautious, remark = " ".join(cautions), " ".join(dict.fromkeys(found.remarks))
    return Distribution(tuple(parts), "", cautious, remark, tuple(dict.fromkeys(found.look)), tuple(dict.fromkeys(found.meet)))


def _only_on_top(domain: Domain, clause: Clause) -> Iterator[str]:
    """Why to ask before something is put "into the cupboard": things stand on furniture, and the robot puts nothing inside."""
    goal = clause.role("goal")
    if goal is None or goal.entity not in domain.places:
        return
    intent = domain.intents.get(clause.intent)
    puts = intent is not None and "goal" in intent.roles and intent.roles["goal"].surface
    if puts and domain.places[goal.entity].stores and not re.search(rf"\b(?:into|inside|in) {re.escape(goal.text)}\b", clause.text):
        yield f"I can't put things on {called(domain, goal.entity)}, only in it."
    if not (domain.able(goal.entity, "opens") and domain.places[goal.entity].surface):
        return
    if re.search(rf"\b(?:into|inside|in) {re.escape(goal.text)}\b", clause.text):
        yield f"I can't put things in {called(domain, goal.entity)}, only on it."


def _taken_from(domain: Domain, role: Role, clause: Clause) -> Role:
    """The theme with the place from which it is taken as a restriction, if its own words don't name one thing: "the cup from the desk"."""
    source, theme = clause.role("source"), role.description
    if role.name == "theme" and theme is not None and theme.pronoun == "person" and "person" in _kinds(domain, role, clause):
        there = source.description if source is not None and source.entity in domain.places else None
        relations = (*theme.relations, *([Relation("in", (there,))] if there is not None else []))
        return replace(role, kind="person", description=replace(theme, relations=relations))  # "find the waving person in the kitchen"
    if role.name != "theme" or role.kind != "object" or theme is None or theme.restricted:
        return role
    names_one = len(theme.candidates) == 1 and bool(theme.head)
    if names_one or not theme.candidates or source is None or source.description is None or source.entity not in domain.places:
        return role
    return replace(role, description=replace(theme, relations=(Relation("from", (source.description,)),)))


def _kinds(domain: Domain, role: Role, clause: Clause) -> Sequence[str]:
    """What the role may be: "object", "person"."""
    intent = domain.intents.get(clause.intent)
    return intent.roles[role.name].kinds if intent is not None and role.name in intent.roles else ()


def _all_of_unknown(description: Description) -> bool:
    """Whether it denotes all things of which something is said that the home doesn't know."""
    return description.plural and bool(description.unknown) and not (description.head or description.candidates or description.relations)


def _each_their_own(parts: list[Clause], found: _Findings) -> list[Clause]:
    """The parts, with a different thing for each: "bring everyone a cup"."""
    for name, things in found.free.items():
        alike = [number for number, part in enumerate(parts) if any(role.name == name and role.entity in things for role in part.roles)]
        if len(alike) < 2:
            continue
        if len(things) < len(alike):
            found.cautions.append(f"I know only {len(things)} of them." if len(things) > 1 else "I know only one of them.")
        for at, number in enumerate(alike):
            entity = things[at % len(things)]
            roles = tuple(_chosen(role, [(entity, 1.0)]) if role.name == name else role for role in parts[number].roles)
            parts[number] = replace(parts[number], roles=roles)
    return parts


def _members(domain: Domain, role: Role, view: WorldView, found: _Findings) -> list[Role]:
    """The role, once for each thing that its description means together; none if it means nothing."""
    role = _wherever_i_am(domain, role, found)
    description = role.description
    single = description is not None and (description.quantity == "a" or (description.quantity == "exactly" and description.count == 1))
    if single and len(role.candidates) == 1 and role.kind == "object":
        found.free[role.name] = [role.entity]  # "bring everyone an apple", where there is one
    if description is not None and _many_said_of_one(domain, role, description):
        notes = found.cautions if _others_there(domain, role.entity, description) else found.remarks
        notes.append(f"I know only {called(domain, role.entity)}.")  # "the kitchen lights", of which one has that name
    if description is None or not (description.restricted or _free(role, description) or looks_in(description)):
        return [role]
    if description.joined == "and":
        return [each for part in description.parts for each in _members(domain, _filled(role, part), view, found)]
    if description.pronoun == SOMEWHERE:
        return _beside(domain, role, description, view, found)
    if description.head and not description.candidates and not description.parts:
        return [role]  # an unknown thing: the selector says so
    return _denoted(domain, role, description, view, found)


def _wherever_i_am(domain: Domain, role: Role, found: _Findings) -> Role:
    """A thing without its side of the robot, "the hallway on your left": where the robot is then, nobody knows yet.

    That cannot matter for the only thing of its kind: the robot says that it can't tell. Of others it asks.
    """
    described = role.description
    sides = [relation for relation in described.relations if _is_my_side(relation)] if described is not None else []
    if described is None or not sides or len(described.candidates) != 1:
        return role
    what = f"{called(domain, role.entity)} {is_or_are(domain, role.entity)}"
    notes = found.remarks if is_only_one(domain, described) else found.cautions
    notes += (f"I can't tell whether {what} {_MY_SIDES[relation.name]}." for relation in sides)
    others = tuple(relation for relation in described.relations if relation not in sides)
    return replace(role, description=replace(described, relations=others))


def _is_my_side(relation: Relation) -> bool:
    return relation.name in _MY_SIDES and not relation.negated and [each.pronoun for each in relation.landmarks] == [ADDRESSEE]


def _denoted(domain: Domain, role: Role, description: Description, view: WorldView, found: _Findings) -> list[Role]:
    """The role, once for each thing or person that the belief says that its description means."""
    if _all_of_unknown(description):
        found.objections.append(_sentence(f"I don't know {description.text}"))  # "all of ben's stuff" is not all that there is
        return []
    meant = denotation(domain, description, view)
    if place := _meeting_place(domain, role, meant, found):
        found.meet.append(place)
        return [_chosen(role, description.candidates or [(person, 1.0) for person in domain.people if person != domain.speaker])]
    if meant.best and meant.best[0] in domain.people:
        meant = replace(meant, look=())  # a look at a place shows things
        told = role.kind == "person" and looks_in(description) and not description.unknown and not description.order
        if told and meant.holds < LIKELY:
            if found.looked and (place := second_look(domain, description, view)):
                found.meet.append(place)
                return [_chosen(role, [(person, 1.0) for person in domain.people if person != domain.speaker])]
            found.objections.append(f"I see nobody like “{description.text}”.")
            return []
        if description.unknown or (description.order and meant.why) or (meant.holds < LIKELY and not description.candidates):
            found.cautions.append(f"I don't know who “{description.text}” is.")
        elif description.plural and found.looked and (unseen := beyond_sight(domain, description, view)):
            found.cautions.append(f"I don't see as far as {called(domain, unseen)}.")
    elif found.looked and meant.look and meant.why and meant.holds < LIKELY:
        found.cautions.append(_sentence(meant.why))
    return _filling(domain, role, description, meant, found)


def _filling(domain: Domain, role: Role, description: Description, meant: Denotation, found: _Findings) -> list[Role]:
    """The role, once for each thing that is meant; notes the looks that it takes, and what is not there."""
    members = meant.best
    if not members and meant.look and not found.looked and role.kind != "person" and (description.candidates or description.relations):
        found.look += _landmarks(domain, description) or meant.look  # the speaker may know better than the belief
        named = description.candidates or [(thing, 1.0) for thing in domain.objects]
        return [_chosen(role, [pair]) for pair in named] if description.plural and description.candidates else [_chosen(role, named)]
    if meant.none:
        (found.cautions if members else found.objections).append(_sentence(meant.none))
    if members and description.plural:
        found.look += meant.look
        return [_chosen(role, [(entity, 1.0)]) for entity in members]
    if not members:
        return []
    found.look += _landmarks(domain, description) or meant.look if meant.look else ()
    if meant.free and not meant.look:
        found.free[role.name] = [one[0] for one, _ in meant.referents]
        return [_chosen(role, [(members[0], 1.0)])]
    return [_chosen(role, [(one[0], 1.0 + NAME_SCALE * math.log(p / meant.probability)) for one, p in meant.referents if p > 0.0])]


def _meeting_place(domain: Domain, role: Role, meant: Denotation, found: _Findings) -> str:
    """Where to drive first to see who is meant by "the person in the kitchen" or "ben at the desk"; empty if the robot need not."""
    described = role.description
    if role.kind != "person" or described is None or found.looked:
        return ""
    if described.unknown or described.excluded or described.parts or (meant.holds >= MET and not described.plural):
        return ""
    marks = [each.landmarks[0].candidates for each in described.relations if each.name in ("in", "at", "on") and not each.negated]
    return next((places[0][0] for places in marks if places and places[0][0] in domain.places), "")


def _places_of(domain: Domain, landmarks: Sequence[Description], view: WorldView) -> set[str]:
    """The place at which each of several landmarks is most probably."""
    found = set()
    for mark in landmarks:
        for thing in denotation(domain, replace(mark, quantity="the"), view).best[:1]:
            where = {thing: 1.0} if thing in domain.places else PlaceBeliefs(domain, view).places(thing)
            found.add(max(where, key=lambda place: where[place], default=thing))
    return found


def _beside(domain: Domain, role: Role, description: Description, view: WorldView, found: _Findings) -> list[Role]:
    """The role, filled by the place that is meant, or by the places where the thing beside it is believed to be."""
    relation = description.relations[0]
    landmark = relation.landmarks[0]
    at = next((each.landmarks[0] for each in landmark.relations if each.name in ("in", "on", "at") and not each.negated), None)
    if at is not None and at.candidates and at.candidates[0][0] in domain.places:  # "into the basket on the table"
        if relation.name in ("in", "on"):
            found.cautions.append(f"I can't put things {relation.name} {landmark.text}, only beside it.")
        return [_chosen(role, at.candidates)]
    meant = denotation(domain, replace(landmark, quantity="the"), view)
    if not meant.best:
        found.objections.append(_sentence(meant.none or f"I don't know {landmark.text}"))
        return []
    thing = meant.best[0]
    if relation.name == "between" and len(_places_of(domain, relation.landmarks, view)) > 1:
        found.cautions.append(f"I can't tell what is between {listed([mark.text for mark in relation.landmarks])}.")
    if thing in domain.places:
        return [_chosen(role, [(thing, 1.0)])]
    if relation.name in ("in", "on"):
        found.cautions.append(f"I can't put things {relation.name} {called(domain, thing)}, only beside it.")
    where = PlaceBeliefs(domain, view).places(thing)
    likely = max(where.values(), default=0.0)
    if likely <= 0.0:
        return [role]
    return [_chosen(role, [(place, 1.0 + NAME_SCALE * math.log(p / likely)) for place, p in where.items() if p > LEAST_SHARE * likely])]


def _many_said_of_one(domain: Domain, role: Role, description: Description) -> bool:
    """Whether the words are of several things, of which the home has one, whose name is not a plural itself."""
    if description.quantity not in ("all", "some") or len(role.candidates) != 1 or not description.head or role.kind == "person":
        return False
    entity, noun = role.candidates[0][0], description.head.split()[-1]
    known = domain.places.get(entity) or domain.objects.get(entity)
    names = {word for name in (known.known_as(entity) if known is not None else ()) for word in name.split()}
    return any(word in (f"{noun}s", f"{noun}es") and word not in names for word in description.text.split())


def _others_there(domain: Domain, entity: str, description: Description) -> bool:
    """Whether the home has more of that noun: in the same room, of what has its place."""
    others = [other for other in kin(domain, description.head.split()[-1]) if other != entity]
    room = domain.room_of(entity) if entity in domain.places else ""
    return any(not room or other not in domain.places or domain.room_of(other) == room for other in others)


def _free(role: Role, description: Description) -> bool:
    """Whether any of several things will do: "a cup"."""
    return description.quantity in _ANY and len(role.candidates) > 1 and role.kind == "object"


def _landmarks(domain: Domain, description: Description) -> list[str]:
    """The things beside which the described thing is: looking for them shows it too."""
    marks = (mark.candidates[0][0] for relation in description.relations for mark in relation.landmarks if mark.candidates)
    return [entity for entity in marks if entity in domain.objects]


def _filled(role: Role, description: Description) -> Role:
    """The role, filled by a part of its description."""
    entity, score = description.candidates[0] if description.candidates else ("", 0.0)
    return replace(
        role,
        text=description.text,
        start=description.start,
        end=description.end,
        entity=entity,
        score=score,
        candidates=description.candidates,
        description=description,
    )


def _chosen(role: Role, candidates: Sequence[tuple[str, float]]) -> Role:
    """The role with these candidates, and nothing more to resolve."""
    ordered = tuple(sorted(dict(candidates).items(), key=lambda pair: -pair[1]))
    entity, score = ordered[0] if ordered else ("", 0.0)
    return replace(role, entity=entity, score=score, candidates=ordered, description=None)


def _sentence(text: str) -> str:
    return f"{capitalised(text).rstrip('.')}."
