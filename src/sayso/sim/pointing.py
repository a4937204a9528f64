"""The arm points: the fingers are raised into the line from the robot's eyes to a point, held there, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np

from sayso.scene.layout import middles, size_of
from sayso.scene.scene import Point3
from sayso.sim.handled import ArmControl, HandledWorld, arrived
from sayso.sim.operating import Steps
from sayso.sim.robot_body import CAMERA, ArmPose
from sayso.types import FloatArray

POINT = "point"
STRETCHED, LEAST = 0.9, 0.3  # m from the robot's centre to the fingers, at most and at least
SHORT = 0.15  # m from the fingers to the point, at least
HELD = 3.0  # s
WITHIN = radians(10)  # from the arm, and from the robot's heading, to what is pointed at


class Pointer:
    """Points, and knows at what. `fails` tells by chance whether a command fails."""

    def __init__(self, world: HandledWorld, arm: ArmControl, fails: Callable[[str], bool], period: Callable[[], float]) -> None:
        """`period` tells the seconds between two steps."""
        self._world, self._arm, self._fails, self._period = world, arm, fails, period
        self._still = middles(world.scene)
        self._pointed: set[str] = set()

    def reset(self) -> None:
        """Nothing was pointed at."""
        self._pointed.clear()

    def facts(self) -> tuple[str, ...]:
        """What was pointed at since the start, as literals: each thing, place and person that was in the arm's direction all the time."""
        return tuple(f"pointed_at({name})" for name in sorted(self._pointed))

    def point(self, target: Point3, holding: str) -> Steps:
        """Point to that point of the map, m; what the hand holds is carried again afterwards."""
        if not np.isfinite(target).all():
            return False, "the target is not a point"
        if self._fails(POINT):
            return False, "the arm did not come up"
        try:
            self._arm.move(along_sight(self._world.at, target))
            yield from arrived(self._arm)
            yield from self._holding_still()
        finally:
            if holding:
                self._arm.carry()
            else:
                self._arm.fold()
        yield from arrived(self._arm)
        return True, "pointed there"

    def _holding_still(self) -> Iterator[None]:
        """Hold the arm up, and note what it points at all the time."""
        rest, found = HELD, set(self._directions())
        while rest > 0.0:
            found &= {name for name, angle in self._directions().items() if angle <= WITHIN}
            yield
            rest -= self._period()
        self._pointed |= found

    def _directions(self) -> Mapping[str, float]:
        """Everything's angle from the arm's line or from the robot's heading, whichever is larger, rad."""
        x, y, yaw = self._world.at
        eyes = np.array([x, y, CAMERA.z])
        arm = self._world.fingers - eyes
        found = {}
        for name, at in self._everything():
            aside = abs((atan2(at[1] - y, at[0] - x) - yaw + pi) % (2 * pi) - pi)
            found[name] = max(angle_between(arm, np.array(at) - eyes), aside)
        return found

    def _everything(self) -> Iterator[tuple[str, Point3]]:
        """Each thing, piece of furniture, room and person, and the middle of it, m."""
        yield from self._still.items()
        for name in self._world.scene.objects:
            x, y, z = self._world.middle(name)
            yield name, (float(x), float(y), float(z))
        for name in self._world.scene.people:
            x, y, _ = self._world.person(name)
            yield name, (x, y, size_of(self._world.scene, self._world.scene.people[name])[2] / 2)


def along_sight(pose: tuple[float, float, float], target: Point3) -> ArmPose:
    """The arm's joints with the fingers on the line from the eyes of a robot at x, y (m), yaw (rad) to a point of the map."""
    dx, dy = target[0] - pose[0], target[1] - pose[1]
    away, angle = max(hypot(dx, dy), LEAST + SHORT), atan2(dy, dx) - pose[2]
    stretch = min(STRETCHED, away - SHORT)
    lift = CAMERA.z + (target[2] - CAMERA.z) * stretch / away
    return ArmPose(atan2(sin(angle), cos(angle)), min(max(lift, 0.02), 1.38), stretch)


def angle_between(one: FloatArray, other: FloatArray) -> float:
    """The angle between two vectors (3,), rad."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))
