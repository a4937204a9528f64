"""What the robot has seen and where: the memory that `pick` reads and the context's `visible`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sayso.robot.geometry import Point3

LATELY = 60.0  # s: what was seen within it counts as visible


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing, seen once."""

    point: Point3  # m, map frame
    stamp: float  # s
    phrase: str  # by which it was found


@dataclass
class Sightings:
    """The last sighting of each object, by its id."""

    _last: dict[str, Sighting] = field(default_factory=dict)

    def saw(self, object_id: str, phrase: str, point: Point3, now: float) -> None:
        """Remember it."""
        self._last[object_id] = Sighting(point, now, phrase)

    def forget(self, object_id: str) -> None:
        """It is there no longer: taken, or not found again."""
        self._last.pop(object_id, None)

    def of(self, object_id: str) -> Sighting | None:
        """Where it was seen last, None where it was not."""
        return self._last.get(object_id)

    def visible(self, now: float) -> tuple[str, ...]:
        """Ids of what was seen lately, the latest first."""
        lately = [(sighting.stamp, object_id) for object_id, sighting in self._last.items() if now - sighting.stamp <= LATELY]
        return tuple(object_id for _, object_id in sorted(lately, reverse=True))

    def near(self, point: Point3, within: float, but: str = "") -> bool:
        """Was something else seen so near to the point?"""
        return any(math.dist(sighting.point, point) < within for object_id, sighting in self._last.items() if object_id != but)
