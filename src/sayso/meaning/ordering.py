"""Superlatives and ordinals: P(a member is the biggest, the nearest, the second from the left), from sizes, distances and positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby

from sayso.domain.model import Domain
from sayso.domain.wording import called, is_or_are, listed, plural
from sayso.looks import AGES
from sayso.meaning.long_rooms import beyond_sight
from sayso.meaning.looks import looks_of
from sayso.meaning.members import PossibleReferent
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.representation import Description

_BY_SIZE = {"biggest": -1, "largest": -1, "tallest": -1, "longest": -1, "smallest": 1, "shortest": 1}
_BY_THICKNESS = {"thickest": -1, "thinnest": 1}
_BY_WEIGHT = {"heaviest": -1, "lightest": 1}
_MEASURED = _BY_SIZE | _BY_THICKNESS | _BY_WEIGHT  # order → sign; the domain tells the quantity
_BY_SIDE = {"leftmost": -1, "rightmost": 1}
_BY_HEIGHT = {"topmost": -1, "lowest": 1}
_NEAREST = {"nearest": 1, "farthest": -1}
_BY_AGE = {"oldest": -1, "youngest": 1}
SURE_AGE = 0.8  # P(age) from which a person's counts
_NEVER_TOLD = frozenset(("newest", "oldest"))  # the domain has no field for it
UNSEEN = frozenset((*_NEVER_TOLD, *_BY_WEIGHT))  # orders that no look shows
NAMED = 3  # things of which it says that it does not know
HARDLY = 0.1  # P(a thing is meant but for the order) below which it needs no value
THERE = 0.5  # P(a person is meant but for the order) from which they are compared
Key = Callable[[str], float | None]  # smaller comes first; None: not known


def ordered(
    domain: Domain, description: Description, held: list[PossibleReferent], where: PlaceBeliefs, view: WorldView
) -> tuple[list[PossibleReferent], str]:
    """The members with P(it is the one of that order and fits), and why the order is not known; empty if it is.

    Without the data, every member stays as it was.
    """
    order, count = description.order, max(1, description.count)
    if held and held[0].entity in domain.people:
        there = [member for member in held if member.p >= THERE]
        if len(there) == 1:  # "the tallest man in the kitchen", where there is one man
            unseen = beyond_sight(domain, description, view)
            return there, f"I don't see as far as {called(domain, unseen)}" if unseen else ""
        held = there or held
    key, problem = _key(domain, description, where, view)
    if key is None:
        return held, problem
    values = {member.entity: key(member.entity) for member in held}
    if any(value is not None for value in values.values()):  # "the leftmost thing on the stove": what a look has not shown is hardly there
        held = [member for member in held if values[member.entity] is not None or member.p >= HARDLY]
        values = {member.entity: values[member.entity] for member in held}
    if any(value is None or not math.isfinite(value) for value in values.values()):
        problem = _not_told(domain, order, [entity for entity, value in values.items() if value is None]) or problem
        return (held, problem) if len(held) > 1 else (held, "")
    known = {entity: value for entity, value in values.items() if value is not None}
    if len(held) > count and len(set(known.values())) == 1 and order in (_MEASURED | _BY_AGE):
        return held, f"I know no {description.head or 'thing'} {_than(order)} than another"
    ranked = sorted(held, key=lambda member: known[member.entity])
    index = int(order) if order.lstrip("-").isdigit() else 1
    if index < 0:
        ranked, index = ranked[::-1], -index
    if order == "middle":
        index = (len(ranked) + 1) // 2
    return _at_rank(ranked, known, index, count), ""


def _at_rank(ranked: list[PossibleReferent], known: dict[str, float], index: int, count: int) -> list[PossibleReferent]:
    """P(member fits, and exactly index − 1 … index + count − 2 of those before it fit); ties share it equally."""
    before = [1.0]  # P(k of the members before fit), k = 0 … index + count − 1
    found: list[PossibleReferent] = []
    for _, tied in groupby(ranked, key=lambda member: known[member.entity]):
        group = list(tied)
        room = range(max(0, index - len(group)), index + count - 1)
        for member in group:
            share = sum(before[k] * min(1.0, (index + count - 1 - k) / len(group)) for k in room if k < len(before))
            if share * member.p > 0.0:
                found.append(replace(member, p=min(1.0, member.p * share)))
        for member in group:
            grown = [0.0] * (len(before) + 1)
            for k, p in enumerate(before):
                grown[k] += p * (1.0 - member.p)
                grown[k + 1] += p * member.p
            before = grown[: index + count]
    return found


def _key(domain: Domain, description: Description, where: PlaceBeliefs, view: WorldView) -> tuple[Key | None, str]:
    """The quantity that the order compares, and why it may not be known."""
    order, noun = description.order, description.head or "thing"
    if order in _MEASURED:
        return _signed(_MEASURED[order], lambda entity: _measure(domain, order, entity)), f"I don't know which {noun} is the {order}"
    if order in _BY_AGE and description.pronoun == "person":
        return _signed(_BY_AGE[order], lambda entity: _age(entity, view)), f"I can't tell who is the {order}"
    if order in _NEAREST:
        start = _origin(description, where, view)
        return _signed(_NEAREST[order], lambda entity: where.expected_distance(entity, start)), f"I don't know where every {noun} is"
    if order in _BY_SIDE or order == "middle" or order.lstrip("-").isdigit():
        sign = _BY_SIDE.get(order, -1)
        return _signed(sign, where.leftness), f"I have not seen in which order the {plural(noun)} are"
    if order in _BY_HEIGHT:
        return _signed(_BY_HEIGHT[order], lambda entity: _height(where, entity)), f"I have not seen which {noun} is {order}"
    return None, f"I don't know which {noun} is the {order}"


def _signed(sign: int, key: Key) -> Key:
    def signed(entity: str) -> float | None:
        value = key(entity)
        return None if value is None else sign * value

    return signed


def _measure(domain: Domain, order: str, entity: str) -> float | None:
    """Its size or thickness in m, or its weight in kg; None if the domain does not tell it."""
    thing = domain.objects.get(entity)
    if thing is None:
        return None
    value = thing.weight if order in _BY_WEIGHT else thing.thickness if order in _BY_THICKNESS else thing.size
    return value if value > 0.0 else None


def is_told(domain: Domain, description: Description) -> bool:
    """Whether the domain tells what the order compares, of all things that may be meant; True for an order that a look shows."""
    if description.order in _NEVER_TOLD:
        return False
    if description.order not in UNSEEN:
        return True
    things = [entity for entity, _ in description.candidates if entity in domain.objects]
    return all(_measure(domain, description.order, entity) is not None for entity in things or domain.objects)


def _not_told(domain: Domain, order: str, entities: Sequence[str]) -> str:
    """Say "I don't know how heavy the vase is"; empty for an order of which the domain tells no quantity."""
    if order not in _MEASURED or not entities:
        return ""
    quality = "heavy" if order in _BY_WEIGHT else "thick" if order in _BY_THICKNESS else "big"
    named = listed([called(domain, entity) for entity in entities[:NAMED]])
    several = len(entities) > 1 or is_or_are(domain, entities[0]) == "are"
    return f"I don't know how {quality} {named} {'are' if several else 'is'}"


def _age(person: str, view: WorldView) -> float | None:
    """How old a person looks: the likeliest of child, adult, elder, in order; None if that is not likely enough to compare."""
    seen = {look: p for look, p in looks_of(person, view).items() if look in AGES}
    best = max(seen, key=lambda look: seen[look], default=None)
    return float(AGES.index(best)) if best is not None and seen[best] >= SURE_AGE else None


def _height(where: PlaceBeliefs, entity: str) -> float | None:
    position = where.position(entity)
    return position[2] if position else None


def _origin(description: Description, where: PlaceBeliefs, view: WorldView) -> tuple[float, float]:
    """Where distances count from: the landmark of "closest to the sofa", else the robot."""
    for relation in description.relations:
        if relation.name == "next_to" and relation.landmarks and relation.landmarks[0].candidates:
            point = where.expected_point(relation.landmarks[0].candidates[0][0])
            if point is not None:
                return point
    return view.pose[:2]


def _than(order: str) -> str:
    comparatives = {"biggest": "bigger", "largest": "larger", "tallest": "taller", "longest": "longer", "smallest": "smaller"}
    comparatives |= {"heaviest": "heavier", "lightest": "lighter", "thickest": "thicker", "thinnest": "thinner"}
    return (comparatives | {"shortest": "shorter", "oldest": "older", "youngest": "younger"}).get(order, "bigger")
