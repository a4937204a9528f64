"""The simulator's ground truth, to judge the outcome of a command. No stage reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.scene.layout import Rectangle
from sayso.scene.scene import Point3
from sayso.types import FloatArray

IN_GRIPPER, IN_BASKET, ON_FLOOR = "gripper", "basket", "floor"
TOUCHING = 0.03  # m: an object whose foot is this close to a surface rests on it
STACK = 0.35  # m: an object on top of another one is at the same surface, up to this height


@dataclass(frozen=True, slots=True)
class WorldTruth:
    """Where everything is; the same fields as msg/WorldState."""

    stamp: float  # s of simulated time
    x: float  # robot, m and rad in the map frame
    y: float
    yaw: float
    objects: tuple[str, ...]
    locations: tuple[str, ...]  # of each object: a place id, "gripper", "basket", a person id, or "floor"
    positions: FloatArray  # (objects, 3) m, the middle of each
    facts: tuple[str, ...] = ()  # of doors and appliances: "open(fridge)", "closed(fridge)", "powered(lamp)", "unpowered(lamp)"
    people: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # person → m, map frame

    def location(self, object_id: str) -> str:
        """The location of that object."""
        return self.locations[self.objects.index(object_id)]


def resting_place(foot: Point3, surfaces: tuple[Rectangle, ...]) -> str:
    """The id of the surface under a foot at that point, "floor" if there is none."""
    x, y, z = foot
    under = [surface for surface in surfaces if surface.distance(x, y) == 0.0 and -TOUCHING <= z - surface.top <= STACK]
    return max(under, key=lambda surface: surface.top).name if under else ON_FLOOR
