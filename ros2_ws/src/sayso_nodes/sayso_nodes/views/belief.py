"""Markers for where objects may be, what the camera has found and what was decided: the more probable, the larger and denser."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sayso.domain import Domain
from sayso.robot.geometry import Point3
from sayso.robot.map import RobotMap
from sayso.types import ActionBelief, Grounding, ObjectBelief
from sayso_nodes.views.markers import Color, instead, label, marker

LARGEST = 0.3  # m, the ball of a certain place
LEAST = 0.03  # less probable places are not drawn
FOUND, DOUBTED = (0.0, 0.62, 0.45), (0.90, 0.62, 0.0)
HAND = (0.4, 0.0, 0.8)  # m in base_link: where a held object is drawn
ABOVE = 1.75  # m over the robot: its decision
GREY: Color = (0.5, 0.5, 0.5)


class Spots:
    """A point for every object at every place, so that two objects on one table are drawn apart."""

    def __init__(self, robot_map: RobotMap) -> None:
        self._map = robot_map
        domain = robot_map.domain
        usual = {place: [name for name, thing in domain.objects.items() if place in thing.usual] for place in domain.places}
        self._slots = {place: {name: (rank, len(names)) for rank, name in enumerate(names)} for place, names in usual.items()}

    def point(self, object_id: str, place: str) -> Point3 | None:
        """Where to draw an object, m in the map; None if the place has no position, such as "elsewhere"."""
        person = self._map.person(place)
        if person is not None:
            return person.hand
        spec = self._map.domain.places.get(place)
        if spec is None:
            return None
        rank, count = self._slots[place].get(object_id, (0, 1))
        share = (rank + 0.5) / count
        surfaces = self._map.surfaces_of(place)
        if surfaces:
            box = max(surfaces, key=lambda surface: surface.length * surface.width)
            along = (share - 0.5) * 0.9
            x, y = box.world(along * box.length, 0.0) if box.length >= box.width else box.world(0.0, along * box.width)
            return x, y, box.top
        angle = 2 * math.pi * share
        return spec.pose[0] + 0.4 * math.cos(angle), spec.pose[1] + 0.4 * math.sin(angle), 0.1


def belief_markers(
    spots: Spots,
    domain: Domain,
    beliefs: Iterable[ObjectBelief],
    *,
    named: Iterable[str] = (),
    holding: str = "",
    seen: Grounding | None = None,
    decided: ActionBelief | None = None,
) -> Any:
    """Everything that may change, in one array.

    Args:
        spots: where each object is drawn at each place.
        domain: names and colours.
        beliefs: one an object.
        named: objects shown with their name: the ones that the utterance mentions.
        holding: the object in the gripper, drawn only there.
        seen: the last grounding.
        decided: the last decision.
    """
    with_name = set(named)
    markers = [
        one for belief in beliefs if belief.object_id != holding for one in _places_of(spots, domain, belief, belief.object_id in with_name)
    ]
    markers += _held(domain, holding)
    markers += _seen(seen)
    markers += _decided(decided)
    return instead(markers)


def color_of(domain: Domain, object_id: str) -> Color:
    """The object's colour; grey if the domain has none or its name is unknown."""
    from PIL import ImageColor

    thing = domain.objects.get(object_id)
    try:
        red, green, blue = ImageColor.getrgb(thing.attributes.get("color", "") if thing else "")[:3]
    except ValueError:
        return GREY
    return red / 255, green / 255, blue / 255


def _places_of(spots: Spots, domain: Domain, belief: ObjectBelief, named: bool) -> Iterator[Any]:
    color, name = color_of(domain, belief.object_id), domain.spoken(belief.object_id).removeprefix("the ")
    for place, p in zip(belief.places, belief.probabilities.tolist(), strict=True):
        at = spots.point(belief.object_id, place) if p >= LEAST else None
        if at is None:
            continue
        width = LARGEST * math.sqrt(min(p, 1.0))  # its area is the probability
        lifted = (at[0], at[1], at[2] + width / 2)
        yield marker("SPHERE", "belief", lifted, (width, width, width), color, alpha=0.2 + 0.8 * min(p, 1.0))
        if named:
            yield label("names", f"{name} {100 * p:.0f} %", (at[0], at[1], at[2] + width + 0.15), 0.16)


def _held(domain: Domain, holding: str) -> Iterator[Any]:
    if holding:
        name = domain.spoken(holding).removeprefix("the ")
        yield marker("SPHERE", "belief", HAND, (0.15, 0.15, 0.15), color_of(domain, holding), frame="base_link")
        yield label("names", name, (HAND[0], HAND[1], HAND[2] + 0.2), 0.16, frame="base_link")


def _seen(grounding: Grounding | None) -> Iterator[Any]:
    """A thin upright pole with a head marks the point that the words refer to."""
    if grounding is None or not all(math.isfinite(value) for value in grounding.point):
        return
    x, y, z = grounding.point
    color = FOUND if grounding.found else DOUBTED
    yield marker("CYLINDER", "seen", (x, y, z + 0.25), (0.02, 0.02, 0.5), color)
    yield marker("SPHERE", "seen", (x, y, z), (0.08, 0.08, 0.08), color)
    found = "" if grounding.found else "not found: "
    yield label("seen", f"{found}“{grounding.phrase}” {100 * grounding.confidence:.0f} %", (x, y, z + 0.6), 0.18, color)


def _decided(belief: ActionBelief | None) -> Iterator[Any]:
    if belief is None:
        return
    best = sorted(belief.candidates, key=lambda candidate: -candidate.probability)[:3]
    lines = [f"{100 * candidate.probability:.0f} %  {candidate.action}" for candidate in best]
    yield label("decision", "\n".join([belief.decision, *lines]), (0.0, 0.0, ABOVE), 0.16, frame="base_link")


def newest(beliefs: Mapping[str, ObjectBelief], domain: Domain) -> Iterator[ObjectBelief]:
    """The last belief about every object; for objects without one, the home's habits."""
    from sayso.planning.where import expected_places
    from sayso.types import Context

    for name in domain.objects:
        yield beliefs.get(name) or expected_places(domain, name, Context())
