"""Where an object may be: P(place), from habit, from the words and from what was seen, before and after looking."""

from __future__ import annotations

import numpy as np

from sayso.domain.model import Domain
from sayso.planning.facts import containing
from sayso.types import Context, FloatArray, ObjectBelief

ELSEWHERE = "elsewhere"  # stands among the places of an ObjectBelief for all where nobody would look
P_ELSEWHERE = 0.1
OUTSIDE_SOURCE = 0.05  # how probable a place outside "from the kitchen" stays, against one inside
SIGHTED = 0.98  # P(it still is where it was just seen or put)
# P(it is among the objects seen lately | it is at …): the place of the robot, another one of the same room, any other.
SEEN_FROM = (0.9, 0.3, 0.02)


def expected_places(domain: Domain, object_id: str, context: Context, source: str = "") -> ObjectBelief:
    """P(place) before looking: habit (`usual`, else any surface), times the words (`source`), times what is in view (eq. 14)."""
    weights = dict(domain.objects[object_id].usual) if object_id in domain.objects else {}
    inside = [place for place in domain.places if source in containing(domain, place)]
    surfaces = [place for place, spec in domain.places.items() if spec.surface]
    if source and not any(place in inside for place in weights):
        weights.update(dict.fromkeys([place for place in inside if place in surfaces] or inside, max(1.0, sum(weights.values()))))
    weights = weights or dict.fromkeys(surfaces or list(domain.places), 1.0)
    places = tuple(weights)
    p = np.array([weights[place] for place in places], dtype=np.float64)
    if source in domain.places:
        p *= np.where([place in inside for place in places], 1.0, OUTSIDE_SOURCE)
    p *= (1.0 - P_ELSEWHERE) / p.sum()
    if object_id in context.visible and context.place in domain.places:
        p *= [_p_seen(domain, place, context.place) for place in places]
        return _belief(object_id, places, p, P_ELSEWHERE * SEEN_FROM[2], context.stamp)
    return _belief(object_id, places, p, P_ELSEWHERE, context.stamp)


def after_missing(belief: ObjectBelief, place: str, detection: float) -> ObjectBelief:
    """Bayes' rule (eq. 15) when it was not seen at `place`: P(place) shrinks by 1 − detection rate, all others grow."""
    p = belief.probabilities * np.where([name == place for name in belief.places], 1.0 - detection, 1.0)
    total = float(p.sum())
    if total <= 0.0:  # a detector that never misses, and certainty that was wrong
        return belief
    return ObjectBelief(belief.object_id, belief.places, p / total, belief.stamp)


def after_finding(belief: ObjectBelief, place: str) -> ObjectBelief:
    """It was seen, or put, at `place`; what is left of the doubt keeps its shape."""
    places = belief.places if place in belief.places else (place, *belief.places)
    held = dict(zip(belief.places, belief.probabilities, strict=True))
    p = np.array([0.0 if name == place else held[name] for name in places])
    rest = float(p.sum())
    p = p / rest * (1.0 - SIGHTED) if rest > 0.0 else p
    p[places.index(place)] = 1.0 - float(p.sum())
    return ObjectBelief(belief.object_id, places, p, belief.stamp)


def probability_at(belief: ObjectBelief, place: str) -> float:
    """P(it is there)."""
    return float(belief.probabilities[belief.places.index(place)]) if place in belief.places else 0.0


def _p_seen(domain: Domain, place: str, robot_place: str) -> float:
    here, room, far = SEEN_FROM
    if place == robot_place:
        return here
    return room if domain.room_of(place) == domain.room_of(robot_place) else far


def _belief(object_id: str, places: tuple[str, ...], p: FloatArray, elsewhere: float, stamp: float) -> ObjectBelief:
    joint = np.append(p, elsewhere)
    return ObjectBelief(object_id, (*places, ELSEWHERE), joint / joint.sum(), stamp)
