"""The robot's arm, and the welds that hold an object in its hand or at a person's hand."""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, cos, hypot, sin
from typing import Any

import numpy as np

from sayso.scene.scene import Point3
from sayso.sim.engine import mujoco
from sayso.sim.mjcf import HOLDERS, SHADE
from sayso.sim.robot_body import CARRYING, FOLDED, ArmPose
from sayso.types import FloatArray

ARM_SPEED = (1.2, 0.4, 0.5)  # rad/s of yaw, m/s of lift and stretch


class Arm:
    """The arm's joints: they snap to the object that the magnet takes, and move back at their own speed."""

    def __init__(self, model: Any, data: Any) -> None:
        self._data = data
        self._joints = [model.joint(f"arm/{name}") for name in ("yaw", "lift", "stretch")]
        self._motors = [model.actuator(f"arm/{name}").id for name in ("yaw", "lift", "stretch")]
        self._goal = FOLDED

    def snap(self, pose: ArmPose) -> None:
        """Set the joints to that pose at once, at rest."""
        self._goal = pose
        for joint, motor, value in zip(self._joints, self._motors, (pose.yaw, pose.lift, pose.stretch), strict=True):
            self._data.qpos[joint.qposadr[0]] = value
            self._data.qvel[joint.dofadr[0]] = 0.0
            self._data.ctrl[motor] = value

    def carry(self) -> None:
        """Move to the pose for carrying."""
        self._goal = CARRYING

    def fold(self) -> None:
        """Move back to the robot's side."""
        self._goal = FOLDED

    def move(self, pose: ArmPose) -> None:
        """Move to that pose."""
        self._goal = pose

    @property
    def there(self) -> bool:
        """Whether the motion is over."""
        now = [float(self._data.ctrl[motor]) for motor in self._motors]
        return all(abs(each - goal) < 1e-6 for each, goal in zip(now, (self._goal.yaw, self._goal.lift, self._goal.stretch), strict=True))

    def advance(self, seconds: float) -> None:
        """Move for that many seconds at the arm's own speed."""
        for motor, goal, speed in zip(self._motors, (self._goal.yaw, self._goal.lift, self._goal.stretch), ARM_SPEED, strict=True):
            held = self._data.ctrl[motor]
            self._data.ctrl[motor] = held + max(-speed * seconds, min(speed * seconds, goal - held))


class Welds:
    """Welds that hold objects to the hand, to the robot's basket, or to the world where a person's hand is.

    The thing that a walking person holds is put there anew.
    """

    def __init__(self, model: Any, data: Any, objects: Iterable[str]) -> None:
        self._model, self._data = model, data
        self._welds = {(holder, name): model.equality(f"{holder}/{name}").id for holder in HOLDERS for name in objects}
        self._hull = {name: model.geom(f"{name}/hull").id for name in objects}
        self._shadow = {name: model.geom(f"{name}/shadow").id for name in objects}

    def hold(self, holder: str, object_id: str) -> None:
        """Hold the object in its current pose, without collisions, so that the robot cannot get stuck with it."""
        weld = self._welds[holder, object_id]
        first, second = self._model.body(holder), self._model.body(object_id)
        inverse, turned = np.empty(4), np.empty(4)
        mujoco.mju_negQuat(inverse, self._data.xquat[first.id])
        mujoco.mju_mulQuat(turned, inverse, self._data.xquat[second.id])
        offset = self._data.xmat[first.id].reshape(3, 3).T @ (self._data.xpos[second.id] - self._data.xpos[first.id])
        self._model.eq_data[weld, :3] = 0.0
        self._model.eq_data[weld, 3:6], self._model.eq_data[weld, 6:10] = offset, turned
        self._data.eq_active[weld] = 1
        self._touch(object_id, 0)

    def held(self, object_id: str) -> tuple[FloatArray, FloatArray]:
        """Where the hand holds the object: its foot (3,), m, and its quaternion (4,), in the hand's frame."""
        weld = self._model.eq_data[self._welds["hand", object_id]]
        return weld[3:6].copy(), weld[6:10].copy()

    def hold_so(self, object_id: str, foot: FloatArray, quaternion: FloatArray) -> None:
        """Turn and move the object in the hand that holds it; in the hand's frame."""
        weld = self._model.eq_data[self._welds["hand", object_id]]
        weld[3:6], weld[6:10] = foot, quaternion

    def let_go(self, object_id: str) -> None:
        """Release the object."""
        for holder in HOLDERS:
            self._data.eq_active[self._welds[holder, object_id]] = 0
        self._touch(object_id, 1)

    def _touch(self, object_id: str, bit: int) -> None:
        self._model.geom_contype[self._hull[object_id]] = bit
        self._model.geom_conaffinity[self._hull[object_id]] = bit
        self._model.geom_rgba[self._shadow[object_id], 3] = SHADE * bit


def reaching(pose: tuple[float, float, float], point: Point3, short_of: float) -> ArmPose:
    """The arm's joints with the fingers `short_of` metres before a point of the map, for a robot at x, y, yaw."""
    dx, dy = point[0] - pose[0], point[1] - pose[1]
    angle = atan2(dy, dx) - pose[2]
    return ArmPose(atan2(sin(angle), cos(angle)), min(max(point[2], 0.02), 1.38), min(max(hypot(dx, dy) - short_of, 0.12), 0.98))
