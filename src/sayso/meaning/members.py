"""The entities that a description may mean by name, kind, attributes and purpose, before relations and order."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sayso.domain.model import Domain
from sayso.looks import is_look
from sayso.meaning.world_view import WorldView
from sayso.representation import Description
from sayso.types import NAME_SCALE

_PEOPLE = frozenset(("person", "everyone", "nobody", "everybody"))
_REFERRING = frozenset(("it", "them", "that", "this", "these", "those", "they", "both", "him", "her", "there"))
_HERE = frozenset(("you", "yourself", "here", "me", "us", "myself"))  # the robot, or a speaker whom the home does not know
_MANY = frozenset(("them", "these", "those", "they", "both"))
_SAME_USE = (
    frozenset(("clean", "wash", "wipe", "scrub", "mop", "dust", "sweep")), frozenset(("eat", "nibble", "snack", "munch", "chew", "bite")),
    frozenset(("drink", "sip", "swallow")), frozenset(("write", "draw", "sketch", "note", "sign", "scribble")),
    frozenset(("dry", "wipe", "mop")), frozenset(("call", "phone", "ring", "text")), frozenset(("read", "browse", "leaf")),
)  # fmt: skip
P_LATEST = 0.9  # P("it" is what was mentioned last)


@dataclass(frozen=True, slots=True)
class PossibleReferent:
    """An entity that a description may mean."""

    entity: str
    weight: float  # λ, how well the name fits, relative to the best
    p: float = 1.0  # P(all restrictions hold)


def members(domain: Domain, description: Description, view: WorldView) -> list[PossibleReferent]:
    """The members by name, kind, attributes and purpose, best first."""
    found = _like_the_last(domain, description, _named(domain, description, view), view)
    if description.purpose:
        useful = _of_use(domain, found, {description.purpose}) or _of_use(domain, found, _alike(description.purpose))
        found = useful if useful or not description.head else found  # "a cup that i can drink from": any cup
    if "visible" in description.attributes:
        found = [member for member in found if member.entity in view.visible]
    if description.quantity == "other":
        found = [member for member in found if member.entity not in view.spoken_of]
    return found


def _of_use(domain: Domain, found: Sequence[PossibleReferent], uses: Collection[str]) -> list[PossibleReferent]:
    return [member for member in found if member.entity in domain.objects and set(domain.objects[member.entity].uses) & set(uses)]


def _alike(purpose: str) -> frozenset[str]:
    """The uses that may be meant by this one."""
    return frozenset(use for group in _SAME_USE if purpose in group for use in group)


def _named(domain: Domain, description: Description, view: WorldView) -> list[PossibleReferent]:
    pronoun = description.pronoun
    if description.candidates:
        best = max(score for _, score in description.candidates)
        return [PossibleReferent(entity, math.exp((score - best) / NAME_SCALE)) for entity, score in description.candidates]
    if description.head or pronoun in _HERE:
        return []
    if pronoun in _REFERRING:
        return _spoken_of(domain, pronoun, view)
    known = {attribute for attribute in description.attributes if not (pronoun in _PEOPLE and is_look(attribute))}
    if known - {"visible", *description.unknown}:
        return []  # attributes that nothing in the home has
    if pronoun in _PEOPLE:
        return [PossibleReferent(person, 1.0) for person in domain.people if person != domain.speaker]
    return [PossibleReferent(thing, 1.0) for thing in domain.objects]


def _like_the_last(domain: Domain, description: Description, found: list[PossibleReferent], view: WorldView) -> list[PossibleReferent]:
    """For "the red one": those of the kind that was spoken of, if any of them fits."""
    last = next((entity for entity in view.spoken_of if entity in domain.objects), "")
    if description.pronoun != "one" or not last:
        return found
    category = domain.objects[last].category
    return [member for member in found if member.entity in domain.objects and domain.objects[member.entity].category == category] or found


def _spoken_of(domain: Domain, pronoun: str, view: WorldView) -> list[PossibleReferent]:
    kinds: Sequence[str] = list(domain.objects)
    if pronoun in {"him", "her", "they"}:
        kinds = list(domain.people)
    elif pronoun == "there":
        kinds = list(domain.places)
    known = [entity for entity in dict.fromkeys(view.spoken_of) if entity in kinds]
    if pronoun in _MANY:
        return [PossibleReferent(entity, 1.0) for entity in known]
    return [PossibleReferent(entity, 1.0 if rank == 0 else (1.0 - P_LATEST) ** rank) for rank, entity in enumerate(known)]


def kin(domain: Domain, head: str, words: int = 1) -> list[str]:
    """The entities that have this noun as category, or the last words of it, by default one, as last words of a name."""
    noun = head.split()[-words:] or [""]
    found = [thing for thing, spec in domain.objects.items() if spec.category.lower() == head]
    for kind in ("object", "place", "person"):
        for entity_id, entity in domain.by_kind[kind].items():
            names = (*entity.names, entity_id.replace("_", " "))
            if entity_id not in found and any(name.lower().split()[-words:] == noun for name in names):
                found.append(entity_id)
    return found


def unexplained(domain: Domain, description: Description, view: WorldView) -> str:
    """Why a description has no members, one line."""
    if description.pronoun in _REFERRING:
        return f'I don\'t know what "{description.pronoun}" refers to'
    noun = description.head or "thing"
    if description.quantity == "other" and any(entity in view.spoken_of for entity, _ in description.candidates):
        return f"I know no other {noun}"
    if description.purpose:
        return f"I know nothing to {description.purpose}"
    if "visible" in description.attributes:
        return f"I see no {noun}"
    known = [word for word in description.attributes if word not in description.unknown]
    if known and (not description.head or kin(domain, description.head)):
        return f"no {noun} here is {known[-1]}"
    return f"I don't know {description.text}"
