"""A clause about several things → one clause for each: "bring me the milk and the bread", "all the books", "turn left twice".

A restricted description ("the cup next to the bread") is replaced by the entities that it may denote, by the belief of the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sayso.domain.model import Domain
from sayso.domain.wording import called, listed
from sayso.representation import Description
from sayso.selection.denotation import WorldView, denotation
from sayso.types import NAME_SCALE, Clause, Role

MOST_PARTS = 12  # actions of one clause


@dataclass(frozen=True, slots=True)
class Distribution:
    """The singular clauses that a clause stands for."""

    parts: tuple[Clause, ...]
    objection: str = ""  # why it denotes nothing, one line for a person
    caution: str = ""  # why to ask before acting: "I know of only one apple."
    look: tuple[str, ...] = ()  # what to look for first: the belief doesn't settle which entity is meant
    p: float = 1.0  # P(these are the members that are meant)


@dataclass
class _Findings:
    """What the descriptions of a clause gave besides their members."""

    objection: str = ""
    caution: str = ""
    look: list[str] = field(default_factory=list)
    p: float = 1.0


def distributed(domain: Domain, clause: Clause, view: WorldView) -> Distribution:
    """The clause, once for each combination of the members of its roles, times its repetition."""
    found = _Findings()
    fillings = [_members(domain, role, view, found) for role in clause.roles]
    count = math.prod(map(len, fillings)) * max(1, clause.modifiers.repeat)
    if count > MOST_PARTS:
        return Distribution((clause,), objection=f"That would be {count} tasks; I can take {MOST_PARTS} at a time.")
    parts = [replace(clause, roles=tuple(roles)) for roles in product(*fillings)] * max(1, clause.modifiers.repeat)
    return Distribution(tuple(parts), found.objection, found.caution, tuple(dict.fromkeys(found.look)), found.p)


def _members(domain: Domain, role: Role, view: WorldView, found: _Findings) -> list[Role]:
    """The role, once for each thing that its description means together."""
    description = role.description
    if description is None or not description.restricted:
        return [role]
    if description.joined == "and":
        return [each for part in description.parts for each in _members(domain, _filled(role, part), view, found)]
    if description.joined == "or":
        return [_chosen(role, [pair for part in description.parts for pair in part.candidates])]
    if not description.candidates and description.head and description.unknown:
        return [replace(role, description=None)]  # an unknown thing: the selector says so
    meant = denotation(domain, description, view)
    if not meant.referents:
        found.objection = found.objection or meant.none or f"I know of no {description.text}."
        return [role]
    if description.plural:
        members, p = meant.referents[0]
        found.p *= p
        if description.quantity == "exactly" and len(members) < description.count:
            found.caution = f"I know of only {listed([called(domain, entity) for entity in members])}."
        elif meant.why and p < 1.0:
            found.caution = meant.why
        return [_chosen(role, [(entity, 1.0)]) for entity in members]
    found.look += meant.look
    best = meant.referents[0][1]
    return [_chosen(role, [(members[0], 1.0 + NAME_SCALE * math.log(p / best)) for members, p in meant.referents if p > 0.0])]


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
