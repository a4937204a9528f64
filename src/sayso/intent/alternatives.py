"""The n-best texts besides the best one, and their influence on the roles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.intent.marks import Marks
from sayso.intent.reading import PlainClause, PlainSegment
from sayso.types import NAME_SCALE, Role

ENTITIES = frozenset({"place", "object", "person"})


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A clause of a text, with what is marked in its segment."""

    segment: PlainSegment
    clause: PlainClause
    marks: Marks


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative text with as many clauses as the best one."""

    log_p: float  # ln P(t | audio)
    pieces: Sequence[MarkedClause]


def mixed_roles(best: tuple[Role, ...], p_best: float, others: Sequence[tuple[float, tuple[Role, ...]]]) -> tuple[Role, ...]:
    """The roles of the best text, each linked by Σ_t λ_t(e) P(t|audio) over all texts that fill it.

    λ(e) = exp((score − best) / NAME_SCALE) measures how well the words fit the entity's names. The words remain those of the best text.
    """
    return tuple(_mixed(role, p_best, [(p, other) for p, roles in others for other in roles if other.name == role.name]) for role in best)


def _mixed(role: Role, p_best: float, others: Sequence[tuple[float, Role]]) -> Role:
    others = [(p, other) for p, other in others if other.kind in ENTITIES and other.candidates]
    if role.kind not in ENTITIES or not role.candidates or not others:
        return role
    weights: dict[str, float] = {}
    kinds: dict[str, str] = {}
    for p, other in ((p_best, role), *others):
        top = other.candidates[0][1]
        for entity, score in other.candidates:
            weights[entity] = weights.get(entity, 0.0) + p * math.exp((score - top) / NAME_SCALE)
            kinds.setdefault(entity, other.kind)
    most = max(weights.values())
    score = role.candidates[0][1]
    linked = [(entity, score + NAME_SCALE * math.log(weight / most)) for entity, weight in weights.items() if weight > 0.0]
    candidates = tuple(sorted((pair for pair in linked if pair[1] > 0.0), key=lambda pair: -pair[1]))
    described = role.description
    if described is not None and not described.parts:
        described = replace(described, candidates=candidates)
    return replace(role, entity=candidates[0][0], kind=kinds[candidates[0][0]], candidates=candidates, description=described)
