"""What the robot has seen and where; read by `pick` and by the context's `visible`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sayso.robot.geometry import Point3

LATELY = 60.0  # s: an object seen within this time counts as visible


@dataclass(frozen=True, slots=True)
class Sighting:
    """One observation of an object."""

    point: Point3  # m, map frame
    stamp: float  # s
    phrase: str  # the phrase that found it


@dataclass
class Sightings:
    """The last sighting of each object, by its id."""

    _last: dict[str, Sighting] = field(default_factory=dict)

    def saw(self, object_id: str, phrase: str, point: Point3, now: float) -> None:
        """Remember a sighting."""
        self._last[object_id] = Sighting(point, now, phrase)

    def forget(self, object_id: str) -> None:
        """Forget an object that was taken or not found again."""
        self._last.pop(object_id, None)

    def clear(self) -> None:
        """Forget all of them."""
        self._last.clear()

    def of(self, object_id: str) -> Sighting | None:
        """The last sighting of the object, None if there is none."""
        return self._last.get(object_id)

    def visible(self, now: float) -> tuple[str, ...]:
        """Ids of the objects seen lately, the latest first."""
        lately = [(sighting.stamp, object_id) for object_id, sighting in self._last.items() if now - sighting.stamp <= LATELY]
        return tuple(object_id for _, object_id in sorted(lately, reverse=True))

    def near(self, point: Point3, within: float, but: str = "") -> bool:
        """Whether an object other than `but` was seen within that distance (m) of the point."""
        return any(math.dist(sighting.point, point) < within for object_id, sighting in self._last.items() if object_id != but)
