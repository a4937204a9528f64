"""What a description is evaluated against: where things are, as far as the robot knows, and P(relation | that)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sayso.domain.model import Domain
from sayso.meaning.recollection import Recollection
from sayso.representation import RelationName
from sayso.types import Context, ObjectBelief

Point = tuple[float, float, float]  # m, map frame

BESIDE = 0.4  # m between two things that are next to each other
SAME_ROW = 0.8  # m within which one thing is left of, behind, … another
ROBOT_PLACES = 2.5  # m between the poses of two places that are next to each other
P_BESIDE = 0.5  # P(a thing is next to a place | it is at a place beside that)
P_KNOWN = 0.9  # P(an object is at one of its usual places)
P_SEEN = 0.98  # P(a person is where they are seen)
P_AT_FURNITURE = 0.6  # P(a person is at a piece of furniture | seen in its room), as the words say; which one, the robot does not see
P_UNSEEN = 0.1  # P(the tracker does not see a person | in the robot's room)
STAYS = 600.0  # s until half of the people have left the room where they were seen
# P(relation | both are at the same place), without positions.
P_SAME_PLACE: dict[RelationName, float] = {
    "next_to": 0.7, "left_of": 0.35, "right_of": 0.35, "behind": 0.35, "in_front_of": 0.35, "between": 0.3,
    "on": 0.1, "in": 0.1, "at": 0.7, "under": 0.1, "above": 0.1, "with": 0.7, "from": 0.1,
}  # fmt: skip
P_BY_PLACE: dict[RelationName, float] = {"on": 1.0, "in": 1.0, "at": 1.0, "from": 1.0, "next_to": 0.7, "above": 0.3, "with": 0.7}


@dataclass(frozen=True, slots=True)
class WorldView:
    """A belief of the world at one moment."""

    whereabouts: Mapping[str, ObjectBelief] = field(default_factory=dict)  # by object; without an entry, the home's `usual` applies
    visible: tuple[str, ...] = ()  # ids of what the camera sees
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the robot: x, y in m, yaw in rad, map frame
    spoken_of: tuple[str, ...] = ()  # ids of what was mentioned before, latest first
    positions: Mapping[str, Point] = field(default_factory=dict)  # of things whose position is known
    context: Context | None = None  # of the robot; None: unknown
    recent: Recollection = field(default_factory=Recollection)  # what the robot saw, did and asked

    @classmethod
    def of(
        cls,
        context: Context | None,
        whereabouts: Mapping[str, ObjectBelief] | None = None,
        recent: Recollection | None = None,
        found: Mapping[str, Point] | None = None,
    ) -> WorldView:
        """From what the nodes publish, and what is remembered of it. Where a thing was `found` counts while it is visible."""
        known, pose = context or Context(), (context.x, context.y, context.yaw) if context else (0.0, 0.0, 0.0)
        positions = {thing: point for thing, point in (found or {}).items() if thing in known.visible}
        return cls(whereabouts or {}, known.visible, pose, positions=positions, context=context, recent=recent or Recollection())


class PlaceBeliefs:
    """P(place) of every entity, and P(relation) between entities."""

    def __init__(self, domain: Domain, view: WorldView) -> None:
        self._domain, self._view = domain, view
        self._cached: dict[str, dict[str, float]] = {}
        self._around: dict[str, tuple[str, ...]] = {}
        self._anywhere = dict.fromkeys([place for place, spec in domain.places.items() if spec.kind != "room"] or domain.places)

    def places(self, entity: str) -> dict[str, float]:
        """P(place). P(elsewhere) is spread over all furniture and spots, since people name places that the robot does not expect."""
        if entity not in self._cached:
            self._cached[entity] = self._places(entity)
        return self._cached[entity]

    def _places(self, entity: str) -> dict[str, float]:
        if entity in self._domain.places:
            return {entity: 1.0}
        belief = self._view.whereabouts.get(entity)
        if belief is not None:
            pairs = zip(belief.places, belief.probabilities.tolist(), strict=True)
            found = {place: float(p) for place, p in pairs if place in self._domain.places}
        else:
            known = self._domain.objects.get(entity) or self._domain.people.get(entity)
            usual = known.usual if known else {}
            total = sum(usual.values())
            found = {place: P_KNOWN * weight / total for place, weight in usual.items()} if total > 0.0 else {}
            found = self._not_here(entity, self._with_sighting(entity, found)) if entity in self._domain.people else found
        elsewhere = max(0.0, 1.0 - sum(found.values())) / max(1, len(self._anywhere))
        return {place: found.get(place, 0.0) + elsewhere * (place in self._anywhere) for place in {**found, **self._anywhere}}

    def _with_sighting(self, person: str, usual: dict[str, float]) -> dict[str, float]:
        """P(place) of a person who was seen: still there with a probability that halves in STAYS seconds, else where they usually are."""
        last, now = self._view.recent.last_seen.get(person), self._view.recent.now
        if last is None or last.place not in self._domain.places:
            return usual
        ago = 0.0 if person in self._view.visible or now is None else max(now.ros - last.stamp, 0.0)
        stays = P_SEEN * 0.5 ** (ago / STAYS)
        return {place: stays * (place == last.place) + (1.0 - stays) * usual.get(place, 0.0) for place in {last.place: 0, **usual}}

    def _not_here(self, person: str, found: dict[str, float]) -> dict[str, float]:
        """P(place) of a person who is not in view in the robot's room, where others are: there a tracker would see them too."""
        here = self._view.context.place if self._view.context is not None else ""
        sees_people = any(each in self._domain.people for each in self._view.visible)
        if here not in self._domain.places or not sees_people or person in self._view.visible:
            return found
        room = self._domain.room_of(here)
        return {place: p * (P_UNSEEN if self._domain.room_of(place) == room else 1.0) for place, p in found.items()}

    def at(self, entity: str, place: str) -> float:
        """P(the entity is at the place or at a place inside it)."""
        return min(1.0, sum(p for where, p in self.places(entity).items() if place in self.around(where)))

    def around(self, place: str) -> tuple[str, ...]:
        """The place and the places that contain it, innermost first."""
        if place not in self._around:
            found: list[str] = []
            outer = place
            while outer in self._domain.places and outer not in found:
                found.append(outer)
                outer = self._domain.places[outer].inside
            self._around[place] = tuple(found)
        return self._around[place]

    def together(self, entities: Sequence[str]) -> float:
        """P(all of them are at the same place)."""
        first, *others = (self.places(entity) for entity in entities)
        return min(1.0, sum(p * math.prod(other.get(place, 0.0) for other in others) for place, p in first.items()))

    def position(self, entity: str) -> Point | None:
        """The position of the entity; None if it is not known."""
        return self._view.positions.get(entity)

    def expected_distance(self, entity: str, start: tuple[float, float]) -> float:
        """Expected distance in m from a point to the entity, along a straight line; inf if nothing is known of it."""
        known = self.position(entity)
        if known is not None:
            return math.dist(start, known[:2])
        places = self.places(entity)
        total = sum(places.values())
        if total <= 0.0:
            return math.inf
        return sum(p * math.dist(start, self._domain.places[place].pose[:2]) for place, p in places.items()) / total

    def expected_point(self, entity: str) -> tuple[float, float] | None:
        """Where to measure distances from: the entity's position, else the pose of its likeliest place."""
        known = self.position(entity)
        if known is not None:
            return known[:2]
        places = self.places(entity)
        return self._domain.places[max(places, key=lambda place: places[place])].pose[:2] if places else None

    def probability(self, name: RelationName, entity: str, landmarks: Sequence[str]) -> float:
        """P(the relation holds between the entity and the landmarks)."""
        if entity in landmarks:  # "the box with the pills": the home knows it as the pills
            return float(name == "with")
        exact = self._by_position(name, entity, landmarks)
        if exact is not None:
            return float(exact)
        if len(landmarks) == 1 and landmarks[0] in self._domain.places:
            return self._by_place(name, entity, landmarks[0])
        if entity in self._domain.places:  # "the table with the newspaper"
            return P_BY_PLACE.get(name, 0.3) * self.at(landmarks[0], entity)
        return P_SAME_PLACE[name] * self.together((entity, *landmarks))

    def settled(self, name: RelationName, entity: str, landmarks: Sequence[str]) -> bool:
        """Whether the relation needs no look: positions decide it, or it is contact with a place."""
        if self._by_position(name, entity, landmarks) is not None:
            return True
        return landmarks[0] in self._domain.places and (entity in self._domain.places or name in {"on", "in", "at", "from"})

    def _by_place(self, name: RelationName, entity: str, place: str) -> float:
        if entity not in self._domain.places:
            here = P_BY_PLACE.get(name, 0.2) * self.at(entity, place)
            if entity in self._domain.people and self._domain.places[place].kind != "room":
                here += P_AT_FURNITURE * self.places(entity).get(self._domain.room_of(place), 0.0)
            if name != "next_to":
                return here
            beside = sum(p for where, p in self.places(entity).items() if where != place and self._beside(where, place))
            return min(1.0, here + P_BESIDE * beside)
        if name in {"in", "at", "on", "from"}:
            return 1.0 if place in self.around(entity)[1:] else 0.0
        return (0.9 if name == "next_to" else 0.35) if self._beside(entity, place) else 0.02

    def _beside(self, one: str, other: str) -> bool:
        places = self._domain.places
        if self._domain.room_of(one) != self._domain.room_of(other) or one == other:
            return False
        return math.dist(places[one].pose[:2], places[other].pose[:2]) <= ROBOT_PLACES

    def _by_position(self, name: RelationName, entity: str, landmarks: Sequence[str]) -> bool | None:
        """The relation by positions, in the view of the robot (REP 103: x forward, y left); None where they don't tell."""
        found = [self.position(each) for each in (entity, *landmarks)]
        points = [self._in_view(point) for point in found if point is not None]
        if len(points) < len(found) or name in {"in", "at", "from", "with"}:
            return None
        thing, landmark = points[0], points[1]
        apart = math.dist(thing, landmark)
        match name:
            case "next_to":
                return apart < BESIDE
            case "left_of":
                return apart < SAME_ROW and thing[1] > landmark[1]
            case "right_of":
                return apart < SAME_ROW and thing[1] < landmark[1]
            case "behind":
                return apart < SAME_ROW and thing[0] > landmark[0]
            case "in_front_of":
                return apart < SAME_ROW and thing[0] < landmark[0]
            case "on" | "above" | "under":
                over = math.dist(thing[:2], landmark[:2]) < BESIDE / 2
                return over and (thing[2] < landmark[2] if name == "under" else thing[2] > landmark[2])
        if len(points) < 3:
            return None
        width = math.dist(landmark[:2], points[2][:2])
        return math.dist(thing[:2], landmark[:2]) + math.dist(thing[:2], points[2][:2]) <= 1.25 * width

    def _in_view(self, point: Point) -> Point:
        """A point of the map in the robot's frame."""
        x, y, yaw = self._view.pose
        dx, dy = point[0] - x, point[1] - y
        return (math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx, point[2])

    def leftness(self, entity: str) -> float | None:
        """Bearing of the entity from the robot, in rad, left positive; None if its position is not known."""
        point = self.position(entity)
        if point is None:
            return None
        forward, left, _ = self._in_view(point)
        return math.atan2(left, forward)
