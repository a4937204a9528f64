"""The simulator's ground truth: for judging what became of a command. No stage reads it."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.scene.layout import Rectangle
from sayso.scene.scene import Point3
from sayso.types import FloatArray

IN_GRIPPER, ON_FLOOR = "gripper", "floor"
TOUCHING = 0.03  # m: a thing whose foot is so near to a surface rests on it
STACK = 0.35  # m: what stands on a thing that stands on a surface is at that surface too


@dataclass(frozen=True, slots=True)
class WorldTruth:
    """Where everything is: the same as msg/WorldState."""

    stamp: float  # s of simulated time
    x: float  # robot, m and rad in the map frame
    y: float
    yaw: float
    objects: tuple[str, ...]
    locations: tuple[str, ...]  # of each object: a place id, "gripper", a person id, or "floor"
    positions: FloatArray  # (objects, 3) m, the middle of each

    def location(self, object_id: str) -> str:
        """Where that object is."""
        return self.locations[self.objects.index(object_id)]


def resting_place(foot: Point3, surfaces: tuple[Rectangle, ...]) -> str:
    """The id of the surface that something stands on whose foot is at that point, "floor" where it is none of them."""
    x, y, z = foot
    under = [surface for surface in surfaces if surface.distance(x, y) == 0.0 and -TOUCHING <= z - surface.top <= STACK]
    return max(under, key=lambda surface: surface.top).name if under else ON_FLOOR
