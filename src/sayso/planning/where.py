"""P(place) of an object, from its usual places, the words and the objects in view; updated after looking."""

from __future__ import annotations

import numpy as np

from sayso.domain.model import Domain
from sayso.types import Context, FloatArray, ObjectBelief

ELSEWHERE = "elsewhere"  # in an ObjectBelief, stands for all places not worth searching
P_ELSEWHERE = 0.1
OUTSIDE_SOURCE = 0.05  # relative probability of a place outside "from the kitchen"
SIGHTED = 0.98  # P(it is still where it was just put)
UNTHOUGHT_OF = 0.5  # share of `elsewhere` at a place where it was seen and nobody had thought of
# P(it is among the recently seen objects | it is at the robot's place, elsewhere in the same room, anywhere else).
SEEN_FROM = (0.9, 0.3, 0.02)


def expected_places(domain: Domain, object_id: str, context: Context, source: str = "") -> ObjectBelief:
    """P(place) before looking: usual places (`usual`, else any surface), times the words (`source`), times the objects in view (eq. 14)."""
    weights = dict(domain.objects[object_id].usual) if object_id in domain.objects else {}
    inside = [place for place in domain.places if source in domain.containing(place)]
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


def after_missing(belief: ObjectBelief, place: str, detection: float, false_alarm: float = 0.0) -> ObjectBelief:
    """Bayes' rule (eq. 15) after not seeing it at `place`: P(place) shrinks by 1 − detection rate, the others by 1 − false alarm rate."""
    return _reweighed(belief, place, 1.0 - detection, 1.0 - false_alarm)


def after_sighting(belief: ObjectBelief, place: str, detection: float, false_alarm: float) -> ObjectBelief:
    """Bayes' rule after a look that found it at `place`: it is there and was detected, or elsewhere and something else was taken for it.

    A place that nobody thought of counts as a part of ELSEWHERE: one of the places that the belief leaves out, with half of it.
    """
    if place not in belief.places:
        belief = _with_place(belief, place)
    return _reweighed(belief, place, detection, false_alarm)


def _reweighed(belief: ObjectBelief, place: str, here: float, others: float) -> ObjectBelief:
    """P(place) times the likelihood of the look if it is there, all others times that if it is not."""
    p = belief.probabilities * np.where([name == place for name in belief.places], here, others)
    total = float(p.sum())
    if total <= 0.0:  # a perfect detector contradicts a certain belief
        return belief
    return ObjectBelief(belief.object_id, belief.places, p / total, belief.stamp)


def _with_place(belief: ObjectBelief, place: str) -> ObjectBelief:
    share = np.where([name == ELSEWHERE for name in belief.places], belief.probabilities * UNTHOUGHT_OF, 0.0)
    p = np.append(belief.probabilities - share, share.sum() or UNTHOUGHT_OF * P_ELSEWHERE)
    return ObjectBelief(belief.object_id, (*belief.places, place), p / p.sum(), belief.stamp)


def after_putting(belief: ObjectBelief, place: str) -> ObjectBelief:
    """The belief once the robot has put it at `place`; the other places share the rest in their old proportions."""
    places = belief.places if place in belief.places else (place, *belief.places)
    before = dict(zip(belief.places, belief.probabilities, strict=True))
    p = np.array([0.0 if name == place else before[name] for name in places])
    rest = float(p.sum())
    p = p / rest * (1.0 - SIGHTED) if rest > 0.0 else p
    p[places.index(place)] = 1.0 - float(p.sum())
    return ObjectBelief(belief.object_id, places, p, belief.stamp)


def probability_at(belief: ObjectBelief, place: str) -> float:
    """P(it is at that place)."""
    return float(belief.probabilities[belief.places.index(place)]) if place in belief.places else 0.0


def _p_seen(domain: Domain, place: str, robot_place: str) -> float:
    here, room, far = SEEN_FROM
    if place == robot_place:
        return here
    return room if domain.room_of(place) == domain.room_of(robot_place) else far


def _belief(object_id: str, places: tuple[str, ...], p: FloatArray, elsewhere: float, stamp: float) -> ObjectBelief:
    joint = np.append(p, elsewhere)
    return ObjectBelief(object_id, (*places, ELSEWHERE), joint / joint.sum(), stamp)
