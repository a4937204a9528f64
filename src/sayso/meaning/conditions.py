"""Conditions that the belief of the world can tell: "if the phone is in the bedroom". Others are kept for later (sayso.agenda)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.domain.model import Domain
from sayso.meaning.denotation import denotation
from sayso.meaning.world_view import PlaceBeliefs, WorldView
from sayso.representation import ADDRESSEE, Condition, Description

HOLDS = 0.95  # P from which a condition needs no look
NOW = ("if", "unless")  # conditions on the state at this moment
EXISTENCE = ("if there's", "if there is", "if there are", "if we have", "if we've got", "if you have", "if there still")
OBTAINING = ("find", "see", "spot", "get", "reach")


@dataclass(frozen=True, slots=True)
class Settled:
    """What the belief says of the conditions of a clause."""

    p: float = 1.0  # P(all of them hold)
    look: str = ""  # the entity or place to look at, if that would settle them
    said: str = ""  # the first condition that probably fails, in its own words


def settled(domain: Domain, conditions: Sequence[Condition], view: WorldView) -> Settled:
    """P(the conditions on the present state hold); conditions that a look cannot tell count as holding."""
    p, look, said = 1.0, "", ""
    for condition in conditions:
        found = _probability(domain, condition, view)
        if found is None:
            continue
        p *= found
        if found < HOLDS and not look:
            look = _look_at(domain, condition)
        if found < 0.5 and not said:
            said = condition.text
    return Settled(p, look, said)


def is_observable(condition: Condition) -> bool:
    """Whether a look can tell the condition: "if" or "unless", a thing or a person, and where it is."""
    subject, relation = condition.subject, condition.relation
    return condition.kind in NOW and bool(
        subject and subject.candidates and relation and all(mark.candidates for mark in relation.landmarks)
    )


def is_tested_by_acting(condition: Condition) -> bool:
    """Whether the attempt itself tells the condition: "if there's any milk left", "if you find it". The robot then says that it failed."""
    if condition.kind != "if" or condition.negated:
        return False
    exists = condition.text.startswith(EXISTENCE) and condition.subject is not None and condition.relation is None
    you = condition.subject is not None and condition.subject.pronoun == ADDRESSEE
    return exists or (you and condition.event in OBTAINING)


def is_alternative(condition: Condition) -> bool:
    """Whether it only says that what was asked before fails: "otherwise", "failing that"."""
    said = condition.subject or condition.relation or condition.event or condition.attribute
    return condition.kind == "if" and condition.negated and not said


def _probability(domain: Domain, condition: Condition, view: WorldView) -> float | None:
    if not is_observable(condition) or condition.subject is None or condition.relation is None:
        return None
    subject = replace(condition.subject, quantity="the")
    found = denotation(domain, subject, view)
    marks = [denotation(domain, replace(mark, quantity="the"), view).best for mark in condition.relation.landmarks]
    if not found.best or not all(marks):
        return None
    where = PlaceBeliefs(domain, view)
    landmarks = [mark[0] for mark in marks]
    p = 1.0
    for entities, share in found.referents:  # none of them is there: ∏ (1 − P)
        p *= 1.0 - share * where.probability(condition.relation.name, entities[0], landmarks)
    p = 1.0 - p
    contradicted = condition.negated != condition.relation.negated
    p = 1.0 - p if contradicted else p
    return 1.0 - p if condition.kind == "unless" else p


def _look_at(domain: Domain, condition: Condition) -> str:
    """The place to look at, else the thing to look for."""
    marks = condition.relation.landmarks if condition.relation else ()
    for mark in (*marks, *([condition.subject] if condition.subject else [])):
        entity = _entity(mark)
        if entity in domain.places or entity in domain.objects:
            return entity
    return ""


def _entity(description: Description) -> str:
    return description.candidates[0][0] if description.candidates else ""
